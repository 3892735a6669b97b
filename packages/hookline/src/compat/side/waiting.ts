/** The two queues for texts. */
export type Queue = "steering" | "followUp";

type Queues = Readonly<Record<Queue, readonly string[]>>;

/** The texts queued for a side session's model, as its listeners see them. */
export class Waiting {
  readonly #lists: Record<Queue, string[]> = { steering: [], followUp: [] };
  readonly #tell: (queues: Queues) => void;

  constructor(tell: (queues: Queues) => void) {
    this.#tell = tell;
  }

  get count(): number {
    return this.#lists.steering.length + this.#lists.followUp.length;
  }

  texts(queue: Queue): readonly string[] {
    return this.#lists[queue];
  }

  add(queue: Queue, text: string): void {
    this.#lists[queue].push(text);
    this.#changed();
  }

  /** Removes a text that the model has been sent, if it was queued. */
  take(text: string): void {
    const list = Object.values(this.#lists).find((one) => one.includes(text));
    if (list === undefined) return;
    list.splice(list.indexOf(text), 1);
    this.#changed();
  }

  clear(): Record<Queue, string[]> {
    return { steering: this.#lists.steering.splice(0), followUp: this.#lists.followUp.splice(0) };
  }

  #changed(): void {
    this.#tell({ steering: [...this.#lists.steering], followUp: [...this.#lists.followUp] });
  }
}
