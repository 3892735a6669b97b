import type { Represented } from "./dependencies.ts";

/** A piece of a definition, or of a file that it covers, whose bytes do not show what runs. */
export interface OpenPiece {
  /** The source text, shortened. */
  readonly piece: string;
  /** The file that holds it, with all links resolved. */
  readonly file: string;
  /** 1-based, if known. */
  readonly line?: number;
  /** The reason, as words that continue the piece: "computes what it starts". */
  readonly why: string;
  /** The files that close it once they are bound; without any, a folder does. */
  readonly bind?: readonly string[];
  /** It runs code of the project, whoever wrote it. */
  readonly isProject?: true;
}

/** A file or folder that is only named, read or printed: a change of it is not asked about. */
export interface DataFile {
  /** With all links resolved. */
  readonly file: string;
  /** Git ignores it, so an agent's tools may write it without a question. */
  readonly isIgnored?: true;
}

/** A folder in which a language loads modules that nobody names, and the names that are there. */
export interface ModuleFolder {
  readonly folder: string;
  readonly names: readonly string[];
}

/** Everything of a project that an item may run or read, each with one answer: covered, open, or data. */
export interface Coverage {
  /** By the path with all links resolved; a missing file has no bytes. */
  readonly files: ReadonlyMap<string, Uint8Array | undefined>;
  readonly open: readonly OpenPiece[];
  readonly data: readonly DataFile[];
  readonly modules: readonly ModuleFolder[];
  /** Scripts in the project's own folder, beside which new modules are not asked about. */
  readonly inRoot: readonly string[];
  /** Dependency folders from which code runs; their lock files are covered. */
  readonly represented: readonly Represented[];
}

/** Files to cover besides those of the definition. */
export interface More {
  /** Files whose bytes count; what they start is not followed. */
  readonly kept?: readonly string[];
  /** Files that the definition loads as modules. */
  readonly loaded?: readonly string[];
  /** Files and folders that a person binds. */
  readonly bound?: readonly string[];
}
