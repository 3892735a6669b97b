import type { HostServices, Message } from "@hookline/runtime";
import type { Core } from "./core.ts";

/** The person is notified when hooks have started this many turns since the last prompt. Source: ruling 60. */
const TOLD_AT = 10;

/** The key or command that stops a run, by mode. Default: Ctrl+C. */
const STOPS: Readonly<Partial<Record<NonNullable<HostServices["mode"]>, string>>> = {
  tui: "Esc",
  rpc: 'The command "abort"',
};

/**
 * Counts the turns that hooks have started since the last input of a person or client. These are no retries: an
 * extension may keep the agent working for long, but not forever and not unnoticed. Source: ruling 60.
 */
export class HookTurns {
  readonly #stops: string;
  readonly #senders = new WeakMap<Message, string>();
  #count = 0;
  #isOver = false;

  constructor(mode: HostServices["mode"]) {
    this.#stops = STOPS[mode ?? "print"] ?? "Ctrl+C";
  }

  /** Whether hooks have started as many turns as they may. They can start no more until a person sends something. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resets the count of turns that hooks have started. Must be called when a person or client has sent something. */
  reset(): void {
    this.#count = 0;
    this.#isOver = false;
  }

  /** Records which hook has sent a message. */
  sent(message: Message, sender: string): void {
    this.#senders.set(message, sender);
  }

  /** Whether a turn may start for these messages. It is counted if hooks have sent all of them. */
  mayStart(core: Core, messages: readonly Message[]): boolean {
    const senders = messages.map((message) => this.#senders.get(message));
    const [sender] = senders;
    return sender === undefined || senders.includes(undefined) || this.count(core, sender);
  }

  /** Counts a turn that a hook starts. Returns false if hooks may start no more turns. */
  count(core: Core, sender: string): boolean {
    const { hookTurnCap } = core.settings;
    if (this.#isOver) return false;
    this.#isOver = hookTurnCap > 0 && this.#count >= hookTurnCap;
    if (this.#isOver) {
      core.queues.clear();
      const limit = `${sender} has started ${hookTurnCap} turns since the last prompt, which is the limit (hookTurnCap).`;
      core.tell({ type: "notice", level: "warning", text: `${limit} Send a prompt to continue.` });
      return false;
    }
    this.#count += 1;
    if (this.#count === TOLD_AT) {
      const text = `${sender} keeps the agent going: ${TOLD_AT} turns since the last prompt. ${this.#stops} stops it.`;
      core.tell({ type: "notice", level: "warning", text });
    }
    return true;
  }
}

/** The result of a run that was stopped because hooks have started too many turns. */
export const TOO_MANY_TURNS = { kind: "stopped", reason: "The run was stopped at hookTurnCap." } as const;
