import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf, VERSION } from "@hookline/ground";
import type { Proof } from "@hookline/runtime/session";
import { type BridgeRequest, CONTROL } from "../client/client.ts";
import { encodeAnswer, FrameReader, HeaderReader, REQUEST_FRAMES } from "../client/frame.ts";
import { type NativeAnswer, SILENCE } from "../client/native-answer.ts";
import { clockOf, type DaemonPlace, hasFleet, makeRunFolder, pausedUntil, realOf } from "../client/place.ts";
import type { BridgeHost } from "../host/host.ts";
import { type AnswerParts, answerCall, fault } from "./answer.ts";
import { Caller } from "./caller.ts";
import { claim, claimOf, pidIn } from "./claim.ts";
import type { ClosedTable } from "./closed-table.ts";
import { type Connection, type Listener, listen } from "./connection.ts";
import { HostProcesses } from "./host-process.ts";
import { openLog } from "./log.ts";
import type { BridgeSession, OpenParts } from "./session.ts";
import { Sessions } from "./sessions.ts";
import { startWatchdog } from "./watchdog.ts";

/** How long a daemon without a session and a call keeps running, in ms. */
const IDLE_MS = 10 * 60 * 1000;
/** How often a daemon checks that its socket is still its own, and drops clients older than `SENDING_MS`, in ms. */
const LOOK_MS = 2000;
/** How long a client may take to send its request, or to receive its answer, in ms. */
const SENDING_MS = 10_000;
/** How often a daemon that ends checks whether the last clients have their answers, in ms. */
const STEP_MS = 20;

/** Dependencies of a daemon. */
export interface DaemonParts {
  readonly place: DaemonPlace;
  /** The real path of the daemon's working folder. */
  readonly cwd: string;
  readonly hooklineHome: string;
  readonly hosts: Readonly<Record<string, () => Promise<BridgeHost>>>;
  open(parts: OpenParts): Promise<BridgeSession>;
  /** Aborted when the daemon must end. */
  readonly signal: AbortSignal;
  readonly idleMs?: number;
}

/** A daemon's report on itself. */
export interface DaemonStatus {
  readonly pid: number;
  readonly version: string;
  readonly cwd: string;
  readonly sessions: number;
  /** How many sessions each host has. A daemon of 0.2.0 does not report it. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** The test results of the guards in the sessions of each host. */
  readonly guards?: Readonly<Record<string, Proof>>;
  /** The start of the daemon, in epoch ms. */
  readonly sinceMs: number;
}

/** Serves a folder until it is idle or `signal` is aborted; false if another daemon serves it already. */
export async function serveBridge(parts: DaemonParts): Promise<boolean> {
  const { place, cwd } = parts;
  makeRunFolder(place.folder);
  const sinceMs = Date.now();
  const isOurs = await claim(place, claimOf(cwd, sinceMs));
  rmSync(place.starting, { force: true });
  if (!isOurs) return false;
  const daemon = new Daemon(parts, sinceMs);
  await daemon.serve();
  return true;
}

class Daemon {
  readonly #parts: DaemonParts;
  readonly #sinceMs: number;
  readonly #sessions: Sessions;
  readonly #answers: AnswerParts;
  readonly #log: (line: string) => void;
  readonly #processes: HostProcesses;
  readonly #headers = new HeaderReader();
  readonly #running = new Set<Promise<void>>();
  /** The time in epoch ms at which a connection's incomplete request or unwritten answer began. */
  readonly #moving = new Map<Connection, number>();
  readonly #stopped = Promise.withResolvers<string>();
  #isEnding = false;
  #lastCall = Date.now();
  /** Whether the home belonged to a fleet when the daemon started. If that changes, the daemon ends. */
  readonly #isMember: boolean;
  /** The table of guards that was last written. */
  #kept: string | undefined;
  /** The end of the current pause when it was last checked. */
  #pausedUntil: number | undefined;

  constructor(parts: DaemonParts, sinceMs: number) {
    this.#parts = parts;
    this.#sinceMs = sinceMs;
    this.#isMember = hasFleet(parts.hooklineHome, {});
    this.#log = openLog(parts.place.log);
    this.#processes = new HostProcesses(parts.hooklineHome);
    this.#sessions = new Sessions({ open: parts.open, log: this.#log, guarded: (table) => this.#keep(table) });
    const { hosts, hooklineHome } = parts;
    this.#answers = { hosts, sessions: this.#sessions, hooklineHome, log: this.#log };
  }

