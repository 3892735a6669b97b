import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { messageOf } from "@hookline/ground";
import { readSourceSync } from "@hookline/ground/system";
import { LACKS, type ModuleCall } from "../../port/module.ts";
import { LoadFailure, notAdmitted } from "./failure.ts";
import { type Graph, moduleKey, type Unit, unresolved } from "./graph.ts";
import { lastingNamespace, nativeNamespace } from "./interop.ts";
import { type FileTarget, type ResolvedSpecifier, resolveSpecifier } from "./resolve.ts";

type Namespace = Readonly<Record<string, unknown>>;

/** The imports of one load that are not its own files: provided modules, builtins, installed packages. */
interface Externals {
  /** Imports what the units import from outside. May add files to the graph; returns every unit to be run. */
  connect(units: readonly Unit[]): Promise<readonly Unit[]>;
  /** Imports a provided module or a package; returns its final target, which may be a file that this transport runs. */
  reach(target: ResolvedSpecifier, from: string): Promise<ResolvedSpecifier>;
  /**
   * Returns the target that counts in the end: another one if the host declines to provide the module, or if Node
   * cannot load the package, so that this transport runs its file.
   */
  follow(target: ResolvedSpecifier, from: string): ResolvedSpecifier;
  /** Returns the namespace of a module that is not a file of the graph; imports it now if `connect` has not. */
  namespace(target: Exclude<ResolvedSpecifier, FileTarget>, from: string): Namespace;
  /** Returns the same as `namespace`, in the form that a CommonJS `require` returns. */
  required(target: Exclude<ResolvedSpecifier, FileTarget>, from: string): unknown;
}

/**
 * Codes of errors of Node's `import` after which this transport runs the package's file itself. Node cannot load
 * TypeScript in packages, or modules that only the host provides.
 */
const RUN_HERE: ReadonlySet<unknown> = new Set([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
]);

