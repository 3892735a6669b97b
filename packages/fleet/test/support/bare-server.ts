import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { connect, type NatsConnection } from "@nats-io/transport-node";

/** Where `nats-server` is; undefined where it is not installed. */
export const natsServer = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "nats-server"))
  .find((path) => existsSync(path));

/** A NATS server with streams and without users, on a port of loopback, that can be killed and started again. */
export class BareServer {
  readonly folder = mkdtempSync(join(tmpdir(), "hookline-nats-"));
  #port = 0;
  #child: ChildProcess | undefined;

  get url(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const args = ["-js", "-sd", this.folder, "-a", "127.0.0.1", "-p", `${this.#port}`];
    const child = spawn(natsServer ?? "nats-server", args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      child.once("exit", () => reject(new Error(`nats-server ended: ${log}`)));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        log = `${log}${text}`.slice(-4000);
        if (log.includes("Server is ready")) resolve();
      });
    });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  connect(): Promise<NatsConnection> {
    return connectTo(this.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A connection that is made as soon as the server is there, and again whenever it was lost. */
export function connectTo(servers: string): Promise<NatsConnection> {
  return connect({
    servers,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
    reconnectJitter: 10,
    waitOnFirstConnect: true,
    timeout: 5000,
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
