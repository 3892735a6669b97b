import type { Io } from "@hookline/ground/system";
import type { SessionOptions } from "@hookline/runtime";
import { mayBegin, type Offer, serverToolName, type ToolHere } from "@hookline/runtime/engine";
import { TASK_TOOL } from "../agent/task.ts";
import { CONTEXT_TOOLS } from "../context/tools.ts";
import { approvedItems } from "../item/dialect.ts";
import { serverFiles } from "../item/kinds.ts";
import { readServerFile } from "../mcp/config-file.ts";
import { lastListed } from "../mcp/listed.ts";
import { type ServerPlace, toolName } from "../mcp/names.ts";
import { agentFiles, agentFolders } from "../subagent/folders.ts";
import { BUILTIN } from "../tool/names.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Place } from "./place.ts";

type Loaded = Parameters<NonNullable<SessionOptions["offer"]>>[0];

/** Tools that are only offered if `--tools` names them or a setting turns them on, with that setting (ruling 6f). */
const OPTIONAL_TOOLS: Readonly<Record<string, string>> = {
  todo: "todo.enabled",
  ask: "ask.enabled",
  [TASK_TOOL]: "task.enabled",
};

/** The name of the tool with which the model registers hooks of j-cli. */
const REGISTER_TOOL = "register_hook";

/** Whether one of the agent's own tools is only offered if `--tools` or a hook names it. */
export function isOptionalTool(
  name: string,
  { settings }: Pick<Place, "settings">,
  { hasAgents, decidesJcli }: { hasAgents(): boolean; decidesJcli(): boolean },
): boolean {
  if (name === REGISTER_TOOL) return !decidesJcli();
  const setting = Object.hasOwn(OPTIONAL_TOOLS, name) ? OPTIONAL_TOOLS[name] : undefined;
  if (setting === undefined || settings.user.get(setting) === true) return false;
  return name !== TASK_TOOL || !hasAgents();
}

/** Returns the only tools that the command line allows; undefined for all. */
export function toolLimit(args: Arguments): readonly string[] | undefined {
  return textFlag(args, "tools")
    ?.split(",")
    .map((name) => name.trim());
}

/** Returns a function that lists the tools this agent will offer, as far as is known before its start. */
export function offerOf(place: Place, args: Arguments, env: Io["env"]): (loaded: Loaded) => Offer {
  return ({ contributions, lanes }) => {
    const limit = toolLimit(args);
    const isThere = {
      hasAgents: () => approvedItems({ contributions }, "agent").length > 0 || hasOwnAgents(place, env),
      decidesJcli: () => lanes.has("jcli"),
    };
    const hasContexts =
      lanes.has("chibi") ||
      (["context", "transient-context"] as const).some((flag) => textFlag(args, flag) !== undefined);
    const own = [...Object.keys(BUILTIN), ...Object.keys(OPTIONAL_TOOLS), REGISTER_TOOL].filter(
      (name) => limit?.includes(name) ?? !isOptionalTool(name, place, isThere),
    );
    const more = [...contributions.all("tool").keys(), ...(hasContexts ? CONTEXT_TOOLS : [])];
    const names = new Set([...own, ...more.filter((name) => limit?.includes(name) !== false)]);
    const { tools, ...others } = ofServers(place);
    return { ...others, tools: [...[...names].map((tool) => ({ tool })), ...tools] };
  };
}

function hasOwnAgents(place: Place, env: Io["env"]): boolean {
  const folders = agentFolders({ ...place, env }).filter(({ tier }) => tier === "user");
  return folders.some((folder) => agentFiles(folder, () => {}).length > 0);
}

/** Returns the tools of all configured servers, approved or not, as each server listed them at its last start. */
function ofServers(place: Place): Offer {
  const servers = serverFiles(place)
    .flatMap((file) => readServerFile(file, () => {}))
    .flatMap(({ name, path, tier }): ServerPlace[] => (name === "" ? [] : [{ name, source: { path, tier } }]));
  const tools: ToolHere[] = [];
  const unlisted: string[] = [];
  for (const server of servers) {
    const listed = lastListed(place.hooklineHome, server);
    if (listed === undefined) unlisted.push(serverToolName(server.name, ""), `mcp__${server.name}__`);
    for (const tool of listed ?? []) {
      const { name, names } = toolName(server, tool, servers);
      tools.push({ tool: name, aliases: names });
    }
  }
  return {
    tools,
    servers: servers.map(({ name }) => name),
    mayHave: (one) => unlisted.some((start) => mayBegin(one, start)),
  };
}
