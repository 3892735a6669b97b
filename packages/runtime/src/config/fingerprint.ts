import { createHash } from "node:crypto";
import { dirname, isAbsolute, relative, sep } from "node:path";
import type { Candidate } from "../dialect/dialect.ts";
import type { Files } from "../port/files.ts";
import { namedPrograms } from "./programs.ts";

/** One file as it was when it was looked at. */
export interface HashedFile {
  /** Absolute, with all links resolved where the file is there. */
  readonly path: string;
  /** Hex SHA-256 of its bytes; empty text where it could not be read. */
  readonly sha256: string;
}

/** What of a definition decides what runs: its place, its text, and the bytes of its files (guarantees R53). */
export interface Fingerprint {
  /** Where it is defined, with all links resolved. */
  readonly path: string;
  readonly lane: string;
  /** The definition as canonical JSON, paths relative to the folder of `path`. */
  readonly definition: string;
  readonly files: readonly HashedFile[];
  /** Hex SHA-256 over all of it. The same in a copy of the project at another place. */
  readonly hash: string;
}

/** Takes the fingerprint of a definition as it is now, with `more` files beyond those that it names. */
export type Print = (candidate: Candidate, more?: readonly string[]) => Fingerprint;

/** Takes fingerprints of what one load has found; each file is looked at once. */
export function fingerprints(files: Files, cwd: string): Print {
  const hashes = new Map<string, string>();
  const hashOf = (path: string): string => {
    const known = hashes.get(path) ?? sha256(files.read(path));
    hashes.set(path, known);
    return known;
  };
  return (candidate, more = []) => {
    const named = [...candidate.files, ...namedPrograms(candidate.files, cwd, files), ...more];
    const real = [...new Set(named.map((file) => files.real(file) ?? file))];
    const path = files.real(candidate.source.path) ?? candidate.source.path;
    return printOf(
      path,
      candidate,
      real.map((file) => ({ path: file, sha256: hashOf(file) })),
    );
  };
}

/** The fingerprint of a definition whose files were like this. */
export function printOf(path: string, candidate: Candidate, files: readonly HashedFile[]): Fingerprint {
  const { lane, source, definition: given } = candidate;
  const folder = dirname(path);
  const definition = canonical({ api: source.api, definition: given }, folder);
  const lines = files.map((file) => `${file.sha256} ${below(file.path, folder)}`).sort();
  const hash = sha256(new TextEncoder().encode(JSON.stringify([lane, below(path, folder), definition, lines])));
  return { path, lane, definition, files, hash };
}

/** Hex SHA-256 of some bytes; empty text for none. */
export function sha256(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : createHash("sha256").update(bytes).digest("hex");
}

/** JSON with sorted keys, in which paths are relative to a folder, so that it does not change with the place. */
function canonical(value: unknown, folder: string): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string")
      return inner === folder || inner.startsWith(folder + sep) ? below(inner, folder) : inner;
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
