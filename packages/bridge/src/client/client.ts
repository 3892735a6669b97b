import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { InProcessAnswer, NativeAnswer } from "./native-answer.ts";
import { Away, type DaemonPlace, daemonPlace, goesOn, isSocket, makeRunFolder, ownText, PROTOCOL } from "./place.ts";

// The client for Node, which asks the daemon. Agents that run hooks in their own process load it; others run it if
// there is no native client (`client-text.ts`). It imports only `node:fs` and `node:net`, so that it starts fast.

/** Largest header of a request, in bytes. */
export const MOST_HEADER = 256 * 1024;
/** Largest input that a host sends to a hook, in bytes. */
export const MOST_INPUT = 8 * 1024 * 1024;
/** Largest frame of an answer (exit code, stdout or stderr), in bytes. */
const MOST_ANSWER = 16 * 1024 * 1024;
/** How much longer than the daemon's deadline the client waits, in ms. */
export const GRACE_MS = 500;
/** How often a daemon's watchdog sends a byte, in ms. After `MOST_MISSING` missing bytes the daemon counts as hung. */
export const BEAT_MS = 2000;
const MOST_MISSING = 3;
/** The pause between two checks for a starting daemon. After `STARTING_MS` without one, another client may start it. */
const STEP_MS = 15;
const STARTING_MS = 10_000;
/** The host name in requests that the daemon itself answers, such as `status` and `stop`. */
export const CONTROL = "bridge";

/** One native hook call, as a client sends it. */
export interface BridgeRequest {
  readonly host: string;
  /** The event by the host's name. */
  readonly event: string;
  /** Names the hook entry in the agent's settings that made the call, such as `codex-user`; empty if unknown. */
  readonly origin: string;
  /** The client's working folder. */
  readonly cwd: string;
  /** The deadline in ms, counted from the arrival of the request. */
  readonly deadlineMs: number;
  /** Whether the call continues when the client ends. */
  readonly detach: boolean;
  /** The process that started the client: the host, unless a shell is in between. */
  readonly parent?: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The bytes that the host wrote to the hook's stdin. */
  readonly input: Uint8Array;
}

/**
 * Encodes a request as two frames: the header, whose fields are separated by NUL, and the input. Throws if one is too
 * large.
 */
export function encodeRequest(request: BridgeRequest): Buffer {
  const { host, event, origin, cwd, deadlineMs, detach, parent, env, input } = request;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const flags = [...(detach ? ["detach"] : []), ...(parent === undefined ? [] : [`parent=${parent}`])].join(" ");
  const fields = [`hookline/${PROTOCOL}`, host, event, origin, cwd, String(deadlineMs), flags, ...variables];
  if (fields.some((field) => field.includes("\0"))) throw new Away("a field of the request contains a NUL character");
  const header = Buffer.from(fields.join("\0"));
  if (header.length > MOST_HEADER) throw new Away("the environment is too large");
  if (input.length > MOST_INPUT) throw new Away("the host sent more than 8 MiB");
  const frames = [header, input].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return Buffer.concat(frames);
}

