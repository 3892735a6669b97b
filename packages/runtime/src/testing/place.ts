import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, resolve, sep } from "node:path";

/** Where the files of a test were put, so that their dialects find them as they do in a home folder. */
export interface Placed {
  /** Modules that are named on the command line. */
  readonly explicit: readonly string[];
  /** Folders that links among chibi's plugins may lead to. */
  readonly linkDirectories: readonly string[];
}

const MODULE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/**
 * Puts hook files into an empty home folder by what they are: a `.yaml` file is j-cli's, as is a folder with a
 * `HOOK.yaml`; a module below `hooks/pre` or `hooks/post` is an omp hook; every other module is as if named with `-e`
 * (`omp:PATH` and `pi:PATH` say the dialect); any other file is a plugin of chibi. Throws for what is not there.
 */
export function placeFiles(files: readonly string[], home: string): Placed {
  const explicit: string[] = [];
  const linkDirectories: string[] = [];
  for (const text of files) {
    const [, prefix = "", written = ""] = /^((?:pi|omp|hook):)?(.*)$/s.exec(text) ?? [];
    const path = resolve(written);
    if (!existsSync(path)) throw new Error(`There is no hook file ${path}; correct the path.`);
    const kind = kindOf(path);
    if (prefix !== "" || kind === "module") explicit.push(prefix + path);
    else if (kind === "plugin") {
      linkDirectories.push(dirname(path));
      link(path, join(home, ".chibi/plugins", basename(path)));
    } else if (kind === "omp-hook") reexport(path, join(home, PLACES[kind](path)));
    else link(path, join(home, PLACES[kind](path)));
  }
  return { explicit, linkDirectories };
}

type Kind = "module" | "omp-hook" | "hooks-file" | "hook-folder" | "plugin";

const PLACES: Readonly<Record<"omp-hook" | "hooks-file" | "hook-folder", (path: string) => string>> = {
  "omp-hook": (path) => join(".omp/agent/hooks", basename(dirname(path)), basename(path)),
  "hooks-file": () => ".jdata/agent/hooks.yaml",
  "hook-folder": (path) => join(".jdata/agent/hooks", basename(path)),
};

function kindOf(path: string): Kind {
  if (statSync(path).isDirectory()) {
    if (existsSync(join(path, "HOOK.yaml"))) return "hook-folder";
    return existsSync(join(path, basename(path))) ? "plugin" : "module";
  }
  if (/^\.ya?ml$/.test(extname(path))) return "hooks-file";
  if (!MODULE.test(path)) return "plugin";
  return /[\\/]hooks[\\/](?:pre|post)$/.test(dirname(path)) ? "omp-hook" : "module";
}

function link(path: string, place: string): void {
  makeRoom(path, place);
  symlinkSync(path, place);
}

/** omp skips links in its hook folders. */
function reexport(path: string, place: string): void {
  makeRoom(path, place);
  writeFileSync(place, `export { default } from ${JSON.stringify(path)};\n`);
}

function makeRoom(path: string, place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  if (existsSync(place))
    throw new Error(`${path} and another file would both be ${place.split(sep).slice(-2).join(sep)}; test them apart.`);
}
