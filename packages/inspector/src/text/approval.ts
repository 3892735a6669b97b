import type { ApprovalQuestion } from "../../../hookline/src/inspect/api.ts";

/** How long a question can still be answered. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 60) return `${seconds} s left`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s left`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}

/** What became of a question that is not open. */
export function cameTo({ state, settled }: Pick<ApprovalQuestion, "state" | "settled">): string {
  if (state === "sent") return "An answer is on its way …";
  if (settled === undefined) return "Expired: nobody answered in time.";
  const { by, answer } = settled;
  if (by === "(here)") return "Answered by whoever is at the machine.";
  if (by === "(nobody)") return "Expired: nobody answered in time.";
  return `${answer === "allow" ? "Approved" : "Denied"} by ${by}.`;
}

/** How many have approved a call that needs more than one approval, and who. */
export function approvedBy({ wanted, by }: NonNullable<ApprovalQuestion["approvals"]>): string {
  return `${by.length} of ${wanted} approved${by.length === 0 ? "" : `: ${by.join(", ")}`}`;
}
