import type { AssistantMessage, ToolCallBlock, ToolResultMessage } from "@hookline/runtime/engine";
import { RUN_ENDED } from "../hook/halts.ts";
import type { CallFault } from "../provider/limits.ts";
import type { Rule } from "../rule/rule.ts";
import { finish, type Judged, judge, type Settled } from "./call.ts";
import type { Run } from "./core.ts";

/** Facts about the calls in a reply, known before hooks judge them. */
export interface BatchFacts {
  /** Names of tools that the model was not offered. */
  readonly hidden: ReadonlySet<string>;
  /** Arguments that are not valid JSON, as the model wrote them, by call id. */
  readonly invalid: ReadonlyMap<string, string>;
  /** Calls that are not run, because their arguments are too deep or long or the reply has too many; by call id. */
  readonly refused: ReadonlyMap<string, CallFault>;
  /** Stream rules that a call's arguments matched, to be shown with its result; by call id. */
  readonly reminders: ReadonlyMap<string, readonly Rule[]>;
  /** Puts a result into the conversation. Is called in the order of the calls in the reply. */
  keep(result: ToolResultMessage): Promise<void>;
}

const CUT_OFF =
  "The reply was cut off at its length limit, so this call may not be complete and was not run. Send it again, in smaller parts.";

type Allowed = Extract<Judged, { kind: "allowed" }>;

/**
 * Runs the tool calls in a reply and stores their results. Returns true if every result wants the run to end. If one of
 * the tools is `sequential`, each call is judged, run and stored before the next one.
 */
export async function runBatch(run: Run, reply: AssistantMessage, facts: BatchFacts): Promise<boolean> {
  const calls = reply.content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  const tools = run.core.tools();
  // Earlier turns must survive a power cut before a tool does anything irreversible.
  await run.core.store.flushed;
  const alone = calls.some(({ name }) => tools.get(name)?.tool.executionMode === "sequential");
  const batch = new Batch(run, reply, facts);
  const settled = alone ? await batch.oneByOne(calls) : await batch.sideBySide(calls);
  return settled.length > 0 && settled.every(({ terminate }) => terminate);
}

class Batch {
  readonly #run: Run;
  readonly #facts: BatchFacts;
  readonly #impossible: string | undefined;
  /** Why a hook has refused all calls that have not started yet; undefined if none has. */
  #refusal: string | undefined;

  constructor(run: Run, reply: AssistantMessage, facts: BatchFacts) {
    this.#run = run;
    this.#facts = facts;
    this.#impossible = reply.stopReason === "length" ? CUT_OFF : undefined;
  }

  async oneByOne(calls: readonly ToolCallBlock[]): Promise<Settled[]> {
    const settled: Settled[] = [];
    for (const call of calls) {
      const one = await this.#end(await this.#judge(call));
      await this.#facts.keep(one.message);
      settled.push(one);
    }
    return settled;
  }

  /**
   * Judges calls one after the other in the order of the reply, then runs the allowed ones at the same time. A call
   * that is not allowed gets its result immediately.
   */
  async sideBySide(calls: readonly ToolCallBlock[]): Promise<Settled[]> {
    const taken: (Settled | Allowed)[] = [];
    for (const call of calls) {
      const one = await this.#judge(call);
      taken.push(one.kind === "allowed" ? one : await this.#end(one));
    }
    const settled = await Promise.all(taken.map(async (one) => ("kind" in one ? this.#end(this.#still(one)) : one)));
    for (const { message } of settled) await this.#facts.keep(message);
    return settled;
  }

  /** Why no further call of the reply may start; undefined if one may. */
  get #refused(): string | undefined {
    return this.#refusal ?? (this.#run.core.halts.hasEnded ? RUN_ENDED : undefined);
  }

  async #judge(call: ToolCallBlock): Promise<Judged> {
    const { invalid, refused, hidden } = this.#facts;
    const about = {
      invalid: invalid.get(call.id),
      fault: refused.get(call.id),
      hidden,
      refusal: this.#refused,
      impossible: this.#impossible,
    };
    const one = await judge(this.#run, call, about);
    if (one.kind === "refused" && one.rest) this.#refusal = one.reason;
    return one;
  }

  /** Refuses an allowed call that has not started, if a hook has refused all further calls in the meantime. */
  #still(one: Allowed): Judged {
    const reason = this.#refused;
    return reason === undefined ? one : { ...one, kind: "refused", reason, rest: true, terminate: false };
  }

  #end(one: Judged): Promise<Settled> {
    return finish(this.#run, one, this.#facts.reminders.get(one.call.id) ?? []);
  }
}
