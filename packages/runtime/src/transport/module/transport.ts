import { hash } from "node:crypto";
import { join } from "node:path";
import type { Clock, Diagnostic, Timer } from "@hookline/ground";
import { readSourceSync } from "@hookline/ground/system";
import type { LoadedFile, ModuleCall, ModuleReport, ModuleTransport } from "../../port/module.ts";
import { failureReport, LoadFailure } from "./failure.ts";
import { createGraph, type Graph, type Unit } from "./graph.ts";
import { createKeeping } from "./keeping.ts";
import { createModuleMap } from "./modules.ts";
import { esbuildTransformer } from "./passes.ts";
import { createReadings } from "./readings.ts";
import { type FileTarget, resolveFile } from "./resolve.ts";
import { ownerOf, type Position, positionOf } from "./scripts.ts";
import { createScriptStore } from "./store.ts";
import { loaderOf, type Transformer } from "./unit.ts";

/** The options of the transport that loads hook modules. */
export interface ModuleTransportOptions {
  /**
   * The folder in which scripts are cached between loads; a project must not be able to write there. Without it each
   * load transforms again.
   */
  readonly cacheDir?: string;
  /** Called if the cache is damaged or cannot be written. */
  onDiagnostic?(diagnostic: Diagnostic): void;
  /** Transforms source files to scripts. Default: esbuild, imported when the first file has to be transformed. */
  readonly transformer?: Transformer;
  /** The clock that notices when the transformer has been idle. Without it the transformer's process keeps running. */
  readonly clock?: Clock;
}

type Failed = Extract<ModuleReport, { ok: false }>;

/** A module graph that was read completely. */
interface GraphOf {
  readonly ok: true;
  readonly graph: Graph;
  readonly entry: FileTarget;
  readonly units: readonly Unit[];
}

/** A module that was read but not run. */
export interface ReadModule {
  readonly ok: true;
  /**
   * The files that `run` runs, entry first, then files that only a `require` or `import()` names, then entry files of
   * packages.
   */
  readonly files: readonly LoadedFile[];
  /** Runs exactly the bytes in `files`, even if the files have changed on disk since. */
  run(): Promise<ModuleReport>;
}

/** The module transport. It also reads a graph without running it, and finds the source positions of errors. */
export interface FileModuleTransport extends ModuleTransport {
  /** Reads the module graph like `load`, and runs nothing of it. */
  read(call: ModuleCall): Promise<ReadModule | Failed>;
  prepare(paths: readonly string[]): () => void;
  /** Returns the source position at which an error of a loaded module was thrown. */
  position(error: unknown): Position | undefined;
}

/** Makes the transport that loads TypeScript and JavaScript files as modules. */
export function createModuleTransport(options: ModuleTransportOptions = {}): FileModuleTransport {
  const { cacheDir, onDiagnostic, clock, transformer = esbuildTransformer } = options;
  const store =
    cacheDir === undefined
      ? undefined
      : createScriptStore({
          folder: join(cacheDir, `${transformer.version}-v8-${process.versions.v8}`),
          ...(onDiagnostic === undefined ? {} : { onDiagnostic }),
        });
  const readings = createReadings(clock === undefined ? transformer : resting(transformer, clock), store);
  const keeping = createKeeping(store);

  async function graphOf(call: ModuleCall): Promise<GraphOf | Failed> {
    try {
      const entry = entryOf(call.path);
      const graph = createGraph({
        readings,
        provides: (specifier) => call.provides(specifier),
        admits: call.admits === undefined ? undefined : (file) => call.admits?.(file) !== false,
      });
      return { ok: true, graph, entry, units: await graph.grow([entry]) };
    } catch (thrown) {
      return failureReport(thrown, call.path);
    }
  }

  async function read(call: ModuleCall): Promise<ReadModule | Failed> {
    const found = await graphOf(call);
    if (!found.ok) return found;
    try {
      const files = [...filesOf(found.graph), ...packagesOf(found.graph)];
      return { ok: true, files, run: () => during(() => run(call, found)) };
    } catch (thrown) {
      return failureReport(thrown, call.path);
    }
  }

  async function run(call: ModuleCall, { graph, entry, units }: GraphOf): Promise<ModuleReport> {
    try {
      const exports = await createModuleMap({ call, graph, store, keeping }).run(entry, units);
      return { ok: true, exports, files: filesOf(graph), unloadable: true };
    } catch (thrown) {
      return failureReport(thrown, call.path);
    }
  }

  async function load(call: ModuleCall): Promise<ModuleReport> {
    const found = await graphOf(call);
    return found.ok ? run(call, found) : found;
  }

  function prepare(paths: readonly string[]): () => void {
    const release = readings.hold();
    const end = keeping.wait();
    for (const path of paths) void transformed(path);
    return () => {
      release();
      end();
    };
  }

  /** Problems of a file are ignored here, because the load that needs the file finds and reports them again. */
  async function transformed(path: string): Promise<void> {
    const loader = loaderOf(path);
    if (loader === undefined) return;
    try {
      await readings.code(readings.source(path), loader);
    } catch {
      return;
    }
  }

  async function during<T>(work: () => Promise<T>): Promise<T> {
    const release = readings.hold();
    try {
      return await work();
    } finally {
      release();
    }
  }

  return {
    load: (call) => during(() => load(call)),
    read: (call) => during(() => read(call)),
    prepare,
    owner: ownerOf,
    position: positionOf,
  };
}

function entryOf(path: string): FileTarget {
  const entry = resolveFile(path);
  if (entry !== undefined) return entry;
  // Node returns a name that is not UTF-8 with replacement characters, by which the file cannot be found.
  const problem = path.includes("\ufffd")
    ? "its name is not valid UTF-8; rename it"
    : "there is no such file; correct the path";
  throw new LoadFailure("read", `${path} could not be read: ${problem}.`, { file: path });
}

function filesOf(graph: Graph): readonly LoadedFile[] {
  const files = new Map<string, LoadedFile>();
  for (const { path, sha256 } of graph.units.values()) if (!files.has(path)) files.set(path, { path, sha256 });
  return [...files.values()];
}

/** Returns the entry files of installed packages, which Node reads and runs itself. */
function packagesOf(graph: Graph): readonly LoadedFile[] {
  const files = new Map<string, LoadedFile>();
  for (const { links, named } of graph.units.values()) {
    for (const target of [...links.values(), ...named.values()]) {
      if (target instanceof LoadFailure || target.kind !== "native" || files.has(target.path)) continue;
      files.set(target.path, { path: target.path, sha256: hash("sha256", readSourceSync(target.path)) });
    }
  }
  return [...files.values()];
}

/**
 * The time in milliseconds after the last file for which a transformer's process is kept, because at start modules are
 * loaded in quick succession.
 */
const REST_AFTER_MS = 1000;

/** Returns the same transformer, with its process stopped after it has been idle for a while. */
export function resting(transformer: Transformer, clock: Clock): Transformer {
  let running = 0;
  let rest: Timer | undefined;
  return {
    version: transformer.version,
    async transform(source, loader) {
      rest?.cancel();
      running++;
      try {
        return await transformer.transform(source, loader);
      } finally {
        if (--running === 0) rest = clock.timer(REST_AFTER_MS, () => void transformer.rest?.());
      }
    },
  };
}
