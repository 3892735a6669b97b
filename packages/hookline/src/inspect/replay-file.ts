import { type Fields, isFields } from "@hookline/ground";
import { lineAt, linesOf, type RecordingBytes } from "@hookline/runtime/past";
import type { ComparedSide, Comparison, Difference, EditMade, HookAsked } from "./api.ts";
import { cutTo } from "./cut.ts";
import { labelOf, oneLine } from "./label.ts";
import { objectIn } from "./moment-file.ts";

const NOT_JUDGED = "notJudged";
/** The maximum size of one result (`before` or `after`) of a difference in an answer, in bytes. */
const SIDE_BYTES = 12_000;

/** Returns whether the first line of a file is that of a replay's result. */
export function isReplayLine(text: string): boolean {
  const line = objectIn(text);
  return line?.["v"] === 1 && line["kind"] === "replay";
}

/** The file that `hookline replay --out` writes. Knows where its differences are, and how many of each class. */
export class ReplayFile {
  readonly #bytes: RecordingBytes;
  readonly #places: number[] = [];
  /** The byte offsets of moments that could not be judged. They are listed after the real differences. */
  readonly #notJudged: number[] = [];
  readonly #counts: Record<string, number> = {};
  #same = 0;
  #moments = 0;
  #next = { at: 0, number: 1 };

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes;
  }

  /** Reads the lines that were added to the file since the last call. */
  update(): void {
    for (const { text, at, number, isEnded, end } of linesOf(this.#bytes, this.#next)) {
      if (!isEnded) return;
      this.#next = { at: end, number: number + 1 };
      const line = text === undefined ? undefined : objectIn(text);
      const name = line?.["class"];
      if (typeof name !== "string") continue;
      this.#moments += 1;
      if (name === "same") this.#same += 1;
      else {
        (name === NOT_JUDGED ? this.#notJudged : this.#places).push(at);
        this.#counts[name] = (Object.hasOwn(this.#counts, name) ? (this.#counts[name] as number) : 0) + 1;
      }
    }
  }

  get moments(): number {
    return this.#moments;
  }

  /** Returns at most `count` differences, beginning with the one at the index `from`. */
  window(from: number, count: number): Omit<Comparison, "v"> {
    const all = [...this.#places, ...this.#notJudged];
    const items = all.slice(from, from + count).flatMap((at): Difference[] => {
      const line = objectIn(lineAt(this.#bytes, at) ?? "");
      return line === undefined ? [] : [differenceOf(line)];
    });
    return { same: this.#same, total: all.length, from, counts: this.#counts, items };
  }
}

function differenceOf(line: Fields): Difference {
  const { event, hook, why, moment, source } = line;
  const before = sideOf(line, "before");
  const args = isFields(line["before"]) ? line["before"]["args"] : undefined;
  const name = typeof event === "string" ? event : "";
  const file = String(source).slice(String(source).lastIndexOf("/") + 1);
  const words = [line["class"], why, hook].filter((word) => typeof word === "string");
  return {
    event: name,
    label: isFields(args) ? oneLine(labelOf({ payload: { tool: name, args }, outcome: {} })) : "",
    where: `${String(moment)} (${file}:${String(line["line"])})`,
    differs: words,
    before,
    // A moment that could not be judged has no result in the replay.
    ...(line["class"] !== NOT_JUDGED && { after: sideOf(line, "after") }),
  };
}

function sideOf(line: Fields, which: "before" | "after"): ComparedSide {
  const said = isFields(line[which]) ? line[which] : {};
  const { decision, reason, args, person } = said;
  const listOf = (name: string): readonly unknown[] => {
    const both = isFields(line[name]) ? line[name][which] : undefined;
    return Array.isArray(both) ? both : [];
  };
  const side: ComparedSide = {
    decision: decision === "deny" || decision === "ask" ? decision : "allow",
    ...(typeof reason === "string" && { reason }),
    ...(args !== undefined && { handed: { args } }),
    hooks: listOf("hooks")
      .filter(isFields)
      .map(({ hook, ...run }) => ({ source: "", pass: 1, ...run, id: String(hook) }) as unknown as HookAsked),
    edits: listOf("edits")
      .filter(isFields)
      .map((edit) => ({ pass: 1, ...edit }) as unknown as EditMade),
    ms: 0,
    ...(typeof person === "string" && { person }),
  };
  const { value, cut } = cutTo(side, SIDE_BYTES);
  return cut.length === 0 ? value : { ...value, cut: true };
}
