import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { systemClock } from "../../packages/runtime/src/host/clock.ts";
import { createProcessTransport } from "../../packages/runtime/src/transport/process/transport.ts";
import { COMMAND, PAYLOAD } from "./hook.ts";

/**
 * A host of a given size that runs hooks. Its arguments: how (`hookline` or `node`) and how many MiB it holds.
 * For each line with a number it runs as many hooks, one after the other, and answers the nanoseconds for all of them
 * and for how long its event loop stood still in a hook: the lower quartile, since other programs only add to it.
 */
const [how = "hookline", mib = "0"] = process.argv.slice(2);
const ballast = Array.from({ length: Number(mib) }, () => Buffer.alloc(1024 * 1024, 1));
const transport = createProcessTransport({ clock: systemClock });
const runHook = how === "node" ? runByNode : runByHookline;

// The helper is brought up beside the first hooks.
for (let warm = 0; warm < 40; warm++) await runHook();
for await (const line of createInterface(process.stdin)) {
  const blocks: number[] = [];
  const started = process.hrtime.bigint();
  for (let left = Number(line); left > 0; left--) blocks.push(await watched(runHook));
  const ns = process.hrtime.bigint() - started;
  blocks.sort((a, b) => a - b);
  process.stdout.write(`${ns} ${blocks[blocks.length >> 2]}\n`);
}
await transport.close();
process.exitCode = ballast.length === Number(mib) ? 0 : 1;

async function runByHookline(): Promise<void> {
  const report = await transport.run({
    command: { shell: COMMAND },
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
    const child = spawn("sh", ["-c", COMMAND], { detached: true });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stdin.on("error", () => {}).end(PAYLOAD);
    child.once("error", reject);
    child.once("close", () => (output === "{}\n" ? resolve() : reject(new Error(output))));
  });
}

/** Does the work while the event loop turns without a pause; gives its longest turn, in nanoseconds. */
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
