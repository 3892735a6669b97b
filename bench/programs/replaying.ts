import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
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

/** Measures the floor: reads the file and parses each line. */
export function parsed(path: string): number {
  const start = process.hrtime.bigint();
  let count = 0;
  for (const line of readFileSync(path, "utf8").split("\n"))
    if (line !== "" && typeof JSON.parse(line) === "object") count += 1;
  if (count === 0) throw new Error("there is nothing to parse");
  return Number(process.hrtime.bigint() - start);
}
