import { basename, dirname, extname, join, relative } from "node:path";
import { type Diagnostic, diagnose } from "@hookline/ground";
import type { About } from "../dialect/about.ts";
import type { Candidate, Scan } from "../dialect/dialect.ts";
import { isInside, projectAbove } from "../dialect/project.ts";

/** Matches files that look like a hook or a module. */
const CODE = /\.(?:[cm]?[jt]sx?|sh|bash|py|rb)$/;
/**
 * Returns files in folders for hooks, or in folders with nearly the same name, that no dialect reads. Nothing else
 * would report them.
 */
export function unclaimed(
  { cwd, home, hooklineHome, files }: Scan,
  searched: readonly string[],
  candidates: readonly Candidate[],
  told: readonly Diagnostic[],
  abouts: readonly About[],
): Diagnostic[] {
  const bases = { project: cwd, home, hookline: hooklineHome };
  const found: Diagnostic[] = [];
  const looked = new Set(searched);
  let claimed: ReadonlySet<string> | undefined;
  const isKnown = (path: string): boolean => {
    claimed ??= withFolders(
      candidates.flatMap(({ source, files: own }) => [source.path, files.real(source.path) ?? source.path, ...own]),
    );
    // A link to the file of a known hook counts as that file.
    const real = files.real(path);
    return (
      claimed.has(path) ||
      (real !== undefined && claimed.has(real)) ||
      told.some(({ message }) => message.includes(path))
    );
  };
  for (const [base, wrong, right] of abouts.flatMap(({ mistaken }) => mistaken)) {
    const path = join(bases[base], wrong);
    if (looked.has(path) || files.stat(path) === undefined || isKnown(path)) continue;
    found.push(unread(path, `hooks are read from ${join(bases[base], right)}`, `Move it there.`));
  }
  for (const folder of projectAbove({ cwd, home, files })) {
    for (const own of looked) {
      const path = join(folder, relative(cwd, own));
      const isEmpty = files.stat(path)?.kind === "directory" && files.list(path)?.length === 0;
      if (!isInside(own, cwd) || looked.has(path) || files.stat(path) === undefined || isEmpty || isKnown(path))
        continue;
      found.push(unread(path, `it is not used in ${cwd}`, `Start in ${folder} to use it.`));
    }
  }
  const rules = new Map(abouts.flatMap(({ holds }) => Object.entries(holds ?? {})));
  for (const folder of looked) {
    const rule = rules.get(basename(folder));
    if (rule === undefined) continue;
    for (const { name } of files.list(folder) ?? []) {
      const path = join(folder, name);
      const stat = files.stat(path);
      if (name.startsWith(".") || name === "node_modules" || stat === undefined || isKnown(path)) continue;
      const strange = stat.kind === "directory" ? holdsCode(path, files) : CODE.test(name) && !name.endsWith(".d.ts");
      if (strange) found.push(unread(path, "nothing in it is a readable hook or module", rule));
    }
  }
  return found;
}

/** Returns the paths and every folder above them. */
function withFolders(paths: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of paths) for (let one = path; !all.has(one); one = dirname(one)) all.add(one);
  return all;
}

function holdsCode(path: string, files: Scan["files"]): boolean {
  return (files.list(path) ?? []).some(
    ({ name }) => CODE.test(name) || extname(name) === ".yaml" || name === "package.json",
  );
}

function unread(path: string, problem: string, remedy: string): Diagnostic {
  return diagnose("UNSUPPORTED", { path, problem, remedy });
}
