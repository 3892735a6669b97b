import type { ApprovalDesk, FleetApprovals } from "../../src/inspect/approvals.ts";

type Heard = ReturnType<ApprovalDesk["all"]>[number];
type Outcome = Awaited<ReturnType<ApprovalDesk["answer"]>>;

/** A fleet without a server: what machines ask, and which answers were sent. */
export class FakeFleet implements ApprovalDesk {
  readonly #heard = new Map<string, Heard>();
  #revision = 0;
  /** Each answer that would have been signed and sent. */
  readonly sent: object[] = [];
  away: string | undefined;
  isFull = false;
  opened = 0;
  isClosed = false;
  /** Ends with what an answer came to; by default the machine takes it at once. */
  outcome: (id: string, answer: "allow" | "deny") => Outcome | Promise<Outcome> = (id, answer) => {
    const settled = { by: "boss", answer };
    this.change(id, { state: "settled" }, { settled });
    return { state: "taken", settled };
  };

  /** What the inspector is given. */
  get approvals(): FleetApprovals {
    const open = async () => {
      this.opened += 1;
      return { desk: this, close: () => void (this.isClosed = true) };
    };
    return { state: "here", fleet: "acme", approver: "boss", open };
  }

  /** A machine asks; gives the question's id. */
  ask(asked: Partial<Heard["asked"]> = {}, state: Heard["state"] = "open"): string {
    const id = asked.id ?? (this.#heard.size + 1).toString(16).padStart(16, "0");
    const usual = { v: 1, id, machine: "laptop-1", tool: "bash", args: { command: "make release" } } as const;
    const call = "ab".repeat(32);
    const expires = Date.now() + 120_000 + this.#heard.size;
    this.#heard.set(id, { asked: { ...usual, call, expires, ...asked }, state, revision: ++this.#revision });
    return id;
  }

  /** The question is at another state, or the machine has said something more. */
  change(id: string, to: Partial<Heard>, more: Partial<Heard["asked"]> = {}): void {
    const heard = this.#heard.get(id);
    if (heard === undefined) throw new Error(`nobody asks ${id}`);
    this.#heard.set(id, { ...heard, ...to, asked: { ...heard.asked, ...more }, revision: ++this.#revision });
  }

  forget(id: string): void {
    this.#heard.delete(id);
  }

  all(): readonly Heard[] {
    return [...this.#heard.values()].sort((a, b) => a.asked.expires - b.asked.expires);
  }

  async answer(id: string, given: Parameters<ApprovalDesk["answer"]>[1]): Promise<Outcome> {
    this.sent.push({ id, ...given });
    return this.outcome(id, given.answer);
  }
}