/** Creates the externals of one load; each is imported only once. */
export function createExternals(call: ModuleCall, graph: Graph): Externals {
  const provided = new Map<string, Namespace>();
  const declined = new Set<string>();
  const native = new Map<string, Namespace>();
  const runHere = new Map<string, FileTarget>();
  const reported = new Set<string>();

  async function connect(units: readonly Unit[]): Promise<readonly Unit[]> {
    const all = new Set(units);
    // Iterating over a set also visits items that are added meanwhile.
    for (const unit of all) {
      for (const link of unit.links.values()) {
        if (link instanceof LoadFailure) throw link;
        if (link.kind === "file" || link.kind === "builtin") continue;
        const target = await reach(link, unit.path);
        if (target.kind === "file") for (const more of await graph.grow([target])) all.add(more);
      }
      reportMissing(unit);
      for (const required of await prefetchRequired(unit)) all.add(required);
    }
    return [...all];
  }

  async function reach(link: ResolvedSpecifier, from: string): Promise<ResolvedSpecifier> {
    if (link.kind === "provided" && !provided.has(link.specifier) && !declined.has(link.specifier)) {
      keep(link.specifier, await provide(link.specifier, from));
    }
    const target = follow(link, from);
    if (target.kind === "native" && !native.has(target.path)) await importNative(target.path, from);
    return follow(target, from);
  }

  /**
   * Imports modules that a literal `require` names, because `require` cannot wait; a failure is thrown only when
   * `require` is called.
   */
  async function prefetchRequired(unit: Unit): Promise<readonly Unit[]> {
    const found: Unit[] = [];
    if (unit.body.kind !== "code") return found;
    for (const specifier of unit.body.code.transformed.requires) {
      const target = unit.named.get(specifier);
      if (target?.kind === "provided") await reach(target, unit.path).catch(() => undefined);
      const known = target?.kind === "file" ? graph.units.get(moduleKey(target)) : undefined;
      if (known !== undefined && ![...known.links.values()].some((link) => link instanceof LoadFailure))
        found.push(known);
    }
    return found;
  }

  function keep(specifier: string, namespace: Namespace | undefined): void {
    if (namespace === undefined) declined.add(specifier);
    else provided.set(specifier, namespace);
  }

  async function provide(specifier: string, from: string): Promise<Namespace | undefined> {
    try {
      return await call.provide(specifier);
    } catch (thrown) {
      throw new LoadFailure("resolve", `"${specifier}" could not be provided: ${messageOf(thrown)}`, {
        file: from,
        cause: thrown,
      });
    }
  }

  /** Checks the entry file of a package that Node runs itself; its other files are not checked. */
  function admit(path: string): void {
    if (call.admits?.({ path, sha256: hash("sha256", readSourceSync(path)) }) === false) throw notAdmitted(path);
  }

  async function importNative(path: string, from: string): Promise<void> {
    admit(path);
    try {
      native.set(
        path,
        path.endsWith(".node") ? requireNative(path) : nativeNamespace(await import(pathToFileURL(path).href)),
      );
    } catch (thrown) {
      if (!RUN_HERE.has((thrown as { code?: unknown } | undefined)?.code)) {
        throw new LoadFailure("run", `${path} failed when it was imported: ${messageOf(thrown)}`, {
          file: from,
          cause: thrown,
        });
      }
      runHere.set(path, { kind: "file", path, query: "" });
    }
  }

  function follow(target: ResolvedSpecifier, from: string): ResolvedSpecifier {
    if (target.kind === "native") return runHere.get(target.path) ?? target;
    if (target.kind !== "provided" || !declined.has(target.specifier)) return target;
    const usual = resolveSpecifier(target.specifier, from, () => false);
    if (usual === undefined) throw unresolved(target.specifier, from);
    return follow(usual, from);
  }

  function namespace(target: Exclude<ResolvedSpecifier, FileTarget>, from: string): Namespace {
    if (target.kind === "builtin") return lastingNamespace(builtin(target.id), true);
    if (target.kind === "provided") return lastingNamespace(providedNow(target.specifier, from), false);
    const known = native.get(target.path);
    if (known !== undefined) return known;
    admit(target.path);
    const required = requireNative(target.path);
    native.set(target.path, required);
    return required;
  }

  function required(target: Exclude<ResolvedSpecifier, FileTarget>, from: string): unknown {
    if (target.kind === "builtin") return builtin(target.id);
    if (target.kind === "provided") return providedNow(target.specifier, from);
    admit(target.path);
    return createRequire(from)(target.path);
  }

  function providedNow(specifier: string, from: string): Namespace {
    const known = provided.get(specifier) ?? call.provide(specifier);
    if (known !== undefined && !(known instanceof Promise)) {
      provided.set(specifier, known);
      return known;
    }
    throw new LoadFailure("resolve", `"${specifier}" cannot be required here; ${from} must import it instead.`, {
      file: from,
    });
  }

  function reportMissing(unit: Unit): void {
    if (unit.body.kind !== "code") return;
    for (const { specifier, names } of unit.body.code.transformed.imports) {
      const link = unit.links.get(specifier);
      const namespace = link instanceof LoadFailure || link?.kind !== "provided" ? undefined : provided.get(specifier);
      if (namespace === undefined) continue;
      for (const name of names) {
        const key = JSON.stringify([unit.path, specifier, name]);
        const instead = standsFor(namespace[name]);
        if ((name in namespace && instead === undefined) || reported.has(key)) continue;
        reported.add(key);
        call.onMissing({ file: unit.path, specifier, name, ...(instead !== undefined && { instead }) });
      }
    }
  }

  return { connect, reach, follow, namespace, required };
}

/** Returns what to use instead of an export that hookline lacks; `undefined` if the value is no placeholder for one. */
function standsFor(value: unknown): string | undefined {
  if (typeof value !== "function" || !Object.hasOwn(value, LACKS)) return undefined;
  return String((value as { readonly [LACKS]?: unknown })[LACKS]);
}

function builtin(id: string): object {
  const found = process.getBuiltinModule(id);
  if (found === undefined) throw new Error(`There is no builtin module "${id}"; correct the import.`);
  return found;
}

function requireNative(path: string): Namespace {
  const exports: unknown = createRequire(path)(path);
  return nativeNamespace({ default: exports, "module.exports": exports });
}
