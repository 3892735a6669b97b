import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { Files } from "@hookline/ground";
import { theParser } from "../command/parser.ts";
import type { Candidate } from "../dialect/dialect.ts";
import { isInside, type ProjectFolders, projectRoot } from "../dialect/project.ts";
import type { Coverage, DataFile, ModuleFolder, More, OpenPiece } from "./answers.ts";
import { coverageOf, sha256 } from "./coverage.ts";
import { type SteadyFiles, steady } from "./steady.ts";
import { hashTree } from "./tree.ts";

/** A file and its content's hash when it was read. */
export interface HashedFile {
  /** The absolute path; all links are resolved if the file exists. */
  readonly path: string;
  /** The SHA-256 of the file's bytes in hex; empty if it could not be read. */
  readonly sha256: string;
}

/**
 * A file or folder of the project that a person has included in an approval with `--bind`. The approval ends when its
 * content changes.
 */
export interface Bound {
  /** The absolute path of the file or folder, with all links resolved. */
  readonly path: string;
  /** The SHA-256 in hex over a folder's tree; absent for a file, whose hash is among the covered files. */
  readonly sha256?: string;
}

/** The version of the rule that says which files an approval covers. Approvals without it follow the former rule. */
export const RULE = 2;

/** The parts of a definition that decide what runs: place, text and bytes of its files. Guarantees R53. */
export interface Fingerprint {
  /** The file that contains the definition, with all links resolved. */
  readonly path: string;
  readonly lane: string;
  /** The definition as canonical JSON, with paths in the project relative to the folder of `path`. */
  readonly definition: string;
  readonly rule?: number;
  readonly files: readonly HashedFile[];
  readonly bound?: readonly Bound[];
  /** Code that does not show what it runs, which no approval covers. A new piece needs a new approval. */
  readonly open?: readonly OpenPiece[];
  /** Files that the definition only reads; not part of the hash. */
  readonly data?: readonly DataFile[];
  /** Folders from which the definition may load modules that no code names. A new module needs a new approval. */
  readonly modules?: readonly ModuleFolder[];
  /** Scripts that lie in the project's root folder. New modules beside them need no new approval. */
  readonly inRoot?: readonly string[];
  /** The reason why the definition cannot be approved; the hash is then empty. */
  readonly refused?: string;
  /** The bound file or folder because of which the definition cannot be approved. */
  readonly refusedFor?: string;
  /** The SHA-256 in hex of lane, file name, definition, `files` and `bound`; the same in a copy of the project. */
  readonly hash: string;
}

/**
 * Computes fingerprints of the definitions of one load, as they are now. Each file is read once, and each fingerprint
 * is computed once for the same options. The parser of commands must be loaded.
 */
export class Fingerprints {
  #place: ProjectFolders & { readonly files: SteadyFiles };
  #covered = new WeakMap<Candidate, Map<string, Coverage>>();
  readonly #taken = new WeakMap<Candidate, Map<string, Fingerprint>>();

  constructor(place: ProjectFolders) {
    this.#place = { ...place, files: steady(place.files) };
  }

