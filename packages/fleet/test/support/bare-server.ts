import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type NatsServer, natsProgram, startNats } from "../../src/server/nats.ts";
import { HeldPort } from "./held-port.ts";

/** Path of `nats-server`; `undefined` if it is not installed. */
export const natsServer = natsProgram(process.env);

/** A NATS server with streams and without users, on a port of loopback, that can be killed and started again. */
export class BareServer {
  readonly folder = mkdtempSync(join(tmpdir(), "hookline-nats-"));
  #held: HeldPort | undefined;
  #server: NatsServer | undefined;

  get url(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get #port(): number {
    return this.#held?.number ?? 0;
  }

  async start(): Promise<void> {
    this.#held ??= await HeldPort.take();
    const config = join(this.folder, "server.conf");
    writeFileSync(config, `jetstream { store_dir: ${JSON.stringify(join(this.folder, "store"))} }\n`);
    this.#server = await startNats(config, { port: this.#port, env: process.env });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.stop(signal);
  }

  connect(): Promise<NatsConnection> {
    return connectTo(this.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#held?.release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A connection that is made as soon as the server is there, and again whenever it was lost. */
export function connectTo(servers: string | string[]): Promise<NatsConnection> {
  return connect({
    servers,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
    reconnectJitter: 10,
    waitOnFirstConnect: true,
    timeout: 5000,
  });
}
