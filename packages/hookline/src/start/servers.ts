import { once, systemClock } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import type { HostUi, Message } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import type { Agent } from "../agent/agent.ts";
import type { AgentServers } from "../agent/agent-parts.ts";
import { elicit } from "../agent/elicit.ts";
import { approvedServers } from "../item/dialect.ts";
import { keepListed } from "../mcp/listed.ts";
import type { McpServer } from "../mcp/server.ts";
import { McpServers, type NamedTool } from "../mcp/servers.ts";
import { Tidings } from "../mcp/tidings.ts";
import { settingOf } from "../settings/settings.ts";
import { mcpTool } from "../tool/mcp.ts";
import type { Tool } from "../tool/tool.ts";
import type { Place } from "./place.ts";

/** The folders, the hooks and the functions from which an agent's MCP servers are made. */
export interface ServersParts {
  readonly place: Place;
  readonly env: Io["env"];
  readonly hooks: () => HookSession;
  readonly late: { agent?: Agent };
  /** The user interface, if a person can answer dialogs. */
  readonly ui: () => HostUi | undefined;
  /** Whether the first request waits for servers that are still starting. */
  readonly waits: boolean;
  /** The folder for outputs that are too long for the model. */
  readonly outputs: string;
  tell(text: string): void;
}

/** The MCP servers of an agent, and their tools in the form that the agent's loop runs. */
export interface ServersAndTools extends AgentServers {
  tools(): ReadonlyMap<string, Tool>;
  /** Starts to notify hooks about servers. Must be called after hooks have seen the session's start. */
  begin(): void;
}

/** Makes the servers of an agent. Nothing is loaded or started before a server is configured. */
export function serversOf({ place, env, hooks, late, ui, waits, outputs, tell }: ServersParts): ServersAndTools {
  const limit = (key: string): number => settingOf(place.settings, key).value as number;
  const tidings = new Tidings(
    (server, { method, params }) => Promise.resolve(hooks().emit("mcp.notification", { server, method, params })),
    once(() => tell("MCP servers send more notifications than hooks can take; some are dropped.")),
  );
  let isTold = true;
  let hasBegun = false;
  /** Notifies hooks of changes; several changes at once become one event. */
  const tellChange = (): void => {
    if (!isTold || !hasBegun) return;
    isTold = false;
    setImmediate(() => {
      isTold = true;
      void hooks().emit("mcp.change", { servers: servers.all.map((server) => stateOf(server, servers)) });
    });
  };
  const servers: McpServers = new McpServers({
    cwd: place.cwd,
    clock: systemClock,
    env,
    startTimeoutMs: limit("mcp.startTimeoutMs"),
    callTimeoutMs: limit("mcp.callTimeoutMs"),
    waitMs: waits ? limit("mcp.waitMs") : 0,
    calledBefore: () => (late.agent?.messages() ?? []).flatMap(calledTools),
    elicit: (server, asked, signal) => elicit({ server, asked, signal, hooks: hooks(), ui: ui() }),
    notified: (server, notified) => tidings.take(server, notified),
    changed: () => {
      for (const server of servers.all) if (server.state === "ready") keepListed(place.hooklineHome, server);
      // A running request keeps its tools. The new tools are offered in the next request.
      if (late.agent?.isIdle !== false) servers.offer();
      tellChange();
    },
    tell,
  });
  const follow = (): void => servers.follow(approvedServers(hooks()));
  // The contributions of hooks (tools and servers) that are watched now. A reload replaces the object.
  let watched: object | undefined;
  let unwatch = (): unknown => undefined;
  const made = new WeakMap<NamedTool, Tool>();
  const toolOf = (named: NamedTool): Tool => {
    const known = made.get(named) ?? mcpTool(named, outputs);
    made.set(named, known);
    return known;
  };
  return {
    servers,
    tools: () => new Map([...servers.tools].map(([name, named]) => [name, toolOf(named)])),
    follow: () => {
      follow();
      // An extension may register a server at any time, so additions are watched.
      const { contributions } = hooks();
      if (contributions === watched) return;
      watched = contributions;
      unwatch();
      unwatch = contributions.watch((kind) => {
        if (kind === "server") follow();
      });
    },
    begin: () => {
      hasBegun = true;
      tidings.begin();
      if (servers.all.length > 0) tellChange();
    },
  };
}

/** Returns the state of a server for hooks and commands. */
export function stateOf({ name, state, problem }: McpServer, { tools }: McpServers) {
  return {
    name,
    state,
    tools: [...tools.values()].filter(({ server }) => server.name === name).map((tool) => tool.name),
    ...(problem !== undefined && { problem }),
  };
}

/** Returns the names of the MCP tools that a reply calls. */
function calledTools(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((block) =>
    block.type === "toolCall" && block.name.startsWith("mcp__") ? [block.name] : [],
  );
}
