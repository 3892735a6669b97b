import type { Tier } from "@hookline/ground";
import type { OfferedTool } from "@hookline/runtime/engine";
import type { MainCore } from "./agent-parts.ts";

/** A command that a person can type, as clients and hooks see it. */
export interface ListedCommand {
  readonly name: string;
  readonly description?: string;
  readonly source: "extension" | "prompt" | "skill";
  readonly sourceInfo: SourceInfo;
}

/** The origin of a command or tool: pi's `SourceInfo`. */
export interface SourceInfo {
  readonly path: string;
  readonly source: string;
  readonly scope: "user" | "project" | "temporary";
  readonly origin: "top-level";
}

/** Lists the commands of extensions, then prompt templates and prompts of MCP servers, then skills. */
export function listCommands({ core }: { readonly core: MainCore }): ListedCommand[] {
  const extensions = [...core.hooks.contributions.all<{ description?: string }>("command")].map(
    ([name, { value, instance }]): ListedCommand => ({
      name,
      ...(value.description !== undefined && { description: value.description }),
      source: "extension",
      sourceInfo: sourceInfo(instance.source.path, instance.source.tier),
    }),
  );
  const { templates, skills } = core.resources;
  return [
    ...extensions,
    ...templates.map(
      ({ name, description, path, tier }): ListedCommand => ({
        name,
        description,
        source: "prompt",
        sourceInfo: sourceInfo(path, tier),
      }),
    ),
    ...[...(core.servers?.prompts ?? [])].map(
      ([name, { server, prompt }]): ListedCommand => ({
        name,
        description: prompt.description ?? `a prompt of the MCP server ${server.name}`,
        source: "prompt",
        sourceInfo: sourceInfo(server.source.path, server.source.tier),
      }),
    ),
    ...skills.map(
      ({ name, description, path, tier }): ListedCommand => ({
        name: `skill:${name}`,
        description,
        source: "skill",
        sourceInfo: sourceInfo(path, tier),
      }),
    ),
  ];
}

/** A tool as hooks see it. */
interface ListedTool extends OfferedTool {
  readonly promptGuidelines: readonly string[] | undefined;
  readonly sourceInfo: SourceInfo;
}

/** Lists all tools, whether or not the model is offered them. */
export function listTools({ core }: { readonly core: MainCore }): ListedTool[] {
  const contributed = core.hooks.contributions.all("tool");
  return [...core.tools()].map(([name, { tool, type }]) => {
    const source =
      type === "mcp" ? core.servers?.tools.get(name)?.server.source : contributed.get(name)?.instance.source;
    return {
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      promptGuidelines: tool.promptGuidelines,
      type,
      sourceInfo: source === undefined || type === "builtin" ? BUILTIN : sourceInfo(source.path, source.tier),
    };
  });
}

const BUILTIN: SourceInfo = { path: "<builtin>", source: "builtin", scope: "temporary", origin: "top-level" };

function sourceInfo(path: string, tier: Tier): SourceInfo {
  return {
    path,
    source: "local",
    scope: tier === "user" || tier === "project" ? tier : "temporary",
    origin: "top-level",
  };
}
