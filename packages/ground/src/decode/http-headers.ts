import { isProviderKey } from "./provider-keys.ts";

/** Headers with their variables filled in, and the names of the variables that were left empty. */
export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Variables that are not in the list of allowed ones. */
  readonly unlisted: readonly string[];
  /** Variables that are allowed but not set. */
  readonly unset: readonly string[];
  /** Variables that are allowed but hold the key of a model provider, which no hook gets (guarantees R15). */
  readonly withheld: readonly string[];
}

/**
 * Fills `$VAR` and `${VAR}` into header values. Only allowed variables are filled in; every other one becomes an empty
 * text and is reported. Inserted values are not expanded again.
 */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  allowedEnvVars: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): FilledHeaders {
  const [unlisted, unset, withheld] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const fill = (name: string): string => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (!allowedEnvVars.includes(name)) unlisted.add(name);
    else if (isProviderKey(name)) withheld.add(name);
    else if (value === undefined) unset.add(name);
    else return value;
    return "";
  };
  const filled = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace(VARIABLE, (_, braced?: string, bare?: string) => fill((braced ?? bare) as string)),
  ]);
  return {
    headers: Object.fromEntries(filled),
    unlisted: [...unlisted],
    unset: [...unset],
    withheld: [...withheld],
  };
}

const VARIABLE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** Headers about the connection and the encoding, which only the transport may set. */
const OWN: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Describes why headers cannot be sent; `undefined` if they can. Names the header but never its value. A line break in
 * a value would begin another header or request.
 */
export function headersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "one of its headers has a name that HTTP does not allow";
    if (OWN.has(lower) || lower.startsWith("proxy-"))
      return `the header ${name} is not for a hook to set; remove it from the definition`;
    if (lower === "content-type" && !/^application\/json\s*(?:;|$)/i.test(value))
      return `the header ${name} must be application/json, which is what is sent; remove it from the definition`;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return `the value of the header ${name} contains a line break or another character that HTTP does not allow; look for one at the end of a variable`;
  }
  return undefined;
}
