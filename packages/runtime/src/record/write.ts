import { type MomentLine, RECORDING_VERSION, type RecordingHeader, type ShadowAnswer } from "./line.ts";
import { AT, escaped, LIST } from "./names.ts";
import { type Start, Table } from "./table.ts";

/** A value whose JSON is longer than this, in bytes, is written once and referred to. */
const LONG = 128;
/** Shorter lists are always written whole: searching for their start would cost more than writing them. */
const SHORTEST_LIST = 3;
/** How many characters of values are remembered, so that a repeat is a reference. */
const REMEMBERED_CHARS = 64 * 1024 * 1024;
/** Deeper values contain themselves, or are nothing that a hook could read. */
const MAX_DEPTH = 256;

/** How many names of fields are kept in JSON. */
const MAX_NAMES = 1000;

/** Shorter texts are words, not secrets. */
const SHORT = 8;

/** Where lines go: each with its line break, in order. */
export interface LineSink {
  write(line: string): void;
}

/** A moment without its number. */
export type NewMoment = Omit<MomentLine, "v" | "n">;

/** The contents of the first line. */
export type NewHeader = Omit<RecordingHeader, "v" | "kind" | "at">;

/** Options of a writer. */
export interface WriterOptions {
  /** The byte of the file at which its first line will stand. */
  readonly at?: number;
  readonly rememberedChars?: number;
  /** Removes from a text what must not be recorded. */
  clean?(text: string): string;
}

/**
 * Writes moments as lines, each long value once. A resumed session needs a writer of its own. Throws what the sink
 * throws, and must not be used after that.
 */
export class RecordingWriter {
  readonly #sink: LineSink;
  readonly #table: Table;
  readonly #cwd: string;
  /** The JSON of the header's scene, which moments leave out. */
  readonly #usual: string;
  readonly #clean: ((text: string) => string) | undefined;
  readonly #names = new Map<string, string>();
  #at: number;
  #moments = 0;
  /** Whether a function was left out since this was last reset. */
  #hasFunction = false;

  constructor(sink: LineSink, header: NewHeader, options: WriterOptions = {}) {
    const { at = 0, rememberedChars = REMEMBERED_CHARS, clean } = options;
    this.#sink = sink;
    this.#at = at;
    this.#clean = clean;
    this.#cwd = header.cwd;
    this.#usual = JSON.stringify(header.scene ?? {});
    this.#table = new Table(rememberedChars);
    this.#write(JSON.stringify({ v: RECORDING_VERSION, kind: "recording", at, ...header }));
  }

  /** Returns the moment's number. Throws a TypeError, and writes nothing, if part of the moment has no JSON. */
  moment(moment: NewMoment): number {
    const n = this.#moments + 1;
    const partial = [...(moment.partial ?? [])];
    let text = `{"v":${RECORDING_VERSION},"n":${n}`;
    for (const name of Object.keys(moment) as (keyof NewMoment)[]) {
      if (name === "partial") continue;
      const written =
        name === "scene"
          ? this.#scene(moment.scene)
          : name === "payload"
            ? this.#payload(moment.payload, partial)
            : this.#text(moment[name], 0);
      if (written !== undefined && written !== IMPLIED[name]) text += `,"${name}":${written}`;
    }
    if (partial.length > 0) text += `,"partial":${JSON.stringify(partial)}`;
    this.#write(`${text}}`);
    this.#moments = n;
    return n;
  }

  /** Adds what a hook in shadow has said about a moment that was written. */
  inShadow(n: number, answer: ShadowAnswer): void {
    this.#write(`{"v":${RECORDING_VERSION},"n":${n},"shadow":${this.#text(answer, 0)}}`);
  }

  /** Adds what a person said to a moment that was written. */
  asked(n: number, asked: NonNullable<MomentLine["asked"]>): void {
    this.#write(JSON.stringify({ v: RECORDING_VERSION, n, asked }));
  }

  /** Returns the JSON of the payload; adds the paths of its fields that had functions to `partial`. */
  #payload(payload: unknown, partial: string[]): string | undefined {
    this.#hasFunction = false;
    const text = this.#text(payload, 0);
    if (!this.#hasFunction || typeof payload !== "object" || payload === null) return text;
    for (const [name, value] of Object.entries(payload)) {
      this.#hasFunction = false;
      this.#text(value, 1);
      if (this.#hasFunction) partial.push(`payload.${name}`);
    }
    return text;
  }

  /** Returns the JSON of the scene; undefined if it is the header's, as it nearly always is. So is its folder. */
  #scene({ cwd, ...scene }: MomentLine["scene"]): string | undefined {
    const text = JSON.stringify(cwd === this.#cwd ? scene : { cwd, ...scene });
    return text === this.#usual ? undefined : text;
  }

  /** Writes the line that says that nothing is missing. */
  end(): void {
    this.#write(JSON.stringify({ v: RECORDING_VERSION, end: true, moments: this.#moments }));
  }

  #write(text: string): void {
    const line = `${text}\n`;
    this.#sink.write(line);
    this.#at += Buffer.byteLength(line);
  }

