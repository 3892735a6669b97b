import { type Clock, systemClock } from "@hookline/runtime/internal";
import type { NatsConnection } from "@nats-io/transport-node";
import { namesOf } from "../name/subjects.ts";
import type { Creds } from "../sign/creds.ts";
import { TOKEN_HEADER } from "../wire/question.ts";
import { type Approval, readApproval, type Verdict, writeVerdict } from "./message.ts";

/** What an approver hears of the fleet's questions, and answers. */
export class Desk {
  readonly #connection: NatsConnection;
  readonly #creds: Creds;
  readonly #clock: Clock;
  readonly #heard = new Map<string, Approval>();
  readonly #listeners = new Set<() => void>();

  constructor(connection: NatsConnection, creds: Creds, clock: Clock = systemClock) {
    this.#connection = connection;
    this.#creds = creds;
    this.#clock = clock;
    connection.subscribe(namesOf(creds.fleet).approval("*", "*"), {
      callback: (error, message) => {
        if (error !== null) return;
        const read = readApproval(message.data, message.headers?.get(TOKEN_HEADER) ?? "", creds);
        // Machines may not write elsewhere, so another subject than its own shows a server that lies.
        if (!read.ok || message.subject !== namesOf(creds.fleet).approval(read.said.machine, read.said.id)) return;
        this.#heard.set(read.said.id, read.said);
        for (const listener of this.#listeners) listener();
      },
    });
  }

  /** The questions that were heard and are open, oldest first. */
  open(): readonly Approval[] {
    const now = this.#clock.wall();
    return [...this.#heard.values()]
      .filter(({ settled, expires }) => settled === undefined && expires > now)
      .sort((a, b) => a.expires - b.expires);
  }

  /** Waits until a question is heard that `suits`; nothing if none is within so many ms. */
  wait(id: string, suits: (approval: Approval) => boolean, mostMs: number): Promise<Approval | undefined> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.#heard.get(id);
        if (found !== undefined && suits(found)) end(found);
      };
      const end = (found: Approval | undefined): void => {
        timer.cancel();
        this.#listeners.delete(look);
        resolve(found);
      };
      const timer = this.#clock.timer(mostMs, () => end(undefined));
      timer.hold(true);
      this.#listeners.add(look);
      look();
    });
  }

  /** Sends the answer to a question. */
  async answer(asked: Approval, answer: Verdict["answer"], reason?: string): Promise<void> {
    const { id, machine, call, expires } = asked;
    const verdict: Verdict = { v: 1, id, machine, call, expires, answer, ...(reason !== undefined && { reason }) };
    const { headers } = await import("../link/client.ts");
    const own = headers();
    own.set(TOKEN_HEADER, this.#creds.token);
    const subject = namesOf(this.#creds.fleet).approved(machine, id);
    this.#connection.publish(subject, writeVerdict(verdict, this.#creds), { headers: own });
    await this.#connection.flush();
  }
}
