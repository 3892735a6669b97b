import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CHILD_ENV } from "../../../../../scripts/child-env.ts";
import { startDaemon } from "../../../../bridge/src/client/client.ts";
import { type DaemonPlace, daemonPlace } from "../../../../bridge/src/client/place.ts";
import { placeLauncher } from "../../../../bridge/src/install/launcher.ts";
import { rig } from "../../../../bridge/test/fixtures/rig.ts";
import { isAlive } from "../../../../ground/src/store/owner.ts";

/** The program of a daemon that serves the host `rig`. */
export const DAEMON: readonly [string, ...string[]] = [
  process.execPath,
  "--conditions=hookline-source",
  join(import.meta.dirname, "../fixtures/daemon.ts"),
];

/** A program that is not there. */
export const ABSENT = join(import.meta.dirname, "absent-program");

/** The result of running a client. */
export interface Told {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home with the client in it, a project, and the daemons that were started there; all gone when it is closed. */
export class Rigged {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-rig-"));
  readonly home: string;
  readonly hooklineHome: string;
  readonly project = join(this.top, "project");
  readonly place: DaemonPlace;

  constructor(client: string, program: readonly string[] = DAEMON, home = "home") {
    this.home = join(this.top, home);
    this.hooklineHome = join(this.home, ".hookline");
    for (const folder of [this.hooklineHome, this.project]) mkdirSync(folder, { recursive: true });
    const env = { HOOKLINE_BRIDGE_CLIENT: client };
    placeLauncher({ hooklineHome: this.hooklineHome, host: rig, program, env });
    this.place = daemonPlace(this.hooklineHome, this.project, {});
  }

  /** Writes a file below the project, or below the home when the path begins with `~/`. */
  write(path: string, text: string): string {
    const full = path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** Starts the fixture's daemon in the project, as a client would. */
  begin(): Promise<void> {
    const env = { ...CHILD_ENV, HOME: this.home, HOOKLINE_HOME: this.hooklineHome };
    return startDaemon({ place: this.place, cwd: this.project, env, program: DAEMON });
  }

  /**
   * Starts the client for one event; `input` is what the host says. With `hasAll` that lies in a file before the client
   * starts: a short deadline is then over while it waits for the daemon, not for its input.
   */
  start(
    event: string,
    input: object | string,
    {
      args = [],
      env = {},
      hasAll = false,
    }: {
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly hasAll?: boolean;
    } = {},
  ): { readonly child: ChildProcess; readonly told: Promise<Told> } {
    const text = typeof input === "string" ? input : JSON.stringify({ session: "s", ...input });
    const stdin = hasAll ? openSync(this.write("~/input.json", text), "r") : "pipe";
    const child = spawn(join(this.hooklineHome, "bin/hookline-hook"), ["rig", event, ...args], {
      cwd: this.project,
      env: { ...CHILD_ENV, HOME: this.home, ...env },
      stdio: [stdin, "pipe", "pipe"],
    });
    if (stdin !== "pipe") closeSync(stdin);
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
    child.stdin?.on("error", () => {}).end(text);
    const told = new Promise<Told>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (exit) => resolve({ exit, stdout, stderr }));
    });
    return { child, told };
  }

  /** Asks with the client, and gives what it left behind. */
  tell(event: string, input: object | string, options?: Parameters<Rigged["start"]>[2]): Promise<Told> {
    return this.start(event, input, options).told;
  }

  /** The same, for an answer in JSON; exit code and stderr must be those of every answer. */
  async ask(event: string, input: object | string, options?: Parameters<Rigged["start"]>[2]): Promise<unknown> {
    const { exit, stdout, stderr } = await this.tell(event, input, options);
    if (exit !== 0 || stderr !== "") throw new Error(`exit ${exit}: ${stderr}`);
    return stdout === "" ? undefined : JSON.parse(stdout);
  }

  get pid(): number {
    return Number(readFileSync(this.place.pid, "utf8").split("\n")[0]);
  }

  /** How many connections its daemon has, those that it has not taken yet included. The system knows them by the first name. */
  connections(): number {
    const names = readFileSync("/proc/net/unix", "utf8").split("\n");
    return names.filter((line) => line.endsWith(` ${this.place.making}`)).length - 1;
  }

  log(): string {
    return existsSync(this.place.log) ? readFileSync(this.place.log, "utf8") : "";
  }

  async close(): Promise<void> {
    if (existsSync(this.place.pid)) {
      const { pid } = this;
      for (const signal of ["SIGCONT", "SIGTERM"] as const) send(pid, signal);
      for (let n = 0; n < 100 && isAlive(String(pid)); n++) await wait(20);
      send(pid, "SIGKILL");
      // It writes into these folders as long as it is there.
      while (isAlive(String(pid))) await wait(20);
    }
    rmSync(this.top, { recursive: true, force: true });
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
