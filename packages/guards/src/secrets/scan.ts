import { crc32 } from "node:zlib";
import { Automaton } from "./automaton.ts";
import { FORMS, type Form } from "./forms.ts";
import { nameAround, namedAt } from "./named.ts";
import { wordsOf } from "./names.ts";
import { type Found, SHAPES } from "./shapes.ts";
import { isExample } from "./value.ts";

/** Words of which one is in each name that `strengthOf` knows. */
const NAME_WORDS =
  "pass pwd psk secret token key cred auth dsn cookie sess sid salt pepper seed hmac mnemonic bearer jwt pat pw masterauth totp otp mfa 2fa signature connection".split(
    " ",
  );

const CONTEXT = 200;
/** The longest secret that may begin before the end of what a shape searches, and end behind it. */
const MARGIN = 500;
const SHORTEST_RUN = 24;

const LONG_FORMS = FORMS.filter(({ starts }) => starts.length === 0);

interface SecretKind {
  readonly form?: Form;
  readonly shape?: (typeof SHAPES)[number];
  /** Whether the word is a whole name that a person calls secret. */
  readonly isOwnName?: true;
}

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const isInsideWord = (text: string, at: number): boolean =>
  at > 0 && isAlphanumeric(text.charCodeAt(at - 1)) && isAlphanumeric(text.charCodeAt(at));

/** A finding, with how much its way of being found proves: of two that overlap, the lower one counts. */
export interface Ranked extends Found {
  readonly rank: number;
}

/** A search was not finished in its time. */
export interface Unfinished {
  /** The offset up to which the text was searched. */
  readonly to: number;
}

/** A person's additions to the forms and names of secrets. */
export interface Own {
  readonly forms: readonly Form[];
  /** Whole names, in any case. */
  readonly names: readonly string[];
}

/** Finds secrets in texts that need no unwrapping. */
export class Scanner {
  readonly #automaton: Automaton;
  readonly #targets: readonly SecretKind[];

  constructor({ forms: own, names }: Own = { forms: [], names: [] }) {
    const forms = [...own, ...FORMS];
    this.#targets = [
      ...forms.flatMap((form) => form.starts.map((): SecretKind => ({ form }))),
      ...SHAPES.flatMap((shape) => shape.words.map((): SecretKind => ({ shape }))),
      ...names.map((): SecretKind => ({ isOwnName: true })),
      ...NAME_WORDS.map((): SecretKind => ({})),
    ];
    this.#automaton = new Automaton([
      ...forms.flatMap(({ starts }) => starts),
      ...SHAPES.flatMap((shape) => shape.words),
      ...names,
      ...NAME_WORDS,
    ]);
  }

  /** Finds the secrets of a text. `isLate` is asked now and then whether to stop. */
  scan(text: string, isLate: () => boolean): { readonly found: Ranked[]; readonly unfinished?: Unfinished } {
    const found: Ranked[] = [];
    let done = 0;
    let nameEnd = 0;
    let count = 0;
    const searched = new Map<object, number>();
    for (const { word, start, end } of this.#automaton.find(text)) {
      if ((++count & 63) === 0 && isLate()) return { found, unfinished: { to: Math.max(0, start - CONTEXT) } };
      const { form, shape, isOwnName } = this.#targets[word] as SecretKind;
      if (form !== undefined) {
        if (start < done || start < (searched.get(form) ?? 0)) continue;
        const one = formAt(text, form, start, end);
        if (one === undefined) continue;
        if (one.kind === EXAMPLE) {
          searched.set(form, one.end);
          continue;
        }
        found.push({ ...one, rank: 1 });
        done = Math.max(done, one.end);
      } else if (shape !== undefined) {
        // A word that announces an option is a word of its own.
        if (isInsideWord(text, start) || start < (searched.get(shape) ?? 0)) continue;
        const reach = shape.reach?.(text, end);
        if (reach !== undefined) searched.set(shape, reach === text.length ? reach : reach - MARGIN);
        for (const one of shape.find(text, start, end)) found.push({ ...one, rank: 0 });
      } else if (start >= nameEnd || isOwnName) {
        const range = nameAround(text, start, end);
        nameEnd = Math.max(nameEnd, range[1]);
        const isOwn = isOwnName && range[0] === start && range[1] === end;
        const named = namedAt(text, range, isOwn ? "password" : undefined);
        if (named !== undefined) found.push({ kind: kindOf(named.name), start: named.start, end: named.end, rank: 2 });
      }
    }
    return { found };
  }
}

/** Finds long words of a text, and the forms among them that begin with nothing of their own. */
export function longWords(text: string): readonly (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  let at = 0;
  while (at + SHORTEST_RUN <= text.length) {
    // The last character of a window that is none of a word rules out the whole window.
    let probe = at + SHORTEST_RUN - 1;
    while (probe >= at && isWordPart(text.charCodeAt(probe))) probe -= 1;
    if (probe >= at) {
      at = probe + 1;
      continue;
    }
    let end = at + SHORTEST_RUN;
    while (end < text.length && isWordPart(text.charCodeAt(end))) end += 1;
    found.push([at, end]);
    at = end + 1;
  }
  return found;
}

const isWordPart = (code: number): boolean =>
  isAlphanumeric(code) || code === 43 || code === 47 || code === 45 || code === 95;

/** The kind of what has the form of a key, and only stands for one. */
const EXAMPLE = "";

/** Finds the forms of a long word that begin with nothing of their own. */
export function longForm(text: string, start: number): Ranked | undefined {
  for (const form of LONG_FORMS) {
    const one = formAt(text, form, start, start);
    if (one !== undefined && one.kind !== EXAMPLE) return { ...one, rank: 1 };
  }
  return undefined;
}

function formAt(text: string, form: Form, start: number, end: number): Found | undefined {
  const { kind, starts, body, near, before, hasChecksum } = form;
  let from = start;
  if (before !== undefined) {
    const [part] = before.exec(text.slice(Math.max(0, start - 100), start)) ?? [];
    if (part === undefined) return undefined;
    from -= part.length;
  }
  // The address of a bot of Telegram's has its token behind a word.
  if (isInsideWord(text, from) && !text.endsWith("/bot", from)) return undefined;
  if (starts.length > 0 && !starts.includes(text.slice(start, end))) return undefined;
  body.lastIndex = end;
  const match = body.exec(text);
  if (match === null) return undefined;
  const [rest] = match;
  if (near !== undefined && !near.test(text.slice(Math.max(0, from - CONTEXT), from))) return undefined;
  const isSure = hasChecksum === true && isChecked(text.slice(start, end + rest.length));
  return { kind: !isSure && isExample(rest) ? EXAMPLE : kind, start: from, end: end + rest.length };
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Whether the last six characters of a key are the checksum of what precedes them, in base 62. */
function isChecked(key: string): boolean {
  const body = key.slice(key.indexOf("_") + 1, -6);
  let sum = crc32(body);
  let text = "";
  for (; sum > 0; sum = Math.floor(sum / 62)) text = (DIGITS[sum % 62] as string) + text;
  return text.padStart(6, "0") === key.slice(-6);
}

/** The kind of a secret, by its name. */
function kindOf(name: string): string {
  const words = wordsOf(name);
  const head = words.at(-1) ?? "";
  if (/pass|pwd|^pw$|psk/.test(words.join(" "))) return "password";
  if (/key/.test(head)) return "key";
  if (/token|jwt|auth/.test(head)) return "token";
  return /cookie|sess|sid/.test(head) ? "session" : "secret";
}
