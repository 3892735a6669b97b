import { join } from "node:path";
import type { Diagnostic } from "../../error/diagnostic.ts";
import type { LoadedFile, ModuleCall, ModuleReport, ModuleTransport } from "../../port/module.ts";
import { failureReport, LoadFailure } from "./failure.ts";
import { createGraph, type Graph, type Unit } from "./graph.ts";
import { createModuleMap } from "./modules.ts";
import { esbuildTransformer } from "./passes.ts";
import { type FileTarget, resolveFile } from "./resolve.ts";
import { ownerOf, type Position, positionOf } from "./scripts.ts";
import { createScriptStore } from "./store.ts";
import type { Loader, Transformer, TransformOutput } from "./unit.ts";

/** What the transport is given by its host. */
export interface ModuleTransportOptions {
  /** Where scripts are kept between loads; must not be writable by a project. Without it each load transforms again. */
  readonly cacheDir?: string;
  /** Told of a cache that is damaged or cannot be written. */
  onDiagnostic?(diagnostic: Diagnostic): void;
  /** Default: esbuild, imported when the first file has to be transformed. */
  readonly transformer?: Transformer;
}

type Failed = Extract<ModuleReport, { ok: false }>;

/** A module that was read but not run. */
export interface ReadModule {
  readonly ok: true;
  /** What `run` will run, entry first, and the files that only a `require` or `import()` names. */
  readonly files: readonly LoadedFile[];
  /** Runs the bytes that `files` tells of, whatever the disk holds by then. */
  run(): Promise<ModuleReport>;
}

/** The transport with what consent and messages need beyond the port. */
export interface FileModuleTransport extends ModuleTransport {
  /** The first half of `load`: reads the graph and runs nothing of it. */
  read(call: ModuleCall): Promise<ReadModule | Failed>;
  /** Where in the sources an error of a loaded module was thrown. */
  position(error: unknown): Position | undefined;
}

/** Makes the transport that loads TypeScript and JavaScript files as modules. */
export function createModuleTransport(options: ModuleTransportOptions = {}): FileModuleTransport {
  const { cacheDir, onDiagnostic, transformer = esbuildTransformer } = options;
  const store =
    cacheDir === undefined
      ? undefined
      : createScriptStore({
          folder: join(cacheDir, `${transformer.version}-v8-${process.versions.v8}`),
          ...(onDiagnostic === undefined ? {} : { onDiagnostic }),
        });
  const { transform, during } = shared(transformer);

  async function read(call: ModuleCall): Promise<ReadModule | Failed> {
    try {
      const entry = entryOf(call.path);
      const graph = createGraph({ transform, store, provides: (specifier) => call.provides(specifier) });
      const units = await graph.grow([entry]);
      return { ok: true, files: filesOf(graph), run: () => during(() => run(call, graph, entry, units)) };
    } catch (thrown) {
      return failureReport(thrown, call.path);
    }
  }

  async function run(call: ModuleCall, graph: Graph, entry: FileTarget, units: readonly Unit[]): Promise<ModuleReport> {
    try {
      const exports = await createModuleMap({ call, graph, store }).run(entry, units);
      return { ok: true, exports, files: filesOf(graph), unloadable: true };
    } catch (thrown) {
      return failureReport(thrown, call.path);
    }
  }

  async function load(call: ModuleCall): Promise<ModuleReport> {
    const module = await read(call);
    return module.ok ? module.run() : module;
  }

  return {
    load: (call) => during(() => load(call)),
    read: (call) => during(() => read(call)),
    owner: ownerOf,
    position: positionOf,
  };
}

function entryOf(path: string): FileTarget {
  const entry = resolveFile(path);
  if (entry !== undefined) return entry;
  throw new LoadFailure("read", `${path} could not be read: there is no such file; correct the path.`, { file: path });
}

function filesOf(graph: Graph): readonly LoadedFile[] {
  const files = new Map<string, LoadedFile>();
  for (const { path, sha256 } of graph.units.values()) if (!files.has(path)) files.set(path, { path, sha256 });
  return [...files.values()];
}

/** Loads that run at the same time and share a file transform it once; when all have ended, nothing is kept. */
function shared(transformer: Transformer): {
  transform(key: string, source: string, loader: Loader): Promise<TransformOutput>;
  during<T>(load: () => Promise<T>): Promise<T>;
} {
  const outputs = new Map<string, Promise<TransformOutput>>();
  let loads = 0;

  function transform(key: string, source: string, loader: Loader): Promise<TransformOutput> {
    const output = outputs.get(key) ?? transformer.transform(source, loader);
    if (loads > 0) outputs.set(key, output);
    return output;
  }

  async function during<T>(load: () => Promise<T>): Promise<T> {
    loads++;
    try {
      return await load();
    } finally {
      loads--;
      if (loads === 0) outputs.clear();
    }
  }

  return { transform, during };
}
