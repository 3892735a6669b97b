import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ByteText } from "./bytes.ts";
import { hasCode } from "./no-undo.ts";
import { replaceFile } from "./replace-file.ts";
import type { LeftOut, Memory } from "./scan.ts";

/** The state of one folder in a checkpoint. */
export interface RootState {
  /** Absolute path, a character a byte. The first is the project; the others are folders of its repository elsewhere. */
  readonly root: ByteText;
  /** Id of a tree object. */
  readonly tree: string;
  /** The folders of git objects, below the root, that are linked into the shadow. */
  readonly stores: readonly ByteText[];
}

/** A checkpoint as it is kept. */
export interface CheckpointRecord {
  /** Counts from 1 in a project. */
  readonly number: number;
  /** Says what was about to happen, such as the command. */
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly roots: readonly RootState[];
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
  /** Whether some git objects are only in the repository itself, because they could neither be linked nor copied. */
  readonly isBorrowing: boolean;
  /** For the checkpoint before an undo: the number of the one that was brought back. */
  readonly undoneTo?: number;
}

/** The size and age of a shadow repository, as far as they are known. */
export interface ShadowState {
  /** Bytes of objects that the shadow alone has. */
  bytes: number;
  /** Checkpoints that were dropped since objects were last removed. */
  dropped: number;
  /** Counts the removals of objects, after which memories of earlier scans are void. */
  generation: number;
  /** Linked files that the repository has given up, with the number of the latest checkpoint when that was seen. */
  alone: Record<string, number>;
}

/** The files of a shadow repository besides its objects. */
export class Records {
  readonly folder: string;

  constructor(home: string, project: ByteText) {
    this.folder = join(home, "undo", createHash("sha256").update(project, "latin1").digest("hex").slice(0, 24));
  }

  /** The length of object ids here, in bytes; `undefined` if there is no shadow repository yet. */
  hashLength(): 20 | 32 | undefined {
    const config = this.#text("config");
    return config === undefined ? undefined : config.includes("sha256") ? 32 : 20;
  }

  /** Makes the shadow repository, if it is not there yet. */
  create(project: ByteText, hashLength: number): void {
    const format = hashLength === 20 ? "sha1" : "sha256";
    const version = hashLength === 20 ? 0 : 1;
    const extensions = hashLength === 20 ? "" : `[extensions]\n\tobjectFormat = ${format}\n`;
    const config = `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${extensions}`;
    if (this.#text("config") === config) return;
    for (const name of ["objects/info", "refs", "checkpoints", "links"])
      mkdirSync(join(this.folder, name), { recursive: true, mode: 0o700 });
    replaceFile(join(this.folder, "HEAD"), "ref: refs/heads/none\n");
    replaceFile(join(this.folder, "project"), Buffer.from(project, "latin1"));
    replaceFile(join(this.folder, "config"), config);
  }

  /** Returns the numbers of the checkpoints, lowest first. */
  numbers(): number[] {
    try {
      const names = readdirSync(join(this.folder, "checkpoints"));
      return names
        .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b);
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
      throw error;
    }
  }

  /** Returns a checkpoint; `undefined` if there is none with the number, or it cannot be read. */
  read(number: number): CheckpointRecord | undefined {
    return this.#json<CheckpointRecord>(`checkpoints/${number}.json`);
  }

  write(record: CheckpointRecord): void {
    replaceFile(this.#fileOf(record.number), JSON.stringify(record));
  }

  drop(number: number): void {
    rmSync(this.#fileOf(number), { force: true });
  }

  state(): ShadowState {
    return { bytes: 0, dropped: 0, generation: 0, alone: {}, ...this.#json<Partial<ShadowState>>("state.json") };
  }

  writeState(state: ShadowState): void {
    replaceFile(join(this.folder, "state.json"), JSON.stringify(state));
  }

  memories(): Record<ByteText, Memory> {
    return this.#json("memory.json") ?? {};
  }

  writeMemories(memories: Readonly<Record<ByteText, Memory>>): void {
    replaceFile(join(this.folder, "memory.json"), JSON.stringify(memories));
  }

  /** Names a folder in which git finds objects that the shadow does not have itself. */
  addAlternate(folder: ByteText): void {
    const text = this.#text("objects/info/alternates") ?? "";
    if (!text.split("\n").includes(folder))
      replaceFile(join(this.folder, "objects", "info", "alternates"), Buffer.from(`${text}${folder}\n`, "latin1"));
  }

  #fileOf(number: number): string {
    return join(this.folder, "checkpoints", `${number}.json`);
  }

  #text(name: string): string | undefined {
    try {
      return readFileSync(join(this.folder, name), "latin1");
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
      throw error;
    }
  }

  #json<T>(name: string): T | undefined {
    try {
      return JSON.parse(readFileSync(join(this.folder, name), "utf8")) as T;
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR") || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}
