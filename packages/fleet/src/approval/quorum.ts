import { keyIn } from "../policy/machine.ts";
import type { Root } from "../policy/root.ts";

/** The approvals that a call has received and the number that it needs. */
export interface Approvals {
  readonly wanted: number;
  /** The names of those who have approved. */
  readonly by: readonly string[];
}

/** Says in words how many have approved, and who. */
export function approvedText({ wanted, by }: Approvals): string {
  return `${by.length} of ${wanted} approved${by.length === 0 ? "" : `: ${by.join(", ")}`}`;
}

/**
 * Counts the approvals of one call: by the approvers whom the fleet's root names, or by every approver if it names
 * none.
 */
export class Quorum {
  readonly #keyids: ReadonlySet<string>;
  readonly #wanted: number;
  readonly #approved = new Map<string, string>();

  /** Throws for a root that names approvers and has expired. `now` is in epoch ms. */
  constructor({ fleet, expires, roles: { approvals } }: Pick<Root, "fleet" | "expires" | "roles">, now: number) {
    this.#keyids = new Set(approvals.keyids);
    this.#wanted = this.#keyids.size === 0 ? 1 : approvals.threshold;
    if (this.#keyids.size > 0 && expires <= now)
      throw new Error(`the root of ${fleet}, which names who may approve, has expired; its owner makes a new one`);
  }

  get approvals(): Approvals {
    return { wanted: this.#wanted, by: [...this.#approved.values()] };
  }

  /** Whether enough approvers have approved. */
  get isReached(): boolean {
    return this.#approved.size >= this.#wanted;
  }

  /** Returns why an answer signed by this token's key does not count; `undefined` if it counts. */
  problem(token: string): string | undefined {
    const keyid = keyIn(token)?.keyid ?? "";
    return this.#keyids.size === 0 || this.#keyids.has(keyid) ? undefined : "the root does not name its key";
  }

  /** Counts an approval, once for each key; returns false if that key has approved before. */
  approve(token: string, name: string): boolean {
    const keyid = keyIn(token)?.keyid ?? "";
    if (this.#approved.has(keyid)) return false;
    this.#approved.set(keyid, name);
    return true;
  }
}
