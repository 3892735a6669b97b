import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";

// Part of the client for Node (`client-text.ts`), so it imports only `node:fs`.

/** The version of the frames. It is part of a socket's name, so that two versions never meet. */
export const PROTOCOL = "1";
/** The first line of a table of guards, which says which events may go on while no daemon answers. */
export const TABLE_HEAD = "hookline table 2";
/** The most lines that a table of guards may have. */
export const MOST_LINES = 500;
/** Longest path of a socket in bytes, without the closing NUL: 104 bytes with it on macOS, 108 on Linux. */
const MOST_PATH = 103;
const LONGEST_NAME = "/0123456789abcdef.sock".length;
/** The longest pause of the guards, in seconds. `MOST_PAUSE` is the largest file of a pause, in bytes. */
export const HOUR_S = 3600;
const MOST_PAUSE = 128;

type Env = Readonly<Record<string, string | undefined>>;

/** Thrown if the daemon gives no answer. The message is put into JSON as it is, so it must need no escaping. */
export class Away extends Error {}

/** Returns the reason with which a guard refuses when the daemon does not answer. */
export function notReachable(because: string): string {
  return `hookline is not reachable (${because})`;
}

/** The files of one daemon, which are all in one folder. */
export interface DaemonPlace {
  readonly folder: string;
  readonly socket: string;
  /**
   * The path at which a daemon creates its socket before it renames it, so that a visible socket always accepts
   * requests.
   */
  readonly making: string;
  /** The socket of the daemon's watchdog. */
  readonly live: string;
  /** The table of guards: the events that may go on without the daemon while no listed file or variable has changed. */
  readonly table: string;
  readonly pid: string;
  readonly log: string;
  /** A lock file that exists while a client ends or starts the daemon. */
  readonly starting: string;
}

/** Returns the files of the daemon that serves a home and a working folder. Links in both paths are resolved. */
export function daemonPlace(hooklineHome: string, cwd: string, env: Env): DaemonPlace {
  const home = realOf(hooklineHome);
  return placeIn(runFolder(home, env), sha256([home, realOf(cwd), PROTOCOL].join("\0")).slice(0, 16));
}

/** Returns the files of a named daemon in a run folder. */
export function placeIn(folder: string, name: string): DaemonPlace {
  const file = (ending: string): string => `${folder}/${name}.${ending}`;
  return {
    folder,
    socket: file("sock"),
    making: file("new"),
    live: file("live"),
    table: file("table"),
    pid: file("pid"),
    log: file("log"),
    starting: file("starting"),
  };
}

/**
 * Returns the folder for the sockets of a home. It is in `XDG_RUNTIME_DIR`, else in the home; if that path is too long
 * for a socket, it is in `/tmp`.
 */
export function runFolder(hooklineHome: string, env: Env): string {
  const home = realOf(hooklineHome);
  const login = env["XDG_RUNTIME_DIR"] ?? "";
  const wanted = login.startsWith("/") ? `${login}/hookline` : `${home}/run/bridge`;
  if (Buffer.byteLength(wanted) + LONGEST_NAME <= MOST_PATH) return wanted;
  return `/tmp/hookline-${process.getuid?.() ?? 0}-${sha256(home).slice(0, 8)}`;
}

/** Returns a path with links resolved; the path itself if it cannot be read. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Creates the folder of the sockets, for its owner alone. Throws if somebody else could put a socket there. */
export function makeRunFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const problem = folderProblem(folder);
  if (problem !== undefined) throw new Error(`${folder}: ${problem}; it must be your own, with mode 700`);
}

/** Returns why other users may have access to a folder; `undefined` if they have none. */
export function folderProblem(folder: string): string | undefined {
  try {
    const found = lstatSync(folder);
    if (found.isDirectory()) return isOurs(found) ? undefined : "other users can use the socket's folder";
  } catch {
    // There is no folder, or a file in its path.
  }
  return "the socket's folder is a link, or not a folder";
}

/** Whether this user owns the file and no other user has a permission in the mask `no`. Always true on Windows. */
function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }, no = 0o077): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & no) === 0);
}

