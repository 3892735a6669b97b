import type { AgentTools } from "./table.ts";

/** Facts about the server that a tool belongs to. */
export interface ServerOrigin {
  /** The servers that may have it, by the names under which they are configured. */
  readonly servers: readonly string[];
  /** The tool's own name, where the agent tells it. */
  readonly tool?: string;
}

/** The parts of the name that an agent makes for a server's tool: prefix, server's name, separator, tool's name. */
export interface ServerNaming {
  readonly prefix: string;
  readonly separator: string;
  /** The server's name is left out. */
  readonly isNameless?: true;
  /** Both names are in lower case, and a tool's name that begins with the server's is cut. */
  readonly isLower?: true;
}

/** A name with only the characters that providers accept. */
export function cleanedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** The name under which hooks know a server's tool, whatever the agent. */
export function serverToolName(server: string, tool: string): string {
  return `mcp__${cleanedName(server)}__${cleanedName(tool)}`;
}

type Naming = Pick<AgentTools, "server" | "namings">;

/**
 * Returns the names under which hooks know a tool of a server, likeliest first; none if the agent's own name is one. The
 * servers that are configured say where the server's name ends. If none of them fits, it may end at each separator.
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

/** Whether a name is that of a server's tool, as `serverToolName` makes it. */
export function isServerTool(name: string): boolean {
  return /^mcp__.+__./.test(name);
}

/** Whether an agent may have a tool of a server under this name, its own or that of `serverToolName`. */
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

/** The names by the servers that fit, of which the longer is the likelier; last as they are configured. */
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

/** Returns what follows a server's name. Agents replace characters of it, and some write it in lower case. */
function partAfter(server: string, separator: string, text: string): string | undefined {
  const spelled = server.replace(/[^A-Za-z0-9]+/g, "[^A-Za-z0-9]*");
  return new RegExp(`^${spelled}${separator}(.+)$`, "is").exec(text)?.[1];
}
