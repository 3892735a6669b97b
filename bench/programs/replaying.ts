import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pi } from "@hookline/runtime/dialects";
import { recogniseSource, replay } from "@hookline/runtime/replay";
import { createHookRuntime } from "@hookline/runtime/session";
import { RecordingWriter } from "../../packages/runtime/src/record/write.ts";

/** Writes a recording of tool calls, with this many moments or bytes. */
export function writeRecording(path: string, size: { readonly moments?: number; readonly bytes?: number }): number {
  const fd = openSync(path, "w");
  let [bytes, n, held] = [0, 0, ""];
  const flush = (): void => {
    writeSync(fd, held);
    held = "";
  };
  const writer = new RecordingWriter(
    {
      write(line) {
        held += line;
        bytes += line.length;
        if (held.length > 1 << 20) flush();
      },
    },
    { session: "bench", cwd: "/work", hookline: "0", level: "decisions", t: 1 },
  );
  const hooks = [{ id: "h", lane: "pi", source: "/h", pass: 1 as const, status: "no-answer" as const, ms: 0.1 }];
  // Long values are written once, as in a session that repeats them.
  const filler = "x".repeat(size.bytes === undefined ? 0 : 900);
  while (n < (size.moments ?? Number.MAX_SAFE_INTEGER) && bytes < (size.bytes ?? Number.MAX_SAFE_INTEGER)) {
    n += 1;
    const args = { command: `npm run build -- --step ${n}`, ...(filler !== "" && { note: `${n}${filler}` }) };
    const payload = { toolCallId: `call_${n}`, tool: "bash", args };
    writer.moment({
      t: n,
      event: "tool.before",
      scene: { cwd: "/work", model: "m" },
      payload,
      hooks,
      edits: [],
      outcome: {},
      ms: 0.1,
    });
  }
  writer.end();
  flush();
  closeSync(fd);
  return n;
}

/** An in-process guard that refuses nothing that `writeRecording` writes. */
export const GUARD = `export default (pi) => pi.on("tool_call", ({ input }) => (input.command.includes("rm -rf") ? { block: true } : undefined));\n`;

/** Replays a recording with one in-process guard; returns the time in ns, and the moments. */
export async function replayed(path: string): Promise<{ readonly ns: number; readonly moments: number }> {
  const home = mkdtempSync(join(tmpdir(), "hookline-bench-replay-"));
  const guard = join(home, "guard.ts");
  writeFileSync(guard, GUARD);
  const runtime = createHookRuntime({
    dialects: [pi],
    home,
    hooklineHome: join(home, ".hookline"),
    runUnapprovedProjectHooks: true,
  });
  try {
    const source = recogniseSource(path);
    if (source === undefined) throw new Error(`${path} is no recording`);
    const { lanes } = runtime;
    const start = process.hrtime.bigint();
    const result = await replay({
      sources: [source],
      lanes,
      cwd: home,
      candidate: (parts) => runtime.open({ ...parts, explicit: [guard] }),
    });
    return { ns: Number(process.hrtime.bigint() - start), moments: result.same };
  } finally {
    await runtime.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The floor: reads the file and parses each line. */
export function parsed(path: string): number {
  const start = process.hrtime.bigint();
  let count = 0;
  for (const line of readFileSync(path, "utf8").split("\n"))
    if (line !== "" && typeof JSON.parse(line) === "object") count += 1;
  if (count === 0) throw new Error("there is nothing to parse");
  return Number(process.hrtime.bigint() - start);
}
