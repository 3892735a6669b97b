import type { Dice } from "../stage/dice.ts";
import type { Op } from "./record.ts";

/** Files by path. */
export type Files = ReadonlyMap<string, Buffer>;

/** A change of a file: bytes from position `from` on, or a new size. */
type Change = { readonly from: number; readonly bytes: Buffer } | { readonly size: number };

/** A file's bytes on the disk, and its unsynced changes. */
class Inode {
  readonly durable: Change[];
  pending: Change[] = [];
  size: number;

  constructor(bytes: Buffer = Buffer.of()) {
    this.durable = [{ from: 0, bytes }];
    this.size = bytes.length;
  }

  change(change: Change): void {
    this.pending.push(change);
    this.size = "size" in change ? change.size : Math.max(this.size, change.from + change.bytes.length);
  }

  /** Applies the changes that a completed sync covers. */
  sync(covered: readonly Change[]): void {
    this.durable.push(...this.pending.filter((change) => covered.includes(change)));
    this.pending = this.pending.filter((change) => !covered.includes(change));
  }
}

type Names = Map<string, Inode>;

/**
 * Returns the contents of a disk if the power is cut after the first operations, as a journaling file system leaves it.
 *
 * Changes of names become durable in the order of the journal: certainly up to the last sync of a folder, and by chance
 * further. A file's bytes are durable if the file was synced. Each later write may be there completely, partly or not
 * at all, independent of earlier writes; the range of a missing write reads as zeros.
 */
export function afterCut(before: Files, ops: readonly Op[], chance: Dice): Files {
  const first: Names = new Map([...before].map(([path, bytes]) => [path, new Inode(bytes)]));
  const names: Names = new Map(first);
  const journal: ((names: Names) => void)[] = [];
  let committed = 0;
  const log = (entry: (names: Names) => void): void => {
    entry(names);
    journal.push(entry);
  };
  /** The changes that the current sync of each thread covers. */
  const syncing = new Map<string, { readonly changes: readonly Change[]; readonly names: number }>();
  const covered = (path: string) => ({ changes: [...(names.get(path)?.pending ?? [])], names: journal.length });
  const handles = new Map<string, { readonly appends: boolean; at: number }>();
  for (const op of ops) {
    switch (op.kind) {
      case "create": {
        const made = new Inode();
        if (!names.has(op.path)) log((all) => all.set(op.path, made));
        break;
      }
      case "open":
        handles.set(`${op.handle} ${op.path}`, { appends: op.appends, at: 0 });
        break;
      case "write": {
        const inode = names.get(op.path);
        const handle = handles.get(`${op.handle} ${op.path}`);
        const from = handle === undefined || handle.appends ? (inode?.size ?? 0) : handle.at;
        if (handle !== undefined) handle.at = from + op.bytes.length;
        inode?.change({ from, bytes: op.bytes });
        break;
      }
      case "truncate":
        names.get(op.path)?.change({ size: op.size });
        break;
      case "syncing":
        syncing.set(op.thread, covered(op.path));
        break;
      case "sync": {
        // An uninterrupted sync is one line of the log, without a line for its beginning.
        const { changes, names: until } = syncing.get(op.thread) ?? covered(op.path);
        syncing.delete(op.thread);
        if (names.has(op.path)) names.get(op.path)?.sync(changes);
        else committed = Math.max(committed, until);
        break;
      }
      case "unlink":
        log((all) => all.delete(op.path));
        break;
      case "tell":
        break;
      case "link":
      case "rename": {
        const { path, to, kind } = op;
        const moved = names.get(path);
        if (moved === undefined) break;
        log((all) => {
          all.set(to, moved);
          if (kind === "rename") all.delete(path);
        });
      }
    }
  }
  const kept = committed + chance.below(journal.length - committed + 1);
  for (const entry of journal.slice(0, kept)) entry(first);
  return new Map([...first].map(([path, inode]) => [path, bytesOf(inode, chance)]));
}

function bytesOf({ durable, pending }: Inode, chance: Dice): Buffer {
  let bytes = Buffer.of();
  for (const change of [...durable, ...pending.filter(() => chance.chance(0.6)).map((one) => torn(one, chance))]) {
    if ("size" in change) bytes = Buffer.concat([bytes.subarray(0, change.size)], change.size);
    else {
      const whole = Buffer.concat([bytes], Math.max(bytes.length, change.from + change.bytes.length));
      change.bytes.copy(whole, change.from);
      bytes = whole;
    }
  }
  return bytes;
}

/** Returns a write that may be incomplete: cut short, or with zeros in place of its bytes. */
function torn(change: Change, chance: Dice): Change {
  if ("size" in change || chance.chance(0.6)) return change;
  const { from, bytes } = change;
  const kept = bytes.subarray(0, chance.below(bytes.length + 1));
  return { from, bytes: chance.chance(0.5) ? kept : Buffer.concat([kept], bytes.length) };
}
