import { crc32 } from "node:zlib";
import { Automaton } from "./automaton.ts";
import { FORMS, type Form } from "./forms.ts";
import { nameAround, namedAt } from "./named.ts";
import { wordsOf } from "./names.ts";
import { type Found, SHAPES } from "./shapes.ts";
import { isExample } from "./value.ts";

/** Words for secrets in names, such as `token`. Every name that `strengthOf` knows contains one. */
const NAME_WORDS =
  "pass pwd psk kennwort senha secret token key cred auth dsn cookie sess sid salt pepper seed hmac mnemonic bearer jwt pat pw masterauth totp otp mfa 2fa signature connection".split(
    " ",
  );

const CONTEXT = 200;
/** Number of characters at the end of a searched range that are searched again: a secret may continue beyond it. */
const MARGIN = 500;
const SHORTEST_RUN = 24;

const LONG_FORMS = FORMS.filter(({ starts }) => starts.length === 0);

interface SecretKind {
  readonly form?: Form;
  readonly shape?: (typeof SHAPES)[number];
  /** Whether the word is a name that the user's settings call secret. It counts only as a whole name. */
  readonly isOwnName?: true;
}

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const isInsideWord = (text: string, at: number): boolean =>
  at > 0 && isAlphanumeric(text.charCodeAt(at - 1)) && isAlphanumeric(text.charCodeAt(at));

/** A finding with the strength of its proof: of two that overlap, the one with the lower rank counts. */
export interface Ranked extends Found {
  readonly rank: number;
}

/** A search that was stopped before the end. */
export interface Unfinished {
  /** The offset up to which the text was searched. */
  readonly to: number;
}

/** A person's additions to the forms and names of secrets. */
export interface Own {
  readonly forms: readonly Form[];
  /** Names of secrets from the person's settings, which match as a whole and ignoring case. */
  readonly names: readonly string[];
}

/** Finds secrets in texts from which `unwrapped` has removed escapes, line numbers and the like. */
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

  /** Finds the secrets in a text. `isLate` is called now and then to decide whether to stop. */
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
        const last = found.at(-1);
        // A longer prefix, found after a shorter one, names the service better.
        const isSame = last?.rank === 1 && last.start === start;
        if ((start < done && !isSame) || start < (searched.get(form) ?? 0)) continue;
        const one = formAt(text, form, start, end);
        if (one === undefined) continue;
        if (one.kind === EXAMPLE) {
          searched.set(form, one.end);
          continue;
        }
        if (isSame && one.end >= last.end) found.pop();
        else if (isSame) continue;
        found.push({ ...one, rank: 1 });
        done = Math.max(done, one.end);
      } else if (shape !== undefined) {
        // Skips a word such as `sig=` inside another word, as in `mysig=`.
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

/** Returns the long words of a text, in which keys without a fixed prefix may be. */
export function longWords(text: string): readonly (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  let at = 0;
  while (at + SHORTEST_RUN <= text.length) {
    // No long word starts before a separator in the next `SHORTEST_RUN` characters, so skip those starts.
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

/** The kind of a match that is only an example of a key, and is not reported. */
const EXAMPLE = "";

/** Finds a key without a fixed prefix in a long word. */
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
  // In a Telegram bot's URL, the token directly follows `/bot`.
  if (isInsideWord(text, from) && !text.endsWith("/bot", from)) return undefined;
  if (starts.length > 0 && !starts.includes(text.slice(start, end))) return undefined;
  body.lastIndex = end;
  const match = body.exec(text);
  if (match === null) return undefined;
  const [rest] = match;
  if (near !== undefined && !near.test(text.slice(Math.max(0, from - CONTEXT), from))) return undefined;
  // The digest of a file may contain a short prefix.
  if (/sha\d{3}[=-][\w-]{0,90}$/.test(text.slice(Math.max(0, from - 100), from))) return undefined;
  const isSure = hasChecksum === true && isChecked(text.slice(start, end + rest.length));
  return { kind: !isSure && isExample(rest) ? EXAMPLE : kind, start: from, end: end + rest.length };
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Whether the last six characters of a key are the base-62 checksum of the others. */
function isChecked(key: string): boolean {
  const body = key.slice(key.indexOf("_") + 1, -6);
  let sum = crc32(body);
  let text = "";
  for (; sum > 0; sum = Math.floor(sum / 62)) text = (DIGITS[sum % 62] as string) + text;
  return text.padStart(6, "0") === key.slice(-6);
}

/** Returns the kind of a secret from its name. */
function kindOf(name: string): string {
  const words = wordsOf(name);
  const head = words.at(-1) ?? "";
  if (/pass|pwd|^pw$|psk/.test(words.join(" "))) return "password";
  if (/key/.test(head)) return "key";
  if (/token|jwt|auth/.test(head)) return "token";
  return /cookie|sess|sid/.test(head) ? "session" : "secret";
}
