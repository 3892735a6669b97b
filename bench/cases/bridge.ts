import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rigged } from "../../packages/hookline/test/bridge/support/rigged.ts";
import { buildClient } from "../../scripts/bridge-client.ts";
import type { BenchCase, Measured } from "../case.ts";
import { startFloor } from "../programs/floor.ts";

/** A host's payload before a tool call: 1 KB. */
const PAYLOAD = JSON.stringify({ session: "bench", args: { command: "ls", filler: "x".repeat(960) } });

const GUARD = `export default (pi) => pi.on("tool_call", ({ input }) =>
  input.command.startsWith("rm") ? { block: true, reason: "no" } : undefined);
`;

/** Has a C program start a shell command this many times at once, each with the payload on stdin. */
function started(command: string, width: number, at: Rigged): { measured: Measured; close(): Promise<void> } {
  const [cwd, home] = [process.cwd(), process.env["HOME"] ?? ""];
  process.chdir(at.project);
  process.env["HOME"] = at.home;
  const floor = startFloor(command, PAYLOAD);
  process.chdir(cwd);
  process.env["HOME"] = home;
  if (floor === undefined) throw new Error("a C compiler is needed");
  return { measured: async (n) => Number(await floor.ask(`${n / width} ${width}`)), close: () => floor.close() };
}

/**
 * A hook call of another agent with a guard behind it, beside a shell that does nothing and is started in the same way.
 */
function bridgeCall(name: string, width: number, budget: number): BenchCase {
  return {
    name,
    unit: "call",
    budget: {},
    n: width === 1 ? 4 : width,
    rounds: width === 1 ? 50 : 20,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
      const client = buildClient(folder);
      if (client === undefined) throw new Error("a C compiler is needed");
      const at = new Rigged(client);
      at.write("~/.pi/agent/extensions/guard.ts", GUARD);
      const answer = await at.ask("Before", PAYLOAD);
      if (JSON.stringify(answer) !== "{}") throw new Error(`the guard said ${JSON.stringify(answer)}`);
      const command = `exec ${join(at.hooklineHome, "bin/hookline-hook")} rig Before --origin bench --deadline 58000`;
      const [ours, peer] = [started(command, width, at), started("true", width, at)];
      return {
        ours: ours.measured,
        peers: [{ name: "sh -c true", measured: peer.measured, budget }],
        async close() {
          await ours.close();
          await peer.close();
          await at.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

export const cases: readonly BenchCase[] = [bridgeCall("bridge-call", 1, 1.5), bridgeCall("bridge-call-50", 50, 3)];
