import type { Payload } from "@hookline/runtime";

type Told = Payload<"notify">;

/** How long a question may be unanswered before hooks are notified, in ms. */
const QUESTION_MS = 6_000;
const IDLE_MS = 60_000;

/** Calls `act` after a delay; returns a function that cancels the call. */
export type Later = (ms: number, act: () => void) => () => void;

const later: Later = (ms, act) => {
  const timer = setTimeout(act, ms).unref();
  return () => clearTimeout(timer);
};

/** Notifies hooks when an absent person keeps the agent waiting: once per question, once when idle. */
export class Waiting {
  readonly #tell: (about: Told) => void;
  readonly #later: Later;
  readonly #questions = new Set<{ again(): void }>();
  #idle: (() => void) | undefined;

  constructor(tell: (about: Told) => void, after: Later = later) {
    this.#tell = tell;
    this.#later = after;
  }

  /** Waits for the answer to a question. Hooks get the title if the wait is long. */
  async during<T>(title: string, answer: Promise<T>): Promise<T> {
    let cancel = (): void => {};
    const question = {
      again: (): void => {
        cancel();
        cancel = this.#later(QUESTION_MS, () => {
          this.#questions.delete(question);
          this.#tell({ type: "permission_prompt", message: `hookline is waiting for your answer: ${title}`, title });
        });
      },
    };
    this.#questions.add(question);
    question.again();
    try {
      return await answer;
    } finally {
      cancel();
      this.#questions.delete(question);
    }
  }

  /** Starts the wait for the person's next prompt. Must be called when the agent has finished all its work. */
  settled(): void {
    this.busy();
    this.#idle = this.#later(IDLE_MS, () =>
      this.#tell({ type: "idle_prompt", message: "hookline is waiting for your next prompt" }),
    );
  }

  /** Ends the wait for the person's next prompt. Must be called when the agent works again or ends. */
  busy(): void {
    this.#idle?.();
    this.#idle = undefined;
  }

  /** Restarts all waits. Must be called when the person has pressed a key. */
  key(): void {
    this.busy();
    for (const question of this.#questions) question.again();
  }
}
