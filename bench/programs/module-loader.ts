import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { NO_HOME } from "../../scripts/no-home.ts";
import "../../packages/runtime/src/transport/module/transport.ts";

/**
 * Opens a session with a folder of extensions in a fresh process. Arguments: the folder, the cache. Prints the
 * nanoseconds from the first file on; importing the loader itself does not count.
 */
const [folder = "", cache = ""] = process.argv.slice(2);
const names = readdirSync(join(folder, "ts")).sort();
const explicit = names.map((name) => join(folder, "ts", name));
const runtime = createHookRuntime({ dialects: [pi], home: NO_HOME, hooklineHome: cache, env: {} });
const started = process.hrtime.bigint();
const session = await runtime.open({ scene: { sessionId: "bench", cwd: "/" }, explicit });
const ns = process.hrtime.bigint() - started;
const registered = session.hooks().length;
if (registered !== 2 * names.length) throw new Error(`${registered} hooks were registered`);
process.stdout.write(`${ns}\n`, () => process.exit(0));