/** Returns the answer in these bytes once it is complete; throws for an invalid one. */
export function answerIn(bytes: Buffer): NativeAnswer | undefined {
  const parts: string[] = [];
  let at = 0;
  for (const most of [3, MOST_ANSWER, MOST_ANSWER]) {
    if (bytes.length < at + 4) return undefined;
    const length = bytes.readUInt32BE(at);
    if (length > most) throw new Away("the answer is too large");
    if (bytes.length < at + 4 + length) return undefined;
    parts.push(bytes.toString("utf8", at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [exit = "", stdout = "", stderr = ""] = parts;
  if (!/^\d{1,3}$/.test(exit) || Number(exit) > 255 || at < bytes.length) throw new Away("the answer cannot be read");
  return { exit: Number(exit), stdout, stderr };
}

/** One request to the daemon, with its time limit. */
export interface Asking {
  readonly place: DaemonPlace;
  readonly request: BridgeRequest;
  /** The time limit of the request, including the start of the daemon, in ms. */
  readonly timeoutMs: number;
  /** Aborted when the host gives up the call. */
  readonly signal?: AbortSignal | undefined;
  /** Starts the daemon; called at most once, if none listens. */
  start?(): void;
}

/** Asks the daemon, and starts it if none runs. Throws `Away` if it does not answer in time. */
export async function askDaemon({ place, request, timeoutMs, signal, start }: Asking): Promise<NativeAnswer> {
  const bytes = encodeRequest(request);
  const until = Date.now() + timeoutMs;
  for (let isStarted = false, resets = 0; ; ) {
    const answer = isSocket(place.folder, place.socket) ? await exchange(place, bytes, until, signal) : "refused";
    if (typeof answer === "object") return answer;
    if (answer === "reset" && resets++ > 0) throw new Away("the connection ended before the request was read");
    if (start === undefined && answer !== "full") throw new Away("no daemon runs");
    if (Date.now() >= until)
      throw new Away(answer === "full" ? "no answer in time" : "no daemon could be reached in time");
    if (answer !== "full" && !isStarted) {
      isStarted = true;
      start?.();
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

/**
 * Reasons why a request may be sent again, because no hook has run: nobody listens; too many others already wait for
 * the daemon; or the daemon ended before it had read the whole request.
 */
type Unasked = "refused" | "full" | "reset";

function exchange(
  place: DaemonPlace,
  bytes: Buffer,
  until: number,
  signal: AbortSignal | undefined,
): Promise<NativeAnswer | Unasked> {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0);
    const connection = connect(place.socket);
    const end = (settle: () => void): void => {
      clearTimeout(late);
      unwatch();
      signal?.removeEventListener("abort", abort);
      connection.destroy();
      settle();
    };
    const fail = (because: string): void => end(() => reject(new Away(because)));
    const abort = (): void => fail("the agent gave up the call");
    // Reads the connection once more before it gives up: this process may have been suspended when the answer arrived.
    const late = setTimeout(() => setImmediate(fail, "no answer in time"), Math.max(0, until - Date.now()));
    const unwatch = watchDaemon(place, () => fail("the daemon hangs"));
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) return abort();
    connection.on("connect", () => connection.write(bytes));
    connection.on("data", (piece) => {
      try {
        got = Buffer.concat([got, piece]);
        const answer = answerIn(got);
        if (answer !== undefined) end(() => resolve(answer));
      } catch (thrown) {
        end(() => reject(thrown));
      }
    });
    connection.on("error", ({ code }: NodeJS.ErrnoException) => {
      const unasked = UNASKED[code ?? ""];
      if (unasked === undefined) fail("the connection failed");
      else end(() => resolve(unasked));
    });
    connection.on("close", () => fail("the connection ended before the answer"));
  });
}

const UNASKED: Readonly<Record<string, Unasked>> = {
  ENOENT: "refused",
  ECONNREFUSED: "refused",
  EAGAIN: "full",
  ECONNRESET: "reset",
  EPIPE: "reset",
};

/** Whether a process listens at a socket. */
export function connects(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (listens: boolean): void => {
      connection.destroy();
      resolve(listens);
    };
    connection.on("connect", () => end(true));
    connection.on("error", ({ code }: NodeJS.ErrnoException) => end(UNASKED[code ?? ""] === "full"));
  });
}

/**
 * Watches the daemon that answers a call. Its watchdog sends bytes even while hooks keep the daemon busy. After three
 * missing bytes the daemon is killed, and the call's connection ends; if it cannot be killed, `hung` is called. Returns
 * a function that stops the watch.
 */
function watchDaemon(place: DaemonPlace, hung: () => void): () => void {
  let watch: Socket | undefined;
  let claim: string | undefined;
  let isHeard = true;
  let missing = 0;
  const stop = (): void => {
    clearInterval(timer);
    watch?.destroy();
  };
  const look = (): void => {
    missing = isHeard ? 0 : missing + 1;
    isHeard = false;
    if (missing >= MOST_MISSING) {
      const ended = endHung(place, claim);
      if (ended !== "busy") stop();
      if (ended === "unknown") hung();
    } else if (watch === undefined || watch.destroyed) {
      // Without a watchdog, as in earlier versions, there is nothing to watch.
      if (!isThere(place.folder, place.live)) {
        stop();
        return;
      }
      claim ??= ownText(place.folder, place.pid, MOST_CLAIM);
      watch = connect(place.live).on("data", () => (isHeard = true));
      watch.on("error", ({ code }: NodeJS.ErrnoException) => UNASKED[code ?? ""] === "full" || stop());
    }
  };
  const timer = setInterval(look, BEAT_MS);
  return stop;
}

function isThere(folder: string, socket: string): boolean {
  try {
    return isSocket(folder, socket);
  } catch {
    return false;
  }
}

const MOST_CLAIM = 64 * 1024;

/**
 * Kills a hanging daemon, if its process is still the one that wrote `claim`. Returns `busy` while another client ends
 * or starts a daemon, and `unknown` if the process may be another one or cannot be killed.
 */
function endHung(place: DaemonPlace, claim: string | undefined): "ended" | "busy" | "unknown" {
  const [pid = "", , about = ""] = claim?.split("\n") ?? [];
  if (!isFirst(place.starting)) return "busy";
  try {
    const isSame = identityOf(pid) === about.split(" ").slice(1).join(" ");
    if (!isSame || ownText(place.folder, place.pid, MOST_CLAIM) !== claim) return "unknown";
    process.kill(Number(pid), "SIGKILL");
    return "ended";
  } catch {
    return "unknown";
  } finally {
    rmSync(place.starting, { force: true });
  }
}

