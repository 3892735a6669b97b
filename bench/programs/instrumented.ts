import { createHookRuntime } from "@hookline/runtime/session";
import { NO_HOME } from "../../scripts/no-home.ts";

/**
 * Dispatches an event to handlers that answer with a promise of undefined, and prints the nanoseconds that it took.
 * With `watched`, the runtime is instrumented with OpenTelemetry, without an SDK; otherwise no telemetry is imported.
 */
const [how = "", handlers = "0", times = "0"] = process.argv.slice(2);
const runtime = createHookRuntime({ home: NO_HOME });
if (how === "watched") (await import("@hookline/runtime/otel")).instrument(runtime);
const session = await runtime.open({ scene: { sessionId: "bench", cwd: "/" } });
for (let i = 0; i < Number(handlers); i++) session.on("turn.start", async () => undefined);

const event = { turnIndex: 0, timestamp: 0 };

async function dispatch(): Promise<bigint> {
  const started = process.hrtime.bigint();
  for (let i = 0; i < Number(times); i++) await session.emit("turn.start", event);
  return process.hrtime.bigint() - started;
}

// The first run makes V8 compile the code.
await dispatch();
process.stdout.write(`${await dispatch()}\n`);
