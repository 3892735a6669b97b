/** One measured thing: does its work `n` times and gives the time that took, in nanoseconds. */
export type Measured = (n: number) => number | Promise<number>;

/** What a case measures, side by side in one run. */
export interface Subjects {
  readonly ours: Measured;
  /** The same work by the program that users would take otherwise. */
  readonly peer?: Measured;
  /** The physical limit: the same work with nothing around it. */
  readonly floor?: Measured;
  /** Does one unit of our work and keeps what it allocates in reach, for counting. */
  once?(): unknown;
  /** The most memory in bytes that each had so far, where they are processes of their own. */
  rss?(): { readonly ours?: number; readonly peer?: number; readonly floor?: number };
  close?(): Promise<void>;
}

/** A measurement with its budget. */
export interface BenchCase {
  readonly name: string;
  /** What one unit of work is. */
  readonly unit: string;
  readonly peerName?: string;
  /**
   * Upper bounds on our time divided by the peer's or the floor's, on what one unit of our work allocates, and on our
   * memory divided by the floor's.
   */
  readonly budget: {
    readonly toPeer?: number;
    readonly toFloor?: number;
    readonly maxBytes?: number;
    readonly maxRss?: number;
  };
  /** Work per round. */
  readonly n: number;
  readonly rounds: number;
  open(): Promise<Subjects>;
}

/** What a case came to; times in nanoseconds for one unit, medians over the rounds; ratios are medians of pairs. */
export interface BenchResult {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer?: number;
  readonly peerName?: string;
  readonly floor?: number;
  readonly toPeer?: number;
  readonly toFloor?: number;
  /** Allocated by one unit of our work. */
  readonly bytes?: number;
  /** Peak memory in bytes. */
  readonly rss?: { readonly ours?: number; readonly peer?: number; readonly floor?: number };
  readonly budget: BenchCase["budget"];
  readonly within: boolean;
  readonly rounds: number;
}

/** Runs a case: one warm-up round, then rounds in which all subjects take turns, so that drift hits them alike. */
export async function runBench(of: BenchCase): Promise<BenchResult> {
  const subjects = await of.open();
  const named = (["floor", "ours", "peer"] as const).filter((name) => subjects[name] !== undefined);
  const times: Record<string, number[]> = { floor: [], ours: [], peer: [] };
  let bytes: number | undefined;
  let rss: BenchResult["rss"];
  try {
    for (let round = -1; round < of.rounds; round++) {
      const order = round % 2 === 0 ? named : [...named].reverse();
      for (const name of order) {
        const ns = (await (subjects[name] as Measured)(of.n)) / of.n;
        if (round >= 0) times[name]?.push(ns);
      }
    }
    if (subjects.once !== undefined) bytes = await allocatedBy(subjects.once);
    rss = subjects.rss?.();
  } finally {
    await subjects.close?.();
  }
  const ratio = (other: "peer" | "floor"): number | undefined =>
    times[other]?.length
      ? median((times["ours"] as number[]).map((ns, i) => ns / ((times[other] as number[])[i] as number)))
      : undefined;
  const toPeer = ratio("peer");
  const toFloor = ratio("floor");
  return {
    name: of.name,
    unit: of.unit,
    ours: median(times["ours"] as number[]),
    ...(toPeer !== undefined && { peer: median(times["peer"] as number[]), toPeer }),
    ...(of.peerName !== undefined && { peerName: of.peerName }),
    ...(toFloor !== undefined && { floor: median(times["floor"] as number[]), toFloor }),
    ...(bytes !== undefined && { bytes }),
    ...(rss !== undefined && { rss }),
    budget: of.budget,
    within:
      (of.budget.maxBytes === undefined || (bytes !== undefined && bytes <= of.budget.maxBytes)) &&
      (of.budget.maxRss === undefined ||
        (rss?.ours ?? 0) <= of.budget.maxRss * (rss?.floor ?? Number.POSITIVE_INFINITY)) &&
      (of.budget.toPeer === undefined || (toPeer !== undefined && toPeer <= of.budget.toPeer)) &&
      (of.budget.toFloor === undefined || (toFloor !== undefined && toFloor <= of.budget.toFloor)),
    rounds: of.rounds,
  };
}

/** Growth of the heap over one unit of work; rounds in which the collector ran shrink it and are left out. */
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

/** The middle one of some numbers, of which there must be one. */
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
