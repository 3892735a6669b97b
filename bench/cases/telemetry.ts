import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BenchCase, Measured } from "../case.ts";
import { openGround } from "../programs/agents.ts";
import { numbersIn } from "../programs/asked.ts";
import { TURNS } from "./agent.ts";

const program = join(import.meta.dirname, "../programs/instrumented.ts");

/**
 * Measures a process that imports the telemetry module without an SDK, next to one that does not import it, with the
 * handlers of `dispatch-…`.
 */
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

/** A collector on this machine that takes everything. */
async function startCollector(): Promise<{ readonly url: string; readonly taken: () => number; close(): void }> {
  let taken = 0;
  const server = createServer((request, response) => {
    taken += 1;
    request.resume().on("end", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    taken: () => taken,
    close: () => void server.close().closeAllConnections(),
  };
}

/** The end of a run that sends its telemetry to a collector; the floor is the same run without telemetry. */
const end: BenchCase = {
  name: "telemetry-end",
  unit: "end of the last reply to the exit",
  budget: { maxCount: 0.25e9 },
  n: 1,
  rounds: 9,
  async open() {
    const [ground, collector] = [await openGround(), await startCollector()];
    const run = async (more: Readonly<Record<string, string>>): Promise<number> =>
      (await ground.run("hookline", TURNS, more)).end;
    return {
      async ours() {
        const before = collector.taken();
        const ns = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
        if (collector.taken() === before) throw new Error("nothing was exported");
        return ns;
      },
      floor: () => run({}),
      async close() {
        collector.close();
        await ground.close();
      },
    };
  },
};

export const cases: readonly BenchCase[] = [end, withoutSdk(1, 300_000), withoutSdk(10, 50_000)];