/** Identifies a process by its start time and its executable. Throws if the system does not show them. */
export function identityOf(pid: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const { dev, ino } = statSync(`/proc/${pid}/exe`, { bigint: true });
  // The file has the program's name in parentheses; the name itself may contain parentheses and blanks.
  return `${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]} ${dev}:${ino}`;
}

/** Arguments of `startDaemon`. */
export interface Starting {
  readonly place: DaemonPlace;
  readonly cwd: string;
  /** The environment of the daemon and its in-process hooks: only variables that hooks may see. */
  readonly env: Readonly<Record<string, string>>;
  /** The command that runs hookline, such as `node hookline.js`; `bridge daemon` is appended to it. */
  readonly program: readonly string[];
}

/** Starts a daemon that outlives this process; does nothing if another client has just started one. Never rejects. */
export async function startDaemon({ place, cwd, env, program: [file = "", ...args] }: Starting): Promise<void> {
  try {
    makeRunFolder(place.folder);
    if (!isFirst(place.starting)) return;
    const { spawn } = await import("node:child_process");
    const child = spawn(file, [...args, "bridge", "daemon"], { cwd, env, detached: true, stdio: "ignore" });
    child.on("error", () => rmSync(place.starting, { force: true }));
    child.unref();
  } catch {
    // If no daemon starts, the caller gets no answer, and reports that.
  }
}

/** Takes the lock for ending or starting a daemon; false if another client has it. */
function isFirst(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch {
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs < STARTING_MS) return false;
    rmSync(path, { force: true });
    return isFirst(path);
  }
}

/** A hook entry that `bridge install` has made in an agent, and the hookline home that it asks. */
export interface Known {
  readonly host: string;
  /** Names the hook entry that makes the calls, such as `codex-user`. */
  readonly origin: string;
  /** The real path of hookline's home. */
  readonly home: string;
}

/** Options for asking hookline about a host's call. */
export interface CallOptions {
  /** Default: the working folder of the process. */
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Ends the call: the connection is closed, which aborts the hooks. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the hooks continue when this process ends. */
  readonly detach?: boolean;
  readonly parent?: number;
}

/** Daemons that did not answer in time, each with the reason, until they answer again. */
const silent = new Map<string, string>();
/**
 * A daemon in `silent` has `AGAIN_MS` to report its status. A daemon that is unreachable for `LONG_MS` joins `silent`.
 */
const AGAIN_MS = 500;
const LONG_MS = 10_000;

/** Asks the hooks about an event, with the files that `bridge install` has put into hookline's home. Never rejects. */
export async function askInstalled(
  { host, origin, home }: Known,
  event: string,
  read: () => Promise<Uint8Array> | Uint8Array,
  { cwd = process.cwd(), timeoutMs = 30_000, signal, detach = false, parent = process.pid }: CallOptions = {},
): Promise<InProcessAnswer> {
  const file = (name: string): string => readFileSync(`${home}/bin/bridge/${name}`, "utf8");
  const began = Date.now();
  const place = daemonPlace(home, cwd, process.env);
  const isGuard = guards(() => file(`refusal-${host}-${event}`));
  try {
    const allowed = linesOf(file(`environment-${host}`));
    const passes = (name: string): boolean =>
      allowed.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name));
    const own = Object.entries(process.env).filter(([name]) => name !== "HOOKLINE_HOME" && passes(name));
    const env = { HOOKLINE_HOME: home, ...(Object.fromEntries(own) as Record<string, string>) };
    const start = (): void => void startDaemon({ place, cwd, env, program: linesOf(file("runtime")) });
    const input = await read();
    const ask = { host, event, origin, cwd, deadlineMs: Math.max(1, timeoutMs - GRACE_MS), detach, parent, env, input };
    const because = silent.get(place.socket);
    if (because !== undefined) {
      if (!isGuard) throw new Away(because);
      const status = { ...ask, host: CONTROL, event: "status", cwd: "/", env: {}, input: Buffer.alloc(0) };
      await askDaemon({ place, request: status, timeoutMs: AGAIN_MS, start }).catch(() => {
        throw new Away(because);
      });
      silent.delete(place.socket);
    }
    return await askDaemon({ place, request: ask, timeoutMs, signal, start });
  } catch (thrown) {
    const away = thrown instanceof Away ? thrown.message : "files are missing; run `hookline bridge install` again";
    const isLong = Date.now() - began >= LONG_MS && away === "no daemon could be reached in time";
    if (isLong || away === "no answer in time" || away === "the daemon hangs") silent.set(place.socket, away);
    const passes = isGuard ? goesOn({ place, host, event, home, env: process.env }) : {};
    return { away, refuses: passes === undefined, ...passes };
  }
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Whether an event must be refused when there is no answer: its installed refusal is not empty, or cannot be read. */
function guards(refusal: () => string): boolean {
  try {
    return refusal() !== "0\0\0";
  } catch {
    return true;
  }
}
