import { readFileSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ByteText, pathOf } from "./bytes.ts";
import { namesIn, statsOf } from "./links.ts";

/** The folders and files of a project's repository. All paths are absolute, with links resolved. */
export interface Repository {
  /** The top folder of the repository's work tree, or the folder of a bare repository. */
  readonly top: ByteText;
  /** The repository's own folder, with HEAD and the index. */
  readonly gitDir: ByteText;
  /** The folder with refs and objects, which differs from `gitDir` in a linked work tree. */
  readonly commonDir: ByteText;
  readonly hashLength: 20 | 32;
}

/** Finds the repository that contains a folder; `undefined` if there is none that can be read. */
export function repositoryOf(folder: ByteText): Repository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const names = namesIn(at);
    const gitDir = names.includes(".git") ? gitDirOf(`${at}/.git`) : isRepositoryFolder(names) ? at : undefined;
    if (gitDir !== undefined) {
      const common = textOf(`${gitDir}/commondir`).trim();
      const commonDir = common === "" ? gitDir : real(resolve(gitDir, common));
      const isSha256 = /^\s*objectformat\s*=\s*sha256/im.test(textOf(`${commonDir}/config`));
      return { top: at, gitDir, commonDir, hashLength: isSha256 ? 32 : 20 };
    }
    if (at === dirname(at)) return undefined;
  }
}

/** Whether a path is a folder, or inside it. */
export function isWithin(path: ByteText, folder: ByteText): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/**
 * Makes a test for paths that undo must not touch in a repository's own folder, such as `.git`: lock files, work trees
 * outside of the project, and the branches that are checked out there.
 */
export function foreignIn(root: ByteText, project: ByteText): (path: ByteText, isInRepository: boolean) => boolean {
  const branches = new Map<ByteText, ReadonlySet<ByteText>>();
  return (path, isInRepository) => {
    if (!isInRepository) return false;
    if (path.endsWith(".lock")) return true;
    const [, worktrees = ""] = /^(.*worktrees)\/[^/]+$/.exec(path) ?? [];
    if (worktrees !== "" && isRepositoryFolder(namesIn(`${root}/${dirname(worktrees)}`)))
      return !isOfProject(`${root}/${path}`, project);
    const [, prefix = "", branch = ""] = /^(|.*?\/)(?:logs\/)?(refs\/heads\/.+)$/.exec(path) ?? [];
    if (branch === "") return false;
    let foreign = branches.get(prefix);
    if (foreign === undefined) {
      foreign = foreignBranches(`${root}/${prefix}`, project);
      branches.set(prefix, foreign);
    }
    return foreign.has(branch);
  };
}

/** Returns the branches that are checked out in work trees outside of the project; `repository` ends with a slash. */
function foreignBranches(repository: ByteText, project: ByteText): ReadonlySet<ByteText> {
  const others = namesIn(`${repository}worktrees`).map((name) => `${repository}worktrees/${name}`);
  const main = isWithin(repository, project) || others.length === 0 ? [] : [repository];
  const foreign = [...others.filter((other) => !isOfProject(other, project)), ...main];
  return new Set(foreign.flatMap((other) => /^ref: (.+)/.exec(textOf(`${other}/HEAD`))?.[1] ?? []));
}

function isOfProject(worktree: ByteText, project: ByteText): boolean {
  const place = textOf(`${worktree}/gitdir`).trim();
  return place === "" || isWithin(real(resolve(worktree, place)), project);
}

/** Returns the folder that a `.git` is or points to; `undefined` if it does not exist. */
export function gitDirOf(path: ByteText): ByteText | undefined {
  if (statsOf(path)?.isFile() !== true) return real(path);
  const named = /^gitdir: (.+)/.exec(textOf(path))?.[1];
  if (named === undefined) return undefined;
  const folder = real(resolve(dirname(path), named));
  return statsOf(folder)?.isDirectory() === true ? folder : undefined;
}

function isRepositoryFolder(names: readonly ByteText[]): boolean {
  return ["HEAD", "objects", "refs"].every((name) => names.includes(name));
}

/** Resolves links in the existing part of a path. */
export function real(path: ByteText): ByteText {
  try {
    return realpathSync.native(pathOf(path), "latin1");
  } catch {
    return path === dirname(path)
      ? path
      : `${real(dirname(path)).replace(/\/$/, "")}/${path.slice(path.lastIndexOf("/") + 1)}`;
  }
}

function textOf(path: ByteText): ByteText {
  try {
    return readFileSync(pathOf(path), "latin1");
  } catch {
    return "";
  }
}
