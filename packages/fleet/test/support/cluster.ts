import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NatsServer, startNats } from "../../src/server/nats.ts";
import { HeldPort } from "./held-port.ts";

const NAMES = ["one", "two", "three"] as const;

/** Three servers on this machine that are one cluster, each of which can be killed and started again. */
export class Cluster implements AsyncDisposable {
  readonly #held: readonly HeldPort[];
  readonly #configs: readonly string[];
  readonly #servers = new Map<number, NatsServer>();

  private constructor(held: readonly HeldPort[], configs: readonly string[]) {
    this.#held = held;
    this.#configs = configs;
  }

  /** Starts the servers, with configurations in a folder; `more` is what each of them says besides its place. */
  static async start(folder: string, more: (name: string) => string): Promise<Cluster> {
    const held: HeldPort[] = [];
    while (held.length < 2 * NAMES.length) held.push(await HeldPort.take());
    const routes = held.slice(NAMES.length).map((port) => port.number);
    const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
    const configs = NAMES.map((name, i) => {
      const config = join(folder, `${name}.conf`);
      const place = `cluster { name: c, listen: "127.0.0.1:${routes[i]}", routes: [${urls}] }`;
      writeFileSync(config, `server_name: ${name}\n${more(name)}\n${place}\n`);
      return config;
    });
    const cluster = new Cluster(held, configs);
    for (const i of NAMES.keys()) await cluster.startServer(i);
    return cluster;
  }

  /** The addresses of the servers. */
  get hosts(): string[] {
    return this.#ports.map((port) => `127.0.0.1:${port}`);
  }

  get #ports(): number[] {
    return this.#held.slice(0, NAMES.length).map((port) => port.number);
  }

  async startServer(i: number): Promise<void> {
    const [config = "", port = 0] = [this.#configs[i], this.#ports[i]];
    this.#servers.set(i, await startNats(config, { port, env: process.env }));
  }

  async kill(i: number): Promise<void> {
    const server = this.#servers.get(i);
    this.#servers.delete(i);
    await server?.stop("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((i) => this.kill(i)));
    for (const port of this.#held) port.release();
  }
}
