import { guard } from "@hookline/runtime/guard";
import { type BenchCase, type Measured, timedAsync } from "../case.ts";
import { piLane } from "./dispatch.ts";

/** Times a call with this many guards in the process; a person would feel some ms. */
function guards(count: number, mostMs: number, n: number): BenchCase {
  return {
    name: `guards-${count}`,
    unit: `call with ${count} guards`,
    budget: { maxCount: mostMs * 1e6 },
    n,
    rounds: 11,
    async open() {
      const session = await piLane((on) => {
        for (let i = 0; i < count; i++) on("tool_call", async () => undefined);
      });
      const call = { toolCallId: "c1", tool: "bash", args: { command: "npm test", timeout: 60 } };
      return {
        ours: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await session.emit("tool.before", call);
        }),
      };
    },
  };
}

/** Asks this many guards in the process the case that each carries, in new sessions: the start of each waits for it. */
function proof(count: number): BenchCase {
  const guards = Array.from({ length: count }, (_, at) =>
    guard({
      name: `g${at}`,
      on: "tool.before",
      tools: ["bash"],
      run: ({ args }) => (args.command.includes("rm ") ? { deny: "no" } : undefined),
      cases: [{ args: { command: "rm x" }, expect: "deny" }],
    }),
  );
  return {
    name: `proof-${count}`,
    unit: `proof of ${count} guards`,
    budget: { maxCount: 5e6 },
    n: 100,
    rounds: 11,
    async open() {
      const ours: Measured = async (times) => {
        const sessions = await Promise.all(Array.from({ length: times }, () => piLane(() => {})));
        for (const session of sessions) for (const one of guards) session.on(one);
        const prove = timedAsync(async () => {
          for (const session of sessions) await session.prove();
        });
        const ns = await prove(times);
        for (const { proof } of sessions)
          if (proof.alive !== count) throw new Error(`${proof.alive} of ${count} guards are alive`);
        return ns;
      };
      return { ours };
    },
  };
}

export const cases: readonly BenchCase[] = [guards(10, 0.1, 20_000), guards(1000, 5, 200), proof(10)];
