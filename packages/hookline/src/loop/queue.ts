import { type CustomMessage, type Message, textOf, type UserMessage } from "@hookline/runtime";

type Queued = UserMessage | CustomMessage;

/** How many queued messages one turn takes. */
export type QueueMode = "one-at-a-time" | "all";

/** The texts that wait, for those who show or give them back. */
export interface QueuedTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/**
 * Messages that wait: `steer` for the next turn, `followUp` for when the run would end,
 * `nextTurn` for the next prompt. Source: spec/pi.md 5.3.
 */
export class Queues {
  steerMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  /** Called after every change of the first two. */
  onChange: (() => void) | undefined;
  #steer: Queued[] = [];
  #followUp: Queued[] = [];
  #nextTurn: Queued[] = [];

  steer(message: Queued): void {
    this.#steer.push(message);
    this.onChange?.();
  }

  followUp(message: Queued): void {
    this.#followUp.push(message);
    this.onChange?.();
  }

  nextTurn(message: Queued): void {
    this.#nextTurn.push(message);
  }

  takeSteering(): Message[] {
    return this.#take(this.#steer, this.steerMode);
  }

  takeFollowUps(): Message[] {
    return this.#take(this.#followUp, this.followUpMode);
  }

  takeForPrompt(): Message[] {
    return this.#nextTurn.splice(0);
  }

  /** What the next turn will take of the first two, which stays where it is. */
  get coming(): readonly Message[] {
    const [queue, mode] = this.#steer.length > 0 ? [this.#steer, this.steerMode] : [this.#followUp, this.followUpMode];
    return mode === "all" ? [...queue] : queue.slice(0, 1);
  }

  get pending(): boolean {
    return this.#steer.length > 0 || this.#followUp.length > 0;
  }

  get texts(): QueuedTexts {
    const text = (message: Queued): string => textOf(message.content);
    return { steering: this.#steer.map(text), followUp: this.#followUp.map(text) };
  }

  /** Empties the queues of the running prompt; gives what was in them. */
  clear(): QueuedTexts {
    const { texts } = this;
    const had = this.pending;
    this.#steer = [];
    this.#followUp = [];
    if (had) this.onChange?.();
    return texts;
  }

  #take(queue: Queued[], mode: QueueMode): Message[] {
    const taken = queue.splice(0, mode === "all" ? queue.length : 1);
    if (taken.length > 0) this.onChange?.();
    return taken;
  }
}