/** Whether the socket exists. Throws if others have access to it: their daemon could answer for every guard. */
export function isSocket(folder: string, socket: string): boolean {
  const problem = existsSync(folder) ? folderProblem(folder) : undefined;
  if (problem !== undefined) throw new Away(problem);
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isSocket()) throw new Away("the file at the socket's path is not a socket");
  // Connecting to a socket needs the permission to write.
  if (!isOurs(found, 0o022)) throw new Away("other users can use the socket");
  return true;
}

/**
 * Returns the text of a file beside the sockets; `undefined` unless only this user has access to the folder and the
 * file.
 */
export function ownText(folder: string, path: string, most: number): string | undefined {
  if (folderProblem(folder) !== undefined) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(fd);
    return found.isFile() && found.nlink === 1 && isOurs(found) && found.size <= most
      ? readFileSync(fd, "utf8")
      : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The start and end of the last pause of the guards, in epoch seconds. */
export interface Pause {
  readonly from: number;
  readonly until: number;
}

/** Returns the file that stores the last pause of the guards, in a hookline home. */
export function pausePlace(hooklineHome: string): { readonly folder: string; readonly file: string } {
  const folder = `${realOf(hooklineHome)}/run/bridge`;
  return { folder, file: `${folder}/pause` };
}

/** Returns the last pause of the guards, even if over. `undefined` if its file is missing, invalid or not private. */
export function lastPause(hooklineHome: string): Pause | undefined {
  const { folder, file } = pausePlace(hooklineHome);
  const [, from, until] = /^from (\d{10,12}) until (\d{10,12})\n$/.exec(ownText(folder, file, MOST_PAUSE) ?? "") ?? [];
  const pause = { from: Number(from), until: Number(until) };
  return pause.until >= pause.from && pause.until - pause.from <= HOUR_S ? pause : undefined;
}

/** Returns when the current pause of the guards ends, in epoch ms; `undefined` if there is none. */
export function pausedUntil(hooklineHome: string, nowMs: number = Date.now()): number | undefined {
  const { from, until } = lastPause(hooklineHome) ?? { from: 0, until: 0 };
  const now = Math.floor(nowMs / 1000);
  return from <= now && now < until ? until * 1000 : undefined;
}

/** Returns the line for a path in the table of guards. It is `absent`, or `at` with the file's identity and size. */
export function lineOfPath(path: string): string {
  try {
    const { dev, ino, size, ctimeNs } = statSync(path, { bigint: true });
    return `at ${dev} ${ino} ${size} ${ctimeNs} ${path}`;
  } catch {
    return `absent ${path}`;
  }
}

/** Returns the line for a variable in the table of guards. It is `env NAME=VALUE`, or `env NAME` for an unset one. */
export function lineOfVariable(name: string, value: string | undefined): string {
  return value === undefined ? `env ${name}` : `env ${name}=${value}`;
}

/**
 * The daemon's word for an event in the table of guards: `open` if no hook guards it, `own` if none guards it while a
 * person pauses the guards, else `closed`.
 */
type Word = "open" | "own" | "closed";

/**
 * Returns the table's word for the event of an unanswered call; `closed` without a valid table, or if a path or
 * variable in it has changed.
 */
function wordOf({ place, host, event, env, home }: Alone): Word {
  const text = isForeign(place) ? "" : (ownText(place.folder, place.table, 1024 * 1024) ?? "");
  const lines = text.includes("\0") ? [] : text.split("\n");
  if (lines.length > MOST_LINES + 1 || lines.shift() !== TABLE_HEAD || lines.pop() !== "" || lines.pop() !== "end")
    return "closed";
  if (hasFleet(home, env) || !isSame(env["HOOKLINE_HOME"], home)) return "closed";
  const words: Word[] = [];
  for (const line of lines) {
    const [kind = "", ...rest] = line.split(" ");
    if ((kind === "open" || kind === "own" || kind === "closed") && rest.length > 0) {
      if (line === `${kind} ${host} ${event}`) words.push(kind);
    } else if (kind === "env") {
      const [name = ""] = rest.join(" ").split("=", 1);
      if (line !== lineOfVariable(name, env[name])) return "closed";
    } else if (kind === "at" || kind === "absent") {
      if (line !== lineOfPath(rest.slice(kind === "at" ? 4 : 0).join(" "))) return "closed";
    } else return "closed";
  }
  return words.length === 1 && words[0] !== undefined ? words[0] : "closed";
}

/** Whether others have access to the socket, so that no file beside it can be trusted. */
function isForeign({ folder, socket }: DaemonPlace): boolean {
  try {
    isSocket(folder, socket);
    return false;
  } catch {
    return true;
  }
}

/** Whether a fleet may have guards here: a variable names one, or `fleet join` has left its file in the home. */
export function hasFleet(home: string, env: Env): boolean {
  if (Object.keys(env).some((name) => name.startsWith("HOOKLINE_FLEET_"))) return true;
  try {
    return lstatSync(`${home}/fleet/fleet.json`, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function isSame(path: string | undefined, other: string): boolean {
  if (path === undefined || path === other) return true;
  return lineOfPath(path).split(" ", 3).join() === lineOfPath(other).split(" ", 3).join();
}

/** A call that no daemon has answered. */
export interface Alone {
  readonly place: DaemonPlace;
  readonly host: string;
  readonly event: string;
  /** The real path of hookline's home. */
  readonly home: string;
  /** The environment variables of the client. */
  readonly env: Env;
}

/** Returns `undefined` if an unanswered event must be refused. Else it goes on, in a pause with a `note` about it. */
export function goesOn(alone: Alone): { readonly note?: string } | undefined {
  const word = wordOf(alone);
  if (word === "open") return {};
  const until = word === "own" ? pausedUntil(alone.home) : undefined;
  if (until === undefined) return undefined;
  return { note: `hookline: guards are paused until ${clockOf(until)}; this event was not judged` };
}

/** Formats a time of day for a person. */
export function clockOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 16)} UTC`;
}

/**
 * Returns the SHA-256 of a text (FIPS 180-4) in hexadecimal. Loading `node:crypto` would take a tenth of a call's time.
 * The constants are fractions of the roots of the first primes.
 */
export function sha256(text: string): string {
  const fraction = (root: number): number => (root - Math.floor(root)) * 2 ** 32;
  const rounds = new Int32Array(64);
  const state = new Int32Array(8);
  for (let n = 2, count = 0; count < 64; n++) {
    let factor = 2;
    while (factor * factor <= n && n % factor > 0) factor++;
    if (factor * factor <= n) continue;
    if (count < 8) state[count] = fraction(Math.sqrt(n));
    rounds[count++] = fraction(Math.cbrt(n));
  }
  const size = Buffer.byteLength(text);
  const bytes = Buffer.alloc((((size + 8) >> 6) + 1) << 6);
  bytes.write(text);
  bytes[size] = 0x80;
  bytes.writeUInt32BE(size * 8, bytes.length - 4);
  const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
  const words = new Int32Array(64);
  const s = new Int32Array(8);
  const at = (of: Int32Array, i: number): number => of[i] ?? 0;
  for (let block = 0; block < bytes.length; block += 64) {
    s.set(state);
    for (let i = 0; i < 64; i++) {
      const a = at(words, i - 15);
      const b = at(words, i - 2);
      const older = at(words, i - 16) + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3));
      const newer = at(words, i - 7) + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
      words[i] = i < 16 ? bytes.readInt32BE(block + i * 4) : older + newer;
      const [e, f] = [at(s, 4), at(s, 0)];
      const chosen = (e & at(s, 5)) ^ (~e & at(s, 6));
      const most = (f & at(s, 1)) ^ (f & at(s, 2)) ^ (at(s, 1) & at(s, 2));
      const one = at(s, 7) + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + at(rounds, i) + at(words, i);
      s.copyWithin(1, 0);
      s[4] = at(s, 4) + one;
      s[0] = one + (turned(f, 2) ^ turned(f, 13) ^ turned(f, 22)) + most;
    }
    for (let i = 0; i < 8; i++) state[i] = at(state, i) + at(s, i);
  }
  return Buffer.from(state.buffer).swap32().toString("hex");
}
