import { type MomentLine, RECORDING_VERSION, type RecordingHeader, type ShadowAnswer } from "./line.ts";
import { AT, escaped, LIST } from "./names.ts";
import { type Start, Table } from "./table.ts";

/** The size in bytes of a value's JSON above which the value is written once and then referred to. */
const LONG = 128;
/** The number of items below which a list is written whole, because a search for its beginning would cost more. */
const SHORTEST_LIST = 3;
/** The number of characters of written values that are remembered, so that a repetition becomes a reference. */
const REMEMBERED_CHARS = 64 * 1024 * 1024;
/** The maximum depth of a value. A deeper one contains itself, or could be read by no hook, so it is not written. */
const MAX_DEPTH = 256;

/** The length below which a text cannot contain a secret and is not cleaned. */
const SHORT = 8;

/** The destination of lines, each with its line break, in order. */
export interface LineSink {
  write(line: string): void;
}

/** A moment without its number. */
export type NewMoment = Omit<MomentLine, "v" | "n">;

/** The contents of the first line, without the fields that the writer adds. */
export type NewHeader = Omit<RecordingHeader, "v" | "kind" | "at">;

/** Options of `RecordingWriter`; each has a default. */
export interface WriterOptions {
  /** The byte offset in the file at which the first line begins. */
  readonly at?: number;
  readonly rememberedChars?: number;
  /** Removes from a text what must not be recorded, such as keys of providers. */
  clean?(text: string): string;
}

/**
 * Writes moments as lines, each long value only once. A resumed session needs a new writer, which writes a new header.
 * Errors of the sink are thrown to the caller; after one, the writer must not be used again.
 */
export class RecordingWriter {
  readonly #sink: LineSink;
  readonly #table: Table;
  readonly #cwd: string;
  /** The JSON of the header's scene; a moment with the same scene is written without it. */
  readonly #usual: string;
  readonly #clean: ((text: string) => string) | undefined;
  #at: number;
  #moments = 0;
  /** Whether one of the values written since the last reset contained a function, which has no JSON. */
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

  /** Writes a moment and returns its number. Throws a TypeError, and writes nothing, if a part of it has no JSON. */
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

  /** Writes the answer of a hook in shadow about an earlier moment. */
  inShadow(n: number, answer: ShadowAnswer): void {
    this.#write(`{"v":${RECORDING_VERSION},"n":${n},"shadow":${this.#text(answer, 0)}}`);
  }

  /** Writes a person's answer about an earlier moment. */
  asked(n: number, asked: NonNullable<MomentLine["asked"]>): void {
    this.#write(JSON.stringify({ v: RECORDING_VERSION, n, asked }));
  }

  /** Returns the JSON of the payload; adds the paths of fields that contained functions to `partial`. */
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

  /**
   * Returns the JSON of the scene, without the folder if that equals the header's; `undefined` if the rest equals the
   * header's too.
   */
  #scene({ cwd, ...scene }: MomentLine["scene"]): string | undefined {
    const text = JSON.stringify(cwd === this.#cwd ? scene : { cwd, ...scene });
    return text === this.#usual ? undefined : text;
  }

  /** Writes the line that says that the recording is complete. */
  end(): void {
    this.#write(JSON.stringify({ v: RECORDING_VERSION, end: true, moments: this.#moments }));
  }

  #write(text: string): void {
    const line = `${text}\n`;
    this.#sink.write(line);
    this.#at += Buffer.byteLength(line);
  }

  /** Writes a value on a line of its own, and returns the line's offset. */
  #value(text: string): number {
    const at = this.#at;
    this.#write(`{"at":${at},"value":${text}}`);
    return at;
  }

  /** Returns a value's JSON like `JSON.stringify`, but writes long parts first and refers to them. */
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
      if (field !== undefined) text += `${text === "" ? "" : ","}${this.#quoted(escaped(name))}:${field}`;
    }
    text = `{${text}}`;
    // The payload itself hardly ever occurs twice, so it is always written in place.
    return depth > 0 && isLong(text) ? reference(this.#once(text)) : text;
  }

  /** Writes a value's JSON as a line of its own, unless it was written before. Returns the line's offset. */
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

/** Fields of a moment that are left out if they have these values; a reader restores them. */
const IMPLIED: Readonly<Record<string, string>> = { hooks: "[]", edits: "[]", outcome: "{}", ms: "0" };

function reference(at: number): string {
  return `{"${AT}":${at}}`;
}

/** Returns whether the items that two lists have in common are longer than a reference to them. */
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
