import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { ByteText } from "./bytes.ts";
import { gitOutput } from "./git.ts";
import { hasCode, NoUndo } from "./no-undo.ts";
import { deflated, type NewObject, Packs } from "./packs.ts";
import { replaceFile } from "./replace-file.ts";

/** Selects the file type in a mode, as `S_IFMT` does. */
export const TYPE = 0o170000;
/** The file type of a folder, in the modes of file systems and of git. */
export const FOLDER = 0o040000;
/** The file type of a regular file, in the modes of file systems and of git. */
export const FILE = 0o100000;
/** The file type of a symbolic link, in the modes of file systems and of git. */
export const LINK = 0o120000;

/** An entry of a tree: like git's, but its mode contains all permissions. */
export interface TreeEntry {
  readonly mode: number;
  readonly name: ByteText;
  readonly oid: string;
}

/** The number of objects that one run of git is asked for. */
const BATCH = 200;
/**
 * At least this many new objects become a pack. Fewer get a file each, which is deleted when no checkpoint needs it.
 */
const PACKED = 16;
/** New objects are written once they have this many bytes together. */
const MOST_WAITING = 8 * 1024 * 1024;

/**
 * Git objects in a shadow repository. New objects are written by `flush`, loose or as packs. Objects that the project's
 * own repository has are read from there: its linked stores are alternates of the shadow repository.
 */
export class ObjectStore {
  /** The number of bytes written since the store was opened. */
  written = 0;
  readonly hashLength: 20 | 32;
  readonly #shadow: string;
  readonly #algorithm: "sha1" | "sha256";
  readonly #known = new Set<string>();
  /** The packs of new objects. */
  readonly packs: Packs;
  readonly #waiting = new Map<string, NewObject>();
  #waitingBytes = 0;

  /** `hashLength` is the length of object ids in the project's repository, in bytes. */
  constructor(shadow: string, hashLength: 20 | 32) {
    this.#shadow = shadow;
    this.hashLength = hashLength;
    this.#algorithm = hashLength === 20 ? "sha1" : "sha256";
    this.packs = new Packs(join(shadow, "objects", "pack"), hashLength);
  }

  /** Forgets which objects exist, and those that `flush` has not written. Call it after removing objects. */
  forget(): void {
    this.#known.clear();
    this.#waiting.clear();
    this.packs.forget();
  }

