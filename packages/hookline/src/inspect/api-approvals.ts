/** Whether this machine may answer for its fleet; where it may not, the sentence says what to do. */
export type ApprovalsPlace =
  | {
      readonly state: "here";
      readonly fleet: string;
      /** By whose creds answers are signed. */
      readonly approver: string;
    }
  | { readonly state: "elsewhere"; readonly because: string };

/** A call that hooks of a machine want a person to decide. All but the id, the hash and the times is foreign text. */
export interface ApprovalQuestion {
  readonly id: string;
  readonly machine: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The ids of the hooks that ask. */
  readonly hooks: readonly string[];
  /** Why they ask. */
  readonly reason?: string;
  /** Hash of the call, for which alone an answer counts. */
  readonly call: string;
  /** Epoch ms. */
  readonly expires: number;
  /** `sent`: an answer is on its way, and the machine has not said that it has one. Only `open` ones can be answered. */
  readonly state: "open" | "sent" | "settled" | "expired";
  /** Where one approval is not enough: how many must approve, and who has. */
  readonly approvals?: { readonly wanted: number; readonly by: readonly string[] };
  /** By an approver's name, `(here)` for a person at the machine, `(nobody)` if none answered in time. */
  readonly settled?: { readonly by: string; readonly answer?: "allow" | "deny" };
}

/** One line of `approvals/live`. First come all questions and `desk`, then what changes. */
export type ApprovalLine =
  | { readonly kind: "question"; readonly question: ApprovalQuestion }
  /** The question is not kept any more. */
  | { readonly kind: "gone"; readonly id: string }
  | {
      readonly kind: "desk";
      /** Why the fleet can be neither heard nor answered now. */
      readonly away?: string;
      /** Machines ask more than is kept: what is over or answered makes room. */
      readonly full: boolean;
    };

/** The body of `POST approvals/ID`. */
export interface ApprovalAnswer {
  readonly answer: "allow" | "deny";
  /** For the machine; at most 2000 characters. */
  readonly reason?: string;
}

/** What came of an answer that was sent. */
export interface ApprovalTaken {
  readonly v: 1;
  readonly id: string;
  /** The machine has said that this is the answer it took, or that it counts and others must approve, too. */
  readonly taken: boolean;
  /** Absent where the question is open; one that was not taken may then be answered again. */
  readonly settled?: NonNullable<ApprovalQuestion["settled"]>;
}
