import { setTimeout as sleep } from "node:timers/promises";
import type { LoopbackReply } from "../../packages/hookline/test/support/loopback.ts";
import { ACTS, type Call, isSubAgent, offeredIn, PROMPT, type Target, type Try, triesOf, type Way } from "./acts.ts";
import { reasonOf, WORDS } from "./guards.ts";
import type { RealHost } from "./real.ts";

/** One request to the model. */
interface Turn {
  readonly text: string;
  readonly offered: ReadonlySet<string>;
}

/** The result of a try, as the model saw it. */
export interface Tried extends Try {
  /** The host's tool; absent if the model is offered none for this act. */
  readonly tool?: string;
  /** Whether the model read the guard's reason. */
  readonly refused: boolean;
}

/** The number of times that the model says it is done before the run is stopped. */
const ROUNDS = 40;

/** The time for which the agent waits for a sub-agent in the background, in ms. */
const SUB_AGENT_MS = 15_000;

/** A scripted model that does each act of a host once for each guard, then says that it is done. */
export class Play {
  readonly tried: Tried[] = [];
  /** The requests of the agent itself, without those of sub-agents. */
  readonly sent: string[] = [];
  readonly #host: RealHost;
  readonly #placeOf: (name: string) => Pick<Target, "path" | "page">;
  readonly #main: Generator<LoopbackReply, never, Turn>;
  readonly #sub: Generator<LoopbackReply, never, Turn>;
  readonly #subDone = Promise.withResolvers<void>();
  #waitsForSub = false;

  constructor(host: RealHost, placeOf: (name: string) => Pick<Target, "path" | "page">) {
    this.#host = host;
    this.#placeOf = placeOf;
    [this.#main, this.#sub] = [this.#acts(), this.#inSubAgent()];
    this.#main.next();
    this.#sub.next();
  }

  /** Returns the reply to a request to the model. */
  async reply(body: unknown): Promise<LoopbackReply> {
    const turn = { text: JSON.stringify(body ?? ""), offered: offeredIn(body) };
    if (isSubAgent(turn.text))
      return turn.text.includes("allowed-spawn") ? this.#sub.next(turn).value : ended(turn, "A sub-agent is done.");
    // An agent may have its model sum up a fetched page.
    if (!turn.text.includes(PROMPT)) return { text: "The page is read." };
    this.sent.push(turn.text);
    if (this.#waitsForSub) await Promise.race([this.#subDone.promise, sleep(SUB_AGENT_MS, undefined, { ref: false })]);
    return this.#main.next(turn).value;
  }

  *#acts(): Generator<LoopbackReply, never, Turn> {
    let turn = yield {};
    for (const act of ACTS.filter(({ name }) => name !== "sub-agent")) {
      const steps = this.#stepsOf(act.name, turn.offered);
      for (const one of triesOf(act)) {
        const before = timesIn(turn.text, reasonOf(one.dialect));
        let tool: string | undefined;
        for (const step of steps ?? []) {
          const call = step(this.#target(one.name, turn));
          tool = call.name;
          this.#waitsForSub = one.name.startsWith("allowed-spawn");
          turn = yield this.#calling(call, one.name, turn);
        }
        const refused = timesIn(turn.text, reasonOf(one.dialect)) > before;
        this.tried.push({ ...one, refused, ...(tool !== undefined && { tool }) });
      }
    }
    const written = `echo ${WORDS.written} >> marker.txt`;
    const commands = [
      written,
      ...(this.#host.asksAgain ? [written.replace(WORDS.written, WORDS.rewritten)] : []),
      "cat secret.txt",
      `echo ${WORDS.fails} > failed.txt`,
    ];
    for (const command of commands) {
      const [run] = this.#stepsOf("run", turn.offered) ?? [];
      const call = run?.({ ...this.#target("", turn), command });
      if (call !== undefined) turn = yield this.#calling(call, command, turn);
    }
    for (let round = 0; round < ROUNDS; round++) yield { text: "DONE" };
    for (;;) yield { error: { status: 400, message: "This never ends." } };
  }

  *#inSubAgent(): Generator<LoopbackReply, never, Turn> {
    let turn = yield {};
    const act = ACTS.find(({ name }) => name === "sub-agent");
    for (const one of act === undefined ? [] : triesOf(act)) {
      const before = timesIn(turn.text, reasonOf(one.dialect));
      const [step] = this.#stepsOf("run", turn.offered) ?? [];
      if (step === undefined) break;
      const call = step(this.#target(one.name, turn));
      turn = yield this.#calling(call, one.name, turn);
      this.tried.push({ ...one, tool: call.name, refused: timesIn(turn.text, reasonOf(one.dialect)) > before });
    }
    this.#subDone.resolve();
    for (;;) turn = yield ended(turn, "The sub-agent is done.");
  }

  #target(name: string, { text }: Turn): Target {
    const { path, page } = this.#placeOf(name);
    return { name, path: this.#host.wholePaths ? path : name, page, heard: text };
  }

  /** Returns the steps of the first alternative that the host offers. In code mode, a script makes the calls. */
  #stepsOf(act: string, offered: ReadonlySet<string>): readonly Way[] | undefined {
    const ways = this.#host.ways[act];
    if (ways === undefined) return undefined;
    const steps = typeof ways === "function" ? [[ways]] : isSteps(ways) ? [ways] : ways;
    const direct = steps.find((way) => {
      const { name, namespace } = lastCall(way);
      return offered.has(namespace === undefined ? name : `${namespace}.${name}`);
    });
    if (direct !== undefined) return direct;
    const deferred = offered.has("tool_search") && steps.find((way) => lastCall(way).namespace !== undefined);
    return deferred || (this.#nests(offered) ? steps[0] : undefined);
  }

  #nests(offered: ReadonlySet<string>): boolean {
    return this.#host.nested !== undefined && offered.has("functions.exec");
  }

  #calling(call: Call, id: string, turn: Turn): LoopbackReply {
    const { name, namespace } = call;
    const isOffered = turn.offered.has(namespace === undefined ? name : `${namespace}.${name}`);
    const asked = !isOffered && this.#nests(turn.offered) ? this.#host.nested?.(call, this.#target(id, turn)) : call;
    const { text: freeText, ...rest } = asked ?? call;
    const callId = `call_${id.replace(/\W+/g, "_")}`.slice(0, 60);
    return { toolCalls: [{ id: callId, ...rest, ...(freeText !== undefined && { freeText }) }] };
  }
}

function isSteps(ways: readonly Way[] | readonly (readonly Way[])[]): ways is readonly Way[] {
  return typeof ways[0] === "function";
}

function lastCall(steps: readonly Way[]): Call {
  return (steps.at(-1) as Way)({ name: "", path: "", page: "", heard: "" });
}

/** Returns a sub-agent's last reply; in some hosts, that is a tool call. */
function ended({ offered }: Turn, text: string): LoopbackReply {
  if (!offered.has("complete_task")) return { text };
  return { toolCalls: [{ id: "call_end", name: "complete_task", arguments: { result: text, response: text } }] };
}

/** Returns how often a text contains another. */
export function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}
