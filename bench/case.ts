/**
 * A measured subject: does its work `n` times and returns the time that it took, in nanoseconds, or the number that it
 * counted.
 */
export type Measured = (n: number) => number | Promise<number>;

/** A program that users would otherwise use, with the same work. */
export interface Peer {
  /** The peer's name, with its version if there is one. */
  readonly name: string;
  readonly measured: Measured;
  /** Largest allowed ratio of our time to the peer's; absent if the ratio is only shown. */
  readonly budget?: number;
  /** Upper bound of our peak memory divided by its. */
  readonly memory?: number;
}

/** The subjects that a case measures side by side in one run. */
export interface Subjects {
  readonly ours: Measured;
  readonly peers?: readonly Peer[];
  /** The physical limit: the same work with nothing around it. */
  readonly floor?: Measured;
  /** Does one unit of our work and keeps its allocations reachable, for counting them. */
  once?(): unknown;
  /** Returns each subject's peak memory so far, in bytes, if they are separate processes. */
  rss?(): Rss;
  close?(): Promise<void>;
}

/** Peak memory in bytes: ours (`ours`), the floor's (`floor`), and each peer's by name. */
export type Rss = Readonly<Record<string, number>>;

/** A measurement with its budget. */
export interface BenchCase {
  readonly name: string;
  /** Describes one unit of work. */
  readonly unit: string;
  /** Describes what is counted for each unit, if it is not time. */
  readonly counts?: string;
  /**
   * The largest allowed values: our time divided by the floor's, our time in ns or our count, the bytes that one unit of
   * our work allocates, and our peak memory in bytes. Each peer has its own limits.
   */
  readonly budget: {
    readonly toFloor?: number;
    readonly maxCount?: number;
    readonly maxBytes?: number;
    readonly maxRss?: number;
  };
  /** Units of work in each round. */
  readonly n: number;
  readonly rounds: number;
  /** Returns why the case cannot be measured here, in words; `undefined` if it can. */
  missing?(): string | undefined;
  open(): Promise<Subjects>;
}

/** The result of a peer: its time, and ours divided by it. */
export interface PeerResult {
  readonly name: string;
  readonly ns: number;
  readonly ratio: number;
  readonly budget?: number;
  readonly memory?: number;
}

/** The result of a case. Times are in nanoseconds per unit, medians over the rounds; ratios are medians of pairs. */
export interface BenchResult {
  readonly name: string;
  readonly unit: string;
  readonly counts?: string;
  readonly ours: number;
  readonly peers: readonly PeerResult[];
  readonly floor?: number;
  readonly toFloor?: number;
  /** Number of bytes that one unit of our work allocates. */
  readonly bytes?: number;
  readonly rss?: Rss;
  readonly budget: BenchCase["budget"];
  readonly within: boolean;
  readonly rounds: number;
}

/** Runs a case: one warm-up round, then rounds in which all subjects take turns, so that drift affects them equally. */
export async function runBench(of: BenchCase): Promise<BenchResult> {
  const subjects = await of.open();
  const { peers = [], floor } = subjects;
  const all = new Map<string, Measured>([
    ...(floor === undefined ? [] : [["floor", floor] as const]),
    ["ours", subjects.ours],
    ...peers.map(({ name, measured }) => [name, measured] as const),
  ]);
  const times = new Map([...all.keys()].map((name) => [name, [] as number[]]));
  let bytes: number | undefined;
  let rss: Rss | undefined;
  try {
    for (let round = -1; round < of.rounds; round++) {
      const order = round % 2 === 0 ? [...all] : [...all].reverse();
      for (const [name, measured] of order) {
        const ns = (await measured(of.n)) / of.n;
        if (round >= 0) times.get(name)?.push(ns);
      }
    }
    if (subjects.once !== undefined) bytes = await allocatedBy(subjects.once);
    rss = subjects.rss?.();
  } finally {
    await subjects.close?.();
  }
  const taken = (name: string): number[] => times.get(name) as number[];
  const ratio = (other: string): number => median(taken("ours").map((ns, i) => ns / (taken(other)[i] as number)));
  const result = {
    name: of.name,
    unit: of.unit,
    ...(of.counts !== undefined && { counts: of.counts }),
    ours: median(taken("ours")),
    peers: peers.map(({ name, budget, memory }) => ({
      name,
      ns: median(taken(name)),
      ratio: ratio(name),
      ...(budget !== undefined && { budget }),
      ...(memory !== undefined && { memory }),
    })),
    ...(floor !== undefined && { floor: median(taken("floor")), toFloor: ratio("floor") }),
    ...(bytes !== undefined && { bytes }),
    ...(rss !== undefined && { rss: inOrder(rss, ["ours", "floor", ...peers.map(({ name }) => name)]) }),
    budget: of.budget,
    rounds: of.rounds,
  };
  return { ...result, within: within(result) };
}

function inOrder(rss: Rss, names: readonly string[]): Rss {
  return Object.fromEntries(names.flatMap((name) => (rss[name] === undefined ? [] : [[name, rss[name]]])));
}

/** Whether the result is within all its bounds; memory counts as within if the system does not report it. */
function within({ budget, ours: measured, toFloor, bytes, rss, peers }: Omit<BenchResult, "within">): boolean {
  const { ours = 0 } = rss ?? {};
  return (
    keeps(measured, budget.maxCount) &&
    keeps(bytes, budget.maxBytes) &&
    keeps(ours, budget.maxRss) &&
    keeps(toFloor, budget.toFloor) &&
    peers.every(({ name, ratio, budget: most, memory = Number.POSITIVE_INFINITY }) => {
      return keeps(ratio, most) && ours <= memory * (rss?.[name] ?? Number.POSITIVE_INFINITY);
    })
  );
}

function keeps(measured: number | undefined, bound: number | undefined): boolean {
  return bound === undefined || (measured !== undefined && measured <= bound);
}

/**
 * Returns the growth of the heap over one unit of work. Rounds with a garbage collection would show less and are
 * ignored.
 */
async function allocatedBy(once: () => unknown): Promise<number> {
  const grown: number[] = [];
  for (let i = 0; i < 25; i++) {
    const before = process.memoryUsage().heapUsed;
    const kept = await once();
    const bytes = process.memoryUsage().heapUsed - before;
    if (bytes > 0 && kept !== undefined) grown.push(bytes);
  }
  return median(grown);
}

/** Returns the median of a non-empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

/** Times a synchronous loop. */
export function timed(work: (n: number) => void): Measured {
  return (n) => {
    const started = process.hrtime.bigint();
    work(n);
    return Number(process.hrtime.bigint() - started);
  };
}

/** Times an asynchronous loop. */
export function timedAsync(work: (n: number) => Promise<void>): Measured {
  return async (n) => {
    const started = process.hrtime.bigint();
    await work(n);
    return Number(process.hrtime.bigint() - started);
  };
}

/** Runs slow work at most `most` times and scales the result up. */
export function fewer(most: number, measured: Measured): Measured {
  return async (n) => {
    const some = Math.min(n, most);
    return ((await measured(some)) / some) * n;
  };
}
