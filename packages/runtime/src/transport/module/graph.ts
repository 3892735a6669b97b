import { messageOf } from "@hookline/ground";
import type { LoadedFile } from "../../port/module.ts";
import { LoadFailure, notAdmitted } from "./failure.ts";
import type { Code, Readings, SourceFile } from "./readings.ts";
import { type FileTarget, type ResolvedSpecifier, resolveSpecifier } from "./resolve.ts";
import { isData, loaderOf, TransformError, type Transformed } from "./unit.ts";

/** A file of a module graph: read, hashed and transformed, not yet run. */
export interface Unit {
  readonly path: string;
  readonly sha256: string;
  /** The code of the file, or the value of a data file. */
  readonly body: { readonly kind: "code"; readonly code: Code } | { readonly kind: "data"; readonly value: unknown };
  /** The target of each static import, in source order. A failure is thrown only when the file is run. */
  readonly links: ReadonlyMap<string, ResolvedSpecifier | LoadFailure>;
  /** The targets of literal `require` and `import()` calls, without those that do not exist. */
  readonly named: ReadonlyMap<string, ResolvedSpecifier>;
}

/** The files of one load, each read once, so that the hashed bytes are the ones that run. */
export interface Graph {
  /** The files in order of discovery, the entry first. */
  readonly units: ReadonlyMap<string, Unit>;
  /**
   * Reads the files and everything they import. Returns the units that must run for them, importers first. Also reads
   * files that only a `require` or `import()` names; faults in these are ignored. Throws `LoadFailure`.
   */
  grow(start: readonly FileTarget[]): Promise<readonly Unit[]>;
}

interface GraphParts {
  readonly readings: Readings;
  provides(specifier: string): boolean;
  readonly admits?: ((file: LoadedFile) => boolean) | undefined;
}

/** Returns a module's key within a load, by path and query. */
export function moduleKey(target: FileTarget): string {
  return target.path + target.query;
}

interface Wanted {
  readonly target: FileTarget;
  /** False for a file that only a `require` or `import()` names: it may never run, so its faults are ignored. */
  readonly required: boolean;
}

/** Creates the graph of one load, which has no files until `grow` reads some. */
export function createGraph(parts: GraphParts): Graph {
  const units = new Map<string, Unit>();

  async function grow(start: readonly FileTarget[]): Promise<readonly Unit[]> {
    const needed = new Set<Unit>();
    const seen = new Set<string>();
    let wanted: Wanted[] = start.map((target) => ({ target, required: true }));
    while (wanted.length > 0) {
      const batch = wanted.filter(({ target, required }) => claim(seen, moduleKey(target), required));
      const found = await readAll(
        batch,
        ({ target, required }) => units.get(moduleKey(target)) ?? read(target, required),
      );
      wanted = [];
      for (const [index, { target, required }] of batch.entries()) {
        // Another `import()` may have read the file meanwhile.
        const unit = units.get(moduleKey(target)) ?? found[index];
        if (unit === undefined) continue;
        units.set(moduleKey(target), unit);
        if (required) needed.add(unit);
        wanted.push(...staticImports(unit, required), ...namedFiles(unit));
      }
    }
    return [...needed];
  }

  function read(target: FileTarget, required: boolean): Reading {
    if (required) return readUnit(target, parts);
    try {
      const unit = readUnit(target, parts);
      return unit instanceof Promise ? unit.catch(() => undefined) : unit;
    } catch {
      return undefined;
    }
  }

  return { units, grow };
}

/**
 * Marks a file as visited; returns false if it need not be visited. It is visited a second time if it was optional
 * first and is required now.
 */
function claim(seen: Set<string>, key: string, required: boolean): boolean {
  if (seen.has(`!${key}`) || (!required && seen.has(`?${key}`))) return false;
  seen.add(`${required ? "!" : "?"}${key}`);
  return true;
}

type Reading = Unit | undefined | Promise<Unit | undefined>;