  of(candidate: Candidate, more: More = {}): Fingerprint {
    const { kept = [], loaded = [], bound = [] } = more;
    return remembered(this.#taken, candidate, JSON.stringify([kept, loaded, bound]), () => {
      const place = this.#place;
      const path = place.files.real(candidate.source.path) ?? candidate.source.path;
      const covered = onDisk(this.coverage(candidate, more));
      return printOf(path, candidate, { ...covered, ...boundBy(bound, place) }, place);
    });
  }

  coverage(candidate: Candidate, { kept = [], ...more }: More = {}): Coverage {
    const cover = (how: More): Coverage => coverageOf(candidate, this.#place, theParser(), how);
    const key = JSON.stringify([more.bound ?? [], more.loaded ?? []]);
    const plain = remembered(this.#covered, candidate, key, () => cover(more));
    // Most often every file in `kept` is covered anyway, and nothing has to be computed again.
    return kept.every((path) => plain.files.has(path)) ? plain : cover({ ...more, kept });
  }

  /** Forgets the bytes of files. Keeps the fingerprints; computing another one reads the files again. */
  release(files: Files): void {
    this.#place = { ...this.#place, files: steady(files) };
    this.#covered = new WeakMap();
  }
}

function remembered<T>(all: WeakMap<Candidate, Map<string, T>>, candidate: Candidate, key: string, work: () => T): T {
  const known = all.get(candidate) ?? new Map<string, T>();
  all.set(candidate, known);
  const value = known.get(key) ?? work();
  known.set(key, value);
  return value;
}

/** The parts of a fingerprint that depend on files. */
type OnDisk = Pick<Fingerprint, "files" | "bound" | "open" | "data" | "modules" | "inRoot" | "refused" | "refusedFor">;

function onDisk({ files, open, data, modules, inRoot }: Coverage): OnDisk {
  return { files: [...files].map(([path, bytes]) => ({ path, sha256: sha256(bytes) })), open, data, modules, inRoot };
}

/** Returns the files and folders of `--bind` with their present hashes, or why an approval cannot include them. */
function boundBy(
  paths: readonly string[],
  place: ProjectFolders & { readonly files: SteadyFiles },
): Pick<OnDisk, "bound" | "refused" | "refusedFor"> {
  if (paths.length === 0) return {};
  const { files } = place;
  const root = projectRoot(place);
  const bound: Bound[] = [];
  for (const path of paths) {
    const real = files.real(path);
    const kind = real === undefined ? undefined : files.stat(real)?.kind;
    if (real === undefined || (kind !== "file" && kind !== "directory"))
      return { refused: `${path} is not a file or a folder`, refusedFor: path };
    if (!isInside(real, root)) return { refused: `${path} is outside the project ${root}`, refusedFor: path };
    if (kind === "file") {
      bound.push({ path: real });
      continue;
    }
    const tree = files.once(`tree ${real}`, () => hashTree(files, real, root));
    if ("refused" in tree) return { ...tree, refusedFor: path };
    bound.push({ path: real, sha256: tree.sha256 });
  }
  return { bound };
}

function printOf(path: string, candidate: Candidate, covered: OnDisk, place: ProjectFolders): Fingerprint {
  const { cwd, files } = place;
  const { lane, source, runsProject } = candidate;
  const folder = dirname(path);
  // A person may change their own definition freely; the approval is for the project's files that it runs.
  const given = runsProject
    ? { project: projectRoot(place), runs: covered.files.map((file) => below(file.path, projectRoot(place))) }
    : candidate.definition;
  const definition = canonical({ api: source.api, definition: given }, folder, files.real(cwd) ?? cwd);
  const { bound = [], refused } = covered;
  const lines = [
    ...covered.files.map((file) => `${file.sha256} ${below(file.path, folder)}`),
    ...bound.map((one) => `bound ${one.sha256 ?? ""} ${below(one.path, folder)}`),
  ];
  const all = [lane, below(path, folder), definition, lines.sort()];
  const hash = refused === undefined ? sha256(new TextEncoder().encode(JSON.stringify(all))) : "";
  return { path, lane, definition, rule: RULE, ...covered, hash };
}

/** Returns the first path that differs from what was approved, or why `now` is refused; `undefined` if neither. */
export function difference(
  now: Fingerprint,
  agreed: Pick<Fingerprint, "files" | "bound" | "open" | "modules">,
  isRead = (_: string): boolean => false,
): string | undefined {
  if (now.refused !== undefined) return now.refusedFor ?? now.path;
  const known = new Map(agreed.files.map((file) => [file.path, file.sha256]));
  const there = new Set(now.files.map(({ path }) => path));
  const gone = [...known.keys()].find((path) => !isRead(path) && !there.has(path));
  const other = gone ?? now.files.find(({ path, sha256 }) => !isRead(path) && known.get(path) !== sha256)?.path;
  if (other !== undefined) return other;
  const tree = now.bound?.find(
    ({ path, sha256 }) => !agreed.bound?.some((one) => one.path === path && one.sha256 === sha256),
  );
  if (tree !== undefined) return tree.path;
  const names = new Map((agreed.modules ?? []).map(({ folder, names }) => [folder, names]));
  for (const { folder, names: here } of now.modules ?? []) {
    const added = here.find((name) => names.get(folder)?.includes(name) !== true);
    if (added !== undefined) return join(folder, added);
  }
  const isKnown = ({ file, piece, line }: OpenPiece): boolean =>
    agreed.open?.some(
      (one) => one.file === file && (one.piece === piece || (line !== undefined && one.line === line)),
    ) === true;
  return now.open?.find((piece) => !isRead(piece.file) && !isKnown(piece))?.file;
}

/**
 * Returns JSON with sorted keys that is the same in a copy of the project: paths below `folder`, and its parent folders
 * in the project, become relative to it.
 */
function canonical(value: unknown, folder: string, project: string): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string")
      return isInside(inner, folder) || (isInside(inner, project) && isInside(folder, inner))
        ? below(inner, folder)
        : inner;
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Returns an absolute path relative to a folder; other texts are returned unchanged. */
export function below(path: string, folder: string): string {
  if (!isAbsolute(path)) return path;
  // Most paths are in the folder, and `relative` is slow because it splits both paths.
  if (sep === "/" && path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
  const seen = relative(folder, path);
  return seen === "" ? "." : seen.split(sep).join("/");
}
