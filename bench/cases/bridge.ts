import { join } from "node:path";
import { Rigged } from "../../packages/hookline/test/bridge/support/rigged.ts";
import { buildClientHere } from "../../scripts/bridge-client.ts";
import type { BenchCase, Measured } from "../case.ts";
import { startFloor } from "../programs/floor.ts";

/** A host's payload before a tool call: 1 KB. */
const PAYLOAD = JSON.stringify({ session: "bench", args: { command: "ls", filler: "x".repeat(960) } });

const GUARD = `export default (pi) => pi.on("tool_call", ({ input }) =>
  input.command.startsWith("rm") ? { block: true, reason: "no" } : undefined);
`;

/** Makes a C program start a shell command `width` times at once, each with the payload on stdin. */
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
 * Measures a hook call of another agent with a guard behind the bridge, next to a minimal shell hook. The client is the
 * native one of the built package, as `npm pack` ships it, or the one for Node if there is none.
 */
function bridgeCall(name: string, width: number, { budget, native, peer: command }: Peer): BenchCase {
  return {
    name,
    unit: "call",
    budget: {},
    n: width === 1 ? 4 : width,
    rounds: width === 1 ? 50 : 20,
    async open() {
      const client = native ? buildClientHere() : "";
      if (client === undefined) throw new Error("a C compiler is needed");
      const at = new Rigged(client);
      at.write("~/.pi/agent/extensions/guard.ts", GUARD);
      const answer = await at.ask("Before", PAYLOAD);
      if (JSON.stringify(answer) !== "{}") throw new Error(`the guard said ${JSON.stringify(answer)}`);
      const call = `exec ${join(at.hooklineHome, "bin/hookline-hook")} rig Before --origin bench --deadline 58000`;
      const [ours, peer] = [started(call, width, at), started(command, width, at)];
      return {
        ours: ours.measured,
        peers: [{ name: command, measured: peer.measured, budget }],
        async close() {
          await ours.close();
          await peer.close();
          await at.close();
        },
      };
    },
  };
}

interface Peer {
  /** Largest allowed ratio of our time to the peer's. */
  readonly budget: number;
  /** Whether our client is the native one. */
  readonly native: boolean;
  readonly peer: string;
}

/** A minimal shell hook: it only reads its input and allows. */
const SHELL_HOOK = "cat >/dev/null; echo {}";

/** The cases of the bridge. Source of the budgets: design/performance.md, the first new row. */
export const cases: readonly BenchCase[] = [
  bridgeCall("bridge-call", 1, { budget: 1, native: true, peer: SHELL_HOOK }),
  bridgeCall("bridge-call-50", 50, { budget: 1, native: true, peer: SHELL_HOOK }),
  bridgeCall("bridge-call-node", 1, { budget: 1.5, native: false, peer: `exec ${process.execPath} -e 0` }),
];
