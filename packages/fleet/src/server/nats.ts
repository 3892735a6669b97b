import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A NATS server that this process has started. */
export interface NatsServer {
  readonly port: number;
  readonly pid: number;
  /** Makes the server read its configuration again. */
  reload(): void;
  /** Ends the server, and resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves with the last output of the server when the server has ended. */
  readonly ended: Promise<string>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the path of `nats-server`; `undefined` if it is not installed. */
export function natsProgram(env: Env): string | undefined {
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "nats-server"))
    .find((path) => existsSync(path));
}

/**
 * Starts a server with a configuration file on a port of loopback (0: any free port), and resolves when it accepts
 * connections. Throws the last of its output if it ends before that.
 */
export async function startNats(
  config: string,
  { port, env }: { readonly port: number; readonly env: Env },
): Promise<NatsServer> {
  const program = natsProgram(env);
  if (program === undefined) throw new Error("nats-server is not installed; on Debian: apt-get install nats-server");
  // The server itself chooses a free port: one that was free a moment ago may be taken by now.
  const chosen = port === 0 ? "-1" : `${port}`;
  const child = spawn(program, ["-c", config, "-a", "127.0.0.1", "-p", chosen], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = endOf(child);
  const log = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      // After the start the output is read and dropped, because a full pipe would block the server.
      if (said.includes(READY)) return;
      said += text;
      if (said.includes(READY)) resolve(said);
    });
    void ended.then((words) => reject(new Error(`nats-server ended: ${lastLine(said) || words}`)));
  });
  return {
    port: port === 0 ? Number(LISTENING.exec(log)?.[1]) : port,
    pid: child.pid ?? 0,
    ended,
    reload: () => void child.kill("SIGHUP"),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}

const READY = "Server is ready";
const LISTENING = /Listening for client connections on \S+:(\d+)/;

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
