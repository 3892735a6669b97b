import { type Clock, MAX_MS, messageOf } from "@hookline/ground";
import type { Candidate, Surroundings } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import type { MissingName, ModuleCall, ModuleReport } from "@hookline/runtime/engine";
import type { Owner } from "./owner.ts";
import { holdExit, holdLateErrors, noteAmbient } from "./process-state.ts";
import { createProviding, type Exports, type Provided } from "./provide.ts";
import { watch } from "./watchdog.ts";

/** A module's default export, called once with the API object. */
export type Factory = (api: unknown) => unknown;

/** A dialect's error texts for modules that cannot be loaded. */
export interface LoadTexts {
  /** Returns the message for a module that threw while it was loaded or in its factory. */
  failed(problem: string): string;
  /** Returns the message for a module whose default export is not a function. */
  noFactory(path: string): string;
}

/**
 * Loads one module, calls its factory with the API object and waits until the factory is done. The time limit of
 * handlers does not apply. Then sets `owner.bound`. Errors of the module get the dialect's messages.
 */
export async function loadFactory(
  candidate: Candidate,
  owner: Owner,
  provided: Provided,
  texts: LoadTexts,
  api: object,
): Promise<void> {
  const factory = factoryOf(await loadModule(candidate, owner, provided, texts));
  if (factory === undefined) throw new Error(texts.noFactory(candidate.source.path));
  await callFactory(factory, owner, texts, api);
}

/**
 * Loads a candidate's file with the dialect's packages. Throws the module's errors with the dialect's messages.
 * `globals` are global variables that the dialect's own program has.
 */
export async function loadModule(
  candidate: Candidate,
  owner: Owner,
  provided: Provided,
  texts: LoadTexts,
  globals: NonNullable<ModuleCall["globals"]> = {},
): Promise<Exports> {
  const { around, instance } = owner;
  const { path } = candidate.source;
  const { module } = around.transports;
  const ownerOf = (error: unknown): string | undefined => module.owner(error);
  instance.own(holdExit(ownerOf));
  void watch(around.started?.());
  instance.own(holdLateErrors({ path, owner: ownerOf, report: (error, from) => tellLate(error, from, owner) }));
  noted.set(owner, noteAmbient());
  const providing = createProviding(provided, around, mentionsIn(around, candidate.files));
  const missing = missingNames(owner);
  const loading = module.load({
    path,
    provides: providing.provides,
    provide: providing.provide,
    globals,
    onMissing: missing.note,
  });
  const ms = loadMs(around);
  const report = await within(
    around.clock,
    ms,
    loading,
    () => new Error(texts.failed(`it was not loaded within ${ms} ms`)),
  ).finally(missing.tell);
  if (report.ok && factoryOf(report.exports) !== undefined) return report.exports;
  tellAmbient(owner);
  if (!report.ok)
    throw new Error(texts.failed(providing.problem() ?? problemOf(report, path)), { cause: report.cause });
  return report.exports;
}

/** A function for each module that is loading: it describes how the process has changed since the load began. */
const noted = new WeakMap<Owner, () => readonly string[]>();

function tellAmbient(owner: Owner): void {
  const { instance } = owner;
  const changes = noted.get(owner)?.() ?? [];
  noted.delete(owner);
  if (changes.length === 0) return;
  const details = { path: instance.source.path, what: changes.join(", ") };
  instance.report(diagnose("AMBIENT_CHANGED", details, { source: instance.source }));
}

function tellLate(error: unknown, path: string | undefined, { instance }: Owner): void {
  const details = { path: path ?? "A module that was loaded", problem: messageOf(error) };
  instance.report(diagnose("HOOK_LATE_ERROR", details, { source: instance.source }));
}

/** Calls a factory and waits for the promise it may return. Then sets `owner.bound`. */
export async function callFactory(factory: Factory, owner: Owner, texts: LoadTexts, api: object): Promise<void> {
  const { around } = owner;
  const ms = loadMs(around);
  try {
    const result = factory(api) as PromiseLike<unknown> | undefined;
    if (typeof result?.then === "function") {
      await within(around.clock, ms, result, () => new Error(`its factory did not return within ${ms} ms`));
    }
  } catch (thrown) {
    throw new Error(texts.failed(messageOf(thrown)), { cause: thrown });
  } finally {
    tellAmbient(owner);
  }
  owner.bound = true;
}

/** Returns the function in a module's default export, also if CommonJS wraps it. */
export function factoryOf(exports: Exports): Factory | undefined {
  const found = exports["default"];
  if (typeof found === "function") return found as Factory;
  const wrapped = (found as { readonly default?: unknown } | null | undefined)?.default;
  return typeof wrapped === "function" ? (wrapped as Factory) : undefined;
}

function loadMs({ scan }: Surroundings): number {
  return Math.min(Math.max(scan.settings.handlerTimeoutMs ?? LOAD_MS, LOAD_MS), MAX_MS);
}

/** Returns the loader's error message, with the file and line if the fault is not in the module's own file. */
function problemOf(report: ModuleReport & { readonly ok: false }, path: string): string {
  const { message, file, line } = report;
  const where = line === undefined ? file : `${file}:${line}`;
  return where === path || message.includes(file) ? message : `${message} (${where})`;
}

/** Returns a test whether a word occurs in any of a module's files. The files are read on first use. */
function mentionsIn({ scan }: Surroundings, files: readonly string[]): (word: string) => boolean {
  let text: string | undefined;
  return (word) => {
    text ??= files.map((path) => new TextDecoder().decode(scan.files.read(path) ?? new Uint8Array())).join("\n");
    return new RegExp(`\\b${word}\\b`).test(text);
  };
}

/** Collects names that modules import and that their package lacks, and reports them in one message per package. */
export interface MissingNames {
  note(missing: MissingName): void;
  /** Reports the names collected so far. Later names are reported immediately. */
  tell(): void;
}

interface Noted {
  readonly specifier: string;
  readonly files: Set<string>;
  readonly names: Set<string>;
  readonly instead: string | undefined;
}

/** Collects the imported names that no package provides, for one module. */
export function missingNames({ instance }: Owner): MissingNames {
  const { source } = instance;
  const noted = new Map<string, Noted>();
  let isTold = false;
  const tellAll = (): void => {
    for (const { specifier, files, names, instead } of noted.values()) {
      const [file = source.path] = files;
      const path = files.size > 1 ? source.path : file;
      const details = { path, specifier, names: listOf([...names]), instead: instead ?? "" };
      const code = instead === undefined ? "MISSING_EXPORT" : "LACKING_EXPORT";
      instance.report({ ...diagnose(code, details, { source }), names: [...names] });
    }
    noted.clear();
  };
  return {
    note({ file, specifier, name, instead }) {
      const key = JSON.stringify([specifier, instead]);
      const found = noted.get(key) ?? { specifier, files: new Set(), names: new Set(), instead };
      noted.set(key, found);
      found.files.add(file);
      found.names.add(name);
      if (isTold) tellAll();
    },
    tell() {
      isTold = true;
      tellAll();
    },
  };
}

function listOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

/** The time limit for loading a module, and another one for its factory, in ms. Settings can only raise it. */
export const LOAD_MS = 30_000;

/**
 * Waits for work that may never end. After `ms` it rejects with the result of `late` and ignores the work's later
 * result. Keeps the process alive while it waits.
 */
export function within<T>(clock: Clock, ms: number, work: PromiseLike<T>, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.timer(ms, () => reject(late()));
    timer.hold(true);
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (thrown: unknown) => {
        timer.cancel();
        reject(thrown);
      },
    );
  });
}
