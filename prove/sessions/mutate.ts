import type { Chance } from "./chance.ts";

type Mutation = (bytes: Buffer, chance: Chance) => Buffer;

const LF = Buffer.from("\n");

/** Kinds of damage that disks, editors and other programs cause to a file. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  flip(bytes, { below }) {
    const copy = Buffer.from(bytes);
    const at = below(copy.length);
    copy[at] = (copy[at] as number) ^ (1 << below(8));
    return copy;
  },
  remove: (bytes, chance) => spliced(bytes, chance, Buffer.alloc(0)),
  nul: (bytes, chance) => spliced(bytes, chance, Buffer.alloc(1 + chance.below(200))),
  noise: (bytes, chance) =>
    spliced(bytes, chance, Buffer.from(Array.from({ length: 1 + chance.below(80) }, () => chance.below(256)))),
  copy(bytes, chance) {
    const from = chance.below(bytes.length);
    return spliced(bytes, chance, bytes.subarray(from, from + chance.below(400)));
  },
  swap(bytes, { below }) {
    const lines = linesOf(bytes);
    const [a, b] = [below(lines.length), below(lines.length)];
    [lines[a], lines[b]] = [lines[b] as Buffer, lines[a] as Buffer];
    return joined(lines);
  },
  drop(bytes, { below }) {
    const lines = linesOf(bytes);
    lines.splice(below(lines.length), 1);
    return joined(lines);
  },
  crlf: (bytes) => joined(linesOf(bytes).map((line) => Buffer.concat([line, Buffer.from("\r")]))),
  mark: (bytes) => Buffer.concat([Buffer.from("\uFEFF"), bytes]),
  cut: (bytes, { below }) => bytes.subarray(0, below(bytes.length)),
};

/** Damages bytes in one to three ways; returns them and the names of the ways. */
export function mutate(bytes: Buffer, chance: Chance): { readonly bytes: Buffer; readonly ways: readonly string[] } {
  const ways: string[] = [];
  let damaged = bytes;
  for (let count = 1 + chance.below(3); count > 0 && damaged.length > 0; count--) {
    const way = chance.of(Object.keys(MUTATIONS));
    ways.push(way);
    damaged = (MUTATIONS[way] as Mutation)(damaged, chance);
  }
  return { bytes: damaged, ways };
}

/** Replaces bytes at a random position. */
function spliced(bytes: Buffer, { below }: Chance, by: Buffer): Buffer {
  const at = below(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(Math.min(bytes.length, at + below(120)))]);
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const lf = bytes.indexOf(LF, start);
    const end = lf === -1 ? bytes.length : lf;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function joined(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, LF]));
}
