import type { ModuleCall } from "../../port/module.ts";
import { compileScript } from "./compile.ts";
import { createExternals } from "./externals.ts";
import { LoadFailure } from "./failure.ts";
import { type Graph, moduleKey, type Unit, unresolved } from "./graph.ts";
import { guarded } from "./guard.ts";
import { exportGetters, HELPER_VALUES, isModule, markModule, toNamespace } from "./interop.ts";
import type { Keeping } from "./keeping.ts";
import { createRequireFor, metaOf } from "./locals.ts";
import type { Code } from "./readings.ts";
import { type FileTarget, type ResolvedSpecifier, resolveSpecifier } from "./resolve.ts";
import type { ScriptStore } from "./store.ts";

type Namespace = Readonly<Record<string, unknown>>;

interface LoadParts {
  readonly call: ModuleCall;
  readonly graph: Graph;
  readonly store: ScriptStore | undefined;
  readonly keeping: Keeping;
}

/** The modules of one load: each file runs once, and all are freed together with the load's exports. */
interface ModuleMap {
  /** Runs a file after everything it imports. `units` is the result of `Graph.grow`. */
  run(target: FileTarget, units: readonly Unit[]): Promise<Namespace>;
}

interface Instance {
  readonly unit: Unit;
  readonly module: {
    exports: unknown;
    readonly id: string;
    readonly filename: string;
    loaded: boolean;
    require?: unknown;
  };
  state: "new" | "running" | "done" | "failed";
  failure?: unknown;
  /** The promise for a top-level await of this file or of its imports; set while one is pending. */
  pending?: Promise<void>;
  /** Whether the file's imports have run. Before, esbuild's `require` calls are imports; after, they are `import()`. */
  entered: boolean;
  namespace?: Namespace;
}

