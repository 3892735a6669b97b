// Ends a run that costs more than you have chosen, and asks about calls that repeat themselves.
import { createHash } from "node:crypto";
import { guard } from "@hookline/runtime/guard";

/** The most that a session may use, sub-agents included. `cost` is in dollars. */
const LIMITS = { cost: 5, tokens: Infinity, turns: 200 };
/** How often a call may have the same result, one after the other. */
const REPEATS = 5;
const used = { cost: 0, tokens: 0, turns: 0 };
let isNoted = false;
/** The last result of each call, as a digest, and how often it came. */
const results = new Map<string, { readonly result: string; readonly times: number }>();
const digest = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** Returns what is used of a limit, if it is at least this share. */
function over(share: number): string | undefined {
  const found = (["cost", "tokens", "turns"] as const).find((name) => used[name] >= LIMITS[name] * share);
  return found && `${found}: ${used[found].toFixed(2)} of ${LIMITS[found]}`;
}

export default [
  guard({
    name: "budget: count",
    on: "message.end",
    run({ message }) {
      if (message.role !== "assistant") return;
      used.turns += 1;
      used.tokens += message.usage.totalTokens;
      used.cost += message.usage.cost.total;
    },
  }),
  guard({
    name: "budget: end",
    on: "turn.end",
    run(_, call) {
      const [spent, near] = [over(1), over(0.8)];
      if (spent !== undefined) return { halt: { reason: `This session has used up its budget (${spent}).` } };
      if (near !== undefined && !isNoted) call.notice(`Most of the budget is used (${near}).`);
      return void (isNoted ||= near !== undefined);
    },
  }),
  guard({
    name: "budget: repeats",
    on: "tool.before",
    run({ tool, args }) {
      const { times = 0 } = results.get(digest([tool, args])) ?? {};
      return times < REPEATS ? undefined : { ask: `This call had the same result ${times} times.` };
    },
    cases: [{ tool: "bash", args: { command: "ls" }, expect: "none" }],
  }),
  guard({
    name: "budget: results",
    on: "tool.after",
    run({ tool, args, content }) {
      const [key, result] = [digest([tool, args]), digest(content)];
      const last = results.get(key);
      results.set(key, { result, times: last?.result === result ? last.times + 1 : 1 });
    },
  }),
];
