import type { NatsConnection } from "@nats-io/transport-node";
import { type Clock, systemClock } from "../kit.ts";
import type { Link } from "../link/link.ts";
import { namesOf } from "../name/subjects.ts";
import type { Creds } from "../sign/creds.ts";
import { TOKEN_HEADER } from "../wire/question.ts";
import { type Approval, type ApproverAnswer, MOST_REASON, readApproval, writeVerdict } from "./message.ts";

/** How long the desk waits for a machine to confirm that it has the answer, in ms. */
export const PATIENCE_MS = 5000;

/** The most questions of one machine that are kept, so that no machine uses up the room of the others. */
const MOST_OF_MACHINE = 20;
/** The largest size of all kept questions together, in bytes. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;
/** The most settled or expired questions that are kept. */
const MOST_OVER = 100;
/**
 * How long the desk counts as full after it had no room for a question, in ms. Machines repeat open questions each
 * second, so it counts as full while one of them finds no room.
 */
const TURNED_AWAY_MS = 5000;

/** State of a question. `sent`: an answer is on its way, and the machine has not confirmed that it has one. */
export type QuestionState = "open" | "sent" | "settled" | "expired";

/** A question as an approver sees it. */
export interface Heard {
  readonly asked: Approval;
  readonly state: QuestionState;
  /** Changes each time that something about the question has changed. */
  readonly revision: number;
}

/** The result of an attempt to answer a question. */
export type Outcome =
  /** The machine has the answer. */
  | { readonly state: "taken"; readonly settled: Settled }
  /** The machine has the answer, and waits for others to approve. */
  | { readonly state: "counted"; readonly approvals: Approvals }
  /** Another outcome has settled the question. If the desk already knew, it did not send this answer. */
  | { readonly state: "other"; readonly settled: Settled }
  /**
   * The machine has not confirmed that it has an answer. The desk sends this answer again each time the machine repeats
   * its question, until the person answers again; only one answer counts.
   */
  | { readonly state: "unconfirmed" }
  | { readonly state: "unknown" }
  | { readonly state: "expired" }
  /** Another answer of this approver is on its way. */
  | { readonly state: "busy" }
  | { readonly state: "away"; readonly problem: string };

type Settled = NonNullable<Approval["settled"]>;
type Approvals = NonNullable<Approval["approvals"]>;

type Given = Pick<ApproverAnswer, "answer" | "reason">;

interface Kept {
  asked: Approval;
  readonly bytes: number;
  isSending: boolean;
  /** The last answer, which is sent again if the machine repeats the question. */
  given?: Given;
  revision: number;
}

/** Receives the fleet's questions for an approver, and sends the answers. */
export class Desk {
  readonly #link: Pick<Link, "serve" | "connection" | "problem">;
  readonly #creds: Creds;
  readonly #clock: Clock;
  readonly #heard = new Map<string, Kept>();
  readonly #listeners = new Set<() => void>();
  #bytes = 0;
  #revision = 0;
  #turnedAwayAt: number | undefined;

