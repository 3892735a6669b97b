import { type Fields, isFields } from "@hookline/ground";
import {
  Follower,
  lineAt,
  linesOf,
  type RecordingBytes,
  type RecordingHeader,
  type Section,
} from "@hookline/runtime/past";
import type { EditMade, HookAsked, Moment } from "./api.ts";
import { type Facts, factsOf } from "./facts.ts";
import { type Later, withLater } from "./later.ts";

/** A moment with everything that its file keeps about it. */
export type FullMoment = Moment["moment"];

/** One line of a recording or trace, parsed. */
export type ParsedLine =
  | { readonly kind: "moment"; readonly at: number; readonly line: number; readonly own: number; readonly facts: Facts }
  /** A later answer, from a person or a hook in shadow, about the moment with the number `own` in its recording. */
  | { readonly kind: "later"; readonly at: number; readonly own: number; readonly later: Later }
  | { readonly kind: "header"; readonly at: number; readonly header: RecordingHeader }
  | { readonly kind: "damaged"; readonly line: number; readonly problem: string }
  /** Any other line: a recorded value to which moments refer, or the end of the recording. */
  | { readonly kind: "other" };

/** A file of moments: new lines are read in order as it grows, single moments by their positions. */
export interface MomentFile {
  /** How many bytes have been read. */
  readonly at: number;
  readonly torn: boolean;
  readonly isWhole: boolean;
  /** Returns the complete lines since the last call. Throws for a file of another version. */
  lines(): Generator<ParsedLine, void>;
  /**
   * Returns the moment whose line begins at the byte `at`, with the later lines about it, which begin at the bytes
   * `later`. Throws if it can no longer be read.
   */
  momentAt(at: number, later?: readonly number[]): FullMoment;
  /** Returns only the fields of a moment that a list shows, which is faster. Throws as `momentAt` does. */
  partAt(at: number): FullMoment;
}

/** A recording as a file of moments. */
export class RecordingFile implements MomentFile {
  readonly #follower: Follower;
  readonly #bytes: RecordingBytes;
  /** The sections of the recording (one for each header), with the byte at which each begins. */
  readonly #sections: { readonly from: number; readonly section: Section }[] = [];

  constructor(bytes: RecordingBytes, name: string) {
    this.#bytes = bytes;
    this.#follower = new Follower(bytes, name);
  }

  get at(): number {
    return this.#follower.at;
  }

  get torn(): boolean {
    return this.#follower.torn;
  }

  get isWhole(): boolean {
    return this.#follower.isWhole;
  }