/** Creates the map of the modules that one load has run. */
export function createModuleMap(parts: LoadParts): ModuleMap {
  const { call, graph, store, keeping } = parts;
  const instances = new Map<string, Instance>();
  const externals = createExternals(call, graph);

  async function run(target: FileTarget, units: readonly Unit[]): Promise<Namespace> {
    const all = await externals.connect(units);
    const instance = instanceOf(target);
    if (all.some(waits)) await settle(instance, new Set());
    else evaluate(instance);
    return namespaceOf(instance);
  }

  function instanceOf(target: FileTarget): Instance {
    const key = moduleKey(target);
    const known = instances.get(key);
    if (known !== undefined) return known;
    const unit = graph.units.get(key);
    if (unit === undefined)
      throw new LoadFailure("resolve", `${target.path} was not read; import() it instead.`, { file: target.path });
    const created: Instance = {
      unit,
      module: { exports: {}, id: key, filename: unit.path, loaded: false },
      state: "new",
      entered: false,
    };
    if (unit.body.kind === "data") {
      created.module.exports = unit.body.value;
      created.state = "done";
    }
    instances.set(key, created);
    return created;
  }

  function dependencies({ unit }: Instance): Instance[] {
    const found: Instance[] = [];
    for (const link of unit.links.values()) {
      if (link instanceof LoadFailure) throw link;
      const target = externals.follow(link, unit.path);
      if (target.kind === "file") found.push(instanceOf(target));
    }
    return found;
  }

  /** Runs a file. The imports at its top run one by one as the file reaches them, so that cycles work. */
  function evaluate(instance: Instance): void {
    if (instance.state === "failed") throw instance.failure;
    if (instance.state !== "new") return;
    instance.state = "running";
    try {
      if (waits(instance.unit))
        throw new Error(`${instance.unit.path} has a top-level await; import() it instead of requiring it.`);
      // The result is no promise, because the file has no top-level await.
      void execute(instance);
      finish(instance);
    } catch (thrown) {
      fail(instance, thrown);
    }
  }

  /**
   * Runs a file in a graph with a top-level await, after each of its imports has run and was awaited. `above` is the
   * chain of importers: an import of one of these is a cycle, and is not awaited.
   */
  async function settle(instance: Instance, above: ReadonlySet<Instance>): Promise<void> {
    if (instance.state === "failed") throw instance.failure;
    if (instance.state === "done" || above.has(instance)) return;
    instance.pending ??= settleNew(instance, new Set([...above, instance]));
    await instance.pending;
  }

  async function settleNew(instance: Instance, above: ReadonlySet<Instance>): Promise<void> {
    instance.state = "running";
    try {
      for (const dependency of dependencies(instance)) await settle(dependency, above);
      await execute(instance);
      finish(instance);
    } catch (thrown) {
      fail(instance, thrown);
    }
  }

  function execute(instance: Instance): Promise<void> | undefined {
    const { unit } = instance;
    if (unit.body.kind === "data") return undefined;
    return guarded(() => enter(instance, unit.body as { readonly code: Code }), call.path, "load");
  }

  function enter(instance: Instance, { code }: { readonly code: Code }): Promise<void> | undefined {
    const { unit, module } = instance;
    const script = compileScript(unit.path, call.path, code, store);
    let waiting: Promise<void> | undefined;
    const wait = (
      body: (exports: (getters: Readonly<Record<string, () => unknown>>) => void) => Promise<void>,
    ): void => {
      instance.entered = true;
      waiting = body((getters) => exportGetters(markModule(module.exports as object), getters));
    };
    const require = createRequireFor(unit.path, resolve, load);
    module.require = require;
    try {
      const body = script.runInThisContext() as (this: unknown, ...values: unknown[]) => void;
      const link = (specifier: string): unknown => {
        if (instance.entered) return copyable(importLater(specifier, unit.path));
        return linked(specifier, instance);
      };
      const importComputed = (specifier: unknown): Promise<Namespace> => importLater(String(specifier), unit.path);
      const { exports } = module;
      const meta = metaOf(unit.path, resolve);
      const values = [
        exports,
        link,
        module,
        unit.path,
        require.folder,
        require,
        meta,
        importComputed,
        wait,
        call.globals?.Bun,
      ];
      body.call(exports, ...values, ...HELPER_VALUES);
    } finally {
      instance.entered = true;
      keeping.keep(code, script);
    }
    return waiting;
  }

  function linked(specifier: string, { unit }: Instance): unknown {
    const link = unit.links.get(specifier);
    if (link === undefined || link instanceof LoadFailure) return load(resolve(specifier, unit.path), unit.path);
    const target = externals.follow(link, unit.path);
    if (target.kind !== "file") return namespaceFor(target, unit.path);
    const imported = instanceOf(target);
    evaluate(imported);
    return namespaceOf(imported);
  }

  /** The module `module` gets a `createRequire` that finds the same modules as a file's own `require`. */
  function namespaceFor(target: Exclude<ResolvedSpecifier, FileTarget>, from: string): Namespace {
    const namespace = externals.namespace(target, from);
    if (target.kind !== "builtin" || !/^(?:node:)?module$/.test(target.id)) return namespace;
    const createRequire = (file: string | URL): unknown => createRequireFor(file, resolve, load);
    return Object.create(namespace, { createRequire: { value: createRequire, enumerable: true } }) as Namespace;
  }

  function resolve(specifier: string, from: string): ResolvedSpecifier {
    const target =
      graph.units.get(from)?.named.get(specifier) ?? resolveSpecifier(specifier, from, (name) => call.provides(name));
    if (target === undefined) throw unresolved(specifier, from);
    return externals.follow(target, from);
  }

  /** Returns the result of a module's own `require`. */
  function load(target: ResolvedSpecifier, from: string): unknown {
    if (target.kind !== "file") return externals.required(target, from);
    if (!graph.units.has(moduleKey(target))) return externals.required({ kind: "native", path: target.path }, from);
    const instance = instanceOf(target);
    evaluate(instance);
    return instance.module.exports;
  }

  async function importLater(specifier: string, from: string): Promise<Namespace> {
    const target = await externals.reach(resolve(specifier, from), from);
    if (target.kind !== "file") return namespaceFor(target, from);
    return run(target, await graph.grow([target]));
  }

  return { run };
}

function namespaceOf(instance: Instance): Namespace {
  const { module, state } = instance;
  if (state !== "done") return isModule(module.exports) ? module.exports : liveNamespace(module);
  instance.namespace ??= toNamespace(module.exports, true);
  return instance.namespace;
}

/** Returns a namespace for a cycle: it has whatever the module exports at the time that a name is used. */
function liveNamespace(module: Instance["module"]): Namespace {
  const now = (): object => toNamespace(module.exports, true);
  return new Proxy<Namespace>(Object.create(null), {
    get: (_, key) => Reflect.get(now(), key),
    has: (_, key) => Reflect.has(now(), key),
  });
}

function waits({ body }: Unit): boolean {
  return body.kind === "code" && body.code.transformed.waits;
}

function finish(instance: Instance): void {
  instance.state = "done";
  instance.module.loaded = true;
}

function fail(instance: Instance, thrown: unknown): never {
  instance.state = "failed";
  instance.failure = thrown;
  throw thrown;
}

const THEN = "then";

/** Makes a promise whose `then` is an own property, because esbuild's import helper in bundles copies only those. */
function copyable<T>(promise: Promise<T>): object {
  return { __esModule: true, [THEN]: promise.then.bind(promise) };
}
