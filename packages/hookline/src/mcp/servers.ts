import { isDeepStrictEqual } from "node:util";
import { type Clock, TIER_RANK } from "@hookline/ground";
import type { ToolIdentity } from "@hookline/runtime/engine";
import { isFormerName, type Named, toolNames } from "./names.ts";
import { McpServer, type ServerHost, type ServerPrompt, type ServerSource } from "./server.ts";

/** A tool of a server, with its names. */
export type NamedTool = Named<McpServer>;

/** A prompt of a server, which a person calls as `/server:prompt`. */
export interface NamedPrompt {
  readonly server: McpServer;
  readonly prompt: ServerPrompt;
}

/** The settings and callbacks that a set of servers gets from its session. */
export interface ServersHost extends Omit<ServerHost, "changed"> {
  readonly clock: Clock;
  /** How long the first request waits for servers that are still starting, in ms; 0 means not at all. */
  readonly waitMs: number;
  /** Returns the names of the tools that a resumed session has called before. */
  calledBefore?(): Iterable<string>;
  /** Is called when servers are added or removed, or when one has changed its state, tools or prompts. */
  changed(): void;
}

/** How long a call of a prompt waits for its server to start, in ms. */
const PROMPT_WAIT_MS = 5000;

/** The servers of one session. Changes of their tools take effect with the next request. */
export class McpServers {
  readonly #host: ServersHost;
  #servers: readonly McpServer[] = [];
  #offered: ReadonlyMap<string, NamedTool> = new Map();
  /** Every tool name that was ever offered: a running request may still use it after the tool is gone. */
  readonly #identities = new Map<string, ToolIdentity>();
  readonly #told = new Set<string>();
  /** The names of tools that a resumed session called before this run; emptied after changed names were reported. */
  #called: Set<string> | undefined;
  #hasWaited = false;
  #isStopped = false;
  #leaving: Promise<unknown> = Promise.resolve();

  constructor(host: ServersHost) {
    this.#host = host;
  }

  get all(): readonly McpServer[] {
    return this.#servers;
  }

  /** The currently offered tools, by the name that the model uses. */
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

  /**
   * Starts servers of new sources and ends those of removed ones. Two sources are the same only if they are the same
   * object. Does nothing after `stop`.
   */
  follow(sources: readonly ServerSource[]): void {
    if (this.#isStopped) return;
    const gone = this.#servers.filter(({ source }) => !sources.includes(source));
    const kept = new Map(this.#servers.map((server) => [server.source, server]));
    if (gone.length === 0 && sources.every((source) => kept.has(source))) return;
    this.#leaving = Promise.all([this.#leaving, ...gone.map((server) => server.stop())]);
    const changed = (): void => this.#host.changed();
    const host = { ...bound(this.#host), changed };
    this.#servers = sources.map((source) => kept.get(source) ?? new McpServer(source, host));
    changed();
  }

  /** Prepares the tools for a request. Waits for starting servers before the first request if `waitMs` is above 0. */
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
    this.#called ??= new Set(this.#host.calledBefore?.());
    this.offer();
    this.#tellFormer(this.#called);
  }

  /** Returns the names and the tier of a tool that is or was offered under this name. */
  identity(name: string): ToolIdentity | undefined {
    return this.#identities.get(name);
  }

  /** Waits until a server's first start has succeeded or failed, but for at most 5 s. */
  async settled(name: string): Promise<void> {
    await this.#wait(
      this.#servers.filter((server) => server.name === name),
      PROMPT_WAIT_MS,
    );
  }

  /** Offers the servers' current tools from now on. Reports tools that were renamed, changed or left out. */
  offer(): void {
    const { named, left } = toolNames(this.#servers);
    for (const [name, { server, tool, names, tier }] of named) {
      this.#identities.set(name, joined({ names, tier }, this.#identities.get(name)));
      const before = this.#offered.get(name)?.tool;
      if (before === undefined || isDeepStrictEqual(before, tool)) continue;
      const what = before.description === tool.description ? "arguments" : "description";
      this.#host.tell(`The MCP server "${server.name}" has changed the ${what} of its tool ${name}.`);
    }
    for (const server of this.#servers) {
      const renamed = [...named.values()].filter((one) => one.server === server && one.name !== one.full);
      const list = renamed.map(({ tool, name }) => `${tool.name} as ${name}`).join(", ");
      if (list !== "") this.#tellOnce(`The MCP server "${server.name}" offers ${list}. Rules apply to both names.`);
    }
    for (const { name, server, tool } of left)
      this.#tellOnce(
        `The tool ${tool.name} of the MCP server "${server.name}" (${server.source.path}) is not offered: another tool is called ${name}.`,
      );
    this.#offered = named;
  }

  /** Tells the person once which tools, called earlier in a resumed session, have other names now. */
  #tellFormer(called: Set<string>): void {
    const now = [...called].flatMap((name) => {
      const tools = [...this.#offered.values()].filter((tool) => isFormerName(name, tool));
      return this.#identities.has(name) || tools.length === 0
        ? []
        : [`${name} (now ${tools.map((tool) => tool.name).join(" or ")})`];
    });
    if (now.length === 0) return;
    called.clear();
    this.#host.tell(`This session called MCP tools by names that they no longer have: ${now.join(", ")}.`);
  }

  #tellOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#host.tell(text);
  }

  /** Ends all servers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
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

/** Merges the identities of two tools that have had one name during the session, so that guards of both are asked. */
function joined(one: ToolIdentity, other: ToolIdentity = one): ToolIdentity {
  const tier = TIER_RANK[other.tier] > TIER_RANK[one.tier] ? other.tier : one.tier;
  return { names: [...new Set([...one.names, ...other.names])], tier };
}

/** Copies the fields of a host that a single server needs, with its methods bound to the host. */
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
