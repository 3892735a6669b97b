import type { Clock } from "@hookline/ground";
import { isMarked } from "./marker.ts";
import { HAS_PROC, listProcesses, type ProcessEntry, readProcess } from "./proc.ts";
import { sleep } from "./sleep.ts";

/** The rule by which a process belongs to a call, or to a whole run, and so to the processes that are ended with it. */
export interface Tree {
  /** The leader of the process group, if the call has a group of its own. */
  readonly leader?: number;
  /** A process that shares the host's process group. It and its descendants are ended, never the whole group. */
  readonly guest?: number;
  /**
   * Returns whether a process belongs to the tree, by one segment of the variable `HOOKLINE_RUN_ID` in its environment.
   */
  accepts(segment: string): boolean;
  /** Called once for each process of the tree that is found alive. */
  found?(pid: number): void;
  /**
   * The start time of the run's host, in clock ticks after boot. A process that started before cannot belong to the
   * run, so its environment is not read.
   */
  readonly sinceTicks: number;
}

/** The time in milliseconds between SIGTERM and SIGKILL after a timeout. */
export const TERM_GRACE_MS = 1000;
/**
 * The time in milliseconds between SIGTERM and SIGKILL if something waits: after an abort, too much output, or at the
 * end of the run.
 */
export const HURRIED_GRACE_MS = 500;
/**
 * The time in milliseconds for which SIGKILL is repeated before survivors are reported. A process has to run once more
 * to end, and a busy machine may delay that; only a process that hangs in the kernel or belongs to another user takes
 * all of this time.
 */
const KILL_ROUNDS_MS = 2000;

const FIRST_LOOK_MS = 4;
const LAST_LOOK_MS = 64;
/**
 * The time in milliseconds for which a process may show no environment before it counts as having none. On a busy
 * machine an `exec` takes longer than a start.
 */
const BLANK_MS = 724;
const LONGEST_BLANK_WAIT_MS = 256;
/** The time in milliseconds to wait for the environments of young processes, even if new ones keep appearing. */
const ALL_BLANK_MS = 4 * BLANK_MS;

/**
 * Ends all processes of a tree: SIGTERM, a grace, SIGKILL; resolves early when nothing is left. Success is decided by
 * looking at the processes, not by having sent a signal. Returns the pids that survived.
 */
export async function endTree(tree: Tree, graceMs: number, clock: Clock): Promise<readonly number[]> {
  const known = new Map<number, ProcessEntry>();
  let left = await lookSurely(tree, known, clock);
  if (left.length === 0) return left;
  // A stopped process acts on SIGTERM only after SIGCONT.
  send(tree, left, known, "SIGTERM");
  send(tree, left, known, "SIGCONT");
  const killAt = clock.now() + graceMs;
  for (let pauseMs = FIRST_LOOK_MS; clock.now() < killAt; pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)) {
    await sleep(clock, Math.max(1, Math.min(pauseMs, killAt - clock.now())));
    left = await lookSurely(tree, known, clock);
    if (left.length === 0) return left;
  }
  const giveUpAt = clock.now() + KILL_ROUNDS_MS;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)) {
    send(tree, left, known, "SIGKILL");
    await sleep(clock, pauseMs);
    left = await lookSurely(tree, known, clock);
    if (left.length === 0 || clock.now() >= giveUpAt) return left;
  }
}

/** The result of one scan; `blank` is the young processes that show no environment, with their start times by pid. */
interface Sight {
  readonly alive: readonly number[];
  readonly blank: ReadonlyMap<number, number>;
}

/** Processes that have shown no environment for long enough to count as having none, with their start times by pid. */
const bare = new Map<number, number>();
const MAX_BARE = 1024;

/**
 * Repeats a scan until it finds a process of the tree, or until each young process without an environment has had
 * `BLANK_MS` to show one, counted from its own first scan. Gives up after `ALL_BLANK_MS`.
 */