  *lines(): Generator<ParsedLine, void> {
    for (const passed of this.#follower.lines()) {
      const { kind, line, at, number, section } = passed;
      if (this.#sections.at(-1)?.section !== section) this.#sections.push({ from: at, section });
      if (kind === "damaged") yield { kind, line: number, problem: passed.problem ?? "it cannot be read" };
      else if (kind === "header") yield { kind, at, header: section.header as RecordingHeader };
      else if (kind === "moment" || kind === "asked" || kind === "shadow") {
        const own = numberIn(line["n"]);
        try {
          yield kind === "moment"
            ? { kind, at, line: number, own, facts: this.#factsOf(line, passed) }
            : { kind: "later", at, own, later: this.#follower.resolve(line, passed) as Later };
        } catch {
          yield {
            kind: "damaged",
            line: number,
            problem: "it is not a moment, or refers to a line that cannot be read",
          };
        }
      } else yield OTHER;
    }
  }

  momentAt(at: number, later: readonly number[] = []): FullMoment {
    const { v: _v, n: _n, ...moment } = this.#follower.momentAt(at, this.#sectionAt(at));
    return withLater(
      moment as FullMoment,
      later.map((place) => this.#laterAt(place)),
    );
  }

  partAt(at: number): FullMoment {
    const line = objectIn(lineAt(this.#bytes, at) ?? "");
    if (line === undefined) throw new TypeError("the line is not a JSON object");
    const told = { ...line, payload: fieldsOf(line["payload"], SHOWN), outcome: fieldsOf(line["outcome"], DECIDED) };
    return this.#follower.moment({
      at,
      section: this.#sectionAt(at),
      line: told,
      text: JSON.stringify(told),
    }) as FullMoment;
  }

  #laterAt(at: number): Later {
    const line = objectIn(lineAt(this.#bytes, at) ?? "");
    if (line === undefined) throw new TypeError("a line that belongs to it is not a JSON object");
    return this.#follower.resolve(line, { at, section: this.#sectionAt(at) }) as Later;
  }

  #sectionAt(at: number): Section {
    return this.#sections.findLast(({ from }) => from <= at)?.section ?? { header: undefined, shift: 0 };
  }

  /** Resolves only the references that the facts of a moment need. */
  #factsOf(line: Fields, passed: { readonly at: number; readonly section: Section }): Facts {
    const { t, event, turn, call, payload, ms = 0, edits, outcome = {}, scene } = line;
    const hooks = this.#follower.resolve(line["hooks"] ?? [], passed);
    if (typeof t !== "number" || typeof event !== "string" || !Array.isArray(hooks) || !isFields(outcome))
      throw new TypeError("it is not a moment");
    const { tool } = isFields(payload) ? payload : {};
    const told = isFields(tool) ? { ...(payload as Fields), tool: this.#follower.resolve(tool, passed) } : payload;
    return factsOf({
      t,
      event,
      ms: numberIn(ms),
      turn: typeof turn === "number" ? turn : undefined,
      call: typeof call === "string" ? call : undefined,
      agent: isFields(scene) && typeof scene["agent"] === "string" ? scene["agent"] : undefined,
      payload: told,
      hooks: hooks.filter(isHook),
      editors: editorsOf(this.#follower.resolve(edits ?? [], passed)),
      outcome: { ...outcome, ...(this.#follower.resolve(fieldsOf(outcome, DECIDED), passed) as Fields) },
    });
  }
}

/** The fields of a payload (`SHOWN`) and of an outcome (`DECIDED`) that a list shows. */
const SHOWN: ReadonlySet<string> = new Set(["tool", "args", "text"]);
const DECIDED: ReadonlySet<string> = new Set([
  ...["decision", "reason", "halt", "feedback", "stop", "cancel", "handled"],
  ...["args", "additionalContext", "context", "remark"],
]);

function fieldsOf(value: unknown, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(isFields(value) ? value : {}).filter(([name]) => names.has(name)));
}

/** The file that `--trace` writes; no line refers to another. */
export class TraceFile implements MomentFile {
  readonly #bytes: RecordingBytes;
  #next = { at: 0, number: 1 };
  #count = 0;
  torn = false;
  readonly isWhole = false;

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#next.at;
  }

  *lines(): Generator<ParsedLine, void> {
    this.torn = false;
    for (const { text, at, number, isEnded, end } of linesOf(this.#bytes, this.#next)) {
      if (!isEnded) {
        this.torn = true;
        return;
      }
      this.#next = { at: end, number: number + 1 };
      const moment = text === undefined ? undefined : traceMoment(text);
      if (moment === undefined) yield { kind: "damaged", line: number, problem: "it is not a line of a trace" };
      else {
        this.#count += 1;
        const { scene, edits, ...rest } = moment;
        const facts = factsOf({ ...rest, agent: scene.agent, editors: editorsOf(edits) });
        yield { kind: "moment", at, line: number, own: this.#count, facts };
      }
    }
  }

  momentAt(at: number): FullMoment {
    const moment = traceMoment(lineAt(this.#bytes, at) ?? "");
    if (moment === undefined) throw new TypeError("the line does not belong to a trace");
    return moment;
  }

  partAt(at: number): FullMoment {
    return this.momentAt(at);
  }
}

/** Converts a line of a trace to a moment; undefined if it is none. */
function traceMoment(text: string): FullMoment | undefined {
  const line = objectIn(text);
  const { v, t, event, hooks, edits, outcome, session, agent, call, ms, diagnostics } = line ?? {};
  const isFit = v === 1 && typeof t === "number" && typeof event === "string" && Array.isArray(hooks);
  if (!isFit || !Array.isArray(edits) || !isFields(outcome)) return undefined;
  return {
    t,
    event,
    ...(typeof call === "string" && { call }),
    scene: {
      ...(typeof session === "string" && { session }),
      ...(typeof agent === "string" && { agent }),
    },
    hooks: hooks.filter(isHook),
    edits: edits.filter(isFields) as unknown as EditMade[],
    outcome,
    ...(Array.isArray(diagnostics) && { diagnostics: diagnostics as FullMoment["diagnostics"] & object }),
    ms: numberIn(ms),
  };
}

/** Whether the first line of a file is that of a trace. */
export function isTraceLine(text: string): boolean {
  return traceMoment(text) !== undefined;
}

const OTHER: ParsedLine = { kind: "other" };

/** Parses a text that holds an object; undefined if it does not. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function editorsOf(edits: unknown): string[] {
  if (!Array.isArray(edits)) return [];
  return [
    ...new Set(edits.flatMap((edit) => (isFields(edit) && typeof edit["hook"] === "string" ? [edit["hook"]] : []))),
  ];
}

function isHook(value: unknown): value is HookAsked {
  return isFields(value) && ["id", "lane", "source", "status"].every((name) => typeof value[name] === "string");
}

function numberIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
