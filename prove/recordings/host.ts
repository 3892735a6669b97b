import { dirname } from "node:path";
import { createHookRuntime, recorderOf } from "@hookline/runtime/session";
import { systemFiles } from "../../packages/ground/src/file/system-files.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";
import { RecordingFile } from "../../packages/hookline/src/record/file.ts";

/**
 * Records calls into the file of the first argument, one after the other, and prints the number of each allowed call.
 * The second argument limits their number; without it, runs until it is killed.
 */
const [path = "", most = "Infinity"] = process.argv.slice(2);
const to = (): RecordingFile =>
  new RecordingFile(path, { level: "all", sessionFile: undefined, compresses: false, failing: () => {} });
const [files, clock] = [systemFiles, systemClock];
const recorder = recorderOf({ level: "all", required: true, to, env: {}, files, clock, lost: () => {} });
const runtime = createHookRuntime({ home: dirname(path) });
const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" }, recorder });
// At the limit on file size the system sends SIGXFSZ, which would end the process.
process.on("SIGXFSZ", () => {});
const messages: object[] = [];
for (let i = 0; i < Number(most); i++) {
  messages.push({ role: "user", content: `${i} ${"é".repeat(i % 300)}`, timestamp: i });
  await session.emit("model.context", { messages, systemPrompt: "s".repeat(300), model: "m" } as never);
  const call = { toolCallId: `c${i}`, tool: "bash", args: { command: `echo ${i} ${"x".repeat((i * 37) % 500)}` } };
  const { answer } = await session.emit("tool.before", call);
  if (answer.decision === undefined) process.stdout.write(`${i}\n`);
}
await recorder.close();
