import { createHash } from "node:crypto";
import { dirname, isAbsolute, relative, sep } from "node:path";
import type { Candidate } from "../dialect/dialect.ts";
import { isInside, type Place, projectRoot } from "../dialect/project.ts";
import { type Closure, type Covered, closureOf } from "./closure.ts";
import type { LookAt, OpenPiece } from "./consent.ts";
import type { Names } from "./names.ts";
import { steady } from "./steady.ts";
import { hashTree } from "./tree.ts";

/** One file, as it was when it was read. */
export interface HashedFile {
  /** Absolute; all links are resolved if the file exists. */
  readonly path: string;
  /** Hex SHA-256 of its bytes; empty if it could not be read. */
  readonly sha256: string;
  /** As far as can be read, nothing starts or imports it: it is covered only if it existed at the approval. */
  readonly isData?: boolean;
}

/** A folder that an approval is bound to: the item stays approved as long as nothing in the folder changes. */
export interface BoundFolder {
  /** Absolute, with all links resolved. */
  readonly folder: string;
  /** Hex SHA-256 over its tree. */
  readonly sha256: string;
}

/**
 * The parts of a definition that decide what runs: its place, its text, and the bytes of its files (guarantees R53).
 */
export interface Fingerprint {
  /** Where it is defined, with all links resolved. */
  readonly path: string;
  readonly lane: string;
  /** The definition as canonical JSON, paths in the project relative to the folder of `path`. */
  readonly definition: string;
  readonly files: readonly HashedFile[];
  readonly boundTo?: BoundFolder;
  /**
   * What consent does not cover; absent if that was not asked. It follows from the bytes, so it is not part of the
   * hash.
   */
  readonly open?: readonly OpenPiece[];
  /** Why it cannot be approved, such as an exceeded limit; the hash is then empty. */
  readonly refused?: string;
  /** Hex SHA-256 over all of it; the same for a copy of the project elsewhere. */
  readonly hash: string;
}

/** Takes the fingerprint of a definition as it is now, with `more` files, bound to a folder. */
export type Print = (candidate: Candidate, ...at: Parameters<LookAt>) => Fingerprint;

/** Takes fingerprints of what one load has found; each file is read once. */
export function fingerprints(given: Place): Print {
  const files = steady(given.files);
  const place = { ...given, files };
  const hashes = new Map<string, string>();
  const hashOf = (path: string, bytes: Uint8Array): string => {
    const known = hashes.get(path) ?? (files.stat(path) === undefined ? "" : sha256(bytes));
    hashes.set(path, known);
    return known;
  };
  const trees = new Map<string, ReturnType<typeof bind>>();
  const boundTo = (folder: string): ReturnType<typeof bind> => {
    const known = trees.get(folder) ?? bind(place, folder);
    trees.set(folder, known);
    return known;
  };
  const closures = new WeakMap<Candidate, Closure>();
  const closed = (candidate: Candidate, more: readonly string[]): Closure => {
    const known = closures.get(candidate);
    if (known !== undefined && more.every((path) => known.files.has(path))) return known;
    const closure = closureOf(candidate, place, more);
    closures.set(candidate, closure);
    return closure;
  };
  return (candidate, more = [], folder) => {
    const closure = closed(candidate, more);
    const { files: covered, refused } = closure;
    const isStarted = (file: string, called: Covered["called"]): boolean =>
      ((files.stat(file)?.mode ?? 0) & 0o111) !== 0 ||
      startsIn(closure).some(({ started }) => [...called].some((name) => started.has(name)));
    // A command's words may name what it writes; other files that a definition gives belong to it whenever they appear.
    const given = new Set(
      (candidate.commands ?? []).length > 0 ? [] : candidate.files.map((file) => files.real(file) ?? file),
    );
    const path = files.real(candidate.source.path) ?? candidate.source.path;
    const read = [...covered].map(([file, { bytes, text, called }]) => {
      const isData =
        !given.has(file) && (text === undefined || (text.language === "unknown" && !isStarted(file, called)));
      return { path: file, sha256: hashOf(file, bytes), ...(isData && { isData }) };
    });
    const onDisk = {
      files: read,
      ...(folder !== undefined && boundTo(folder)),
      ...(refused !== undefined && { refused }),
    };
    return printOf(path, candidate, onDisk, place);
  };
}

/** The names in a closure's texts. */
function startsIn({ commands, files }: Closure): Names[] {
  return [...commands, ...[...files.values()].flatMap(({ text }) => text ?? [])].map(({ names }) => names);
}

/** A fingerprint without data that appeared later, such as a hook's own log. */
export function asAgreed(print: Fingerprint, agreed: readonly HashedFile[]): Fingerprint {
  const paths = new Set(agreed.map(({ path }) => path));
  const files = print.files.filter(({ path, isData }) => isData !== true || paths.has(path));
  return files.length === print.files.length ? print : hashed({ ...print, files });
}

/** What of a fingerprint is on the disk. */
type OnDisk = Pick<Fingerprint, "files" | "boundTo" | "open" | "refused">;

/** A project folder with its current content, or why no approval can be bound to it. */
export function bind(place: Place, folder: string): Pick<OnDisk, "boundTo" | "refused"> {
  const { files } = place;
  const root = projectRoot(place);
  const real = files.real(folder);
  if (real === undefined || files.stat(real)?.kind !== "directory") return { refused: `${folder} is not a folder` };
  if (!isInside(real, root)) return { refused: `${folder} is outside the project ${root}` };
  const tree = hashTree(files, real, root);
  return "refused" in tree ? tree : { boundTo: { folder: real, sha256: tree.sha256 } };
}

/** The fingerprint of a definition with these files and this folder. */
export function printOf(path: string, candidate: Candidate, covered: OnDisk, { cwd, files }: Place): Fingerprint {
  const { lane, source, definition: given } = candidate;
  const definition = canonical({ api: source.api, definition: given }, dirname(path), files.real(cwd) ?? cwd);
  return hashed({ path, lane, definition, ...covered });
}

function hashed(print: Omit<Fingerprint, "hash">): Fingerprint {
  const { path, lane, definition, files, boundTo, refused } = print;
  const folder = dirname(path);
  const lines = files.map((file) => `${file.sha256} ${below(file.path, folder)}`);
  if (boundTo !== undefined) lines.push(`tree ${boundTo.sha256} ${below(boundTo.folder, folder)}`);
  const all = [lane, below(path, folder), definition, lines.sort()];
  const hash = refused === undefined ? sha256(new TextEncoder().encode(JSON.stringify(all))) : "";
  return { ...print, hash };
}

/** Hex SHA-256 of some bytes; empty without bytes. */
export function sha256(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : createHash("sha256").update(bytes).digest("hex");
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
  const seen = relative(folder, path);
  return seen === "" ? "." : seen.split(sep).join("/");
}
