import type { CustomMessage, Message, UserMessage } from "@hookline/runtime";

type Queued = UserMessage | CustomMessage;

/** How many queued messages one turn takes. */
export type QueueMode = "one-at-a-time" | "all";

/**
 * Messages that wait: `steer` for the next turn, `followUp` for when the run would end,
 * `nextTurn` for the next prompt.
 */
export class Queues {
  steerMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  #steer: Queued[] = [];
  #followUp: Queued[] = [];
  #nextTurn: Queued[] = [];

  steer(message: Queued): void {
    this.#steer.push(message);
  }

  followUp(message: Queued): void {
    this.#followUp.push(message);
  }

  nextTurn(message: Queued): void {
    this.#nextTurn.push(message);
  }

  takeSteering(): Message[] {
    return take(this.#steer, this.steerMode);
  }

  takeFollowUps(): Message[] {
    return take(this.#followUp, this.followUpMode);
  }

  takeForPrompt(): Message[] {
    return this.#nextTurn.splice(0);
  }

  get pending(): boolean {
    return this.#steer.length > 0 || this.#followUp.length > 0;
  }

  clear(): void {
    this.#steer = [];
    this.#followUp = [];
  }
}

function take(queue: Queued[], mode: QueueMode): Message[] {
  return queue.splice(0, mode === "all" ? queue.length : 1);
}
