import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ByteText } from "./bytes.ts";
import { hasCode } from "./no-undo.ts";
import { replaceFile } from "./replace-file.ts";
import type { LeftOut, Memory } from "./scan.ts";

/** The state of one folder in a checkpoint. */
export interface RootState {
  /** Absolute path. The first root is the project; others are those folders of its repository that are elsewhere. */
  readonly root: ByteText;
  /** Id of the tree object with the state. */
  readonly tree: string;
  /** The folders of git objects, relative to the root, that are linked into the shadow repository. */
  readonly stores: readonly ByteText[];
}

/** A checkpoint as it is stored. */
export interface CheckpointRecord {
  /** The number of the checkpoint, counted from 1 in a project. */
  readonly number: number;
  /** The action after the checkpoint, such as the command. */
  readonly label: string;
  /** Time of the checkpoint, in epoch ms. */
  readonly atMs: number;
  readonly roots: readonly RootState[];
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
  /** Whether some git objects exist only in the project's repository: they could neither be linked nor copied. */
  readonly isBorrowing: boolean;
  /** The number of the restored checkpoint, if this one was made before an undo. */
  readonly undoneTo?: number;
}

/** The known facts about the objects of a shadow repository: their size, and what was removed. */
export interface ShadowState {
  /** The size of objects that only the shadow repository has, in bytes. */
  bytes: number;
  /** The number of checkpoints dropped since objects were last removed. */
  dropped: number;
  /** Counts the removals of objects. After one, what a scan remembers may name a removed object, so it is forgotten. */
  generation: number;
  /** Linked files that the repository has deleted, with the number of the latest checkpoint when that was noticed. */
  alone: Record<string, number>;
}

/** The files of a shadow repository other than its objects. */
export class Records {
  readonly folder: string;

  constructor(home: string, project: ByteText) {
    this.folder = join(home, "undo", createHash("sha256").update(project, "latin1").digest("hex").slice(0, 24));
  }

  /** Returns the length of object ids in bytes; `undefined` if there is no shadow repository yet. */
  hashLength(): 20 | 32 | undefined {
    const config = this.#text("config");
    return config === undefined ? undefined : config.includes("sha256") ? 32 : 20;
  }

  /** Creates the shadow repository, unless it exists. */
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

  /** Returns a checkpoint; `undefined` if there is none with this number, or it cannot be read. */
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

  /** Adds a folder in which git also looks for objects. */
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
