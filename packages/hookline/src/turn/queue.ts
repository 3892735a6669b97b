import { type EventName, type Message, textOf } from "@hookline/runtime";
import type { CustomMessage, UserMessage } from "@hookline/runtime/engine";
import { contextMessages, type WaitingText, waitingTexts } from "../hook/context.ts";

type Queued = UserMessage | CustomMessage;

/** How many queued messages one turn takes. */
export type QueueMode = "one-at-a-time" | "all";

/** The person's queued texts, for display and for taking them back; hooks' messages wait unseen. */
export interface QueuedTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/**
 * Queued messages: `steer` for the next turn, `followUp` for when the run would end, `nextTurn` for the next prompt,
 * held ones for the end of the turn, hooks' context for the next request. Source: spec/pi.md 5.3.
 */
export class Queues {
  steerMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  /** Called after every change of `texts`. */
  onChange: (() => void) | undefined;
  #steer: Queued[] = [];
  #followUp: Queued[] = [];
  #nextTurn: Queued[] = [];
  #held: CustomMessage[] = [];
  #context: WaitingText[] = [];
  /** Hooks' context for the model with a queued message. */
  readonly #behind = new WeakMap<Message, readonly CustomMessage[]>();
  /** The messages shown as waiting; this includes a taken message until the conversation has it. */
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

  /** Holds a message back until the turn's results are stored; it asks for no answer. */
  hold(message: CustomMessage): void {
    this.#held.push(message);
  }

  takeHeld(): CustomMessage[] {
    return this.#held.splice(0);
  }

  /** Keeps an event's hook context for the model until the next request. */
  context(event: EventName, texts: readonly string[] | undefined): void {
    this.#context.push(...waitingTexts(event, texts, []));
  }

  takeContext(): CustomMessage[] {
    return contextMessages(this.#context.splice(0));
  }

  /** Drops an event's hook context that the model has not seen yet; without a name, that of every event. */
  dropContext(event?: string): void {
    this.#context = event === undefined ? [] : this.#context.filter((one) => one.event !== event);
  }

  /** Puts messages into the conversation right after a queued one. */
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

  /** Takes the messages for the next turn: steering messages before follow-ups. */
  takeNext(): Message[] {
    const steering = this.takeSteering();
    return steering.length > 0 ? steering : this.takeFollowUps();
  }

  takeForPrompt(): Message[] {
    return this.#nextTurn.splice(0);
  }

  /** A preview of what the next turn will take of the first two; nothing is removed. */
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

  /** A message has entered the conversation and no longer waits. */
  entered(message: Message): void {
    for (const queue of ["steering", "followUp"] as const) {
      const left = this.#shown[queue].filter((one) => one !== message);
      if (left.length === this.#shown[queue].length) continue;
      this.#shown = { ...this.#shown, [queue]: left };
      this.onChange?.();
    }
  }

  /** Empties the queues of the running prompt; returns their contents. */
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