async function lookSurely(tree: Tree, known: Map<number, ProcessEntry>, clock: Clock): Promise<readonly number[]> {
  let waited = 0;
  let since: ReadonlyMap<string, number> = new Map();
  for (;;) {
    const { alive, blank } = await look(tree, known);
    if (alive.length > 0 || waited >= ALL_BLANK_MS) return alive;
    const undecided = new Map<string, number>();
    for (const [pid, startTicks] of blank) {
      const key = `${pid} ${startTicks}`;
      const from = since.get(key) ?? waited;
      if (waited - from < BLANK_MS) undecided.set(key, from);
      else {
        if (bare.size >= MAX_BARE) bare.clear();
        bare.set(pid, startTicks);
      }
    }
    if (undecided.size === 0) return alive;
    since = undecided;
    // The first waits are short, because most young processes soon show an environment.
    const youngest = waited - Math.max(...undecided.values());
    const pauseMs = Math.min(FIRST_LOOK_MS + 3 * youngest, LONGEST_BLANK_WAIT_MS);
    await sleep(clock, pauseMs);
    waited += pauseMs;
  }
}

/** Scans for the tree's living processes, and adds them to `known`. A process in `known` stays part of the tree. */
async function look(tree: Tree, known: Map<number, ProcessEntry>): Promise<Sight> {
  const blank = new Map<number, number>();
  if (!HAS_PROC) return { alive: lookWithoutProc(tree), blank };
  const table = await listProcesses();
  const children = new Map<number, ProcessEntry[]>();
  const members = new Map<number, ProcessEntry>();
  const add = (entry: ProcessEntry): void => {
    if (members.has(entry.pid) || entry.pid === process.pid) return;
    members.set(entry.pid, entry);
    for (const child of children.get(entry.pid) ?? []) add(child);
  };
  for (const entry of table) {
    const siblings = children.get(entry.parent);
    if (siblings === undefined) children.set(entry.parent, [entry]);
    else siblings.push(entry);
  }
  for (const entry of table) {
    const member = isMember(tree, known, entry);
    if (member === true) add(entry);
    else if (member === undefined && bare.get(entry.pid) !== entry.startTicks) blank.set(entry.pid, entry.startTicks);
  }
  const alive: number[] = [];
  for (const entry of members.values()) {
    if (entry.zombie) continue;
    if (!known.has(entry.pid)) tree.found?.(entry.pid);
    known.set(entry.pid, entry);
    alive.push(entry.pid);
  }
  return { alive: alive.sort((a, b) => a - b), blank };
}

/** Returns whether a process belongs to the tree; `undefined` if it shows no environment yet. */
function isMember(tree: Tree, known: ReadonlyMap<number, ProcessEntry>, entry: ProcessEntry): boolean | undefined {
  if (known.get(entry.pid)?.startTicks === entry.startTicks) return true;
  if (entry.startTicks < tree.sinceTicks) return false;
  if (tree.leader !== undefined && (entry.group === tree.leader || entry.session === tree.leader)) return true;
  if (tree.guest !== undefined && entry.pid === tree.guest) return true;
  return entry.zombie || entry.kernel ? false : isMarked(entry.pid, tree.accepts);
}

function lookWithoutProc(tree: Tree): readonly number[] {
  const target = tree.leader === undefined ? tree.guest : -tree.leader;
  if (target === undefined) return [];
  return signal(target, 0) ? [Math.abs(target)] : [];
}

function send(
  tree: Tree,
  pids: readonly number[],
  known: ReadonlyMap<number, ProcessEntry>,
  name: NodeJS.Signals,
): void {
  if (!HAS_PROC) {
    for (const pid of pids) signal(tree.leader === undefined ? pid : -pid, name);
    return;
  }
  // Signalling the whole group in one call leaves no gap in which a process of it could fork and escape.
  if (tree.leader !== undefined && pids.some((pid) => known.get(pid)?.group === tree.leader))
    signal(-tree.leader, name);
  for (const pid of pids) {
    const entry = known.get(pid);
    if (entry === undefined || (tree.leader !== undefined && entry.group === tree.leader)) continue;
    // The pid may have been reused since the scan.
    if (readProcess(pid)?.startTicks === entry.startTicks) signal(pid, name);
  }
}

function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
