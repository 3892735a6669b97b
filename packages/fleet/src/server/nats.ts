import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";

/** A NATS server that this process has started. */
export interface NatsServer {
  readonly port: number;
  readonly pid: number;
  /** Has it read its configuration again. */
  reload(): void;
  /** Ends it, and resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves with its last words when it has ended. */
  readonly ended: Promise<string>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where `nats-server` is; `undefined` if it is not installed. */
export function natsProgram(env: Env): string | undefined {
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "nats-server"))
    .find((path) => existsSync(path));
}

/** A port of this machine's loopback that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Starts a server with a configuration file on a port of loopback, and resolves when it takes connections. Throws its
 * last words if it ends before that.
 */
export async function startNats(
  config: string,
  { port, env }: { readonly port: number; readonly env: Env },
): Promise<NatsServer> {
  const program = natsProgram(env);
  if (program === undefined) throw new Error("nats-server is not installed; on Debian: apt-get install nats-server");
  const child = spawn(program, ["-c", config, "-a", "127.0.0.1", "-p", `${port}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = endOf(child);
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      // After the start its log is read and dropped, so that it never waits for a reader.
      if (said.includes(READY)) return;
      said += text;
      if (said.includes(READY)) resolve();
    });
    void ended.then((words) => reject(new Error(`nats-server ended: ${lastLine(said) || words}`)));
  });
  return {
    port,
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

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
