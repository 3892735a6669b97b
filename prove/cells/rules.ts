import type { LaneRow } from "@hookline/runtime/engine";
import type { Flip, Spot } from "./flip.ts";
import type { Pool } from "./pool.ts";
import { alwaysEnds, everSettles, isPlain, sameAnswers, sameFailures } from "./same.ts";

/** A reason why a wrong cell has the same effect as the right one on everything that hooks and host see. */
export interface Rule {
  readonly says: string;
  holds(flip: Flip, spot: Spot, pool: Pool): boolean;
}

const ANSWERED: ReadonlySet<string> = new Set(["fold", "read", "failed"]);

/**
 * The rules. Each is about a kind of cell and never about a single row. A flip that no case detects and no rule covers
 * is an untested cell.
 */
export const RULES: readonly Rule[] = [
  {
    // This rule is checked by running: every run is read, folded and put back with the right cell and with the wrong
    // one.
    says: "no run of up to three answers, and no failure, has another outcome",
    holds: ({ cell, row }, spot, pool) =>
      ANSWERED.has(cell) && sameAnswers(row, spot, pool) && sameFailures(row, spot, pool),
  },
  {
    // `series` differs from `all` only in that it ends when the fold is settled.
    says: "a fold that never settles ends no series",
    holds: ({ cell, row }, spot, pool) =>
      cell === "schedule" &&
      row.schedule !== "parallel" &&
      spot.row.schedule !== "parallel" &&
      !everSettles(spot, pool),
  },
  {
    // Handlers of a lane that is not isolated are programs: they get a copy as text, which only they can change.
    says: "a program cannot edit its event in place, so a draft is the same as a chain",
    holds: ({ field, now }, { lane, row }) => field !== undefined && !lane.isolate && areChains(now, row, field),
  },
  {
    // Only the contents of a field can be changed in place; in no dialect does assigning the field itself count.
    says: "a text, a number or a flag cannot be edited in place, so a draft is the same as a chain",
    holds: ({ field, now }, { row }, pool) =>
      field !== undefined && areChains(now, row, field) && isPlain(field, row, pool),
  },
  {
    // The hook that ends a series is the last one asked, so no other hook sees fields that only such answers have.
    says: "an answer that ends a series is shown to no other hook",
    holds: ({ field, now }, spot, pool) => field !== undefined && now !== "original" && alwaysEnds(field, spot, pool),
  },
  {
    // The limit is checked before each start. In parallel all hooks start at once, and only j-cli's hooks start again.
    says: "a lane that starts all hooks at once, and none twice, cannot run out of time",
    holds: ({ cell }, { row, lane }) => cell === "budgetMs" && row.schedule === "parallel" && lane.id !== "jcli",
  },
  {
    // A row's limit applies to hooks without their own. Hooks of j-cli and Claude Code always have one: their file's,
    // or their type's default.
    says: "if every hook has its own time limit, the row's is never used",
    holds: ({ cell }, { lane }) => cell === "timeoutMs" && (lane.id === "jcli" || lane.id === "claude"),
  },
];

/** Whether the feed before and after a flip is a chain or a draft. */
function areChains(now: string, right: LaneRow, field: string): boolean {
  return now !== "original" && (right.feeds[field] ?? "original") !== "original";
}