  /** Writes a value as a line of its own, and returns its place. */
  #value(text: string): number {
    const at = this.#at;
    this.#write(`{"at":${at},"value":${text}}`);
    return at;
  }

  /** Returns the JSON of a value, after writing its long parts; undefined for what JSON leaves out. */
  #text(value: unknown, depth: number): string | undefined {
    if (typeof value === "string") return isLong(value) ? this.#longText(value) : this.#quoted(value);
    if (typeof value === "function") this.#hasFunction = true;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    if (depth > MAX_DEPTH) throw new TypeError(`it is nested more than ${MAX_DEPTH} levels deep or contains itself`);
    if (Array.isArray(value)) return this.#list(value, depth);
    if (isBoxed(value)) return this.#text(value.valueOf(), depth + 1);
    const { toJSON } = value as { readonly toJSON?: unknown };
    return typeof toJSON === "function"
      ? this.#text(toJSON.call(value, ""), depth + 1)
      : this.#record(value as Readonly<Record<string, unknown>>, depth);
  }

  #quoted(text: string): string {
    return JSON.stringify(this.#cleaned(text));
  }

  #cleaned(text: string): string {
    return this.#clean === undefined || text.length < SHORT ? text : this.#clean(text);
  }

  /** Returns the JSON of a field's name; there are few, and they come all the time. */
  #name(name: string): string {
    const clean = this.#cleaned(escaped(name));
    let text = this.#names.get(clean);
    if (text === undefined) {
      text = JSON.stringify(clean);
      if (this.#names.size >= MAX_NAMES) this.#names.clear();
      this.#names.set(clean, text);
    }
    return text;
  }

  #longText(value: string): string {
    let at = this.#table.find("texts", value);
    if (at === undefined) {
      at = this.#value(this.#quoted(value));
      this.#table.add("texts", value, at);
    }
    return reference(at);
  }

  #record(value: Readonly<Record<string, unknown>>, depth: number): string {
    let text = "";
    for (const name of Object.keys(value)) {
      const field = this.#text(value[name], depth + 1);
      if (field !== undefined) text += `${text === "" ? "" : ","}${this.#name(name)}:${field}`;
    }
    text = `{${text}}`;
    // The payload itself is hardly ever the same twice.
    return depth > 0 && isLong(text) ? reference(this.#once(text)) : text;
  }

  /** Returns the place of a value's JSON, which is written if it is new. */
  #once(text: string): number {
    let at = this.#table.find("values", text);
    if (at === undefined) {
      at = this.#value(text);
      this.#table.add("values", text, at);
    }
    return at;
  }

  #list(items: readonly unknown[], depth: number): string {
    if (items.length < SHORTEST_LIST) return `[${this.#items(items, 0, depth).join(",")}]`;
    const start = this.#table.start(items);
    const keep = start?.keep ?? 0;
    if (start !== undefined && keep === items.length && keep === start.list.items.length)
      return reference(start.list.at);
    const fresh = this.#items(items, keep, depth);
    if (start === undefined || !isWorthIt(start)) {
      const all = keep === 0 ? fresh : this.#items(items, 0, depth);
      const text = `[${all.join(",")}]`;
      return isLong(text) ? this.#longList(text, undefined, items, all) : text;
    }
    const text = `{"${LIST}":${start.list.at},"keep":${keep},"push":[${fresh.join(",")}]}`;
    return this.#longList(text, start, items, fresh);
  }

  #items(items: readonly unknown[], from: number, depth: number): string[] {
    const texts: string[] = [];
    for (let i = from; i < items.length; i++) texts.push(this.#text(items[i], depth + 1) ?? "null");
    return texts;
  }

  #longList(text: string, start: Start | undefined, items: readonly unknown[], fresh: readonly string[]): string {
    const at = this.#once(text);
    const sizes = fresh.map((item) => item.length);
    this.#table.addList(at, start, items, sizes);
    return reference(at);
  }
}

/** Fields with these values are left out of a moment; a reader restores them. */
const IMPLIED: Readonly<Record<string, string>> = { hooks: "[]", edits: "[]", outcome: "{}", ms: "0" };

function reference(at: number): string {
  return `{"${AT}":${at}}`;
}

/** Whether the items that two lists share are longer than a reference to them. */
function isWorthIt({ list, keep }: Start): boolean {
  let chars = 0;
  for (let i = 0; i < keep && chars < LONG; i++) chars += list.sizes[i] as number;
  return chars >= LONG;
}

function isLong(text: string): boolean {
  return text.length > LONG || (text.length * 3 > LONG && Buffer.byteLength(text) > LONG);
}

function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean;
}
