import type { AgentTools } from "./table.ts";

/** Facts about the MCP server that a tool belongs to. */
export interface ServerOrigin {
  /** The configured names of the servers that the tool may belong to. */
  readonly servers: readonly string[];
  /** The tool's own name, if the agent reports it. */
  readonly tool?: string;
}

/** The parts of the name that an agent makes for a server's tool: prefix, server's name, separator, tool's name. */
export interface ServerNaming {
  readonly prefix: string;
  readonly separator: string;
  /** Whether the name leaves out the server's name. */
  readonly isNameless?: true;
  /** Whether the agent writes both names in lower case and drops the server's name from the start of the tool's. */
  readonly isLower?: true;
}

/** Replaces the characters of a name that model providers reject. */
export function cleanedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** Returns the name under which hooks know a server's tool, the same for all agents. */
export function serverToolName(server: string, tool: string): string {
  return `mcp__${cleanedName(server)}__${cleanedName(tool)}`;
}

type Naming = Pick<AgentTools, "server" | "namings">;

/**
 * Returns the names under which hooks know a server's tool, likeliest first; none if the agent already uses such a
 * name. The server's name ends where the name of a configured server ends. If none of these fits, it may end at any
 * separator, and each gives one name.
 */
export function serverToolNames(agent: Naming, name: string, originOf: () => ServerOrigin): readonly string[] {
  const naming = namingOf(agent, name);
  if (naming === undefined) return [];
  const { prefix, separator, isNameless } = naming;
  const known = knownNames(naming, name, originOf());
  if (known.length > 0 || isNameless) return known;
  const rest = name.slice(prefix.length);
  const ends = [...rest.matchAll(new RegExp(separator, "g"))].map(({ index }) => index);
  return ends.flatMap((end) => {
    const [before, after] = [rest.slice(0, end), rest.slice(end + separator.length)];
    return before === "" || after === "" ? [] : [serverToolName(before, after)];
  });
}

/** Returns whether a name has the form that `serverToolName` makes. */
export function isServerTool(name: string): boolean {
  return /^mcp__.+__./.test(name);
}

/** Returns whether a name may be that of a server's tool: in the agent's own form, or as `serverToolName` makes it. */
export function mayBeServerTool(agent: Naming, name: string, servers: readonly string[]): boolean {
  const [, tool] = /^mcp__.+?__(.*)/.exec(name) ?? [];
  if (tool !== undefined) return !(agent.namings?.some(({ isLower }) => isLower) && /[A-Z-]/.test(tool));
  const naming = namingOf(agent, name);
  return naming !== undefined && (naming.prefix !== "" || knownNames(naming, name, { servers }).length > 0);
}

function namingOf({ server, namings = [] }: Naming, name: string): ServerNaming | undefined {
  if (!server.test(name) || isServerTool(name)) return undefined;
  return namings.find(({ prefix, separator }) => name.startsWith(prefix) && name.includes(separator));
}

/**
 * Returns a tool's possible names, for each configured server that it may belong to, longest server name first. The
 * same names follow with the servers' names as configured, such as `mcp__my.server__tool`.
 */
function knownNames(naming: ServerNaming, name: string, { servers, tool }: ServerOrigin): readonly string[] {
  const { prefix, separator, isNameless, isLower } = naming;
  const rest = name.slice(prefix.length);
  const names = servers
    .toSorted((a, b) => b.length - a.length)
    .flatMap((server) => {
      const own = tool ?? (isNameless ? rest : partAfter(server, separator, rest));
      if (own === undefined) return [];
      const whole = isLower && tool === undefined ? [`${cleanedName(server)}_${own}`] : [];
      return [own, ...whole].map((one) => [server, one] as const);
    });
  const full = names.map((name) => serverToolName(...name));
  return [...new Set([...full, ...names.map(([server, one]) => `mcp__${server}__${one}`)])];
}

/** Returns the tool's part of an MCP tool's name. Matches the server's part loosely, since agents respell servers. */
function partAfter(server: string, separator: string, text: string): string | undefined {
  const spelled = server.replace(/[^A-Za-z0-9]+/g, "[^A-Za-z0-9]*");
  return new RegExp(`^${spelled}${separator}(.+)$`, "is").exec(text)?.[1];
}
