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

/** The options of the transport. */
export interface ModuleTransportOptions {
  /**
   * Where scripts are cached between loads; a project must not be able to write there. Without it each load transforms
   * again.
   */
  readonly cacheDir?: string;
  /** Called for a cache that is damaged or cannot be written. */
  onDiagnostic?(diagnostic: Diagnostic): void;
  /** Default: esbuild, imported when the first file has to be transformed. */
  readonly transformer?: Transformer;
  /** Used to notice when the transformer has been idle for a while. Without it the transformer's process stays up. */
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
  /** The files that `run` runs, entry first; those that only a `require` or `import()` names; entry files of packages. */
  readonly files: readonly LoadedFile[];
  /** Runs the bytes in `files`, whatever is on the disk by then. */
  run(): Promise<ModuleReport>;
}

/** The transport with what consent and messages need beyond the port. */
export interface FileModuleTransport extends ModuleTransport {
  /** The first half of `load`: reads the graph and runs nothing of it. */
  read(call: ModuleCall): Promise<ReadModule | Failed>;
  prepare(paths: readonly string[]): () => void;
  /** Where in the sources an error of a loaded module was thrown. */
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

  /** A file's problems are found again, and reported, by the load that needs it. */
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
  // Node returns a name that is not UTF-8 with replacement characters, and does not find it again.
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

/** The entry files of installed packages, which Node reads and runs itself. */
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
 * How long after the last file a transformer keeps its process, in ms: the modules of a start follow each other
 * closely.
 */
const REST_AFTER_MS = 1000;

/** The same transformer, which is stopped after it has been idle for a while. */
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
