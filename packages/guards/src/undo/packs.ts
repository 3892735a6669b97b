import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { bytesOf } from "./bytes.ts";
import { namesIn } from "./links.ts";
import { replaceFile } from "./replace-file.ts";

/** An object that is not written yet. */
export interface NewObject {
  readonly oid: string;
  readonly kind: "blob" | "tree";
  readonly content: Buffer;
}

/** The position of an object in a pack, in bytes from the start of the file. */
interface PackedObject {
  readonly pack: string;
  readonly start: number;
  readonly end: number;
}

const TYPES = { tree: 2, blob: 3 } as const;
const INDEX_HEAD = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
const FAN_OUT = 256;

/**
 * Stores many objects in one file, in git's pack format with its index. A file for each object would take most of the
 * time of a first checkpoint.
 */
export class Packs {
  readonly #folder: string;
  readonly #hashLength: 20 | 32;
  readonly #places = new Map<string, PackedObject>();
  readonly #read = new Set<string>();

  /** `folder` is `objects/pack` of a repository whose packs were all written by this class. */
  constructor(folder: string, hashLength: 20 | 32) {
    this.#folder = folder;
    this.#hashLength = hashLength;
  }

  /** Forgets which packs exist. Call it after removing packs. */
  forget(): void {
    this.#places.clear();
    this.#read.clear();
  }

  /** Whether a pack has an object. Misses packs that another process added after this one read the folder. */
  has(oid: string): boolean {
    if (this.#read.size === 0) this.#look();
    return this.#places.has(oid);
  }

  /** Returns an object with its header; `undefined` if no pack has it. Throws if its bytes cannot be inflated. */
  read(oid: string): Buffer | undefined {
    if (!this.#places.has(oid)) this.#look();
    const place = this.#places.get(oid);
    if (place === undefined) return undefined;
    const bytes = Buffer.alloc(place.end - place.start);
    const file = openSync(this.#file(place.pack, "pack"), "r");
    try {
      readSync(file, bytes, 0, bytes.length, place.start);
    } finally {
      closeSync(file);
    }
    const kind = ((bytes[0] ?? 0) >> 4) % 8 === TYPES.tree ? "tree" : "blob";
    const content = inflateSync(bytes.subarray(bytes.findIndex((byte) => byte < 0x80) + 1));
    return Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  }

  /** Writes objects as one pack, entirely or not at all. Returns its size in bytes. */
  add(objects: readonly NewObject[]): number {
    const head = Buffer.alloc(12);
    head.write("PACK");
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(objects.length, 8);
    const parts = [head];
    let at = head.length;
    const rows = objects.map(({ oid, kind, content }) => {
      const entry = Buffer.concat([entryHead(TYPES[kind], content.length), deflated(content)]);
      parts.push(entry);
      at += entry.length;
      return { oid, crc: crc32(entry), start: at - entry.length, end: at };
    });
    const pack = this.#sealed(parts);
    const name = createHash("sha1").update(pack).digest("hex");
    replaceFile(this.#file(name, "pack"), pack);
    replaceFile(this.#file(name, "idx"), this.#index(rows, pack.subarray(-this.#hashLength)));
    for (const { oid, start, end } of rows) this.#places.set(oid, { pack: name, start, end });
    this.#read.add(name);
    return pack.length;
  }

  /**
   * Removes packs without needed objects, and rewrites those in which fewer than half are needed. Returns the size of
   * the remaining packs in bytes.
   */
  sweep(needed: ReadonlySet<string>): number {
    this.forget();
    this.#look();
    const packs = Map.groupBy(this.#places, ([, { pack }]) => pack);
    let bytes = 0;
    for (const [name, objects] of packs) {
      const kept = objects.filter(([oid]) => needed.has(oid));
      if (kept.length * 2 >= objects.length) {
        bytes += statSync(this.#file(name, "pack")).size;
        continue;
      }
      const anew = kept.map(([oid]): NewObject => {
        const whole = this.read(oid) ?? Buffer.alloc(0);
        const kind = whole.toString("latin1", 0, 4) === "tree" ? "tree" : "blob";
        return { oid, kind, content: whole.subarray(whole.indexOf(0) + 1) };
      });
      if (anew.length > 0) bytes += this.add(anew);
      this.#remove(name);
    }
    // A pack without an index is incomplete.
    for (const name of this.#named("pack")) if (!this.#read.has(name)) this.#remove(name);
    this.forget();
    return bytes;
  }

  /** Reads the indexes of packs that were not read yet. */
  #look(): void {
    for (const name of this.#named("idx")) if (!this.#read.has(name)) this.#readIndex(name);
  }

  #named(ending: string): string[] {
    const pattern = new RegExp(`^pack-([0-9a-f]+)\\.${ending}$`);
    return namesIn(bytesOf(this.#folder)).flatMap((name) => pattern.exec(name)?.[1] ?? []);
  }

  #readIndex(pack: string): void {
    const bytes = readFileSync(this.#file(pack, "idx"));
    const length = this.#hashLength;
    const count = bytes.readUInt32BE(INDEX_HEAD.length + (FAN_OUT - 1) * 4);
    const names = INDEX_HEAD.length + FAN_OUT * 4;
    const offsets = names + count * (length + 4);
    const rows = Array.from({ length: count }, (_, at) => ({
      oid: bytes.toString("hex", names + at * length, names + (at + 1) * length),
      start: bytes.readUInt32BE(offsets + at * 4),
    })).sort((a, b) => a.start - b.start);
    const end = statSync(this.#file(pack, "pack")).size - length;
    for (const [at, { oid, start }] of rows.entries())
      this.#places.set(oid, { pack, start, end: rows[at + 1]?.start ?? end });
    this.#read.add(pack);
  }

  #index(rows: readonly { oid: string; crc: number; start: number }[], seal: Buffer): Buffer {
    const sorted = [...rows].sort((a, b) => (a.oid < b.oid ? -1 : 1));
    const firsts = new Array<number>(FAN_OUT).fill(0);
    for (const first of sorted.map(({ oid }) => Number.parseInt(oid.slice(0, 2), 16)))
      firsts[first] = (firsts[first] ?? 0) + 1;
    let sum = 0;
    const counts = numbers(firsts.map((count) => (sum += count)));
    const names = sorted.map(({ oid }) => Buffer.from(oid, "hex"));
    const sums = numbers(sorted.map(({ crc }) => crc));
    return this.#sealed([INDEX_HEAD, counts, ...names, sums, numbers(sorted.map(({ start }) => start)), seal]);
  }

  /** Joins the parts of a file and appends their hash. */
  #sealed(parts: readonly Buffer[]): Buffer {
    const hash = createHash(this.#hashLength === 20 ? "sha1" : "sha256");
    for (const part of parts) hash.update(part);
    return Buffer.concat([...parts, hash.digest()]);
  }

  #remove(name: string): void {
    for (const ending of ["idx", "pack"]) rmSync(this.#file(name, ending), { force: true });
  }

  #file(name: string, ending: string): string {
    return join(this.#folder, `pack-${name}.${ending}`);
  }
}

/** Encodes an object's type and size, seven bits a byte, lowest bits first; the first byte has four bits of size. */
function entryHead(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 0x0f);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}

function numbers(all: readonly number[]): Buffer {
  const bytes = Buffer.alloc(all.length * 4);
  for (const [at, value] of all.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}

/** Deflates bytes with a small buffer: for small objects, allocating the default one would take most of the time. */
export function deflated(bytes: Buffer): Buffer {
  return deflateSync(bytes, { level: 1, chunkSize: bytes.length < 64 * 1024 ? 4 * 1024 : 64 * 1024 });
}
