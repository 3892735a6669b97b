import { join } from "node:path";
import type { Transports } from "../dialect/dialect.ts";
import type { Clock } from "../port/clock.ts";
import type { LlmTransport } from "../port/llm.ts";
import type { ModuleTransport } from "../port/module.ts";
import type { ProcessTransport } from "../port/process.ts";

/** Transports that are made when they are first used, so that a session without hooks starts none. */
export function createTransports(
  given: Partial<Transports>,
  hooklineHome: string,
  clock: Clock,
): Transports & { close(): Promise<void> } {
  let processes: Promise<ProcessTransport> | undefined;
  let modules: Promise<ModuleTransport> | undefined;
  let ready: ModuleTransport | undefined;
  const process_ = (): Promise<ProcessTransport> =>
    (processes ??= import("../transport/process/transport.ts").then(({ createProcessTransport }) =>
      createProcessTransport({ clock, stateDir: join(hooklineHome, "run") }),
    ));
  const module_ = (): Promise<ModuleTransport> =>
    (modules ??= import("../transport/module/transport.ts").then(({ createModuleTransport }) => {
      ready = createModuleTransport({ cacheDir: join(hooklineHome, "cache", "modules") });
      return ready;
    }));
  return {
    process: given.process ?? {
      run: async (call) => (await process_()).run(call),
      close: async () => (await processes)?.close(),
    },
    module: given.module ?? {
      load: async (call) => (await module_()).load(call),
      owner: (error) => ready?.owner(error),
    },
    llm: given.llm ?? noModel,
    close: async () => {
      await (await processes)?.close();
    },
  };
}

const noModel: LlmTransport = {
  complete: async () => ({ ok: false, cause: "no-model", message: "this host has no model for hooks" }),
};
