import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@hookline/runtime/internal";
import { toolNames } from "./names.ts";
import { McpServer, type ServerHost, type ServerPrompt, type ServerSource, type ServerTool } from "./server.ts";

/** A tool and the name by which the model calls it. */
export interface NamedTool {
  readonly name: string;
  readonly server: McpServer;
  readonly tool: ServerTool;
}

/** A prompt of a server, called as `/server:prompt`. */
export interface NamedPrompt {
  readonly server: McpServer;
  readonly prompt: ServerPrompt;
}

/** What a set of servers needs from its host. */
export interface ServersHost extends Omit<ServerHost, "changed"> {
  readonly clock: Clock;
  /** How long the first request waits for servers that are starting, in ms; 0 for not at all. */
  readonly waitMs: number;
  /** Called when the set of servers, or what one of them is or offers, has changed. */
  changed(): void;
}

/** How long a prompt called by name waits for its server, in ms. */
const PROMPT_WAIT_MS = 5000;

/** The servers of one session. What they offer takes effect with the next request. */
export class McpServers {
  readonly #host: ServersHost;
  #servers: readonly McpServer[] = [];
  #offered: ReadonlyMap<string, NamedTool> = new Map();
  readonly #owners = new Map<string, string>();
  #hasWaited = false;
  #leaving: Promise<unknown> = Promise.resolve();

  constructor(host: ServersHost) {
    this.#host = host;
  }

  get all(): readonly McpServer[] {
    return this.#servers;
  }

  /** The currently offered tools, by the name under which the model calls them. */
  get tools(): ReadonlyMap<string, NamedTool> {
    return this.#offered;
  }

  /** The available prompts, by `server:prompt`. */
  get prompts(): ReadonlyMap<string, NamedPrompt> {
    return new Map(
      this.#servers.flatMap((server) =>
        server.prompts.map((prompt) => [`${server.name}:${prompt.name}`, { server, prompt }] as const),
      ),
    );
  }

  /** Starts new sources and ends removed ones; a source that is the same object stays. */
  follow(sources: readonly ServerSource[]): void {
    const gone = this.#servers.filter(({ source }) => !sources.includes(source));
    const kept = new Map(this.#servers.map((server) => [server.source, server]));
    if (gone.length === 0 && sources.every((source) => kept.has(source))) return;
    this.#leaving = Promise.all([this.#leaving, ...gone.map((server) => server.stop())]);
    const changed = (): void => this.#host.changed();
    // Keeps their order, which decides which of two gets a name.
    const host = { ...bound(this.#host), changed };
    this.#servers = sources.map((source) => kept.get(source) ?? new McpServer(source, host));
    changed();
  }

  /**
   * Before a request: without a person at a screen, waits for the first start of servers; then offers what there is.
   */
  async beforeRequest(signal?: AbortSignal): Promise<void> {
    if (!this.#hasWaited && this.#servers.length > 0) {
      this.#hasWaited = true;
      if (this.#host.waitMs > 0) await this.#wait(this.#servers, this.#host.waitMs, signal);
      const late = this.#servers.filter(({ state }) => state === "starting").map(({ name }) => name);
      if (late.length > 0 && this.#host.waitMs > 0)
        this.#host.tell(
          `MCP servers that are not ready after ${this.#host.waitMs / 1000} s: ${late.join(", ")}. The request is sent without their tools.`,
        );
    }
    this.offer();
  }

  /** Waits until a server has started once, up to the limit; for example for its prompts. */
  async settled(name: string): Promise<void> {
    await this.#wait(
      this.#servers.filter((server) => server.name === name),
      PROMPT_WAIT_MS,
    );
  }

  /** From now on, offers what the servers have; tools that were renamed are reported. */
  offer(): void {
    const { named, renamed } = toolNames(this.#servers, this.#owners);
    const told = (text: string): void => this.#host.tell(text);
    for (const [name, { server, tool }] of named) {
      const before = this.#offered.get(name)?.tool;
      if (before === undefined || isDeepStrictEqual(before, tool)) continue;
      const what = before.description === tool.description ? "arguments" : "description";
      told(`The MCP server "${server.name}" has changed the ${what} of its tool ${name}.`);
    }
    for (const [name, wanted] of renamed)
      if (!this.#offered.has(name)) told(`The MCP tool ${wanted} is called ${name} here: another tool has its name.`);
    this.#offered = named;
  }

  /** Ends all servers. */
  async stop(): Promise<void> {
    const servers = this.#servers;
    this.#servers = [];
    await Promise.all([this.#leaving, ...servers.map((server) => server.stop())]);
  }

  async #wait(servers: readonly McpServer[], ms: number, signal?: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = this.#host.clock.timer(ms, () => over.resolve());
    timer.hold(true);
    const end = (): void => over.resolve();
    signal?.addEventListener("abort", end, { once: true });
    await Promise.race([over.promise, Promise.all(servers.map(({ settled }) => settled))]);
    timer.cancel();
    signal?.removeEventListener("abort", end);
  }
}

/** A host whose functions can be used without it. */
function bound(host: ServersHost): Omit<ServerHost, "changed"> {
  const { cwd, clock, env, startTimeoutMs, callTimeoutMs } = host;
  return {
    cwd,
    clock,
    env,
    startTimeoutMs,
    callTimeoutMs,
    elicit: (...about) => host.elicit(...about),
    notified: (...about) => host.notified(...about),
    tell: (text) => host.tell(text),
  };
}
