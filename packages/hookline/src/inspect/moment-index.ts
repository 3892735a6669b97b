import type { RecordingHeader } from "@hookline/runtime/past";
import { actsOf } from "./acts.ts";
import type { Damage, Did, Mark, MomentDecision, MomentItem } from "./api.ts";
import { Columns, keyOf, Names } from "./columns.ts";
import type { Facts } from "./facts.ts";
import { HookNumbers } from "./hook-numbers.ts";
import { labelOf, oneLine } from "./label.ts";
import type { Later } from "./later.ts";
import type { FullMoment, MomentFile, ParsedLine } from "./moment-file.ts";
import { Steps } from "./steps.ts";

/** All decisions. The column `decision` contains an index into this list. */
export const DECISIONS: readonly (MomentDecision | undefined)[] = [undefined, "allow", "ask", "deny", "edit"];
/** All marks. The column `marks` contains a set of them, with one bit for each in this order. */
export const MARKS: readonly Mark[] = ["answered", "refused", "rewrote", "failed", "timed-out", "shadow"];

/** The maximum number of damaged lines that are listed. */
const NAMED = 100;
/** `isTime` reads the clock, so it is called only after this many lines. */
const LINES_AT_ONCE = 64;

/** The index of a file: where each moment is, and the values that lists show. The rest stays in the file. */
export class MomentIndex {
  readonly file: MomentFile;
  readonly rows = new Columns({
    at: "f64",
    t: "f64",
    call: "f64",
    ms: "f32",
    line: "u32",
    own: "u32",
    turn: "u32",
    hooks: "u32",
    event: "u16",
    tool: "u16",
    agent: "u16",
    asked: "u16",
    later: "u32",
    decision: "u8",
    marks: "u8",
    says: "u8",
  });
  /** Lines that add to earlier moments; `before` is the previous such line about the same moment, from 1. */
  readonly #later = new Columns({ at: "f64", n: "u32", before: "u32" });
  readonly events = new Names();
  readonly tools = new Names();
  readonly agents = new Names();
  readonly hookIds = new Names();
  readonly hookNumbers = new HookNumbers();
  readonly steps = new Steps();
  /** Sets of hooks, as the numbers of their ids. Each moment refers to one; moments with the same hooks share it. */
  readonly #sets: (readonly number[])[] = [[]];
  readonly #setNumbers = new Map<string, number>([["", 0]]);
  readonly #headers: { readonly first: number; readonly header: RecordingHeader }[] = [];
  readonly #damage: Damage[] = [];
  #damaged = 0;
  #from = 0;
  #to = 0;

  constructor(file: MomentFile) {
    this.file = file;
  }

  get count(): number {
    return this.rows.count;
  }

  get header(): RecordingHeader | undefined {
    return this.#headers[0]?.header;
  }

