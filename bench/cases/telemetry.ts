import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BenchCase, Measured } from "../case.ts";
import { type AgentRun, openGround } from "../programs/agents.ts";
import { numbersIn } from "../programs/asked.ts";

const program = join(import.meta.dirname, "../programs/instrumented.ts");

/** The module imported but no SDK registered, beside a process that has not imported it, like those of `dispatch-…`. */
function withoutSdk(handlers: number, n: number): BenchCase {
  const run =
    (how: string): Measured =>
    (times) => {
      const args = ["--conditions=hookline-source", program, how, String(handlers), String(times)];
      return numbersIn(execFileSync(process.execPath, args, { encoding: "utf8" }))[0] as number;
    };
  return {
    name: `telemetry-unused-${handlers}`,
    unit: "event",
    budget: { toFloor: 1.1 },
    n,
    rounds: 11,
    open: async () => ({ ours: run("watched"), floor: run("bare") }),
  };
}

/** A collector that counts the requests that it gets. */
async function startCollector() {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      taken += 1;
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => taken,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Enough that several full batches of 512 spans are sent meanwhile, with the standard delays. */
const TURNS = 300;
const HOOKS = 10;

/** The mean turn without the first quarter, in which everything is compiled; turns in which a batch is sent count. */
function mean({ turns }: AgentRun): number {
  const steady = turns.slice(turns.length >> 2);
  return steady.reduce((sum, ns) => sum + ns, 0) / steady.length;
}

export const cases: readonly BenchCase[] = [
  withoutSdk(1, 300_000),
  withoutSdk(10, 50_000),
  {
    // The floor is the same turn without telemetry.
    name: "telemetry-turn",
    unit: `end of a reply to the next request with ${HOOKS} hooks, exporting`,
    budget: { toFloor: 1.05 },
    n: 1,
    rounds: 9,
    async open() {
      const ground = await openGround({ memory: true, hooks: HOOKS });
      const collector = await startCollector();
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
      return {
        async ours(n) {
          const before = collector.taken();
          const took = mean(await ground.run("hookline", TURNS, env)) * n;
          if (collector.taken() === before) throw new Error("Nothing reached the collector.");
          return took;
        },
        floor: async (n) => mean(await ground.run("hookline", TURNS)) * n,
        async close() {
          collector.close();
          await ground.close();
        },
      };
    },
  },
];
