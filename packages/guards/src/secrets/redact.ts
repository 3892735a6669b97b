import { createHmac, randomBytes } from "node:crypto";
import type { KnownSecrets } from "./known.ts";
import { longForm, longWords, type Ranked, Scanner } from "./scan.ts";
import { unwrapped } from "./unwrap.ts";

const CHUNK = 128 * 1024;
/** How much of the next chunk is searched with each chunk, so that a secret on their border is found. */
const OVERLAP = 16 * 1024;
/** How far beyond its chunk a secret may begin: its name or what else shows that it is one may end the chunk. */
const BEYOND = OVERLAP / 2;
/** Time limit for searching a text, in ms. */
export const LIMIT_MS = 500;
const LONGEST_CODED = 64 * 1024;

/** A secret in a text. Offsets are those of the original text. */
export interface Finding {
  readonly kind: string;
  /** The name that replaces the secret in the session, such as `stripe key 1`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A text whose secrets are replaced by names. */
export interface Redaction {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** Number of characters at the end that were left out because they were not searched in time; usually 0. */
  readonly withheld: number;
}

/** The names of a session's secrets: the same secret always has the same name. Secrets are held as keyed digests. */
export class SecretNames {
  readonly #key = randomBytes(32);
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #given = new Set<string>();

  /** Returns the name of a secret; a new one if the secret is new. */
  nameOf(kind: string, secret: string): string {
    const digest = createHmac("sha256", this.#key).update(secret).digest("base64");
    const known = this.#names.get(digest);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `${kind} ${count}`;
    this.#names.set(digest, name);
    this.#given.add(name);
    return name;
  }

  /** Reserves the names in a text, such as `stripe key 2`: an earlier run of the session may have assigned them. */
  note(text: string): void {
    for (const [, kind = "", count] of namesIn(text))
      this.#counts.set(kind, Math.max(this.#counts.get(kind) ?? 0, Number(count)));
  }

  /** Returns the first name in a text that was given to a secret. */
  nameIn(text: string): string | undefined {
    return namesIn(text)
      .map(([, kind, count]) => `${kind} ${count}`)
      .find((name) => this.#given.has(name));
  }
}

function namesIn(text: string): RegExpExecArray[] {
  return text.includes("[secret: ") ? [...text.matchAll(/\[secret: ([^\]\n]{1,100}) (\d{1,6})\]/g)] : [];
}

/** Returns the text that replaces characters which were not searched in time. */
export function withheldText(characters: number, limitMs: number): string {
  return `[withheld: ${characters} characters, which were not searched for secrets within ${Math.ceil(limitMs)} ms]`;
}

/** Options for searching a text for secrets. */
export interface RedactOptions {
  /** Finds the secrets. The default does not know the patterns and names that a person has added. */
  readonly scanner?: Scanner;
  /** Kinds of secrets that are not replaced. */
  readonly show?: ReadonlySet<string>;
  /** Time limit in ms, after which the rest of a text is withheld. */
  readonly limitMs?: number;
  /** Returns the time in ms. */
  readonly now?: () => number;
}

interface Secret extends Ranked {
  /** The secret itself, or the digest of a known value. Equal ones get the same name. */
  readonly value: string;
}

let standard: Scanner | undefined;

/** Replaces every secret in a text by its name, such as `[secret: stripe key 1]`. */
export function redact(text: string, names: SecretNames, known?: KnownSecrets, options: RedactOptions = {}): Redaction {
  const { scanner = (standard ??= new Scanner()), show, limitMs = LIMIT_MS, now = () => performance.now() } = options;
  const started = now();
  const isLate = (): boolean => now() - started > limitMs;
  const secrets: Secret[] = [];
  let searched = text.length;
  for (let from = 0; from < text.length; from = nextChunk(text, from)) {
    if (from > 0 && isLate()) {
      searched = from;
      break;
    }
    const part = text.slice(from, from + CHUNK + OVERLAP);
    const { found, to } = secretsIn(part, scanner, known, isLate);
    const isLast = from + part.length >= text.length;
    for (const secret of found)
      if (isLast || secret.start < CHUNK + BEYOND)
        secrets.push({ ...secret, start: from + secret.start, end: from + secret.end });
    if (to < part.length) {
      searched = from + to;
      break;
    }
    if (isLast) break;
  }
  const findings = apart(secrets)
    .filter(({ kind, start }) => start < searched && show?.has(kind) !== true)
    .map(({ kind, value, start, end }) => ({ kind, name: names.nameOf(kind, value), start, end }));
  let clean = "";
  let done = 0;
  for (const { name, start, end } of findings) {
    clean += `${text.slice(done, start)}[secret: ${name}]`;
    done = end;
  }
  const end = Math.max(done, searched);
  const withheld = text.length - end;
  clean += text.slice(done, end);
  if (withheld > 0) clean += `\n${withheldText(withheld, limitMs)}`;
  return { text: clean, findings, withheld };
}

/** Returns where the next chunk begins: at a line, if there is one near, since a part of a word may look like a key. */
function nextChunk(text: string, from: number): number {
  const near = from + CHUNK - BEYOND;
  return near + (text.slice(near, from + CHUNK).lastIndexOf("\n") + 1 || BEYOND);
}

/** Finds the secrets in a part of a text; `to` is where the search ended. */
function secretsIn(
  part: string,
  scanner: Scanner,
  known: KnownSecrets | undefined,
  isLate: () => boolean,
): { readonly found: Secret[]; readonly to: number } {
  const clean = unwrapped(part);
  const { found: ranked, unfinished } = scanner.scan(clean.text, isLate);
  const found: Secret[] = [];
  const add = (one: Ranked, value: string): void => {
    const [start, end] = clean.range(one.start, one.end);
    found.push({ ...one, start, end, value });
  };
  for (const one of ranked) add(one, clean.text.slice(one.start, one.end).replace(/\s+/g, ""));
  if (unfinished !== undefined) return { found, to: clean.range(0, Math.max(1, unfinished.to))[1] };
  const addCoded = (coded: Coded): void => {
    for (const one of scanner.scan(coded.text, isLate).found)
      add({ ...one, ...coded.range(one.start, one.end) }, coded.text.slice(one.start, one.end));
  };
  for (const dump of dumpsIn(clean.text)) addCoded(dump);
  let wordsDone = 0;
  for (const [start, end] of longWords(clean.text)) {
    if (start < wordsDone) continue;
    const form = longForm(clean.text, start);
    if (form !== undefined) add(form, clean.text.slice(form.start, form.end));
    const coded = codedAt(clean.text, start, end);
    if (coded === undefined) continue;
    wordsDone = coded.end;
    addCoded(coded);
    if (isLate()) return { found, to: clean.range(0, start + 1)[0] };
  }
  if (known !== undefined) {
    const inClean = known.find(clean.text, isLate);
    for (const { name, of, start, end } of inClean.found) add({ kind: name, start, end, rank: 3 }, of);
    if (inClean.to < clean.text.length) return { found, to: clean.range(inClean.to, inClean.to + 1)[0] };
    if (known.hasEscapes && clean.text !== part) {
      const inPart = known.find(part, isLate);
      for (const { name, of, start, end } of inPart.found) found.push({ kind: name, start, end, rank: 3, value: of });
      if (inPart.to < part.length) return { found, to: inPart.to };
    }
  }
  return { found, to: part.length };
}

interface Coded {
  /** The decoded text. */
  readonly text: string;
  readonly end: number;
  /** Returns the range of characters that encode a range of the text. */
  range(start: number, end: number): { readonly start: number; readonly end: number };
}

const LINES = /[A-Za-z0-9+/]{40,200}(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/]{1,200}(?![^\s=])){1,1000}/y;

/** Decodes base64 or hexadecimal digits in a long word and the lines that continue it, if the result is text. */
function codedAt(text: string, start: number, wordEnd: number): Coded | undefined {
  const first = text.slice(start, start + 24);
  const [coding, length] = /^[0-9a-fA-F]{24}$/.test(first) ? (["hex", 2] as const) : (["base64", 4 / 3] as const);
  const head = Buffer.from(first, coding).toString("latin1");
  if (!/^[\t\n\r\x20-\x7e\xc2-\xf4\x80-\xbf]+$/.test(head) || /[\x80-\xff]{6}/.test(head)) return undefined;
  LINES.lastIndex = start;
  const lines = text[wordEnd] === "\n" || text[wordEnd] === "\r" ? LINES.exec(text)?.[0] : undefined;
  const coded = (lines ?? text.slice(start, wordEnd)).slice(0, LONGEST_CODED);
  const places: number[] = [];
  if (lines !== undefined)
    for (let at = 0; at < coded.length; at++) if (!/\s/.test(coded[at] as string)) places.push(start + at);
  const placeOf = (at: number): number => places[at] ?? start + at;
  const plain = Buffer.from(coded.replace(/\s+/g, ""), coding).toString("latin1");
  if (/[\x00-\x08\x0e-\x1f]/.test(plain.slice(0, -2))) return undefined;
  const last = start + coded.length;
  return {
    text: plain,
    end: last,
    range: (from, to) => ({
      start: placeOf(Math.floor(from * length)),
      end: Math.min(last, placeOf(Math.ceil(to * length) - 1) + 1),
    }),
  };
}

/** Matches the lines that `xxd` and `hexdump -C` print: an offset, bytes, and the same as characters. */
const DUMP = /(?:^[ \t]{0,8}[0-9a-f]{8}:? {1,2}(?:[0-9a-f]{2} {0,2}){1,16} {0,50}\|?[^\n]{0,20}(?:\n|$)){2,4000}/gm;

/** Decodes the lines of dumps. A range of such a text is that of whole lines, whose end has the same characters. */
function dumpsIn(text: string): Coded[] {
  return [...text.matchAll(DUMP)].map(({ 0: dump, index }) => {
    const lines: { readonly start: number; readonly end: number; readonly bytes: number }[] = [];
    let plain = "";
    let start = index;
    for (const line of dump.split("\n")) {
      const [, digits = ""] = /^[ \t]*[0-9a-f]{8}:? {1,2}((?:[0-9a-f]{2} {0,2}){1,16})/.exec(line) ?? [];
      plain += Buffer.from(digits.replaceAll(" ", ""), "hex").toString("latin1");
      lines.push({ start, end: start + line.length, bytes: plain.length });
      start += line.length + 1;
    }
    const lineOf = (byte: number) => lines.find(({ bytes }) => byte < bytes) ?? { start: index, end: start };
    return { text: plain, end: start, range: (from, to) => ({ start: lineOf(from).start, end: lineOf(to - 1).end }) };
  });
}

/** Separates overlapping secrets: the one with the best proof is kept, and extended over the others. */
function apart(secrets: readonly Secret[]): Secret[] {
  const kept: Secret[] = [];
  const sorted = [...secrets].sort((a, b) => a.start - b.start || a.rank - b.rank || b.end - a.end);
  for (const one of sorted) {
    const last = kept.at(-1);
    if (last === undefined || one.start >= last.end) {
      if (one.end > one.start) kept.push(one);
      continue;
    }
    const isInside = one.end <= last.end;
    // A surer finding replaces one that was found by its name alone (rank 2) if it covers over half of that.
    if (isInside && one.rank < last.rank && last.rank === 2 && one.end - one.start > (last.end - last.start) / 2)
      kept[kept.length - 1] = one;
    else if (isInside && one.rank < last.rank) kept[kept.length - 1] = { ...last, kind: one.kind, rank: one.rank };
    else if (!isInside) {
      const surer = one.rank < last.rank ? one : last;
      kept[kept.length - 1] = { ...surer, start: last.start, end: one.end };
    }
  }
  return kept;
}
