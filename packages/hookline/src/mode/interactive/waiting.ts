import type { Payload } from "@hookline/runtime";

type Told = Payload<"notify">;

/** How long a question or the idle agent may wait before hooks are told, in ms. */
const QUESTION_MS = 6_000;
const IDLE_MS = 60_000;

/** Calls `act` after a delay; returns a function that cancels it. */
export type Later = (ms: number, act: () => void) => () => void;

const later: Later = (ms, act) => {
  const timer = setTimeout(act, ms).unref();
  return () => clearTimeout(timer);
};

/** Tells hooks when the agent waits for an absent person: once for each question and each settled run. */
export class Waiting {
  readonly #tell: (about: Told) => void;
  readonly #later: Later;
  readonly #questions = new Set<{ again(): void }>();
  #idle: (() => void) | undefined;

  constructor(tell: (about: Told) => void, after: Later = later) {
    this.#tell = tell;
    this.#later = after;
  }

  /** Waits for the answer to a question with this title. */
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

  /** The agent has settled. */
  settled(): void {
    this.busy();
    this.#idle = this.#later(IDLE_MS, () =>
      this.#tell({ type: "idle_prompt", message: "hookline is waiting for your next prompt" }),
    );
  }

  /** The agent works again or ends. */
  busy(): void {
    this.#idle?.();
    this.#idle = undefined;
  }

  /** The person has pressed a key. */
  key(): void {
    this.busy();
    for (const question of this.#questions) question.again();
  }
}
