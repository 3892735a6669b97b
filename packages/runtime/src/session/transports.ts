import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Timer } from "@hookline/ground";
import { type Diagnostic, diagnose } from "@hookline/ground";
import type { Transports } from "../dialect/dialect.ts";
import type { HttpTransport } from "../port/http.ts";
import type { LlmTransport } from "../port/llm.ts";
import type { ProcessTransport } from "../port/process.ts";
import type { FileModuleTransport } from "../transport/module/transport.ts";
import { QUIET_MS } from "./loader.ts";

/** The given transports, folders, variables and clock from which a runtime's transports are made. */
export interface TransportParts {
  readonly given: Partial<Transports>;
  readonly hooklineHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly nativeSpawn: boolean | undefined;
  /** Variables that dialects set for their programs, such as `JCLI_CWD`; no process inherits the host's values. */
  readonly protocol: readonly string[];
  report(diagnostic: Diagnostic): void;
}

/** The module transport that was created last. Any one will do, because each knows the modules of the whole process. */
let known: FileModuleTransport | undefined;

/** The transports of a runtime, and how to end them. */
export type HostTransports = Transports & {
  /**
   * Ends processes that killed hosts have left behind on this machine: soon, or at `close`. If there are none, this
   * costs one directory listing.
   */
  reap(): void;
  close(): Promise<void>;
};

/** Returns transports that are created on first use, so that a session without hooks starts none. */
export function createTransports({
  given,
  hooklineHome,
  env,
  clock,
  nativeSpawn,
  protocol,
  report,
}: TransportParts): HostTransports {
  const stateDir = join(hooklineHome, "run");
  let processes: Promise<ProcessTransport> | undefined;
  let modules: Promise<FileModuleTransport> | undefined;
  let asking: Promise<HttpTransport> | undefined;
  let reaping: Promise<void> | undefined;
  let planned: Timer | undefined;
  const reapNow = (): void => {
    reaping ??= reapRuns(stateDir, clock, report);
  };
  const processTransport = (): Promise<ProcessTransport> =>
    (processes ??= import("../transport/process/transport.ts").then(({ createProcessTransport }) =>
      createProcessTransport({ clock, stateDir, env, nativeSpawn, protocol, onDiagnostic: report }),
    ));
  const moduleTransport = (): Promise<FileModuleTransport> =>
    (modules ??= import("../transport/module/transport.ts").then(({ createModuleTransport }) => {
      known = createModuleTransport({ cacheDir: join(hooklineHome, "cache", "modules"), onDiagnostic: report, clock });
      return known;
    }));
  const httpTransport = (): Promise<HttpTransport> =>
    (asking ??= import("../transport/http/transport.ts").then(({ createHttpTransport }) =>
      createHttpTransport({ clock }),
    ));
  return {
    process: given.process ?? {
      run: async (call) => (await processTransport()).run(call),
      open: async (call) => (await processTransport()).open(call),
      close: async () => (await processes)?.close(),
    },
    module: given.module ?? {
      load: async (call) => (await moduleTransport()).load(call),
      read: async (call) => (await moduleTransport()).read(call),
      prepare: (paths) => {
        const prepared = moduleTransport().then((transport) => transport.prepare(paths));
        return () => void prepared.then((release) => release());
      },
      owner: (error) => known?.owner(error),
    },
    llm: given.llm ?? noModel,
    http: given.http ?? {
      ask: async (call) => (await httpTransport()).ask(call),
      open: async (call) => (await httpTransport()).open(call),
      close: async () => (await asking)?.close(),
    },
    reap: () => {
      if (hasEntries(join(stateDir, "runs"))) planned ??= clock.timer(QUIET_MS, reapNow);
    },
    close: async () => {
      planned?.cancel();
      if (planned !== undefined) reapNow();
      await reaping;
      await Promise.all([(await processes)?.close(), (await asking)?.close()]);
    },
  };
}

async function reapRuns(stateDir: string, clock: Clock, report: (diagnostic: Diagnostic) => void): Promise<void> {
  const { reapOrphans } = await import("../transport/process/reap.ts");
  const { survivors, ended } = await reapOrphans(stateDir, clock);
  if (ended.length > 0) report(diagnose("PROGRAM_ENDED", { label: "an earlier run", programs: ended.join(", ") }));
  if (survivors.length > 0) report(diagnose("SURVIVORS", { label: "an earlier run", pids: survivors.join(", ") }));
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

const noModel: LlmTransport = {
  complete: async () => ({ ok: false, cause: "no-model", message: "this host has no model for hooks" }),
};
