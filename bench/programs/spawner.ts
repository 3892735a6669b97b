import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";
import { createProcessTransport } from "../../packages/runtime/src/transport/process/transport.ts";
import { PAYLOAD } from "./hook.ts";

/**
 * A host of a given size that runs hooks. Arguments: the way (`hookline` or `node`), the command, and how many MiB it
 * holds. For each line with `time` or `block` and a number, it runs that many hooks, one after the other, and answers
 * with nanoseconds: the time for all of them, or how long its event loop was blocked in a hook (the lower quartile,
 * because other programs only add to it). To measure blocking, the loop must spin, which takes a core, so the two are
 * never measured together.
 */
const [how = "", command = "", mib = "0"] = process.argv.slice(2);
const ballast = Array.from({ length: Number(mib) }, () => Buffer.alloc(1024 * 1024, 1));
const transport = createProcessTransport({ clock: systemClock });
const runHook = how === "node" ? runByNode : runByHookline;

// The first hooks load and compile the code that starts the others.
for (let warm = 0; warm < 40; warm++) await runHook();
for await (const line of createInterface(process.stdin)) {
  const [what = "", count = "0"] = line.split(" ");
  process.stdout.write(`${await (what === "block" ? blocked : taken)(Number(count))}\n`);
}
await transport.close();
process.exitCode = ballast.length === Number(mib) ? 0 : 1;

async function taken(count: number): Promise<bigint> {
  const started = process.hrtime.bigint();
  for (let left = count; left > 0; left--) await runHook();
  return process.hrtime.bigint() - started;
}

async function blocked(count: number): Promise<number> {
  const blocks: number[] = [];
  for (let left = count; left > 0; left--) blocks.push(await watched(runHook));
  blocks.sort((a, b) => a - b);
  return blocks[blocks.length >> 2] ?? 0;
}

async function runByHookline(): Promise<void> {
  const report = await transport.run({
    command: { shell: command },
    cwd: "/",
    tier: "user",
    env: {},
    stdin: PAYLOAD,
    timeoutMs: 10_000,
    label: "bench",
  });
  if (report.stdout !== "{}\n") throw new Error(`the hook said ${JSON.stringify(report)}`);
}

function runByNode(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], { detached: true });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stdin.on("error", () => {}).end(PAYLOAD);
    child.once("error", reject);
    child.once("close", () => (output === "{}\n" ? resolve() : reject(new Error(output))));
  });
}

/** Does the work while the event loop spins; returns the longest interruption of the loop, in nanoseconds. */
async function watched(work: () => Promise<void>): Promise<number> {
  let longest = 0n;
  let last = process.hrtime.bigint();
  let going = true;
  const turn = (): void => {
    const now = process.hrtime.bigint();
    if (now - last > longest) longest = now - last;
    last = now;
    if (going) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  turn();
  going = false;
  return Number(longest);
}
