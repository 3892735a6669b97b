import { join } from "node:path";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { globFiles, globMatch, isGlob } from "@hookline/runtime/engine";
import { fieldOf, isEnabled, isOverride, readJson } from "../../in-process/directory.ts";
import { resolvePath } from "../../in-process/explicit.ts";
import { ownPackageAt, ownPackageLists } from "../../in-process/own-packages.ts";
import { fetchedRoot, isPackageSource } from "../../in-process/package-source.ts";
import { agentDir } from "./modules.ts";
import { packageRoot } from "./packages.ts";
import { readSettings, type TextKind } from "./settings.ts";

/** The files and folders of skills, prompt templates and themes in packages. */
export type PackageTexts = Readonly<Record<TextKind, readonly string[]>>;

type Where = Pick<Scan, "cwd" | "home" | "env" | "files" | "hooklineHome" | "explicit">;

/** A package, and lists from the settings that limit which of its texts are used. */
interface Chosen {
  readonly root: string;
  readonly wanted: Readonly<Partial<Record<TextKind, readonly string[]>>>;
}

const KEYS = ["pi", "omp"];

/**
 * Finds the skills, prompt templates and themes of packages: first those that the user's settings of pi and hookline
 * name, then those on the command line. In each package, they are what its manifest lists, or else the files in the
 * folder `skills`, `prompts` or `themes`.
 *
 * Source: pi's documentation of packages, 0.87.1.
 */
export function packageTexts(where: Where): PackageTexts {
  const chosen = [...ofSettings(where), ...ofOwnList(where), ...ofCommandLine(where)];
  const all = (kind: TextKind): string[] => [...new Set(chosen.flatMap((one) => textsIn(where.files, one, kind)))];
  return { skills: all("skills"), prompts: all("prompts"), themes: all("themes") };
}

function ofSettings(where: Where): Chosen[] {
  const base = agentDir(where);
  return readSettings(where.files, base).packages.flatMap(({ source, texts }) => {
    const installed = packageRoot(source, base, where.home);
    const root = where.files.stat(installed) === undefined ? fetched(where, source) : installed;
    return root === undefined ? [] : [{ root, wanted: texts ?? {} }];
  });
}

function ofOwnList(where: Where): Chosen[] {
  const lists = ownPackageLists(where).filter(({ tier }) => tier === "user");
  return lists.flatMap((list) =>
    list.sources.flatMap((source) => {
      const at = ownPackageAt(where, list, source);
      return "root" in at ? [{ root: at.root, wanted: {} }] : [];
    }),
  );
}

/** Returns the packages on the command line. A folder counts as a package only if it has a manifest. */
function ofCommandLine(where: Where): Chosen[] {
  return where.explicit.flatMap((text) => {
    const source = text.replace(/^(?:pi|omp|hook):/, "");
    const root = isPackageSource(source) ? fetched(where, source) : resolvePath(source, where.cwd, where.home);
    const isPackage = root !== undefined && where.files.stat(join(root, "package.json"))?.kind === "file";
    return isPackage ? [{ root, wanted: {} }] : [];
  });
}

function fetched(where: Where, source: string): string | undefined {
  const found = isPackageSource(source) ? fetchedRoot(where, source) : undefined;
  return found !== undefined && "root" in found ? found.root : undefined;
}

function textsIn(files: Files, { root, wanted }: Chosen, kind: TextKind): string[] {
  const listed = manifestList(files, root, kind) ?? [kind];
  const found = listed
    .filter((entry) => !isOverride(entry))
    .flatMap((entry) => (isGlob(entry) ? globFiles(files, root, entry) : [join(root, entry)]))
    .flatMap((path) => inside(files, path, kind))
    .filter((path) => isEnabled(path, listed, root));
  const limits = wanted[kind];
  if (limits === undefined) return found;
  const plain = limits.filter((entry) => !isOverride(entry));
  return found.filter((path) => {
    const below = path.slice(root.length + 1);
    const isNamed = plain.length === 0 || plain.some((entry) => globMatch(entry, below));
    return limits.length > 0 && isNamed && isEnabled(path, limits, root);
  });
}

/** Returns the files of a kind at a listed path: the file, or those in the folder. Skills can also be folders. */
function inside(files: Files, path: string, kind: TextKind): string[] {
  const at = files.stat(path)?.kind;
  if (at !== "directory") return at === "file" ? [path] : [];
  if (kind === "skills" && files.stat(join(path, "SKILL.md"))?.kind === "file") return [path];
  const end = kind === "themes" ? ".json" : ".md";
  return (files.list(path) ?? [])
    .filter(({ name }) => name.endsWith(end) || (kind === "skills" && isFolder(files, join(path, name))))
    .map(({ name }) => join(path, name));
}

function isFolder(files: Files, path: string): boolean {
  return files.stat(path)?.kind === "directory";
}

function manifestList(files: Files, root: string, kind: TextKind): readonly string[] | undefined {
  const read = readJson(files, join(root, "package.json"));
  if (read?.ok !== true) return undefined;
  const key = KEYS.find((name) => fieldOf(read.value, name) !== undefined);
  const listed = key === undefined ? undefined : fieldOf(fieldOf(read.value, key), kind);
  return Array.isArray(listed) ? listed.filter((entry) => typeof entry === "string") : undefined;
}
