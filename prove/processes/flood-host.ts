import { readFileSync, writeFileSync } from "node:fs";
import { createProcessTransport } from "../../packages/runtime/src/transport/process/transport.ts";
import { clock } from "../../packages/runtime/test/process/clock.ts";
import { call } from "../../packages/runtime/test/process/programs.ts";

/** A host that hooks flood with output: prints how its calls ended, and how much its memory grew at most, in MiB. */
const { path, command, count, limits } = JSON.parse(process.argv[2] ?? "{}");
const transport = createProcessTransport({ path, clock });
// Warms up, because one-time allocations do not count as growth.
for (let warm = 0; warm < 3; warm++) await transport.run(call("echo warm", { stdin: "x" }));
// Resets the kernel's record of peak memory.
writeFileSync("/proc/self/clear_refs", "5");
const before = inMiB("VmRSS");
const reports = await Promise.all(Array.from({ length: count }, () => transport.run(call(command, limits))));
const grownMiB = inMiB("VmHWM") - before;
await transport.close();
process.stdout.write(JSON.stringify({ statuses: reports.map(({ status }) => status), grownMiB }));

function inMiB(field: string): number {
  const status = readFileSync("/proc/self/status", "latin1");
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024);
}
