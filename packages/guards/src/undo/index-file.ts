import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type ByteText, pathOf } from "./bytes.ts";

/** An entry of git's index: what git recorded to see whether a file has changed without reading it. */
export interface IndexEntry {
  readonly oid: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  /** Whether the file may have changed at the moment when the index was written, or git was told not to check it. */
  readonly isUnsure: boolean;
}

const LINK_EXTENSION = Buffer.from("link");

/**
 * Reads git's index, versions 2 to 4. Returns an empty map for one that is missing or damaged: the index only saves
 * work, and shows which ignored files git tracks. Source: git-scm.com/docs/index-format.
 */
export function readIndex(path: ByteText, hashLength: number): ReadonlyMap<ByteText, IndexEntry> {
  try {
    const writtenS = Math.floor(statSync(pathOf(path)).mtimeMs / 1000);
    const { entries, shared } = parseIndex(readFileSync(pathOf(path)), { writtenS, hashLength });
    if (shared === undefined) return entries;
    const base = parseIndex(readFileSync(pathOf(`${dirname(path)}/sharedindex.${shared}`)), {
      writtenS: 0,
      hashLength,
    });
    return new Map([...base.entries, ...entries]);
  } catch {
    return new Map();
  }
}

/**
 * Reads the bytes of an index; `writtenS` is the time when it was written, in epoch seconds. `shared` is the id of the
 * shared index that a split one changes, in which it leaves the names of changed entries empty.
 */
function parseIndex(
  bytes: Buffer,
  { writtenS, hashLength }: { readonly writtenS: number; readonly hashLength: number },
): { readonly entries: ReadonlyMap<ByteText, IndexEntry>; readonly shared?: string } {
  const entries = new Map<ByteText, IndexEntry>();
  try {
    const version = bytes.readUInt32BE(4);
    if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return { entries };
    let at = 12;
    let name = "";
    for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
      const start = at;
      const flagsAt = start + 40 + hashLength;
      const flags = bytes.readUInt16BE(flagsAt);
      at = flagsAt + ((flags & 0x4000) === 0 ? 2 : 4);
      if (version === 4) {
        const [cut, after] = offsetAt(bytes, at);
        const end = bytes.indexOf(0, after);
        name = name.slice(0, name.length - cut) + bytes.toString("latin1", after, end);
        at = end + 1;
      } else {
        const end = bytes.indexOf(0, at);
        name = bytes.toString("latin1", at, end);
        at = start + (Math.floor((end - start) / 8) + 1) * 8;
      }
      const mtimeS = bytes.readUInt32BE(start + 8);
      entries.set(name, {
        oid: bytes.toString("hex", start + 40, start + 40 + hashLength),
        size: bytes.readUInt32BE(start + 36),
        ctimeMs: bytes.readUInt32BE(start) * 1000 + bytes.readUInt32BE(start + 4) / 1e6,
        mtimeMs: mtimeS * 1000 + bytes.readUInt32BE(start + 12) / 1e6,
        inode: bytes.readUInt32BE(start + 20),
        isUnsure: mtimeS >= writtenS || (flags & 0xb000) !== 0,
      });
    }
    entries.delete("");
    const isSplit = bytes.subarray(at, at + 4).equals(LINK_EXTENSION);
    return isSplit ? { entries, shared: bytes.toString("hex", at + 8, at + 8 + hashLength) } : { entries };
  } catch {
    return { entries: new Map() };
  }
}

/** Reads a number of variable length, in the encoding of offsets in packs. */
function offsetAt(bytes: Buffer, from: number): [value: number, after: number] {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return [value, at];
}
