import { isProviderKey } from "./provider-keys.ts";

/** The shortest value that is removed. Shorter ones are often ordinary words, whose removal would garble every text. */
const MIN_VALUE_LENGTH = 8;

/** Patterns of API keys. Each is a fixed prefix and one character class, so that matching takes linear time. */
const SHAPES: readonly (readonly [name: string, shape: RegExp])[] = [
  ["key", /\bsk-[A-Za-z0-9_-]{16,}/g],
  ["key", /\b(?:gsk|xai|pplx|nvapi|hf|r8|csk|fw|tgp|fc|lsv2)[_-][A-Za-z0-9_-]{16,}/g],
  ["google key", /\bAIza[A-Za-z0-9_-]{30,}/g],
  ["google token", /\bya29\.[A-Za-z0-9._-]{16,}/g],
  ["github token", /\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})/g],
  ["gitlab token", /\bglpat-[A-Za-z0-9_-]{16,}/g],
  ["slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g],
  ["npm token", /\bnpm_[A-Za-z0-9]{30,}/g],
  ["aws key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ["token", /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g],
  [
    "private key",
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  ],
];

/** Matches an authorization scheme and the secret after it. */
const BEARER = /\b(bearer|basic)(\s{1,4})[A-Za-z0-9._~+/=-]{12,}/gi;
const ASSIGNED =
  /\b([A-Za-z0-9_-]{0,64}(?:api[_-]?key|secret|password|passwd|auth[_-]?token|access[_-]?token))(["']{0,2}\s{0,4}[:=]\s{0,4}["']?)[^\s"'\\,;&]{6,}/gi;
/** Matches the password in a URL. */
const IN_URL = /(:\/\/[^\s/:@]{1,128}:)[^\s/@]{1,256}(?=@)/g;

/** Removes secrets from a text. A text without secrets is returned unchanged. */
export type Redactor = (text: string) => string;

/**
 * Makes the redactor for texts that go to logs, diagnostics and reports (guarantees R55).
 *
 * It removes the values of provider-key variables in `env` and of the variables in `names`, also in URL encoding, and
 * then everything that looks like a key. The variables are read only once, when the redactor is made.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): Redactor {
  const wanted = new Set(names);
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.length < MIN_VALUE_LENGTH) continue;
    if (!isProviderKey(name) && !wanted.has(name)) continue;
    values.set(value, name);
    values.set(encodeURIComponent(value), name);
  }
  // The longest value first, since one value may be the beginning of another.
  const known = [...values].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const [value, name] of known) clean = clean.replaceAll(value, `[${name}]`);
    for (const [name, shape] of SHAPES) clean = clean.replace(shape, `[${name}]`);
    clean = clean.replace(BEARER, "$1$2[token]");
    clean = clean.replace(ASSIGNED, "$1$2[secret]");
    return clean.replace(IN_URL, "$1[password]");
  };
}
