import { SERVICES } from "./forms.ts";
import { type Strength, strengthOf, wordsOf } from "./names.ts";
import { entropyOf, isHarmless, isIdentifier, isPlaceholder, isRandom, isWords } from "./value.ts";

/** A secret in a text that was found by the name before it, as in `password: …`. */
export interface Named {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const MOST = 4096;
const LONGEST_NAME = 100;

const isNamePart = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46;

/** Matches the text between a name and its value. */
const ASSIGNS =
  /["'`]?[\])]?[ \t]{0,40}(?:=>|:=|::?=|={1,3}|:|->|\?=)(?!=)[ \t]{0,40}(?:[A-Za-z_&<>[\]*]{1,24} ?= ?(?=["'`]))?(?:[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40})?/y;
const PASSES = /["'`][ \t]{0,8},[ \t]{0,8}(?=["'`])/y;
const CALLS = /\([ \t]{0,8}(?=["'`])/y;
const SETS = /^(?:set|with|put|add|use|auth|authenticate|login|connect)(?![a-z])/i;
const PAIRS = /["']?[,\s]{1,80}["']?(?:value|Value|VALUE)["']?[ \t]{0,8}[:=][ \t]{0,8}/y;
const CELLS = /["'`]?(?:[ \t]{0,40}[|│][ \t]{0,8}|\t{1,4}|>[ \t]{0,4}(?=[^<>\n]{1,400}<\/))/y;
const IS = /["'`]?(?: is| was)?:? {1,3}/y;
const BLANK = /[ =]{1,4}/y;

/** Matches what may precede the secret in a value: a quote, or a scheme as in `Bearer TOKEN`. */
const SCHEME =
  /(?:[rbuf]{0,2}(?=["'`]))?["'`]?(?:(?:bearer|basic|token|apikey|jwt|ssws|key|digest|negotiate)[ \t]{1,4})?/iy;
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /[^"\n]{1,4096}(?=")/y,
  "'": /[^'\n]{1,4096}(?=')/y,
  "`": /[^`\n]{1,4096}(?=`)/y,
};
const BARE = /[^\s"'`,;<>(){}[\]|&\\]{1,4096}/y;
/** Matches the value in a line of a settings file, including all punctuation. */
const LINE = /[^\s"'`](?:[^\s]{0,1000}[^\s,;])?(?=[ \t]{0,40}(?:[#;][^\n]{0,400})?(?:\r?\n|$))/y;
const LINE_START = /(?:^|\n)[ \t]{0,40}(?:export |set |declare -x |ENV |ARG |- |# ?|\/\/ ?)?$/;

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at;
  return expression.exec(text)?.[0];
}

/** Whether a value may follow the name that ends at this position. */
function mayAssign(text: string, at: number): boolean {
  const next = text[at];
  if (next === " " || next === "\t") return /[=:|│"'`\w$./~@!#%^&*+?<-]/.test(text[at + 1] ?? "");
  return next !== undefined && "=:\"'`])|>\n\r(,?-".includes(next);
}

/** Returns the bounds of the name that contains a word. */
export function nameAround(text: string, start: number, end: number): readonly [start: number, end: number] {
  let from = start;
  let to = end;
  while (from > 0 && start - from < LONGEST_NAME && isNamePart(text.charCodeAt(from - 1))) from -= 1;
  while (to < text.length && to - end < LONGEST_NAME && isNamePart(text.charCodeAt(to))) to += 1;
  return [from, to];
}

/** Returns the secret that follows a name. `known`: how clearly the name marks a secret, if that is known. */
export function namedAt(text: string, [start, end]: readonly [number, number], known?: Strength): Named | undefined {
  if (!mayAssign(text, end)) return undefined;
  const written = text.slice(start, end);
  const isOption = written.startsWith("-");
  const name = written.replace(/^[-.]+|[-.]+$/g, "");
  const strength = known ?? strengthOf(name) ?? (SERVICES.has(name.toLowerCase()) ? "weak" : undefined);
  if (strength === undefined) return undefined;
  const assigns = matchAt(ASSIGNS, text, end);
  const between =
    assigns ??
    matchAt(PAIRS, text, end) ??
    (/\([ \t\n]{0,8}["'`]$/.test(text.slice(Math.max(0, start - 10), start))
      ? matchAt(PASSES, text, end)
      : undefined) ??
    (SETS.test(written.replace(/^.*\./, "")) ? matchAt(CALLS, text, end) : undefined) ??
    matchAt(CELLS, text, end) ??
    (isOption || isFile(text, start) ? matchAt(BLANK, text, end) : undefined);
  const told = between ?? matchAt(IS, text, end);
  if (told === undefined || told === "") return undefined;
  const isQuery = /[?&]$/.test(text.slice(Math.max(0, start - 1), start));
  const isLine = assigns !== undefined && LINE_START.test(text.slice(Math.max(0, start - 60), start));
  const from = end + told.length;
  const scheme = matchAt(SCHEME, text, from) ?? "";
  const quote = /["'`]/.exec(scheme)?.[0];
  const at = from + scheme.length;
  const value =
    (quote === undefined ? undefined : matchAt(QUOTED[quote] as RegExp, text, at)) ??
    (isLine && quote === undefined ? matchAt(LINE, text, at) : undefined) ??
    matchAt(BARE, text, at);
  if (value === undefined || value.length > MOST) return undefined;
  const how: How = {
    name,
    isQuoted: quote !== undefined,
    isLine: isLine && /^[A-Z]/.test(name) && told.includes("="),
    isPlain: known !== undefined || isOption || (between !== undefined && assigns === undefined && isFile(text, start)),
    isProse: between === undefined,
    isQuery,
  };
  const plain = value.replace(/[.,;:!?)]+$/, (tail) => (quote === undefined && !isLine ? "" : tail));
  return holds(plain, strength, how) ? { name, start: at, end: at + plain.length } : undefined;
}

/** Whether the name is in a text such as `.netrc`, in which blanks separate names from values. */
function isFile(text: string, at: number): boolean {
  return (
    /\b(?:machine|login|default)\b[\s\S]{0,150}\s$|(?:^|\n)(?:ENV |requirepass|masterauth|set -x )$/.test(
      text.slice(Math.max(0, at - 200), at),
    ) || /^(?:requirepass|masterauth)\b/.test(text.slice(at, at + 12))
  );
}

interface How {
  readonly name: string;
  readonly isQuoted: boolean;
  /** Whether the line has the form `NAME=value`. */
  readonly isLine: boolean;
  /** Whether the place alone shows that a value follows, as after the option `--password`. */
  readonly isPlain: boolean;
  readonly isProse: boolean;
  readonly isQuery: boolean;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const EXAMPLE_UUID = /^(?:123e4567-|550e8400-|(\w)\1{7}-\1{4}-)/i;
const NO_SECRET =
  /^(?:\d{4}-\d\d-\d\d|v?\d+\.\d+|[\w.+-]+@[\w-]+\.\w|.*\.(?:pem|json|key|crt|txt|ya?ml|ts|js|py|go|rb|env|html?|svg|png|md)$)/i;

/** Whether a value is a secret, given how clearly its name says so. */
function holds(value: string, strength: Strength, how: How): boolean {
  const { name, isQuoted, isLine, isPlain, isProse, isQuery } = how;
  if (value.length < 4 || /\$\{|\?\./.test(value) || isHarmless(value) || value.toLowerCase() === name.toLowerCase())
    return false;
  if (isProse && !(isQuoted || isRandom(value) || (strength === "password" && isMixed(value)))) return false;
  if (/\s/.test(value)) return isQuoted || isLine ? isPhrase(value, name) : false;
  if (NO_SECRET.test(value) && !isRandom(value)) return false;
  const service = serviceOf(name);
  if (service?.test(value) === true && entropyOf(value) > 2.5 && /\d/.test(value)) return true;
  if (UUID.test(value)) return strength !== "weak" && !EXAMPLE_UUID.test(value);
  if (strength === "weak") return isWeakSecret(value, name, isQuery);
  if (!isQuoted && /[()<]|^[\w$]+(?:\.[A-Za-z_$][\w$]*)+$|^[\w$.]+\[/.test(value) && !isRandom(value) && !isLine)
    return false;
  if (strength === "password") {
    if (isPlain) return !/^\w+=/.test(value);
    if (isWords(value) || isIdentifier(value))
      return (isLine && value.length >= 8) || (value.match(/[-_. ]/g)?.length ?? 0) >= 3;
    return /^\d+$/.test(value) ? value.length >= 6 : true;
  }
  if (
    value.length < 8 ||
    /^[a-z]+=/.test(value) ||
    isWords(value) ||
    (isIdentifier(value) && !isRandom(value)) ||
    /^[\d.]+$/.test(value)
  )
    return false;
  return /\d/.test(value) || isRandom(value) || /[^\w.-]/.test(value);
}

/** Whether a value mixes kinds of characters as no ordinary word does. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && value.length >= 6 && !isIdentifier(value);
}

function isWeakSecret(value: string, name: string, isQuery: boolean): boolean {
  const words = wordsOf(name);
  const head = words.at(-1) ?? "";
  if (/^(?:sig|signature)$/.test(head)) return isQuery && value.length >= 20;
  if (/^(?:totp|otp|mfa|2fa|seed)$/.test(head)) return /^[A-Z2-7]{16,64}=*$/.test(value) || isRandom(value);
  if (/^auth/.test(head)) return isRandom(value) || basicOf(value) !== undefined;
  if (/^[0-9a-f]+$/i.test(value) && words.length < 2) return false;
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value)) return /^[A-Z_0-9]+$/.test(name);
  return value.length >= 16 && isRandom(value) && !value.includes("://");
}

/** Returns the password in the base64 of `user:password`. */
export function basicOf(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, "base64").toString("latin1");
  return /^[\x21-\x7e]{0,128}:[\x20-\x7e]{3,}$/.test(text) ? text.slice(text.indexOf(":") + 1) : undefined;
}

/** Whether a value of several words is a passphrase or a wallet's recovery phrase, and not a label. */
function isPhrase(value: string, name: string): boolean {
  const words = value.trim().split(/[ \t]+/);
  if (/mnemonic|seed|recovery|wallet/i.test(name))
    return words.length >= 12 && words.every((word) => /^[a-z]{3,8}$/.test(word));
  if (/totp|otp|mfa|2fa|setup|secret/i.test(name) && words.length >= 4)
    return words.every((word) => /^[A-Za-z2-7]{4}$/.test(word)) && /\d/.test(value);
  // Google issues app passwords in this form.
  if (/^[a-z]{4}(?: [a-z]{4}){3}$/.test(value) && strengthOf(name) === "password")
    return !/ (?:your|pass|word|here|that|this|with) /.test(` ${value} `);
  if (/phrase/i.test(name))
    return words.length >= 4 && !/\b(?:the|your|a|enter|must|be|is|for|please|or|to|of|and|with)\b/i.test(value);
  return (
    strengthOf(name) === "password" &&
    words.length <= 3 &&
    /\d/.test(value) &&
    /[^\w\s.,:'-]/.test(value) &&
    !isPlaceholder(value)
  );
}

function serviceOf(name: string): RegExp | undefined {
  for (const word of wordsOf(name)) {
    const found = SERVICES.get(word);
    if (found !== undefined) return found;
  }
  return undefined;
}
