import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { NO_HOME } from "../../scripts/no-home.ts";

/**
 * Loads a folder of hook modules in a fresh process and runs their factories. Arguments: the loader, the folder, the
 * cache. Prints the nanoseconds from the first file on; importing the loader itself does not count.
 */
const [how = "", folder = "", cache = ""] = process.argv.slice(2);

type Factory = (api: object) => unknown;
let registered = 0;
const api = { on: () => void (registered += 1) };

const LOADERS: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  async native() {
    const paths = modulesIn("js");
    return async () => {
      await Promise.all(
        paths.map(async (path) => {
          const { default: factory } = (await import(pathToFileURL(path).href)) as { default: Factory };
          factory(api);
        }),
      );
    };
  },
  async jiti() {
    const { importPeer } = await import("../peer.ts");
    interface Jiti {
      createJiti(from: string, options: object): { import(path: string, options: object): Promise<Factory> };
    }
    const { createJiti } = await importPeer<Jiti>("jiti", "2.7.0");
    const paths = modulesIn("ts");
    return async () => {
      // Like pi: a separate loader for each extension.
      for (const path of paths) {
        const jiti = createJiti(import.meta.url, { moduleCache: false, fsCache: cache });
        (await jiti.import(path, { default: true }))(api);
      }
    };
  },
  async transport() {
    const { createModuleTransport } = await import("../../packages/runtime/src/transport/module/transport.ts");
    const transport = createModuleTransport({ cacheDir: cache });
    const paths = modulesIn("ts");
    const call = { provides: () => false, provide: () => undefined, onMissing: () => {} };
    return async () => {
      await Promise.all(
        paths.map(async (path) => {
          const report = await transport.load({ path, ...call });
          if (!report.ok) throw new Error(report.message);
          (report.exports["default"] as Factory)(api);
        }),
      );
    };
  },
  async host() {
    const { createHookRuntime } = await import("@hookline/runtime/session");
    const { pi } = await import("@hookline/runtime/dialects");
    await import("../../packages/runtime/src/transport/module/transport.ts");
    const runtime = createHookRuntime({ dialects: [pi], home: NO_HOME, hooklineHome: cache, env: {} });
    return async () => {
      const session = await runtime.open({ scene: { sessionId: "bench", cwd: "/" }, explicit: modulesIn("ts") });
      registered = session.hooks().length;
    };
  },
};

function modulesIn(kind: string): string[] {
  const all = readdirSync(join(folder, kind)).filter((name) => name.startsWith("guard-"));
  return all.sort().map((name) => join(folder, kind, name));
}

const load = await (LOADERS[how] as () => Promise<() => Promise<void>>)();
const started = process.hrtime.bigint();
await load();
const ns = process.hrtime.bigint() - started;
if (registered !== 2 * modulesIn("ts").length) throw new Error(`${registered} hooks were registered`);
process.stdout.write(`${ns}\n`, () => process.exit(0));
