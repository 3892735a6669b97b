import { omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";

/**
 * A host in its own process: opens a session on a home folder's extensions, emits turns and tool calls, and prints the
 * diagnostics. Arguments: the home folder, the number of turns, and the duration of a turn in ms.
 */
const [home = "", turns = "1", turnMs = "2"] = process.argv.slice(2);
// Uses functions that a module could replace for others.
process.on("exit", () => {});
const told: { readonly code: string; readonly message: string }[] = [];
const runtime = createHookRuntime({
  dialects: [omp, pi],
  home,
  env: { PATH: process.env["PATH"] },
  runUnapprovedProjectHooks: true,
});
const session = await runtime.open({
  scene: { sessionId: "host", cwd: home, messages: () => [], systemPrompt: () => "" },
  settings: { handlerTimeoutMs: 2000 },
  onDiagnostic: ({ code, message }) => told.push({ code, message }),
});
let answered = 0;
for (let turn = 0; turn < Number(turns); turn++) {
  await session.emit("turn.start", { turnIndex: turn, timestamp: 0 });
  const { content } = await session.wrap({ tool: "bash", toolCallId: `${turn}`, args: { command: "ls" } }, () => "ran");
  if (content.length > 0) answered += 1;
  await new Promise((resolve) => setTimeout(resolve, Number(turnMs)));
}
await new Promise((resolve) => setTimeout(resolve, 200));
const loaded = session.report.sources.map(({ path, state, reason }) => ({ path, state, reason }));
await runtime.close();
process.stdout.write(`${JSON.stringify({ told, answered, loaded })}\n`, () => process.exit(0));