  /** Stores an object, unless it exists, and returns its id. `flush` writes it. */
  put(kind: "blob" | "tree", content: Buffer): string {
    const oid = this.#idOf(kind, content);
    if (this.#known.has(oid)) return oid;
    this.#known.add(oid);
    if (this.packs.has(oid) || existsSync(this.#fileOf(oid))) return oid;
    this.#waiting.set(oid, { oid, kind, content });
    this.#waitingBytes += content.length;
    if (this.#waitingBytes > MOST_WAITING) this.flush();
    return oid;
  }

  /** Writes the objects that `put` has stored. Until then nothing outside of this store may refer to them. */
  flush(): void {
    const objects = [...this.#waiting.values()];
    if (objects.length >= PACKED) this.written += this.packs.add(objects);
    else
      for (const { oid, kind, content } of objects) {
        const packed = deflated(Buffer.concat([headerOf(kind, content), content]));
        replaceFile(this.#fileOf(oid), packed);
        this.written += packed.length;
      }
    this.#waiting.clear();
    this.#waitingBytes = 0;
  }

  putTree(entries: readonly TreeEntry[]): string {
    const sorted = entries.map((entry) => ({ entry, key: entry.name + (isFolder(entry.mode) ? "/" : "") }));
    sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
    return this.put(
      "tree",
      Buffer.concat(
        sorted.flatMap(({ entry: { mode, name, oid } }) => [
          Buffer.from(`${mode.toString(8)} ${name}\0`, "latin1"),
          Buffer.from(oid, "hex"),
        ]),
      ),
    );
  }

  /** Returns the entries of a tree. */
  tree(oid: string): TreeEntry[] {
    const content = this.#own(oid);
    if (content === undefined) throw lost(oid);
    const entries: TreeEntry[] = [];
    const length = this.hashLength;
    for (let at = 0; at < content.length; ) {
      const space = content.indexOf(0x20, at);
      const end = content.indexOf(0, space);
      entries.push({
        mode: Number.parseInt(content.toString("latin1", at, space), 8),
        name: content.toString("latin1", space + 1, end),
        oid: content.toString("hex", end + 1, end + 1 + length),
      });
      at = end + 1 + length;
    }
    return entries;
  }

  /** Yields the contents of blobs, read in batches and checked against their ids. Throws if one does not exist. */
  *blobs(oids: Iterable<string>): Generator<readonly [oid: string, content: Buffer]> {
    let packed: string[] = [];
    for (const oid of oids) {
      const content = this.#own(oid);
      if (content !== undefined) yield [oid, content];
      else packed.push(oid);
      if (packed.length === BATCH) {
        yield* this.#packed(packed);
        packed = [];
      }
    }
    yield* this.#packed(packed);
  }

  /** Returns the sizes of those objects that the linked stores have. */
  sizes(oids: readonly string[], timeoutMs: number): ReadonlyMap<string, number> {
    if (oids.length === 0) return new Map();
    const input = `${oids.join("\n")}\n`;
    const answer = gitOutput(["cat-file", "--batch-check"], { gitDir: this.#shadow, input, timeoutMs });
    const rows = (answer?.toString() ?? "").matchAll(/^(\w+) blob (\d+)$/gm);
    return new Map(Array.from(rows, ([, oid = "", size]) => [oid, Number(size)]));
  }

  /** Returns the content, without its header, of an object that undo itself stored; `undefined` if it is none. */
  #own(oid: string): Buffer | undefined {
    const waiting = this.#waiting.get(oid);
    if (waiting !== undefined) return waiting.content;
    const whole = this.#loose(oid) ?? this.#inPack(oid);
    if (whole === undefined) return undefined;
    if (createHash(this.#algorithm).update(whole).digest("hex") !== oid) throw lost(oid);
    return whole.subarray(whole.indexOf(0) + 1);
  }

  #inPack(oid: string): Buffer | undefined {
    try {
      return this.packs.read(oid);
    } catch {
      throw lost(oid);
    }
  }

  #loose(oid: string): Buffer | undefined {
    let packed: Buffer;
    try {
      packed = readFileSync(this.#fileOf(oid));
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
    return inflate(packed, oid);
  }

  *#packed(oids: readonly string[]): Generator<readonly [string, Buffer]> {
    if (oids.length === 0) return;
    const input = `${oids.join("\n")}\n`;
    const answer = gitOutput(["cat-file", "--batch"], { gitDir: this.#shadow, input, timeoutMs: 60_000 });
    let at = 0;
    for (const oid of oids) {
      const end = answer?.indexOf(0x0a, at) ?? -1;
      const [, kind, size] = answer?.toString("latin1", at, end).split(" ") ?? [];
      if (answer === undefined || kind !== "blob") throw lost(oid);
      at = end + 1 + Number(size) + 1;
      const content = answer.subarray(end + 1, at - 1);
      if (this.#idOf("blob", content) !== oid) throw lost(oid);
      yield [oid, content];
    }
  }

  #idOf(kind: NewObject["kind"], content: Buffer): string {
    return createHash(this.#algorithm).update(headerOf(kind, content)).update(content).digest("hex");
  }

  #fileOf(oid: string): string {
    return join(this.#shadow, "objects", oid.slice(0, 2), oid.slice(2));
  }
}

/** Whether a mode is that of a folder. */
export function isFolder(mode: number): boolean {
  return (mode & TYPE) === FOLDER;
}

function headerOf(kind: NewObject["kind"], content: Buffer): Buffer {
  return Buffer.from(`${kind} ${content.length}\0`);
}

function inflate(packed: Buffer, oid: string): Buffer {
  try {
    return inflateSync(packed);
  } catch {
    throw lost(oid);
  }
}

function lost(oid: string): NoUndo {
  return new NoUndo(
    `The checkpoint is damaged: object ${oid} is missing or changed. Choose another one with \`hookline undo --list\`.`,
  );
}
