import { type Message, textOf } from "@hookline/runtime";
import type { CustomMessage, UserMessage } from "@hookline/runtime/internal";
import { hookContext } from "../hook/context.ts";

type Queued = UserMessage | CustomMessage;

/** How many queued messages one turn takes. */
export type QueueMode = "one-at-a-time" | "all";

/** The person's texts that wait, for those who show or give them back; hooks' messages wait unseen. */
export interface QueuedTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/**
 * Messages that wait: `steer` for the next turn, `followUp` for when the run would end,
 * `nextTurn` for the next prompt, held ones for the end of the turn, what hooks tell the model for its next request.
 * Source: spec/pi.md 5.3.
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
  #context: { readonly event: string; readonly message: CustomMessage }[] = [];
  /** What hooks tell the model with a message that waits. */
  readonly #behind = new WeakMap<Message, readonly CustomMessage[]>();
  /** What is shown as waiting: a taken message is, until the conversation has it. */
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

  /** Keeps a message back until the turn's results are stored; nobody is asked to answer it. */
  hold(message: CustomMessage): void {
    this.#held.push(message);
  }

  takeHeld(): CustomMessage[] {
    return this.#held.splice(0);
  }

  /** Keeps what the hooks of an event tell the model until its next request. */
  context(event: string, texts: readonly string[] | undefined): void {
    this.#context.push(...hookContext(event, texts).map((message) => ({ event, message })));
  }

  takeContext(): CustomMessage[] {
    return this.#context.splice(0).map(({ message }) => message);
  }

  /** Drops what the hooks of an event have told the model and it has not seen yet; without a name, of every event. */
  dropContext(event?: string): void {
    this.#context = event === undefined ? [] : this.#context.filter((one) => one.event !== event);
  }

  /** Has messages enter the conversation right behind one that waits. */
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

  /** What the next turn takes: steering before what follows up. */
  takeNext(): Message[] {
    const steering = this.takeSteering();
    return steering.length > 0 ? steering : this.takeFollowUps();
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
    const text = ({ content }: UserMessage): string => textOf(content);
    return { steering: this.#shown.steering.map(text), followUp: this.#shown.followUp.map(text) };
  }

  /** A message enters the conversation: it waits no more. */
  entered(message: Message): void {
    for (const queue of ["steering", "followUp"] as const) {
      const left = this.#shown[queue].filter((one) => one !== message);
      if (left.length === this.#shown[queue].length) continue;
      this.#shown = { ...this.#shown, [queue]: left };
      this.onChange?.();
    }
  }

  /** Empties the queues of the running prompt; gives what was in them. */
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
