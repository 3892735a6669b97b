import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { PROTOCOL } from "./frame.ts";

/** The files of one daemon, which lie beside each other. */
export interface DaemonPlace {
  readonly folder: string;
  readonly socket: string;
  /** Where a daemon makes its socket, which it then renames: who sees the socket may ask, and no other is taken for it. */
  readonly making: string;
  /** Which events may go on without the daemon, since no guard hangs on them. */
  readonly closed: string;
  readonly pid: string;
  readonly log: string;
  /** There while a client starts the daemon. */
  readonly starting: string;
}

/** Longest path of a socket in bytes, the closing NUL left out: 104 bytes on macOS, 108 on Linux. */
const MOST_BYTES = 103;
const LONGEST_NAME = "/0123456789abcdef.sock".length;

type Env = Readonly<Record<string, string | undefined>>;

/** Where the daemon of a home and a working folder is; both are taken as they lie on disk. */
export function daemonPlace(hooklineHome: string, cwd: string, env: Env): DaemonPlace {
  const home = realOf(hooklineHome);
  const name = createHash("sha256")
    .update([home, realOf(cwd), PROTOCOL].join("\0"))
    .digest("hex")
    .slice(0, 16);
  return placeIn(runFolder(home, env), name);
}

/** The files of the daemon of a name in a run folder. */
export function placeIn(folder: string, name: string): DaemonPlace {
  const file = (ending: string): string => join(folder, `${name}.${ending}`);
  return {
    folder,
    socket: file("sock"),
    making: file("new"),
    closed: file("closed"),
    pid: file("pid"),
    log: file("log"),
    starting: file("starting"),
  };
}

/**
 * The folder of the sockets of a home: that of the person's login, else in the home, else where the path would be too
 * long for a socket, under `/tmp`.
 */
export function runFolder(hooklineHome: string, env: Env): string {
  const home = realOf(hooklineHome);
  const login = env["XDG_RUNTIME_DIR"] ?? "";
  const wanted = isAbsolute(login) ? join(login, "hookline") : join(home, "run", "bridge");
  if (Buffer.byteLength(wanted) + LONGEST_NAME <= MOST_BYTES) return wanted;
  const short = createHash("sha256").update(home).digest("hex").slice(0, 8);
  return join("/tmp", `hookline-${process.getuid?.() ?? 0}-${short}`);
}

/** A path as it lies on disk; as it is where it cannot be read. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Makes the folder of the sockets, for its owner alone. Throws where somebody else could put a socket there. */
export function makeRunFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const problem = folderProblem(folder);
  if (problem !== undefined) throw new Error(problem);
}

/** Why a folder may not be used for sockets: a false daemon in it would answer for every guard. */
export function folderProblem(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `${folder} is not there`;
  if (!found.isDirectory()) return `${folder} is no folder`;
  const own = process.getuid?.();
  if (own !== undefined && found.uid !== own) return `${folder} belongs to another user`;
  return own !== undefined && (found.mode & 0o077) !== 0
    ? `others may use ${folder}; run: chmod 700 ${folder}`
    : undefined;
}

/** Why a socket may not be spoken to; `absent` where there is none. */
export function socketProblem({ folder, socket }: DaemonPlace): "absent" | string | undefined {
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found === undefined) return "absent";
  const problem = folderProblem(folder);
  if (problem !== undefined) return problem;
  if (!found.isSocket()) return `${socket} is no socket`;
  const own = process.getuid?.();
  return own !== undefined && found.uid !== own ? `${socket} belongs to another user` : undefined;
}
