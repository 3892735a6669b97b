import type { Represented } from "./dependencies.ts";

/** An open piece: a part of a definition, or of a covered file, that does not show what it runs. */
export interface OpenPiece {
  /** The source text, shortened. */
  readonly piece: string;
  /** The file that contains the piece, with all links resolved. */
  readonly file: string;
  /** The 1-based line, if known. */
  readonly line?: number;
  /** The reason, as words that follow the piece in a message: "computes what it starts". */
  readonly why: string;
  /** The files to name with `--bind` so that an approval covers this piece of code; if none, a folder must be named. */
  readonly bind?: readonly string[];
  /** Whether the piece runs code of the project, even if a person's own hook contains the piece. */
  readonly isProject?: true;
}

/** A file or folder that is only named, read or printed. Changing it needs no new approval. */
export interface DataFile {
  /** The path, with all links resolved. */
  readonly file: string;
  /** Whether git ignores the file, so that an agent's tools may write it without a question. */
  readonly isIgnored?: true;
}

/** A folder from which a language may load modules that no code names, and the module names in it. */
export interface ModuleFolder {
  readonly folder: string;
  readonly names: readonly string[];
}

/**
 * Everything in a project that a hook or another item may run or read, each with one answer: covered, open, or data.
 */
export interface Coverage {
  /** The covered files with their bytes, by path with all links resolved; a missing file has no bytes. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
  readonly open: readonly OpenPiece[];
  readonly data: readonly DataFile[];
  readonly modules: readonly ModuleFolder[];
  /** Scripts in the project's root folder. New modules beside them need no new approval. */
  readonly inRoot: readonly string[];
  /** Dependency folders from which code runs. Their lock files are covered instead of their content. */
  readonly represented: readonly Represented[];
}

/** Files to cover besides those of the definition. */
export interface More {
  /** Files of which only the bytes count; what they start is not followed. */
  readonly kept?: readonly string[];
  /** Files that the definition loads as modules. */
  readonly loaded?: readonly string[];
  /** Files and folders that the approval includes because a person named them with `--bind`. */
  readonly bound?: readonly string[];
}