  async serve(): Promise<void> {
    const { place, signal } = this.#parts;
    const { socket, making, live, table } = place;
    const { promise: listens, resolve, reject } = Promise.withResolvers<void>();
    const umask = process.umask(0o177);
    for (const file of [making, live]) rmSync(file, { force: true });
    const server = listen(making, (connection) => this.#take(connection));
    server.on("error", reject).on("listening", resolve);
    process.umask(umask);
    await listens;
    startWatchdog(live);
    chmodSync(making, 0o600);
    const { ino } = statSync(making);
    renameSync(making, socket);
    this.#lookForPause();
    const look = setInterval(() => this.#look(ino), LOOK_MS);
    signal.addEventListener("abort", () => this.#stopped.resolve("told to end"));
    this.#log(`${VERSION} serves ${this.#parts.cwd} as process ${process.pid}`);
    const because = await this.#stopped.promise;
    clearInterval(look);
    // Once these files are gone, a client starts the next daemon.
    if (this.#isAt(ino)) for (const file of [socket, live, table]) rmSync(file, { force: true });
    // The socket is gone, so the next daemon may already have written its claim.
    if (pidIn(place) === process.pid) rmSync(place.pid, { force: true });
    // The server is not closed: Node would remove the socket's path, where the next daemon may already listen.
    server.unref();
    await this.#drain();
    await this.#sessions.closeAll();
    this.#log(`ended: ${because}`);
  }

  #isAt(ino: number): boolean {
    return statSync(this.#parts.place.socket, { throwIfNoEntry: false })?.ino === ino;
  }

  /**
   * Answers the requests of which anything was read, and closes the other connections: their clients then ask the next
   * daemon.
   */
  async #drain(): Promise<void> {
    this.#isEnding = true;
    for (const connection of this.#moving.keys()) if (connection.isUnread) this.#drop(connection);
    for (; this.#moving.size + this.#running.size > 0; await wait(STEP_MS)) this.#dropLate();
  }

  #drop(connection: Connection): void {
    this.#moving.delete(connection);
    connection.close();
  }

  #dropLate(): void {
    const late = Date.now() - SENDING_MS;
    for (const [connection, since] of this.#moving) if (since < late) this.#drop(connection);
  }

  #look(ino: number): void {
    const { idleMs = IDLE_MS } = this.#parts;
    this.#lookForPause();
    if (!this.#isAt(ino)) this.#stopped.resolve("another daemon has taken its place, or the socket was removed");
    this.#dropLate();
    const isIdle = this.#sessions.size === 0 && this.#running.size === 0;
    if (isIdle && Date.now() - this.#lastCall >= idleMs) this.#stopped.resolve("idle");
  }

  #lookForPause(): void {
    const until = pausedUntil(this.#parts.hooklineHome);
    if (until === this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#log(until === undefined ? "the pause of the guards is over" : `guards are paused until ${clockOf(until)}`);
  }

  #take(connection: Connection): Listener | undefined {
    const isOld = hasFleet(this.#parts.hooklineHome, {}) !== this.#isMember;
    if (isOld) this.#stopped.resolve("this machine has joined or left a fleet");
    // A client whose connection is closed before its request was read asks the next daemon.
    if (this.#isEnding || isOld) {
      connection.close();
      return undefined;
    }
    this.#lastCall = Date.now();
    this.#moving.set(connection, this.#lastCall);
    const caller = new Caller();
    const reader = new FrameReader(REQUEST_FRAMES);
    return {
      onPiece: (piece) => {
        try {
          const [header, input] = reader.push(piece) ?? [];
          if (header === undefined || input === undefined) return;
          this.#moving.delete(connection);
          const running = Promise.resolve(this.#answer({ ...this.#headers.read(header), input }, caller))
            .then((answer) => this.#write(connection, encodeAnswer(answer)))
            .finally(() => this.#running.delete(running));
          this.#running.add(running);
        } catch (thrown) {
          this.#log(`a request was dropped: ${messageOf(thrown)}`);
          this.#drop(connection);
        }
      },
      // A client keeps its side open while it waits, so one that closes it has left.
      onEnd: () => {
        this.#moving.delete(connection);
        caller.leave();
      },
    };
  }

  #write(connection: Connection, bytes: Buffer): void {
    this.#moving.set(connection, Date.now());
    connection.end(bytes, () => this.#moving.delete(connection));
  }

  #answer(request: BridgeRequest, caller: Caller): NativeAnswer | Promise<NativeAnswer> {
    if (request.host === CONTROL) return this.#control(request.event);
    const { cwd } = this.#parts;
    if (request.cwd !== cwd && realOf(request.cwd) !== cwd)
      return fault(`the daemon of ${cwd} was asked about another folder`);
    this.#processes.learn(request.parent, cwd);
    return answerCall(request.cwd === cwd ? request : { ...request, cwd }, caller, this.#answers);
  }

  #control(event: string): NativeAnswer {
    if (event === "stop") this.#stopped.resolve("told to end");
    else if (event !== "status") return fault(`a daemon does not know "${event}"`);
    const { cwd } = this.#parts;
    const { size: sessions, byHost: hosts, guards } = this.#sessions;
    const sinceMs = this.#sinceMs;
    const status: DaemonStatus = { pid: process.pid, version: VERSION, cwd, sessions, hosts, guards, sinceMs };
    return { ...SILENCE, stdout: JSON.stringify(status) };
  }

  #keep({ text }: ClosedTable): void {
    const { table } = this.#parts.place;
    if (text === this.#kept) return;
    this.#kept = undefined;
    // An old table might let an event pass that a new guard judges.
    if (text === undefined) {
      rmSync(table, { force: true });
      return;
    }
    try {
      writeFileSync(`${table}.new`, text, { mode: 0o600 });
      renameSync(`${table}.new`, table);
      this.#kept = text;
    } catch (thrown) {
      rmSync(table, { force: true });
      this.#log(`the table of guards could not be written: ${messageOf(thrown)}`);
    }
  }
}
