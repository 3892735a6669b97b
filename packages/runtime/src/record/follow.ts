import type { Fields } from "@hookline/ground";
import { HooklineError } from "@hookline/ground";
import { LEVELS, type MomentLine, RECORDING_VERSION, type RecordingHeader } from "./line.ts";
import { lineAt, linesOf, type RecordingBytes } from "./lines.ts";
import { Resolver, recordOf } from "./resolve.ts";

/** The part of a recording from one header to the next. The header is needed to resolve references in it. */
export interface Section {
  readonly header: RecordingHeader | undefined;
  /** The number to add to an offset in a reference to get the offset in the file. */
  readonly shift: number;
}

/** A line of a recording as it is read; references in it are not resolved. */
export interface PassedLine {
  readonly kind: "header" | "moment" | "asked" | "shadow" | "value" | "end" | "damaged";
  /** The line's byte offset in the file. */
  readonly at: number;
  /** The 1-based number of the line. */
  readonly number: number;
  readonly text: string;
  /** The parsed line; `{}` if it is damaged. */
  readonly line: Fields;
  /** The reason why the line is damaged, such as `it is no JSON object`; only for a damaged line. */
  readonly problem?: string;
  readonly section: Section;
}

/** Matches the names of references, `$at` and `$list`, and these names escaped with a further `$`, as in `$$at`. */
const MAY_REFER = /"\$+(?:at|list)"/;

/**
 * Reads a recording line by line, also while it grows. Reads single moments by the byte offset of their lines. Of the
 * values that references name, keeps only a small cache.
 */
export class Follower {
  readonly #bytes: RecordingBytes;
  readonly #name: string;
  readonly #resolver: Resolver;
  #next = { at: 0, number: 1 };
  #section: Section = { header: undefined, shift: 0 };
  #torn = false;
  #isWhole = false;

  /** `name` is the recording's name in messages. */
  constructor(bytes: RecordingBytes, name: string) {
    this.#bytes = bytes;
    this.#name = name;
    this.#resolver = new Resolver(bytes);
  }

  /** The number of bytes that have been read. */
  get at(): number {
    return this.#next.at;
  }

  /** Whether the last line was incomplete. */
  get torn(): boolean {
    return this.#torn;
  }

  /** Whether the last line that was read says that the recording is complete. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Yields the lines since the last call. A last line without a line break is left for a later call; with `toEnd` it is
   * yielded if it is a complete JSON object. Throws for a recording of another format version.
   */
  *lines(toEnd = false): Generator<PassedLine, void> {
    this.#torn = false;
    for (const { text, at, number, isEnded, end } of linesOf(this.#bytes, this.#next)) {
      const line = text === undefined ? undefined : recordOf(text);
      if (!isEnded && (line === undefined || !toEnd)) {
        this.#torn = true;
        return;
      }
      this.#next = { at: end, number: number + 1 };
      yield this.#passed({ at, number, text: text ?? "" }, line);
    }
  }

  #passed(of: Pick<PassedLine, "at" | "number" | "text">, line: Fields | undefined): PassedLine {
    const damaged = (problem: string): PassedLine => {
      return { ...of, kind: "damaged", line: {}, problem, section: this.#section };
    };
    if (line === undefined)
      return damaged(of.text === "" ? "it is empty, too long or not UTF-8" : "it is no JSON object");
    this.#isWhole = line["end"] === true;
    if ("at" in line && "value" in line) {
      try {
        this.#resolver.pass(line, of.at, this.#section.shift, of.text.length);
        return { ...of, kind: "value", line, section: this.#section };
      } catch {
        return damaged("it refers to a line that cannot be read");
      }
    }
    this.#check(line, of.number);
    const header = headerOf(line);
    if (header !== undefined) this.#section = { header, shift: of.at - header.at };
    return { ...of, kind: header === undefined ? kindOf(line) : "header", line, section: this.#section };
  }

  /** Resolves the references in a line, or in a part of it, in place. Throws if a referenced value cannot be read. */
  resolve(part: unknown, { at, section: { shift } }: Pick<PassedLine, "at" | "section">): unknown {
    return this.#resolver.resolve(part, { before: at, shift });
  }

  /** Returns the moment on a line. Throws if the line is no moment, or refers to something that cannot be read. */
  moment(passed: Pick<PassedLine, "at" | "section" | "line" | "text">): MomentLine {
    const { line, text, section } = passed;
    // A line that cannot contain a reference is used as it is.
    return momentOf(MAY_REFER.test(text) ? this.resolve(line, passed) : line, section.header);
  }

  /** Returns the moment on the line at a byte offset. Throws like `moment`. */
  momentAt(at: number, section: Section): MomentLine {
    const text = lineAt(this.#bytes, at);
    const line = text === undefined ? undefined : recordOf(text);
    if (text === undefined || line === undefined) throw new TypeError("the line is no JSON object");
    return this.moment({ at, section, line, text });
  }

  #check({ v }: Fields, line: number): void {
    if (typeof v === "number" && v !== RECORDING_VERSION)
      throw new HooklineError("RECORDING_VERSION", { path: this.#name, line, version: v, own: RECORDING_VERSION });
  }
}

function kindOf(line: Fields): PassedLine["kind"] {
  const { n, asked, shadow, event, end } = line;
  if (end === true) return "end";
  if (typeof n !== "number" || event !== undefined) return "moment";
  if (typeof asked === "object" && asked !== null) return "asked";
  return typeof shadow === "object" && shadow !== null ? "shadow" : "moment";
}

/** Returns a line as a header; `undefined` if it is none. */
function headerOf(line: Fields): RecordingHeader | undefined {
  if (line["kind"] !== "recording" || line["v"] !== RECORDING_VERSION) return undefined;
  const isFit =
    Number.isSafeInteger(line["at"]) &&
    ["session", "cwd", "hookline"].every((name) => typeof line[name] === "string") &&
    LEVELS.includes(line["level"] as never);
  return isFit ? (line as unknown as RecordingHeader) : undefined;
}

/** Returns a parsed line as a moment, with omitted fields restored. Throws if the line is no moment. */
function momentOf(written: unknown, header: RecordingHeader | undefined): MomentLine {
  const line = written as { -readonly [name in keyof MomentLine]: MomentLine[name] };
  if (line.hooks === undefined) line.hooks = [];
  if (line.edits === undefined) line.edits = [];
  if (line.outcome === undefined) line.outcome = {};
  if (line.ms === undefined) line.ms = 0;
  const told: Partial<MomentLine["scene"]> | undefined = line.scene ?? header?.scene;
  line.scene = { cwd: header?.cwd ?? "", ...told };
  const { v, n, t, event, scene, hooks, edits, outcome } = line;
  const isFit =
    v === RECORDING_VERSION &&
    typeof n === "number" &&
    typeof t === "number" &&
    typeof event === "string" &&
    typeof (scene as { readonly cwd?: unknown } | undefined)?.cwd === "string" &&
    Array.isArray(hooks) &&
    hooks.every((hook) => typeof hook === "object" && hook !== null) &&
    Array.isArray(edits) &&
    typeof outcome === "object" &&
    outcome !== null;
  if (!isFit) throw new TypeError("it is not a moment");
  return line;
}