  constructor(link: Pick<Link, "serve" | "connection" | "problem">, creds: Creds, clock: Clock = systemClock) {
    this.#link = link;
    this.#creds = creds;
    this.#clock = clock;
    link.serve((connection) => this.#listen(connection));
  }

  /** The reason why nothing can be received or answered now; `undefined` while the fleet is connected. */
  get away(): string | undefined {
    if (this.#link.connection !== undefined) return undefined;
    return this.#link.problem ?? "it has not answered yet";
  }

  /** Whether the desk had no room for a question lately. */
  get isFull(): boolean {
    return this.#turnedAwayAt !== undefined && this.#clock.now() - this.#turnedAwayAt < TURNED_AWAY_MS;
  }

  /** Returns all kept questions, earliest expiry first. Finished ones are kept until their room is needed. */
  all(): readonly Heard[] {
    return [...this.#heard.values()]
      .map((kept) => ({ asked: kept.asked, state: this.#stateOf(kept), revision: kept.revision }))
      .sort((a, b) => a.asked.expires - b.asked.expires || (a.asked.id < b.asked.id ? -1 : 1));
  }

  /** Returns the open questions, earliest expiry first. */
  open(): readonly Approval[] {
    return this.all().flatMap(({ asked, state }) => (state === "open" ? [asked] : []));
  }

  /**
   * Waits until the question is received and `suits` accepts it; `undefined` if that does not happen within `mostMs`.
   */
  wait(id: string, suits: (approval: Approval) => boolean, mostMs: number): Promise<Approval | undefined> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.#heard.get(id)?.asked;
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

  /**
   * Answers a question, and waits until the machine confirms that it has the answer. A machine that repeats its
   * question has not received the answer, so it is sent again. Nothing is sent if the question is over, or while
   * another answer to it is on its way. Throws for a reason that is too long.
   */
  async answer(id: string, { answer, reason }: Given, patienceMs: number = PATIENCE_MS): Promise<Outcome> {
    if (reason !== undefined && reason.length > MOST_REASON)
      throw new Error(`the reason is longer than ${MOST_REASON} characters`);
    const kept = this.#heard.get(id);
    if (kept === undefined) return { state: "unknown" };
    const before = this.#over(kept, answer);
    if (before !== undefined) return before;
    if (kept.isSending) return { state: "busy" };
    const { connection } = this.#link;
    if (connection === undefined) return { state: "away", problem: this.away ?? "" };
    const given = { answer, ...(reason !== undefined && { reason }) };
    this.#change(kept, { isSending: true, given });
    try {
      // The wait begins before the answer is sent, since the machine may confirm it before the server does.
      const known = this.wait(id, () => this.#over(kept, answer) !== undefined, patienceMs);
      void this.#send(connection, kept.asked, given).catch(() => undefined);
      await known;
      return this.#over(kept, answer) ?? { state: "unconfirmed" };
    } finally {
      this.#change(kept, { isSending: false });
    }
  }

  #over({ asked: { settled, approvals, expires } }: Kept, answer: ApproverAnswer["answer"]): Outcome | undefined {
    const { machine } = this.#creds;
    const isCounted = answer === "allow" && approvals?.by.includes(machine) === true;
    if (settled !== undefined) {
      const isOwn = (settled.by === machine || isCounted) && settled.answer === answer;
      return { state: isOwn ? "taken" : "other", settled };
    }
    if (isCounted) return { state: "counted", approvals };
    return expires <= this.#clock.wall() ? { state: "expired" } : undefined;
  }

  #stateOf({ asked: { settled, expires }, isSending }: Kept): QuestionState {
    if (settled !== undefined) return "settled";
    if (isSending) return "sent";
    return expires <= this.#clock.wall() ? "expired" : "open";
  }

  async #send(connection: NatsConnection, { id, machine, call, expires }: Approval, given: Given): Promise<void> {
    const verdict: ApproverAnswer = { v: 1, id, machine, call, expires, ...given };
    const { headers } = await import("../link/client.ts");
    const own = headers();
    own.set(TOKEN_HEADER, this.#creds.token);
    const subject = namesOf(this.#creds.fleet).approved(machine, id);
    connection.publish(subject, writeVerdict(verdict, this.#creds), { headers: own });
    await connection.flush();
  }

  #listen(connection: NatsConnection): void {
    const names = namesOf(this.#creds.fleet);
    connection.subscribe(names.approval("*", "*"), {
      callback: (error, message) => {
        if (error !== null) return;
        const read = readApproval(message.data, message.headers?.get(TOKEN_HEADER) ?? "", this.#creds);
        // A machine may publish only on its own subject; a message on another one shows a dishonest server.
        if (!read.ok || message.subject !== names.approval(read.said.machine, read.said.id)) return;
        this.#hear(read.said, message.data.length);
      },
    });
  }

  #hear(said: Approval, bytes: number): void {
    const known = this.#heard.get(said.id);
    if (known === undefined) {
      if (!this.#makeRoom(said, bytes)) {
        this.#turnedAwayAt = this.#clock.now();
        return;
      }
      this.#heard.set(said.id, { asked: said, bytes, isSending: false, revision: ++this.#revision });
      this.#bytes += bytes;
    } else {
      // A person may have read the question, so it never changes, whatever the machine says. Nor does its outcome.
      const { asked } = known;
      const isSame = (["machine", "call", "expires"] as const).every((field) => said[field] === asked[field]);
      if (!isSame || asked.settled !== undefined) return;
      const approvals = moreApprovals(asked.approvals, said.approvals);
      if (said.settled !== undefined || approvals !== undefined)
        this.#change(known, {
          asked: {
            ...asked,
            ...(approvals !== undefined && { approvals }),
            ...(said.settled !== undefined && { settled: said.settled }),
          },
        });
      if (said.settled === undefined) this.#sendAgain(known);
    }
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Sends the answer again to a machine that repeats its question: it may have missed the answer while reconnecting.
   */
  #sendAgain({ asked, given }: Kept): void {
    const { connection } = this.#link;
    if (connection === undefined || given === undefined || asked.expires <= this.#clock.wall()) return;
    // The asking machine has this approver's approval, and repeats its question only for the other approvers.
    if (given.answer === "allow" && asked.approvals?.by.includes(this.#creds.machine) === true) return;
    void this.#send(connection, asked, given).catch(() => undefined);
  }

  #change(kept: Kept, change: Partial<Pick<Kept, "asked" | "isSending" | "given">>): void {
    Object.assign(kept, change, { revision: ++this.#revision });
  }

  /** Forgets questions that are over, oldest first, until the new one fits; false if it does not. */
  #makeRoom({ machine }: Approval, bytes: number): boolean {
    const isOver = (kept: Kept): boolean => ["settled", "expired"].includes(this.#stateOf(kept));
    let over = 0;
    let own = 0;
    for (const kept of this.#heard.values()) {
      if (isOver(kept)) over += 1;
      if (kept.asked.machine === machine) own += 1;
    }
    for (const [id, kept] of this.#heard) {
      const isNeeded = over >= MOST_OVER || this.#bytes + bytes > MOST_KEPT_BYTES;
      const isOwnNeeded = own >= MOST_OF_MACHINE && kept.asked.machine === machine;
      if (!isOver(kept) || !(isNeeded || isOwnNeeded)) continue;
      this.#heard.delete(id);
      this.#bytes -= kept.bytes;
      over -= 1;
      if (kept.asked.machine === machine) own -= 1;
    }
    return own < MOST_OF_MACHINE && this.#bytes + bytes <= MOST_KEPT_BYTES;
  }
}

/**
 * Returns the machine's newer approvals if more people have approved; the number that must approve has to stay the
 * same.
 */
function moreApprovals(before: Approvals | undefined, now: Approvals | undefined): Approvals | undefined {
  if (before === undefined || now === undefined || now.wanted !== before.wanted) return undefined;
  return now.by.length > before.by.length && before.by.every((one) => now.by.includes(one)) ? now : undefined;
}
