import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { encodeAnswer } from "../../packages/bridge/src/client/frame.ts";
import { Rigged, type Told } from "../../packages/hookline/test/bridge/support/rigged.ts";

/** An extension that refuses commands beginning with `rm`, and records each command that it judges. */
const GUARD = `import { appendFileSync } from "node:fs";
export default (pi) => pi.on("tool_call", ({ input }) => {
  appendFileSync(process.env.HOME + "/judged.txt", input.command + "\\n");
  return input.command.startsWith("rm") ? { block: true, reason: "no rm" } : undefined;
});
`;

/** An extension that observes results and answers nothing. */
const OBSERVER = `import { appendFileSync } from "node:fs";
export default (pi) => pi.on("tool_result", () => appendFileSync(process.env.HOME + "/seen.txt", "x"));
`;

/** A user id that owns nothing here. */
const NOBODY = 65534;

/** A host behind the bridge with an observer and a guard, and methods that disturb its daemon. */
export class BridgePlace {
  readonly at: Rigged;
  #calls = 0;

  constructor(client: string) {
    this.at = new Rigged(client);
    this.at.write("~/.pi/agent/extensions/observer.ts", OBSERVER);
  }

  /** Adds a guard, which takes effect in the next session. */
  addGuard(): void {
    this.at.write("~/.pi/agent/extensions/guard.ts", GUARD);
  }

  /** Makes one call; `problem` says what is wrong with the answer, `isJudged` whether the guard itself decided. */
  async call(
    is: "forbidden" | "allowed",
    deadlineMs: number,
    session = "s",
  ): Promise<{ readonly problem?: string; readonly isJudged: boolean }> {
    const command = `${is === "forbidden" ? "rm" : "ls"} ${++this.#calls}`;
    const told = await this.at.tell(
      "Before",
      { session, args: { command } },
      { args: ["--deadline", String(deadlineMs)] },
    );
    const denied = denial(told);
    const isJudged = this.judged().has(command);
    if (denied !== undefined) return { isJudged: isJudged && denied === "no rm" };
    const problem =
      is === "forbidden"
        ? `a forbidden call was let through: ${shown(told)}`
        : isJudged
          ? undefined
          : `a call ran that nobody had judged: ${shown(told)}`;
    return { isJudged, ...(problem !== undefined && { problem }) };
  }

  /** Reports one result to observers, which must never disturb the host. */
  async observe(deadlineMs: number): Promise<string | undefined> {
    const told = await this.at.tell("After", { args: { command: "ls" } }, { args: ["--deadline", String(deadlineMs)] });
    const { exit, stdout, stderr } = told;
    return exit === 0 && stderr === "" && ["", "{}"].includes(stdout)
      ? undefined
      : `an observer disturbed: ${shown(told)}`;
  }

  /** Returns the commands that the guard has judged. */
  judged(): ReadonlySet<string> {
    const file = join(this.at.home, "judged.txt");
    return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  }

  /** Sends a signal to the current daemon. */
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    try {
      process.kill(this.at.pid, signal);
    } catch {
      // The daemon has already ended.
    }
  }

  /** Starts another daemon in the place of the running one. */
  replace(): Promise<void> {
    for (const file of [this.at.place.socket, this.at.place.pid]) rmSync(file, { force: true });
    return this.at.begin();
  }

  /** Breaks the installation so that no daemon can be started; returns the function that repairs it. */
  uninstall(): () => void {
    const path = join(this.at.hooklineHome, "bin/bridge/runtime");
    const before = readFileSync(path, "utf8");
    writeFileSync(path, `${join(this.at.top, "absent-node")}\n${join(this.at.top, "absent.js")}\n`);
    return () => writeFileSync(path, before);
  }

  /** Removes the mark of an attempt to start a daemon, which would delay other attempts. */
  forgetStart(): void {
    rmSync(this.at.place.starting, { force: true });
  }

  /** Speaks to the daemon with another version of the frames; returns how many bytes it answered. */
  speakOther(): Promise<number> {
    const header = Buffer.from(["hookline/2", "rig", "Before", "", this.at.project, "100", ""].join("\0"));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(header.length);
    const { promise, resolve } = Promise.withResolvers<number>();
    const socket = connect(this.at.place.socket);
    socket.on("error", () => {}).on("close", () => resolve(socket.bytesRead));
    socket.on("data", () => {});
    socket.end(Buffer.concat([length, header, Buffer.alloc(4)]));
    return promise;
  }

  /**
   * Puts a false daemon that allows everything in the place of the socket, as another user could; returns the function
   * that removes it.
   */
  async impersonate(as: "user" | "folder"): Promise<() => Promise<void>> {
    const { socket, folder } = this.at.place;
    this.signal("SIGKILL");
    rmSync(socket, { force: true });
    const server = createServer((connection) => {
      connection
        .on("error", () => {})
        .on("data", () => connection.end(encodeAnswer({ exit: 0, stdout: "{}", stderr: "" })));
    });
    server.listen(socket);
    await once(server, "listening");
    if (as === "user") chownSync(socket, NOBODY, NOBODY);
    else chmodSync(folder, 0o777);
    return async () => {
      chmodSync(folder, 0o700);
      const closed = once(server, "close");
      server.close();
      await closed;
      rmSync(socket, { force: true });
    };
  }

  /** Makes writing the daemon's table and log fail as on a full disk; returns the function that ends this. */
  fillDisk(): () => void {
    const { table, log } = this.at.place;
    const files = [`${table}.new`, log];
    for (const file of files) {
      rmSync(file, { force: true });
      symlinkSync("/dev/full", file);
    }
    return () => {
      for (const file of files) rmSync(file, { force: true });
    };
  }

  close(): Promise<void> {
    return this.at.close();
  }
}

/** Returns the reason of a refusal, in any of the host's formats; `undefined` if the call continues. */
function denial({ exit, stdout }: Told): string | undefined {
  if (exit === 2) return "exit 2";
  try {
    const { deny } = JSON.parse(stdout) as { readonly deny?: unknown };
    return exit === 0 && typeof deny === "string" && deny !== "" ? deny : undefined;
  } catch {
    return undefined;
  }
}

function shown(told: Told): string {
  return JSON.stringify(told);
}
