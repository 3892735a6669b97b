import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { Files } from "@hookline/ground";
import { theParser } from "../command/parser.ts";
import type { Candidate } from "../dialect/dialect.ts";
import { isInside, type ProjectFolders, projectRoot } from "../dialect/project.ts";
import type { Coverage, DataFile, ModuleFolder, More, OpenPiece } from "./answers.ts";
import { coverageOf, sha256 } from "./coverage.ts";
import { type SteadyFiles, steady } from "./steady.ts";
import { hashTree } from "./tree.ts";

/** One file, as it was when it was read. */
export interface HashedFile {
  /** Absolute; all links are resolved if the file exists. */
  readonly path: string;
  /** Hex SHA-256 of its bytes; empty if it could not be read. */
  readonly sha256: string;
}

/** A file or folder of the project that a person has bound: the item stays approved as long as nothing of it changes. */
export interface Bound {
  /** Absolute, with all links resolved. */
  readonly path: string;
  /** Hex SHA-256 over a folder's tree; a file is among the covered ones. */
  readonly sha256?: string;
}

/** The rule by which a definition is covered; an approval without it is of the rule before. */
export const RULE = 2;

/**
 * The parts of a definition that decide what runs: its place, its text, and the bytes of its files (guarantees R53).
 */
export interface Fingerprint {
  /** The file that defines it, with all links resolved. */
  readonly path: string;
  readonly lane: string;
  /** The definition as canonical JSON, paths in the project relative to the folder of `path`. */
  readonly definition: string;
  readonly rule?: number;
  readonly files: readonly HashedFile[];
  readonly bound?: readonly Bound[];
  /** Pieces that consent does not cover; a new one is asked about. */
  readonly open?: readonly OpenPiece[];
  /** Files that it only reads; not part of the hash. */
  readonly data?: readonly DataFile[];
  /** Folders in which it loads modules that nobody names; a new name there is asked about. */
  readonly modules?: readonly ModuleFolder[];
  /** Scripts beside which new modules are not asked about. */
  readonly inRoot?: readonly string[];
  /** The reason for which it cannot be approved; the hash is then empty. */
  readonly refused?: string;
  /** Hex SHA-256 over place, definition, files and what is bound; the same for a copy of the project elsewhere. */
  readonly hash: string;
}

/**
 * Takes fingerprints of what one load has found, as it is now. Each file is read once, and each definition is looked at
 * once for each way of looking. The parser of commands must be loaded.
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
    // Most approvals are for just what is covered now.
    return kept.every((path) => plain.files.has(path)) ? plain : cover({ ...more, kept });
  }

  /** Forgets the bytes that were read. What is asked again is answered as before; the rest is read anew. */
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

/** The parts of a fingerprint that are on the disk. */
type OnDisk = Pick<Fingerprint, "files" | "bound" | "open" | "data" | "modules" | "inRoot" | "refused">;

/** The part of a fingerprint that a coverage states. */
function onDisk({ files, open, data, modules, inRoot }: Coverage): OnDisk {
  return { files: [...files].map(([path, bytes]) => ({ path, sha256: sha256(bytes) })), open, data, modules, inRoot };
}

/** Project files and folders with their current content, or why no approval can be bound to them. */
function boundBy(
  paths: readonly string[],
  place: ProjectFolders & { readonly files: SteadyFiles },
): Pick<OnDisk, "bound" | "refused"> {
  if (paths.length === 0) return {};
  const { files } = place;
  const root = projectRoot(place);
  const bound: Bound[] = [];
  for (const path of paths) {
    const real = files.real(path);
    const kind = real === undefined ? undefined : files.stat(real)?.kind;
    if (real === undefined || (kind !== "file" && kind !== "directory"))
      return { refused: `${path} is not a file or a folder` };
    if (!isInside(real, root)) return { refused: `${path} is outside the project ${root}` };
    if (kind === "file") {
      bound.push({ path: real });
      continue;
    }
    const tree = files.once(`tree ${real}`, () => hashTree(files, real, root));
    if ("refused" in tree) return tree;
    bound.push({ path: real, sha256: tree.sha256 });
  }
  return { bound };
}

/** The fingerprint of a definition with these files. */
function printOf(path: string, candidate: Candidate, covered: OnDisk, place: ProjectFolders): Fingerprint {
  const { cwd, files } = place;
  const { lane, source, runsProject } = candidate;
  const folder = dirname(path);
  // A person may change their own definition; the project's files that it runs are what is agreed to.
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

/** Returns the first path that is not as it was agreed to; undefined if all of them are. */
export function difference(
  now: Fingerprint,
  agreed: Pick<Fingerprint, "files" | "bound" | "open" | "modules">,
  isRead = (_: string): boolean => false,
): string | undefined {
  if (now.refused !== undefined) return now.refused;
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
 * JSON with sorted keys, so that it is the same at any place: paths below a folder, and those of the folders that hold
 * it in the project, are relative to it.
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

/** A path as seen from a folder; what is no absolute path is left as it is. */
export function below(path: string, folder: string): string {
  if (!isAbsolute(path)) return path;
  // Most are in the folder, and `relative` takes both paths apart.
  if (sep === "/" && path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
  const seen = relative(folder, path);
  return seen === "" ? "." : seen.split(sep).join("/");
}
