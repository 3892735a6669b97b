import { isAbsolute, join, resolve } from "node:path";
import type { Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import { directoryEntries, packageEntries, readManifest } from "./directory.ts";
import { type Imports, type ModuleText, moduleText } from "./module-text.ts";
import { fetchedRoot, isPackageSource } from "./package-source.ts";

/** A module that was found, its dialect and the reason for that choice. */
export interface GivenModule extends Belonging {
  readonly path: string;
  /** The reason why the module cannot be loaded, if that is already known. */
  readonly broken?: string;
}

/** The modules of one dialect that were named on the command line, or found in a folder. */
export interface GivenModules {
  readonly modules: readonly GivenModule[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns the modules named on the command line that belong to one dialect, in order. Directories are searched as by
 * `packageEntries` and `directoryEntries`. `pi:PATH` and `omp:PATH` name the dialect; `hook:PATH` comes from the flag
 * `--hook`. Missing paths are reported once, by the dialect that is named, or else by pi.
 */
export function explicitModules(scan: Scan, dialect: ModuleDialect): GivenModules {
  const modules: GivenModule[] = [];
  const searched: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const text of scan.explicit) {
    // Settings files of Claude Code and hookline's guards are not modules of pi or omp.
    if (/^(?:claude|hookline):/.test(text)) continue;
    const [, word, rest] = /^(pi|omp|hook):(.*)$/s.exec(text) ?? [undefined, undefined, text];
    const said: ModuleDialect | undefined = word === "pi" || word === "omp" ? word : undefined;
    const given: Given = word === "hook" ? "hook" : "extension";
    const reports = (said ?? "pi") === dialect;
    const fetched = isPackageSource(rest as string) ? fetchedRoot(scan, rest as string) : undefined;
    if (fetched !== undefined && "problem" in fetched) {
      const why = `${dialect}: it was given by name`;
      if (reports) modules.push({ path: fetched.folder, dialect, why, broken: fetched.reason });
      continue;
    }
    const path = fetched?.root ?? resolvePath(rest as string, scan.cwd, scan.home);
    searched.push(path);
    const kind = scan.files.stat(path)?.kind;
    if (kind === undefined) {
      if (!reports) continue;
      const problem = "there is no such file or directory";
      diagnostics.push(diagnose("UNREADABLE", { path, problem }));
      modules.push({ path, dialect, why: `${dialect}: it was given by name`, broken: problem });
      continue;
    }
    const found = kind === "directory" ? inDirectory(scan, path) : { paths: [path], diagnostics: [] };
    if (reports) diagnostics.push(...found.diagnostics);
    for (const file of found.paths) {
      const belonging = said === undefined ? found.belonging : { dialect: said, why: `${said}: it was named so` };
      const module = { path: file, ...(belonging ?? belongs(scan, file, given)) };
      if (module.dialect === dialect) modules.push(module);
    }
  }
  return { modules, searched, diagnostics };
}

/** Returns the modules in hookline's own extension folders that belong to one dialect. */
export function folderModules(scan: Scan, directory: string, dialect: ModuleDialect): GivenModules {
  const { paths, diagnostics } = directoryEntries(scan.files, directory, ["pi", "omp"]);
  const modules = paths.map((path) => ({ path, ...belongs(scan, path, "folder") }));
  return {
    modules: modules.filter((module) => module.dialect === dialect),
    searched: [directory],
    diagnostics: dialect === "pi" ? diagnostics : [],
  };
}

/** Resolves a path that the user wrote. `~` is the home folder, and other relative paths start at `base`. */
export function resolvePath(written: string, base: string, home: string): string {
  if (written === "~") return home;
  if (written.startsWith("~/")) return join(home, written.slice(2));
  return isAbsolute(written) ? resolve(written) : resolve(base, written);
}

function inDirectory(
  { files }: Scan,
  path: string,
): { paths: readonly string[]; diagnostics: readonly Diagnostic[]; belonging?: Belonging } {
  const own = packageEntries(files, path, ["pi", "omp"]);
  const usual = join(path, "extensions");
  // A package whose manifest lists no extensions has them in its folder `extensions`.
  const isPackage = files.stat(join(path, "package.json"))?.kind === "file" && files.stat(usual)?.kind === "directory";
  const found = own ?? directoryEntries(files, isPackage ? usual : path, ["pi", "omp"]);
  const { key, extensions } = readManifest(files, path, ["pi", "omp"]);
  if (extensions === undefined || (key !== "pi" && key !== "omp")) return found;
  return { ...found, belonging: { dialect: key, why: `${key}: its package.json lists it under "${key}"` } };
}

function belongs(scan: Scan, path: string, given: Given): Belonging {
  return dialectOfModule(moduleText(scan, path), given);
}

/** The dialects whose hooks are modules. */
export type ModuleDialect = "pi" | "omp";

/** How a module was named: by the flag `--extension`, by `--hook`, or by being in hookline's own folder. */
export type Given = "extension" | "hook" | "folder";

/** The dialect that a module is written in, and the reason for that choice, for the load report. */
export interface Belonging {
  readonly dialect: ModuleDialect;
  readonly why: string;
}

const scopes: readonly (readonly [prefix: string, dialect: ModuleDialect])[] = [
  ["@oh-my-pi/", "omp"],
  ["@mariozechner/", "pi"],
  ["@earendil-works/", "pi"],
];

const NONE: Imports = { code: [], comments: [] };

/**
 * Detects a module's dialect by the agent packages that its source imports, including type imports. Types in JSDoc
 * comments count only if the code imports none of these packages. A module without any is omp's if it was given by
 * `--hook`, otherwise pi's.
 *
 * Source: ruling 17.
 */
export function dialectOfModule(source: ModuleText | undefined, given: Given): Belonging {
  const { code, comments } = source?.imports ?? NONE;
  for (const specifier of [...code, ...comments]) {
    const scope = scopes.find(([prefix]) => specifier.startsWith(prefix));
    if (scope !== undefined) return { dialect: scope[1], why: `${scope[1]}: it imports ${specifier}` };
  }
  if (given === "hook") return { dialect: "omp", why: "omp: it was given by --hook and imports no agent's package" };
  return { dialect: "pi", why: "pi: it imports no agent's package" };
}