/** Starts all reads at once, and awaits only those that are asynchronous. */
async function readAll(
  batch: readonly Wanted[],
  read: (wanted: Wanted) => Reading,
): Promise<readonly (Unit | undefined)[]> {
  const started: Reading[] = [];
  let failure: { thrown: unknown } | undefined;
  let waits = false;
  for (const wanted of batch) {
    try {
      const reading = read(wanted);
      waits ||= reading instanceof Promise;
      started.push(reading);
    } catch (thrown) {
      failure ??= { thrown };
    }
  }
  const found = waits ? await Promise.all(started.map(async (unit) => unit)) : (started as (Unit | undefined)[]);
  if (failure !== undefined) throw failure.thrown;
  return found;
}

function* staticImports(unit: Unit, required: boolean): Generator<Wanted> {
  for (const link of unit.links.values()) {
    if (link instanceof LoadFailure) {
      if (required) throw link;
    } else if (link.kind === "file") yield { target: link, required };
  }
}

function* namedFiles(unit: Unit): Generator<Wanted> {
  for (const target of unit.named.values()) if (target.kind === "file") yield { target, required: false };
}

function readUnit(target: FileTarget, parts: GraphParts): Unit | Promise<Unit> {
  const { path } = target;
  const source = readSource(path, parts);
  const { bytes, sha256 } = source;
  if (parts.admits?.({ path, sha256 }) === false) throw notAdmitted(path);
  const loader = loaderOf(path) ?? (isData(path) ? undefined : "ts");
  if (loader === undefined)
    return { path, sha256, body: { kind: "data", value: parseData(path, bytes) }, links: NONE, named: NONE };
  const finish = (code: Code): Unit => {
    return {
      path,
      sha256,
      body: { kind: "code", code },
      links: linksOf(path, code.transformed, bytes, parts),
      named: namedOf(path, code.transformed, parts),
    };
  };
  const code = parts.readings.code(source, loader);
  if (!(code instanceof Promise)) return finish(code);
  return code.then(finish, (thrown: unknown) => {
    const at = thrown instanceof TransformError ? { line: thrown.line, column: thrown.column } : {};
    throw new LoadFailure("transform", messageOf(thrown), { file: path, ...at, cause: thrown });
  });
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

function readSource(path: string, { readings }: GraphParts): SourceFile {
  try {
    return readings.source(path);
  } catch (thrown) {
    throw new LoadFailure("read", `${path} could not be read: ${messageOf(thrown)}`, { file: path, cause: thrown });
  }
}

function parseData(path: string, bytes: Buffer): unknown {
  const text = bytes.toString().replace(/^\uFEFF/, "");
  if (!path.endsWith(".json")) return text;
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(messageOf(thrown)) ?? [];
    const at = line === undefined ? {} : { line: Number(line), column: Number(column) };
    throw new LoadFailure("transform", messageOf(thrown), { file: path, ...at, cause: thrown });
  }
}

function linksOf(path: string, transformed: Transformed, bytes: Buffer, parts: GraphParts): Unit["links"] {
  const links = new Map<string, ResolvedSpecifier | LoadFailure>();
  for (const { specifier } of transformed.imports) {
    if (links.has(specifier)) continue;
    links.set(specifier, resolveSpecifier(specifier, path, parts.provides) ?? unresolved(specifier, path, bytes));
  }
  return links;
}

function namedOf(path: string, { requires, dynamic }: Transformed, parts: GraphParts): Unit["named"] {
  if (requires.length === 0 && dynamic.length === 0) return NONE;
  const named = new Map<string, ResolvedSpecifier>();
  for (const specifier of [...requires, ...dynamic]) {
    const target = resolveSpecifier(specifier, path, parts.provides);
    if (target !== undefined) named.set(specifier, target);
  }
  return named;
}

/** Returns the failure for a specifier that names nothing. With `source`, it has the line of the import. */
export function unresolved(specifier: string, from: string, source?: Buffer): LoadFailure {
  const message = `Cannot find "${specifier}", which ${from} imports; install it beside the file or correct the name.`;
  return new LoadFailure("resolve", message, {
    file: from,
    line: source === undefined ? undefined : lineOf(specifier, source),
  });
}

function lineOf(specifier: string, source: Buffer): number | undefined {
  const text = source.toString();
  const at = Math.max(text.indexOf(`"${specifier}"`), text.indexOf(`'${specifier}'`));
  return at === -1 ? undefined : text.slice(0, at).split("\n").length;
}
