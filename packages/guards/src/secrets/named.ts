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
/** Number of characters at the beginning of a value that decide whether it is a secret. */
const MOST_JUDGED = 256;
const LONGEST_NAME = 100;

const isNamePart = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46;

/** Matches the text between a name and its value, including a type, an alternative's operator, or `{ "value":`. */
const ASSIGNS =
  /(?:["'`]?[\])]?[ \t]{0,40}(?:=>|:=|::?=|={1,3}|:(?![:+?])|->|\?=|(?:\|\||\?\?|or)(?=[ \t]{1,8}["'`]))|[ \t]\{ get;[^{}\n]{0,40}\} =)(?!=)[ \t]{0,40}(?:[A-Za-z_&<>[\]*]{1,24} ?= ?(?=["'`])|(?:&\w{1,40}|!!str)[ \t])?(?:[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40}|\{\s{0,40}(?:"(?:sensitive|type)":[^,{}\n]{1,40},\s{0,40}){0,2}["']?value["']?\s{0,8}[:=]\s{0,8})?/y;
const PASSES = /["'`][ \t]{0,8},[ \t]{0,40}(?=["'`])/y;
const CALLS = /\([ \t]{0,8}(?=["'`])/y;
const SETS = /^(?:[Ss]et|[Ww]ith|[Pp]ut|[Aa]dd|[Uu]se|[Aa]uth|[Aa]uthenticate|[Ll]ogin|[Cc]onnect)(?![a-z])/;
const PAIRS =
  /["']?[,\s]{1,80}["']?(?:value|Value|VALUE)["']?[ \t]{0,8}[:=][ \t]{0,8}|["'] \{\s{1,40}(?:\w{1,40} {0,40}= [^\n{}]{1,200}\n\s{0,40}){0,4}default {0,40}= /y;
const CELLS =
  /["'`]?(?:[ \t]{0,40}(?:(?<=[ \t])[|│]|[|│](?=[ \t]))[ \t]{0,8}|\t{1,4}|>[ \t]{0,4}(?=[^<>\n]{1,400}<\/))/y;
const IS = /["'`]?(?:(?: is| was)?(?: \w{1,12})? for [\w.@%'"-]{1,64}:|(?: is| was)?:?)[ \t]{1,40}(?![*&<(-])/y;
const BLANK = /[ =]{1,4}/y;

/** Matches what may precede the secret in a value: a quote, or a scheme as in `Bearer TOKEN`. */
const SCHEME =
  /(?:[rbuf]{0,2}(?=["'`]))?(?:"""|'''|["'`])?(?:(?:bearer|basic|token|apikey|jwt|ssws|key|digest|negotiate)[ \t]{1,4})?/iy;
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /[^"\n]{1,4096}(?=")/y,
  "'": /[^'\n]{1,4096}(?=')/y,
  "`": /[^`\n]{1,4096}(?=`)/y,
};
const BARE = /[^\s"'`,;<>(){}[\]|&\\]{1,4096}/y;
/** Matches an unquoted value where an ampersand does not begin the next one. */
const WORD = /[^\s"'`,;<>(){}[\]|\\]{1,4096}/y;
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
  if (next === " " || next === "\t") return /[=:|│"'`{ \w$./~@!#%^&*+?<-]/.test(text[at + 1] ?? "");
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
  const before = text.slice(Math.max(0, start - 200), start);
  const name = nameOf(written.replace(/^[-.]+|[-.]+$/g, ""), before);
  const strength = known ?? strengthOf(name) ?? (SERVICES.has(name.toLowerCase()) ? "weak" : undefined);
  if (strength === undefined || PUBLIC_PLACE.test(before)) return undefined;
  const assigns = matchAt(ASSIGNS, text, end);
  const between =
    assigns ??
    matchAt(PAIRS, text, end) ??
    (/\([ \t\n]{0,8}["'`]$/.test(before) ? matchAt(PASSES, text, end) : undefined) ??
    (SETS.test(written.replace(/^.*\.(?=.)/, "")) || (strength !== "weak" && written.startsWith("."))
      ? matchAt(CALLS, text, end)
      : undefined) ??
    matchAt(CELLS, text, end) ??
    (isOption || isFile(before, written) ? matchAt(BLANK, text, end) : undefined);
  const told = between ?? matchAt(IS, text, end);
  if (told === undefined || told === "" || (between === undefined && written.endsWith("."))) return undefined;
  // A wide gap after a name is that of a table's columns only at the beginning of a line.
  if (between === undefined && /[ \t]{4}$/.test(told) && !/(?:^|\n)[ \t]*$/.test(before)) return undefined;
  // In prose, "pass" is a verb.
  if (between === undefined && /^pass$/i.test(name) && !/ is| was|:/.test(told)) return undefined;
  const isQuery = /[?&]$/.test(before);
  const isLine = assigns !== undefined && LINE_START.test(before.slice(-60));
  const from = end + told.length;
  const scheme = matchAt(SCHEME, text, from) ?? "";
  const quote = /["'`]/.exec(scheme)?.[0];
  const at = from + scheme.length;
  const value =
    (quote === undefined ? undefined : matchAt(QUOTED[quote] as RegExp, text, at)) ??
    (isLine && quote === undefined ? matchAt(LINE, text, at) : undefined) ??
    matchAt(told.includes("=") ? BARE : WORD, text, at);
  if (value === undefined || value.length > MOST) return undefined;
  const how: How = {
    name,
    isQuoted: quote !== undefined,
    isLine: isLine && /^[A-Z]/.test(name) && /^[:?]?=$/.test(told),
    isPlain:
      known !== undefined || isOption || (between !== undefined && assigns === undefined && isFile(before, written)),
    isProse: between === undefined,
    isQuery,
  };
  const plain = value.replace(/[.,;:!?)]+$/, (tail) => (quote === undefined && !isLine ? "" : tail));
  if (quote === undefined && !how.isLine && /^ ?\(/.test(text.slice(at + value.length, at + value.length + 2)))
    return undefined;
  const judged = plain.slice(0, MOST_JUDGED).replace(/^(["'])(.*)\1$/, "$2");
  return holds(judged, strength, how) ? { name, start: at, end: at + plain.length } : undefined;
}

/** Matches the text before a name that has no secret: that of an ARN, or of the address of a picture in a README. */
const PUBLIC_PLACE = /:\d{12}:$|\.svg\?(?:[^\s"'?]{1,100}&)?$/;

/** Returns the name of a value: with the word before it, as in "API key", and that of a connection string's `PWD=`. */
function nameOf(name: string, before: string): string {
  if (name === "PWD" && /;\s?$/.test(before)) return "password";
  const [, word] = /^keys?$/i.test(name) ? (/(?<![\w-])([A-Za-z]{3,10}) $/.exec(before) ?? []) : [];
  return word === undefined || strengthOf(`${word}_${name}`) !== "secret" ? name : `${word} ${name}`;
}

/** Whether the text before a name is that of a file such as `.netrc`, in which blanks separate names from values. */
function isFile(before: string, name: string): boolean {
  return /^(?:requirepass|masterauth)$/.test(name)
    ? /(?:^|\n|set )[ \t]*$/i.test(before)
    : /(?:(?:^|\n)[ \t#]*(?:default\s+login\s+\S+|machine\s+\S+)|\bmachine\s+\S+\s+login\s+\S+)(?:\s+(?:login|account|port)\s+\S+){0,3}\s+$|(?:^|\n)[ \t]*(?:ENV|set(?: -\w+)+|setenv) $/.test(
        before,
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
/** Matches regular expressions, pieces of code, and sentences in a script without blanks between words. */
const NO_VALUE =
  /^0x[0-9a-fA-F]{1,8}[uUlL]{0,3}$|\\[sdwbSDWB(|<%.]|\(\?[:=!<]|\[\^?[a-zA-Z]-[a-zA-Z0-9]|\.[*+]\$?$|^(?:[)\]}].*[(.;]|[.,;]\s?\w*$|\.\s?\$)|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{3}/;
/** Matches the name of a type or a class, such as `Uint8Array`, and code that computes a value. */
const CODE =
  /^[A-Z]+(?:_[A-Z0-9]+)+$|^[A-Z][A-Za-z]*\d{0,3}(?:Array|Result|Schema|Builder|Key|Token|Type|Client|Provider|Credentials|Options|Secret|Password)(?:\$\d?)?$|[()<]|->|\/\*|\?[\w$]+\.|^[\w$]+(?:\.[A-Za-z_$][\w$]*)+$|^[\w$.]+\[/;
/** Matches words that follow the name of an option in a text about it, as in "the --password option". */
const ABOUT =
  /^(?:options?|flags?|arguments?|parameters?|switch|fields?|values?|and|or|to|from|with|when|will|must|should|can|may|instead|prompts?|is|are|for|in|on|if|as|was|has)$/i;

/** Whether a value is a secret, given how clearly its name says so. */
function holds(value: string, strength: Strength, how: How): boolean {
  const { name, isQuoted, isLine, isPlain, isProse, isQuery } = how;
  if (value.length < 4 || /\$\{|\?\./.test(value) || isHarmless(value) || repeats(value, name)) return false;
  if (isNoise(value)) return isQuoted || isLine;
  if (NO_VALUE.test(value)) return false;
  if (isProse && !(isQuoted || isRandom(value) || (strength === "password" && isMixed(value)))) return false;
  if (/\s/.test(value)) return isQuoted || isLine ? isPhrase(value, name) : false;
  if (NO_SECRET.test(value) && !isRandom(value)) return false;
  const service = serviceOf(name);
  if (service?.test(value) === true && entropyOf(value) > 2.5 && /\d/.test(value)) return true;
  if (UUID.test(value)) return strength !== "weak" && !EXAMPLE_UUID.test(value);
  if (strength === "weak") return isWeakSecret(value, name, isQuery);
  if ((!isQuoted || isProse) && !isLine && CODE.test(value) && !isRandom(value)) return false;
  if (strength === "password") {
    if (isPlain) return !/^(?:\w+=|--)/.test(value) && !ABOUT.test(value);
    if (isWords(value) || isIdentifier(value))
      return (
        (isLine && value.length >= 8) ||
        (value.match(isQuoted ? /[-_. ]|\d{2,}$/g : /[-. ]|\d{2,}$/g)?.length ?? 0) >= 3
      );
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

/** Whether a value only repeats its name, or the other way round, as the names of constants do. */
function repeats(value: string, name: string): boolean {
  const [one, other] = [value, name].map((text) => text.toLowerCase().replace(/[^a-z0-9]|\d$/g, "")) as [
    string,
    string,
  ];
  return (one !== "" && other.endsWith(one)) || (other.length >= 6 && one.endsWith(other));
}

/** Whether a value is a long run of random characters of all kinds, as generators of keys for settings make it. */
function isNoise(value: string): boolean {
  const marks = value.match(/[^\w\s.,:;'"()/\\-]/g)?.length ?? 0;
  const letters = Math.min(...[/\d/g, /[a-z]/g, /[A-Z]/g].map((kind) => value.match(kind)?.length ?? 0));
  return (
    value.length >= 32 &&
    letters > 2 &&
    marks >= value.length / 8 &&
    !/ .{0,9} .{0,9} /.test(value) &&
    entropyOf(value) > 4.3
  );
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
  if (words.some((word) => word.startsWith("auth"))) return isRandom(value) || basicOf(value) !== undefined;
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
