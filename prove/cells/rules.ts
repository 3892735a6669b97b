import type { LaneRow } from "@hookline/runtime/internal";
import type { Flip, Spot } from "./flip.ts";
import type { Pool } from "./pool.ts";
import { alwaysEnds, everSettles, isPlain, sameAnswers, sameFailures } from "./same.ts";

/** A reason why nobody who sees hooks and host, and not the tables, can tell a wrong cell from the right one. */
export interface Rule {
  readonly says: string;
  holds(flip: Flip, spot: Spot, pool: Pool): boolean;
}

const ANSWERED: ReadonlySet<string> = new Set(["fold", "read", "failed"]);

/**
 * The rules, each about a kind of cell and never about a row. A flip that no case notices and that fits none of them is
 * an untested cell.
 */
export const RULES: readonly Rule[] = [
  {
    // Tried, not argued: every run is read, folded and put back with the right cell and with the wrong one.
    says: "no run of up to three answers, and no failure, comes out otherwise",
    holds: ({ cell, row }, spot, pool) =>
      ANSWERED.has(cell) && sameAnswers(row, spot, pool) && sameFailures(row, spot, pool),
  },
  {
    // `series` differs from `all` in that it ends when the fold is settled, and in nothing else.
    says: "a fold that never settles ends no series",
    holds: ({ cell, row }, spot, pool) =>
      cell === "schedule" &&
      row.schedule !== "parallel" &&
      spot.row.schedule !== "parallel" &&
      !everSettles(spot, pool),
  },
  {
    // Handlers of such a lane are programs: they get a copy as text, and change it for themselves alone.
    says: "a program cannot edit its event in place, so that a draft is a chain",
    holds: ({ field, now }, { lane, row }) => field !== undefined && !lane.isolate && areChains(now, row, field),
  },
  {
    // What can be changed in place is what a field holds; another value for the field itself counts in no dialect.
    says: "a text, a number or a flag cannot be edited in place, so that a draft is a chain",
    holds: ({ field, now }, { row }, pool) =>
      field !== undefined && areChains(now, row, field) && isPlain(field, row, pool),
  },
  {
    // Who ends a series is the last who is asked, so nobody is shown what only such answers have.
    says: "what ends a series is shown to nobody",
    holds: ({ field, now }, spot, pool) => field !== undefined && now !== "original" && alwaysEnds(field, spot, pool),
  },
  {
    // The limit is asked before each start; together everybody starts at once, and only j-cli's hooks start again.
    says: "a lane that starts everybody at once, and nobody twice, has no time to run out of",
    holds: ({ cell }, { row, lane }) => cell === "budgetMs" && row.schedule === "parallel" && lane.id !== "jcli",
  },
  {
    // The limit of a row is that of hooks without one. Those of j-cli and Claude Code have their file's, or the default
    // of their type.
    says: "where every hook has a time limit of its own, the row's is never looked at",
    holds: ({ cell }, { lane }) => cell === "timeoutMs" && (lane.id === "jcli" || lane.id === "claude"),
  },
];

/** Whether a feed is flipped between chain and draft. */
function areChains(now: string, right: LaneRow, field: string): boolean {
  return now !== "original" && (right.feeds[field] ?? "original") !== "original";
}
