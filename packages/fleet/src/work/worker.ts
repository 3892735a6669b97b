import type { Outcome } from "@hookline/runtime";
import { type Clock, catalog, messageOf } from "@hookline/runtime/internal";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { Bundle } from "../bundle/bundle.ts";
import { digestWord, eventOf, namesOf, PING, WORKERS } from "../name/subjects.ts";
import type { Creds } from "../sign/creds.ts";
import { type Answer, type Refusal, writeAnswer } from "../wire/answer.ts";
import { type Question, readQuestion, TOKEN_HEADER } from "../wire/question.ts";
import type { BundleHooks } from "./hooks.ts";

/** How many questions a worker works on at a time. */
export const CONCURRENCY = 16;
/** For each of them, so many may wait. */
const WAITING = 4;

/** What a worker is made of. */
export interface WorkerParts {
  readonly creds: Creds;
  readonly bundle: Bundle;
  readonly hooks: BundleHooks;
  readonly clock: Clock;
  readonly concurrency?: number;
  /** Told of each question: what was asked, and what became of it. */
  tell?(line: string): void;
}

/** Answers the questions of a fleet's agents about one bundle. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Listens for questions about its bundle, as one of the fleet's workers; gives what ends it. */
  listen(connection: NatsConnection): { unsubscribe(): void } {
    const { creds, bundle } = this.#parts;
    const subject = namesOf(creds.fleet).ask(bundle.digest, "*");
    return connection.subscribe(subject, {
      queue: WORKERS,
      callback: (error, message) => {
        if (error === null) void this.#take(message);
      },
    });
  }

  async #take(message: Msg): Promise<void> {
    const { creds } = this.#parts;
    const read = readQuestion(message.data, message.headers?.get(TOKEN_HEADER) ?? "", creds);
    if (!read.ok) return this.#tell(`dropped a question: ${read.problem}`);
    const { question } = read;
    // Who asks may name any inbox; what is said goes to nobody but the machine that has signed.
    if (message.reply?.startsWith(`${namesOf(creds.fleet).inbox(question.machine)}.`) !== true)
      return this.#tell(`dropped a question of ${question.machine}: it wants the answer elsewhere`);
    const said = await this.#answer(question, message.subject);
    message.respond(writeAnswer(said));
    const what = "error" in said ? `refused it (${said.error.code}: ${said.error.message})` : decisionOf(said);
    this.#tell(`${question.machine} ${question.event}: ${what}`);
  }

  async #answer(question: Question, subject: string): Promise<Answer | Refusal> {
    const { creds, bundle, hooks, clock } = this.#parts;
    const began = clock.now();
    const refused = (code: Refusal["error"]["code"], message: string): Refusal => ({
      v: 1,
      id: question.id,
      worker: creds.machine,
      error: { code, message },
    });
    const [digest, word = ""] = subject.split(".").slice(-2);
    const isAsked = digest === digestWord(question.bundle) && eventOf(word) === question.event;
    if (!isAsked) return refused("input", "the question was sent to another subject than it says");
    if (question.bundle !== bundle.digest) return refused("bundle", `this worker serves ${bundle.digest}`);
    const base = { v: 1, id: question.id, worker: creds.machine, bundle: bundle.digest } as const;
    if (question.event === PING) return { ...base, answer: {}, edits: [], hooks: [], ms: 0 };
    if (!hooks.coverage.some(({ event }) => event === question.event))
      return refused("event", `the bundle has no remote hook for ${question.event}`);
    if (!(await this.#turn())) return refused("overload", "too many questions at once");
    try {
      const left = question.deadlineMs - (clock.now() - began);
      if (left <= 0) return refused("overload", "the deadline was over before its turn came");
      const ended = new AbortController();
      const timer = clock.timer(left, () => ended.abort());
      timer.hold(true);
      try {
        const outcome = await hooks.ask(question.event, question.payload, ended.signal);
        // Hooks that were stopped have judged nothing, whatever their dialect makes of that.
        if (ended.signal.aborted) return refused("overload", "the deadline was over before its hooks had answered");
        return { ...base, ...this.#said(question.event, outcome), ms: clock.now() - began };
      } finally {
        timer.cancel();
      }
    } catch (thrown) {
      return refused("input", messageOf(thrown));
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Waits for a place among those that are worked on; false if too many wait already. */
  async #turn(): Promise<boolean> {
    const { concurrency = CONCURRENCY } = this.#parts;
    if (this.#running >= concurrency) {
      if (this.#waiting.length >= concurrency * WAITING) return false;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    return true;
  }

  #said(event: string, { answer, edits, hooks }: Outcome): Pick<Answer, "answer" | "edits" | "hooks"> {
    const { nameOf } = this.#parts.hooks;
    return {
      answer: asAnswer(event, answer),
      edits: edits.map(({ hook, field }) => ({ hook: nameOf(hook), field })),
      hooks: hooks.map(({ hook, status, ms }) => ({ hook: nameOf(hook), status, ms })),
    };
  }

  #tell(line: string): void {
    this.#parts.tell?.(line);
  }
}

/** An outcome as one hook would have said it: what was collected in lists becomes one text again. */
function asAnswer(event: string, outcome: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = catalog.get(event)?.read;
  const entries = Object.entries(outcome).map(([name, value]) => {
    const isText = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (!isText || read?.({ [name]: value } as never).ok === true) return [name, value];
    return [name, value.join("\n\n")];
  });
  return Object.fromEntries(entries);
}

function decisionOf({ answer, hooks, ms }: Answer): string {
  const fields = Object.keys(answer);
  return `${fields.length === 0 ? "no objection" : fields.join(", ")} from ${hooks.length} hooks in ${Math.round(ms)} ms`;
}
