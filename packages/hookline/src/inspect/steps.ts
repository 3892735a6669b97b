import { Columns } from "./columns.ts";
import type { Facts } from "./facts.ts";

/** The kinds of steps in the story; `moment` is one at which a hook did something outside of the other three. */
export const STEP_KINDS = ["prompt", "reply", "call", "moment"] as const;

/** Events that begin a step or belong to one, even if no hook did anything at them. */
const JOINED: Readonly<Record<string, (typeof STEP_KINDS)[number]>> = {
  "prompt.before": "prompt",
  "tools.select": "reply",
  "model.context": "reply",
  "model.request": "reply",
  "model.response": "reply",
  "tool.before": "call",
  "tool.after": "call",
};
const [BEGINS, ENDS] = ["model.context", "model.response"];

interface Open {
  readonly step: number;
  hasBegun: boolean;
  isOver: boolean;
}

/**
 * Groups the moments of a source into prompts, replies with the requests that they answer, and calls with their
 * results. All other moments are steps only if a hook did something at them. Steps are numbered from 1.
 */
export class Steps {
  readonly rows = new Columns({ first: "u32", last: "u32", kind: "u8", isShown: "u8" });
  /** The step of each moment, and the previous moment in the same step; 0 if there is none. */
  readonly moments = new Columns({ step: "u32", before: "u32" });
  readonly #calls = new Map<string, number>();
  /** The latest reply of each agent, complete or not. */
  readonly #replies = new Map<string, Open>();

  /** Adds the next moment. `isTouched` says whether a hook did something at it. */
  add({ event, call, agent = "", says }: Facts, isTouched: boolean): void {
    const n = this.moments.count + 1;
    const step = this.#stepOf(event, { call, agent, isTouched });
    const before = step === 0 ? 0 : this.rows.get("last", step - 1);
    this.moments.add({ step, before: before === n ? 0 : before });
    if (step === 0) return;
    this.rows.set("last", step - 1, n);
    // A reply that only calls tools and has no text is not shown, because its calls are.
    const isSaid = this.rows.get("kind", step - 1) !== REPLY || (event === ENDS && says);
    if (isTouched || isSaid) this.rows.set("isShown", step - 1, 1);
  }

  /** The steps that are shown, in order. */
  shown(): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.rows.count; at++) if (this.rows.get("isShown", at) === 1) found.push(at + 1);
    return found;
  }

  /** Returns the shown steps that contain any of these moments, in order. */
  of(moments: Iterable<number>): number[] {
    const found = new Set<number>();
    for (const n of moments) {
      const step = this.moments.get("step", n - 1);
      if (step > 0 && this.rows.get("isShown", step - 1) === 1) found.add(step);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The moments of a step, in order. */
  momentsOf(step: number): number[] {
    const found: number[] = [];
    for (let n = this.rows.get("last", step - 1); n > 0; n = this.moments.get("before", n - 1)) found.unshift(n);
    return found;
  }

  #stepOf(
    event: string,
    {
      call,
      agent,
      isTouched,
    }: { readonly call: string | undefined; readonly agent: string; readonly isTouched: boolean },
  ): number {
    const kind = JOINED[event];
    if (call !== undefined && event.startsWith("tool.") && (kind === "call" || isTouched)) {
      // `tool.before` always begins a step: a repeated call without an id has the same `call` as the first one.
      const known = event === "tool.before" ? undefined : this.#calls.get(call);
      const step = known ?? this.#begin("call");
      this.#calls.set(call, step);
      return step;
    }
    if (kind === "reply" || (isTouched && /^(?:model|message)\.|^reply\.before$/.test(event)))
      return this.#replyStep(event, agent, kind === "reply");
    return kind !== undefined || isTouched ? this.#begin(kind ?? "moment") : 0;
  }

  #replyStep(event: string, agent: string, isJoined: boolean): number {
    const known = this.#replies.get(agent);
    // A second `model.context`, or an event of `JOINED` after the reply has ended, begins a new reply. All others join.
    const isSame = known !== undefined && (isJoined ? !known.isOver && !(event === BEGINS && known.hasBegun) : true);
    const open = isSame ? known : { step: this.#begin("reply"), hasBegun: false, isOver: false };
    open.hasBegun ||= event === BEGINS;
    open.isOver ||= event === ENDS;
    this.#replies.set(agent, open);
    return open.step;
  }

  #begin(kind: (typeof STEP_KINDS)[number]): number {
    const n = this.moments.count + 1;
    this.rows.add({ first: n, last: n, kind: STEP_KINDS.indexOf(kind), isShown: 0 });
    return this.rows.count;
  }
}

const REPLY = STEP_KINDS.indexOf("reply");
