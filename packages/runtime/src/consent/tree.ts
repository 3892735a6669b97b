import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import type { Files } from "@hookline/ground";
import { dependencyFolder, represented } from "./dependencies.ts";
import { isCheckedPython } from "./python.ts";

/** The most that consent reads for one definition; anything larger cannot be approved (ruling 57). */
export const LIMITS = { files: 2000, bytes: 16 * 1024 * 1024 } as const;

/** The file that lists what a project may run where nobody can be asked. */
export const LOCK_NAME = "hookline.lock";

/** Folders of version control, whose content changes with every commit and is never part of a clone. */
const HISTORY: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj"]);

/** The hash over a folder, or the reason why there is none. */
export type Tree = { readonly sha256: string } | { readonly refused: string };

/**
 * Returns the hash over everything below a folder: names, bytes, executable bits and link targets. A dependency folder
 * is represented by its lock files, if there are any up to `root`. Version control folders, hookline's lock file, and
 * compiled Python that is checked against its source are left out.
 */
export function hashTree(files: Files, folder: string, root: string): Tree {
  const hash = createHash("sha256");
  const open = [""];
  let count = 0;
  let bytes = 0;
  /** Adds one file to the hash; returns false once the folder exceeds `LIMITS`. */
  const add = (path: string, full: string, link: string): boolean => {
    const stat = files.stat(full);
    count += 1;
    bytes += stat?.size ?? 0;
    if (count > LIMITS.files || bytes > LIMITS.bytes) return false;
    const content = stat?.kind === "file" ? files.read(full) : undefined;
    if (content !== undefined && isCheckedPython(path, content)) return true;
    const digest = content === undefined ? "" : createHash("sha256").update(content).digest("hex");
    hash.update(JSON.stringify([path, link, (stat?.mode ?? 0) & 0o111, digest]));
    return true;
  };
  const tooMuch = { refused: `${folder} contains more than ${LIMITS.files} files or 16 MiB` };
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for (const { name, kind } of files.list(join(folder, below)) ?? []) {
      if (HISTORY.has(name) || name === LOCK_NAME) continue;
      const path = below === "" ? name : `${below}/${name}`;
      const full = join(folder, path);
      const target = kind === "link" ? files.real(full) : undefined;
      if (target !== undefined && files.stat(target)?.kind === "directory") {
        if (!target.startsWith(folder + sep)) return { refused: `${full} is a link to a folder outside ${folder}` };
        hash.update(JSON.stringify([path, target.slice(folder.length)]));
      } else if (kind === "directory") {
        const locks = dependencyFolder(full) === full ? represented(files, full, root).by : [];
        if (locks.length === 0) open.push(path);
        else if (!locks.every((lock) => add(path, lock, "lock"))) return tooMuch;
      } else if (!add(path, full, kind)) return tooMuch;
    }
  }
  return { sha256: hash.digest("hex") };
}
