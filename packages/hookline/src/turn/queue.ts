import { type EventName, type Message, textOf } from "@hookline/runtime";
import type { CustomMessage, UserMessage } from "@hookline/runtime/engine";
import { contextMessages, type WaitingText, waitingTexts } from "../hook/context.ts";

type Queued = UserMessage | CustomMessage;

/** How many queued messages one turn takes. */
export type QueueMode = "one-at-a-time" | "all";

/** The queued texts of the person, for display and for taking them back. Messages of hooks are not included. */
export interface QueuedTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/**
 * Messages that wait. Source: spec/pi.md 5.3. `steer` waits for the next turn, `followUp` for the end of the run,
 * `nextTurn` for the next prompt. Held messages wait for the end of the turn, and context of hooks for the next
 * request.
 */
export class Queues {
  steerMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  /** Is called whenever the queued texts have changed. */
  onChange: (() => void) | undefined;
  #steer: Queued[] = [];
  #followUp: Queued[] = [];
  #nextTurn: Queued[] = [];
  #held: CustomMessage[] = [];
  #context: WaitingText[] = [];
  /** Context from hooks, by the queued message that it follows into the conversation. */
  readonly #behind = new WeakMap<Message, readonly CustomMessage[]>();
  /** The messages that are shown as queued. A taken message stays here until it is in the conversation. */
  #shown: Record<keyof QueuedTexts, readonly UserMessage[]> = { steering: [], followUp: [] };

  steer(message: Queued): void {
    this.#steer.push(message);
    this.#show("steering", message);
  }

  followUp(message: Queued): void {
    this.#followUp.push(message);
    this.#show("followUp", message);
  }

  nextTurn(message: Queued): void {
    this.#nextTurn.push(message);
  }

  /** Holds a message back until the results of the turn are stored. It starts no turn. */
  hold(message: CustomMessage): void {
    this.#held.push(message);
  }

  takeHeld(): CustomMessage[] {
    return this.#held.splice(0);
  }

  /** Keeps the context that hooks have added on an event until the next request. */
  context(event: EventName, texts: readonly string[] | undefined): void {
    this.#context.push(...waitingTexts(event, texts, []));
  }

  takeContext(): CustomMessage[] {
    return contextMessages(this.#context.splice(0));
  }

  /**
   * Drops context of hooks that no request has contained yet. With `event`, drops only what was added on that event.
   */
  dropContext(event?: string): void {
    this.#context = event === undefined ? [] : this.#context.filter((one) => one.event !== event);
  }

  /** Makes messages follow a queued message into the conversation. */
  putBehind(message: Message, others: readonly CustomMessage[]): void {
    this.#behind.set(message, others);
  }

  takeBehind(message: Message): readonly CustomMessage[] {
    return this.#behind.get(message) ?? [];
  }

  takeSteering(): Message[] {
    return take(this.#steer, this.steerMode);
  }

  takeFollowUps(): Message[] {
    return take(this.#followUp, this.followUpMode);
  }

  /** Takes the messages for the next turn: steering messages first, follow-ups only if there are none. */
  takeNext(): Message[] {
    const steering = this.takeSteering();
    return steering.length > 0 ? steering : this.takeFollowUps();
  }

  takeForPrompt(): Message[] {
    return this.#nextTurn.splice(0);
  }

  /** The messages that `takeNext` would return now; nothing is removed. */
  get coming(): readonly Message[] {
    const [queue, mode] = this.#steer.length > 0 ? [this.#steer, this.steerMode] : [this.#followUp, this.followUpMode];
    return mode === "all" ? [...queue] : queue.slice(0, 1);
  }

  get pending(): boolean {
    return this.#steer.length > 0 || this.#followUp.length > 0;
  }

  get texts(): QueuedTexts {
    const text = ({ content }: UserMessage): string => textOf(content);
    return { steering: this.#shown.steering.map(text), followUp: this.#shown.followUp.map(text) };
  }

  /** Removes a message from those that are shown as queued, because it is in the conversation now. */
  entered(message: Message): void {
    for (const queue of ["steering", "followUp"] as const) {
      const left = this.#shown[queue].filter((one) => one !== message);
      if (left.length === this.#shown[queue].length) continue;
      this.#shown = { ...this.#shown, [queue]: left };
      this.onChange?.();
    }
  }

  /** Empties the queues of the running prompt; returns the person's texts in them. */
  clear(): QueuedTexts {
    const { texts } = this;
    this.#steer = [];
    this.#followUp = [];
    this.#shown = { steering: [], followUp: [] };
    if (texts.steering.length + texts.followUp.length > 0) this.onChange?.();
    return texts;
  }

  #show(queue: keyof QueuedTexts, message: Queued): void {
    if (message.role !== "user") return;
    this.#shown = { ...this.#shown, [queue]: [...this.#shown[queue], message] };
    this.onChange?.();
  }
}

function take(queue: Queued[], mode: QueueMode): Message[] {
  return queue.splice(0, mode === "all" ? queue.length : 1);
}
