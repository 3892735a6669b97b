import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { type Clock, messageOf, type Outcome } from "../kit.ts";
import { digestWord, eventOf, namesOf, PING, WORKERS } from "../name/subjects.ts";
import type { Bundle } from "../policy/bundle.ts";
import type { Creds } from "../sign/creds.ts";
import { type Answer, type Refusal, writeAnswer } from "../wire/answer.ts";
import { type Question, readQuestion, TOKEN_HEADER } from "../wire/question.ts";
import { asAnswer } from "./as-answer.ts";
import type { BundleHooks } from "./hooks.ts";

/** How many questions a worker answers at a time. */
export const CONCURRENCY = 16;
/** How many questions may wait for each that is being answered. */
const WAITING = 4;

/** Dependencies of a worker. */
export interface WorkerParts {
  readonly creds: Creds;
  readonly clock: Clock;
  readonly concurrency?: number;
  /** Called with a line for each question and its result. */
  tell?(line: string): void;
}

/** A bundle whose hooks a worker asks. */
interface Served {
  readonly bundle: Bundle;
  readonly hooks: BundleHooks;
  subscription: { unsubscribe(): void } | undefined;
}

/** Answers the questions of a fleet's agents about the bundles that it serves. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #served = new Map<string, Served>();
  readonly #waiting: (() => void)[] = [];
  #connection: NatsConnection | undefined;
  #running = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** The bundles that this worker serves, in the order in which they were added. */
  get served(): readonly Bundle[] {
    return [...this.#served.values()].map(({ bundle }) => bundle);
  }

  /** Listens for questions on this connection from now on. */
  listen(connection: NatsConnection): void {
    this.#connection = connection;
    for (const one of this.#served.values()) one.subscription = this.#subscribe(connection, one.bundle);
  }

  /** Serves a further bundle from now on. */
  serve(bundle: Bundle, hooks: BundleHooks): void {
    const subscription = this.#connection && this.#subscribe(this.#connection, bundle);
    this.#served.set(bundle.digest, { bundle, hooks, subscription });
  }

  /** Stops serving a bundle, after the open questions have been answered. */
  async drop({ digest }: Pick<Bundle, "digest">): Promise<void> {
    const one = this.#served.get(digest);
    this.#served.delete(digest);
    one?.subscription?.unsubscribe();
    await one?.hooks.close();
  }

  /** Drops all bundles. */
  async close(): Promise<void> {
    await Promise.all(this.served.map((bundle) => this.drop(bundle)));
  }

  #subscribe(connection: NatsConnection, { digest }: Bundle): { unsubscribe(): void } {
    const { ask } = namesOf(this.#parts.creds.fleet);
    const ping = ask(digest, PING);
    const asked = connection.subscribe(ask(digest, "*"), {
      queue: WORKERS,
      callback: (error, message) => {
        if (error === null && message.subject !== ping) void this.#take(message);
      },
    });
    // Each worker answers a ping, so that a publisher can count them.
    const pinged = connection.subscribe(ping, {
      callback: (error, message) => {
        if (error === null) void this.#take(message);
      },
    });
    return {
      unsubscribe() {
        asked.unsubscribe();
        pinged.unsubscribe();
      },
    };
  }

  async #take(message: Msg): Promise<void> {
    const { creds } = this.#parts;
    const read = readQuestion(message.data, message.headers?.get(TOKEN_HEADER) ?? "", creds);
    if (!read.ok) return this.#tell(`dropped a question: ${read.problem}`);
    const { question } = read;
    // A question may name any inbox, but the answer goes only to an inbox of the machine that signed it.
    if (message.reply?.startsWith(`${namesOf(creds.fleet).inbox(question.machine)}.`) !== true)
      return this.#tell(`dropped a question of ${question.machine}: it wants the answer sent elsewhere`);
    const said = await this.#answer(question, message.subject);
    message.respond(writeAnswer(said));
    const what = "error" in said ? `refused it (${said.error.code}: ${said.error.message})` : decisionOf(said);
    this.#tell(`${question.machine} ${question.event}: ${what}`);
  }

  async #answer(question: Question, subject: string): Promise<Answer | Refusal> {
    const { creds, clock } = this.#parts;
    const began = clock.now();
    const refused = (code: Refusal["error"]["code"], message: string): Refusal => ({
      v: 1,
      id: question.id,
      worker: creds.machine,
      error: { code, message },
    });
    const [digest, word = ""] = subject.split(".").slice(-2);
    const isAsked = digest === digestWord(question.bundle) && eventOf(word) === question.event;
    if (!isAsked) return refused("input", "the question was sent to a subject that it does not name");
    const served = this.#served.get(question.bundle);
    if (served === undefined) return refused("bundle", `this worker does not serve ${question.bundle}`);
    const { hooks } = served;
    const base = { v: 1, id: question.id, worker: creds.machine, bundle: question.bundle } as const;
    if (question.event === PING) return { ...base, answer: {}, edits: [], hooks: [], ms: 0 };
    if (!hooks.coverage.some(({ event }) => event === question.event))
      return refused("event", `the bundle has no remote hook for ${question.event}`);
    if (!(await this.#turn())) return refused("overload", "too many questions at once");
    try {
      const left = question.deadlineMs - (clock.now() - began);
      if (left <= 0) return refused("overload", "the deadline passed before its turn came");
      const ended = new AbortController();
      const timer = clock.timer(left, () => ended.abort());
      timer.hold(true);
      try {
        const outcome = await hooks.ask(question.event, question.payload, ended.signal);
        // Hooks that were stopped have judged nothing, even if their dialect then returns an answer.
        if (ended.signal.aborted) return refused("overload", "the deadline passed before its hooks had answered");
        return { ...base, ...saidBy(hooks, question.event, outcome), ms: clock.now() - began };
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

  /** Waits until a question may be answered; false if too many questions wait already. */
  async #turn(): Promise<boolean> {
    const { concurrency = CONCURRENCY } = this.#parts;
    if (this.#running >= concurrency) {
      if (this.#waiting.length >= concurrency * WAITING) return false;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    return true;
  }

  #tell(line: string): void {
    this.#parts.tell?.(line);
  }
}

function decisionOf({ answer, hooks, ms }: Answer): string {
  const fields = Object.keys(answer);
  return `${fields.length === 0 ? "no objection" : fields.join(", ")} from ${hooks.length} hooks in ${Math.round(ms)} ms`;
}

function saidBy(
  { nameOf }: BundleHooks,
  event: string,
  { answer, edits, hooks }: Outcome,
): Pick<Answer, "answer" | "edits" | "hooks"> {
  return {
    answer: asAnswer(event, answer),
    edits: edits.map(({ hook, field }) => ({ hook: nameOf(hook), field })),
    hooks: hooks.map(({ hook, status, ms }) => ({ hook: nameOf(hook), status, ms })),
  };
}
