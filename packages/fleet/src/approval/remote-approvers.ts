import { randomBytes } from "node:crypto";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Clock, callHash, cleanText, messageOf, type Timer } from "../kit.ts";
import { withoutProviderKeys } from "../lane/provider-keys.ts";
import { Link } from "../link/link.ts";
import { namesOf } from "../name/subjects.ts";
import type { Membership } from "../place/joined.ts";
import type { Root } from "../policy/root.ts";
import { MOST_BYTES, TOKEN_HEADER } from "../wire/question.ts";
import { type Approval, MOST_HOOK, MOST_HOOKS, MOST_REASON, readVerdict, writeApproval } from "./message.ts";
import { approvedText, Quorum } from "./quorum.ts";

/** How long to wait for the approvers, in ms. */
const WAIT_MS = 120_000;
/** How often the question is sent, in ms, for approvers who begin to listen later. */
const EVERY_MS = 1000;

/** Bytes left free in a question, since the approvers' names and the outcome are added to it later. */
const ROOM_BYTES = 2048;

/** A call that hooks want a person to decide. */
export interface AskedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly reason?: string | undefined;
  /** Ids of the hooks that ask for a person's decision. */
  readonly hooks?: readonly string[] | undefined;
}

/** The answer of the fleet's approvers. */
export interface RemoteAnswer {
  readonly approved: boolean;
  readonly reason?: string;
  /** The approver's name, or the names of all who approved. */
  readonly by: string;
}

/** Dependencies for asking a fleet's approvers. */
export interface RemoteApproversParts {
  readonly membership: Pick<Membership, "creds" | "url">;
  readonly clock: Clock;
  /** Environment with the providers' API keys, which must not leave the machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The newest root that the machine trusts, which says whose answers count. May throw. */
  root(): Root;
  readonly waitMs?: number;
  readonly everyMs?: number;
  /** Receives a line for each question, and for each answer that cannot count. */
  tell?(line: string): void;
}

/** Asks the people of a fleet who may approve. An answer counts for exactly one call of this machine, once and in time. */
export class RemoteApprovers {
  readonly #parts: RemoteApproversParts;
  readonly #link: Link;
  #connection: NatsConnection | undefined;
  /** Functions that end the waits for answers to open questions. */
  readonly #open = new Set<() => void>();

  constructor(parts: RemoteApproversParts) {
    this.#parts = parts;
    const { membership, clock } = parts;
    this.#link = new Link({ url: membership.url, creds: membership.creds, clock });
    this.#link.serve((connection) => {
      this.#connection = connection;
      for (const listen of this.#open) listen();
    });
  }

  /**
   * Waits until one approver refuses, or as many approve as the fleet's root demands. Returns `undefined` if they do
   * not answer in time, or `signal` ends the wait.
   */
  async ask({ tool, args, reason, hooks = [] }: AskedCall, signal: AbortSignal): Promise<RemoteAnswer | undefined> {
    const { membership, clock, env, waitMs = WAIT_MS, everyMs = EVERY_MS } = this.#parts;
    const { creds } = membership;
    const call = callHash({ tool, args });
    if (call === undefined || signal.aborted) return undefined;
    let quorum: Quorum;
    try {
      quorum = new Quorum(this.#parts.root(), clock.wall());
    } catch (thrown) {
      this.#tell(`the fleet cannot be asked: ${messageOf(thrown)}`);
      return undefined;
    }
    const asked: Approval = {
      v: 1,
      id: randomBytes(8).toString("hex"),
      machine: creds.machine,
      tool: tool.slice(0, 200),
      ...withoutProviderKeys(
        {
          args,
          ...(reason !== undefined && { reason: reason.slice(0, MOST_REASON) }),
          ...(hooks.length > 0 && { hooks: hooks.slice(0, MOST_HOOKS).map((hook) => hook.slice(0, MOST_HOOK)) }),
        },
        env,
      ),
      call,
      expires: Math.round(clock.wall() + waitMs),
    };
    if (writeApproval(withApprovals(asked, quorum), creds).length > MOST_BYTES - ROOM_BYTES) {
      this.#tell("the call is too large to ask the fleet about it");
      return undefined;
    }
    this.#tell(`waiting for an approver of the fleet ${creds.fleet}: hookline fleet approvals approve ${asked.id}`);
    return this.#decided(asked, quorum, { waitMs, everyMs, signal });
  }

  close(): void {
    this.#link.close();
  }

  #decided(
    asked: Approval,
    quorum: Quorum,
    { waitMs, everyMs, signal }: { readonly waitMs: number; readonly everyMs: number; readonly signal: AbortSignal },
  ): Promise<RemoteAnswer | undefined> {
    const { membership, clock } = this.#parts;
    const { creds } = membership;
    const names = namesOf(creds.fleet);
    const subject = names.approval(creds.machine, asked.id);
    const say = (data: Buffer): void => this.#link.publish(subject, data, { [TOKEN_HEADER]: creds.token });
    return new Promise((resolve) => {
      let subscription: { unsubscribe(): void } | undefined;
      let again: Timer | undefined;
      let isOver = false;
      const end = (settled: NonNullable<Approval["settled"]>, said?: RemoteAnswer): void => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        again?.cancel();
        this.#open.delete(listen);
        subscription?.unsubscribe();
        signal.removeEventListener("abort", ended);
        say(writeApproval({ ...withApprovals(asked, quorum), settled }, creds));
        resolve(said);
      };
      const ended = (): void => end({ by: "(here)" });
      const listen = (): void => {
        subscription = this.#connection?.subscribe(names.approved(creds.machine, asked.id), {
          callback: (error, message) => {
            if (error !== null) return;
            const token = message.headers?.get(TOKEN_HEADER) ?? "";
            const read = readVerdict(message.data, token, creds, asked);
            const problem = read.ok ? quorum.problem(token) : read.problem;
            if (!read.ok || problem !== undefined) return this.#tell(`an answer to ${asked.id} is ignored: ${problem}`);
            // The timer does not count the time for which the machine slept.
            if (clock.wall() > asked.expires)
              return this.#tell(`an answer to ${asked.id} is ignored: it came too late`);
            const { answer, reason } = read.said;
            const words = reason === undefined ? {} : { reason: cleanText(reason, { controls: "show" }) };
            if (answer === "deny") return end({ by: read.by, answer }, { approved: false, ...words, by: read.by });
            // The approver may send an approval again that was already counted.
            if (!quorum.approve(token, read.by)) return;
            if (!quorum.isReached) {
              this.#tell(approvedText(quorum.approvals));
              return repeat();
            }
            end({ by: read.by, answer }, { approved: true, ...words, by: quorum.approvals.by.join(", ") });
          },
        });
        repeat();
      };
      const repeat = (): void => {
        again?.cancel();
        say(writeApproval(withApprovals(asked, quorum), creds));
        again = clock.timer(everyMs, repeat);
      };
      const timer = clock.timer(waitMs, () => end({ by: "(nobody)" }));
      timer.hold(true);
      signal.addEventListener("abort", ended, { once: true });
      this.#open.add(listen);
      this.#link.begin();
      if (this.#connection !== undefined) listen();
    });
  }

  #tell(line: string): void {
    this.#parts.tell?.(line);
  }
}

/** Adds to the question how many have approved, unless one approval is enough. */
function withApprovals(asked: Approval, { approvals: { wanted, by } }: Quorum): Approval {
  return wanted === 1 ? asked : { ...asked, approvals: { wanted, by: [...by] } };
}