  get damage(): { readonly damaged: number; readonly first: readonly Damage[] } {
    return { damaged: this.#damaged, first: this.#damage };
  }

  /** Epoch ms of the first and the last moment; 0 if there is none. */
  get span(): { readonly from: number; readonly to: number } {
    return { from: this.#from, to: this.#to };
  }

  /**
   * Reads new lines of the file until `isTime` says that other work needs a turn. Returns whether all were read, and
   * the earlier moments to which lines were added.
   */
  advance(isTime: () => boolean): { readonly isAll: boolean; readonly changed: readonly number[] } {
    const changed: number[] = [];
    let lines = 0;
    for (const passed of this.file.lines()) {
      const answered = this.#take(passed);
      if (answered !== undefined) changed.push(answered);
      lines += 1;
      if (lines % LINES_AT_ONCE === 0 && isTime()) return { isAll: false, changed };
    }
    return { isAll: true, changed };
  }

  /** Reads a moment in full from the file. `n` counts from 1. */
  moment(n: number): FullMoment {
    const later: number[] = [];
    for (let row = this.rows.get("later", n - 1); row > 0; row = this.#later.get("before", row - 1))
      later.unshift(this.#later.get("at", row - 1));
    return this.file.momentAt(this.rows.get("at", n - 1), later);
  }

  /** Returns the moment whose own line, or a line that adds to it, begins at a byte; undefined for other lines. */
  momentOf(at: number): number | undefined {
    const row = this.rows.lastUpTo("at", at);
    if (row >= 0 && this.rows.get("at", row) === at) return row + 1;
    const later = this.#later.lastUpTo("at", at);
    return later >= 0 && this.#later.get("at", later) === at ? this.#later.get("n", later) : undefined;
  }

  get did(): Did {
    const marks: Partial<Record<Mark, number>> = {};
    for (const [bit, mark] of MARKS.entries()) {
      let count = 0;
      for (let at = 0; at < this.count; at++) count += (this.rows.get("marks", at) >> bit) & 1;
      if (count > 0) marks[mark] = count;
    }
    return { hooks: this.hookNumbers.acted, marks };
  }

  item(n: number): MomentItem {
    const at = n - 1;
    const get = (name: Parameters<typeof this.rows.get>[0]): number => this.rows.get(name, at);
    const [tool, agent] = [this.tools.name(get("tool")), this.agents.name(get("agent"))];
    const decision = DECISIONS[get("decision")];
    const turn = get("turn");
    return {
      n,
      t: get("t"),
      ms: Math.round(get("ms") * 1000) / 1000,
      event: this.events.name(get("event")) as string,
      ...(tool !== undefined && { tool }),
      ...(agent !== undefined && { agent }),
      ...(turn > 0 && { turn: turn - 1 }),
      ...(decision !== undefined && { decision }),
      asked: get("asked"),
      marks: MARKS.filter((_, bit) => (get("marks") & (1 << bit)) !== 0),
    };
  }

  /** Returns a moment as a row of a list, with its label and the action of a hook. */
  row(n: number): MomentItem {
    const item = this.item(n);
    if (item.marks.length === 0 && this.rows.get("says", n - 1) === 0 && this.rows.get("call", n - 1) === 0)
      return item;
    let part: FullMoment;
    try {
      part = this.file.partAt(this.rows.get("at", n - 1));
    } catch {
      return item;
    }
    const label = oneLine(labelOf(part));
    const acts = actsOf(n, part);
    const act = acts.find(({ did }) => item.marks.includes("refused") && did === "refused") ?? acts[0];
    return {
      ...item,
      ...(label !== "" && { label }),
      ...(act !== undefined && {
        hook: act.hook,
        source: act.source,
        says: oneLine([act.says, act.why ?? []].flat().join(": ")),
      }),
    };
  }

  /** Returns the numbers of the hooks that listen to a moment's event. */
  hooksOf(n: number): readonly number[] {
    return this.#sets[this.rows.get("hooks", n - 1)] as readonly number[];
  }

  /** Returns the moments of the same tool call, at most `most`. */
  related(n: number, most: number): number[] {
    const call = this.rows.get("call", n - 1);
    if (call === 0) return [n];
    const found: number[] = [];
    for (let at = 0; at < this.count && found.length < most; at++)
      if (this.rows.get("call", at) === call) found.push(at + 1);
    return found;
  }

  #take(passed: ParsedLine): number | undefined {
    switch (passed.kind) {
      case "moment":
        this.#add(passed.facts, passed);
        return undefined;
      case "later":
        return this.#addLater(passed);
      case "header":
        this.#headers.push({ first: this.count, header: passed.header });
        return undefined;
      case "damaged":
        this.#damaged += 1;
        if (this.#damage.length < NAMED) this.#damage.push({ line: passed.line, problem: passed.problem });
        return undefined;
      case "other":
        return undefined;
    }
  }

  #add(facts: Facts, { at, line, own }: { readonly at: number; readonly line: number; readonly own: number }): void {
    const { t, ms, decision, marks, hooks } = facts;
    if (t > 0 && (this.#from === 0 || t - ms < this.#from)) this.#from = t - ms;
    if (t > this.#to) this.#to = t;
    this.hookNumbers.add(facts);
    this.steps.add(facts, decision !== undefined || marks.some((mark) => mark !== "answered"));
    this.rows.add({
      at,
      t,
      ms,
      line,
      own,
      call: facts.call === undefined ? 0 : keyOf(facts.call),
      turn: facts.turn === undefined ? 0 : facts.turn + 1,
      hooks: hooks.length === 0 ? 0 : this.#setOf(hooks.map(({ id }) => this.hookIds.number(id))),
      event: this.events.number(facts.event),
      tool: this.tools.number(facts.tool),
      agent: this.agents.number(facts.agent),
      asked: Math.min(hooks.length, 0xffff),
      later: 0,
      decision: DECISIONS.indexOf(decision),
      marks: marks.reduce((bits, mark) => bits | (1 << MARKS.indexOf(mark)), 0),
      says: facts.says ? 1 : 0,
    });
  }

  #setOf(ids: readonly number[]): number {
    const key = ids.join(" ");
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.#sets.length;
      this.#sets.push([...new Set(ids)]);
      this.#setNumbers.set(key, number);
    }
    return number;
  }

  #addLater({
    at,
    own,
    later,
  }: {
    readonly at: number;
    readonly own: number;
    readonly later: Later;
  }): number | undefined {
    const n = this.#numbered(own);
    if (n === undefined) return undefined;
    if (later.shadow !== undefined) this.hookNumbers.addShadow(later.shadow);
    this.#later.add({ at, n, before: this.rows.get("later", n - 1) });
    this.rows.set("later", n - 1, this.#later.count);
    return n;
  }

  /**
   * Returns the moment with the number `own` in its recording. Numbers start again after each header, so only moments
   * since the last header count.
   */
  #numbered(own: number): number | undefined {
    const first = this.#headers.at(-1)?.first ?? 0;
    for (let at = Math.min(this.count, first + own) - 1; at >= first; at--) {
      if (this.rows.get("own", at) > own) continue;
      return this.rows.get("own", at) === own ? at + 1 : undefined;
    }
    return undefined;
  }
}
