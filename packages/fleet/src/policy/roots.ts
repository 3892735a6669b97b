import * as v from "valibot";
import { readPrivate, writePrivate } from "../kit.ts";
import { Refused } from "./refused.ts";
import { nextRoot, pinnedRoot, type TrustedRoot } from "./root.ts";
import { base64Schema, readStrict } from "./strict.ts";

const MOST_BYTES = 16 * 1024 * 1024;

const schema = v.strictObject({ v: v.literal(1), roots: v.pipe(v.array(base64Schema()), v.minLength(1)) });

/** The files of a fleet's roots: the pinned one, and its successors in order. */
export interface RootChain {
  readonly files: readonly Buffer[];
  /** The last root of the chain. */
  readonly root: TrustedRoot;
}

/** Begins a chain with this file; throws `Refused` unless it has the pinned SHA-256. */
export function pinnedChain(file: Uint8Array, pin: string): RootChain {
  return { root: pinnedRoot(file, pin), files: [Buffer.from(file)] };
}

/** Adds a root to a chain; throws `Refused` unless it is the successor of the last one. */
export function withNext({ files, root }: RootChain, file: Uint8Array): RootChain {
  return { root: nextRoot(file, root), files: [...files, Buffer.from(file)] };
}

/**
 * Reads the chain that `writeRoots` wrote. Throws `Refused` unless it begins with the pinned root and each root is the
 * successor of the one before.
 */
export function readRoots(path: string, pin: string): RootChain {
  const read = readPrivate(path);
  if (read.state === "absent") throw new Refused("missing", `${path} is missing; join the fleet again`);
  if (read.state === "refused") throw new Refused("field", `${path}: ${read.problem}. ${read.remedy}`);
  const { roots } = readStrict(Buffer.from(read.text), schema, { what: path, maxBytes: MOST_BYTES });
  const [first = Buffer.alloc(0), ...more] = roots;
  return more.reduce(withNext, pinnedChain(first, pin));
}

/** Writes the roots of a chain to a private file, for `readRoots`. */
export function writeRoots(path: string, { files }: RootChain): void {
  const roots = files.map((file) => file.toString("base64"));
  writePrivate(path, `${JSON.stringify({ v: 1, roots })}\n`);
}
