import { hookUrl, isFields, isProviderKey, nearest } from "@hookline/ground";
import { variablesIn } from "./expand.ts";

/** A server as a file defines it, before variables are replaced. */
export interface ServerDefinition {
  readonly name: string;
  /** The program of a server that communicates over stdin and stdout. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory, absolute or relative to the folder of the session. */
  readonly cwd?: string;
  /** The URL of a server that communicates over Streamable HTTP. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time limit for the start, in ms. If a limit is absent here, the one in the settings applies. */
  readonly startTimeoutMs?: number;
  readonly timeoutMs?: number;
  /** Names of the variables that occur in this definition, in alphabetical order. */
  readonly variables?: readonly string[];
}

/** The result of reading one entry of `mcpServers`: its definition, or the problem with it. */
export type ServerReading =
  | { readonly definition: ServerDefinition; readonly unknown: readonly string[] }
  | { readonly problem: string; readonly remedy: string };

type Entry = Readonly<Record<string, unknown>>;

/** The properties of a server that hookline reads. Properties for other clients are ignored without a report. */
const KEYS = ["type", "command", "args", "env", "cwd", "url", "headers", "timeout", "startTimeout"] as const;
const TYPES = ["stdio", "http", "streamable-http"] as const;

/** Variables that make programs load code. A project may not set them (guarantees R15). */
const LOADERS =
  /^(?:LD_|DYLD_|GIT_|NODE_OPTIONS$|NODE_PATH$|PYTHONPATH$|PYTHONSTARTUP$|BASH_ENV$|ENV$|PERL5OPT$|RUBYOPT$)/;

/** Reads one entry of `mcpServers`. With `isProject`, properties and values that a project may not set are errors. */
export function readServer(name: string, entry: unknown, isProject: boolean): ServerReading {
  if (!isFields(entry)) return bad("it is not an object", 'Write {"command": "…", "args": ["…"]} or {"url": "…"}.');
  const problem = shapeProblem(entry);
  if (problem !== undefined) return problem;
  const { type, command, url, timeout, startTimeout } = entry;
  if (type === "sse")
    return bad(
      'type "sse" is the transport from before 2025, which hookline does not support',
      'Use the server\'s "http" URL.',
    );
  if (type !== undefined && !TYPES.some((known) => known === type))
    return bad(`there is no type "${String(type).slice(0, 40)}"`, `Write one of ${TYPES.join(", ")}.`);
  if ((command === undefined) === (url === undefined))
    return bad("it needs either a command or a url", "Give one of the two.");
  if ((url === undefined) !== (type === undefined ? url === undefined : type === "stdio"))
    return bad(`type "${type}" does not go with its ${url === undefined ? "command" : "url"}`, "Correct the type.");
  const rest = Object.fromEntries(
    ["command", "args", "env", "cwd", "url", "headers"].flatMap((key) => (key in entry ? [[key, entry[key]]] : [])),
  );
  const variables = variablesIn(rest);
  const refused = isProject ? projectProblem(entry, variables) : undefined;
  if (refused !== undefined) return refused;
  const definition: ServerDefinition = {
    name,
    ...rest,
    ...(timeout !== undefined && { timeoutMs: timeout as number }),
    ...(startTimeout !== undefined && { startTimeoutMs: startTimeout as number }),
    ...(variables.length > 0 && { variables }),
  };
  return { definition, unknown: Object.keys(entry).filter((key) => !KEYS.some((known) => known === key)) };
}

/** Returns the valid property name that is most similar to a wrong one. */
export function nearestKey(key: string): string | undefined {
  return nearest(key, KEYS);
}

function shapeProblem({
  command,
  args,
  env,
  cwd,
  url,
  headers,
  timeout,
  startTimeout,
}: Entry): ServerReading | undefined {
  for (const [key, value] of Object.entries({ command, cwd, url }))
    if (value !== undefined && !isText(value)) return bad(`${key} must be text`, "Correct it.");
  if (args !== undefined && !(Array.isArray(args) && args.every((one) => one === "" || isText(one))))
    return bad("args must be a list of texts", 'Write "args": ["…"].');
  for (const [key, value] of Object.entries({ env, headers }))
    if (value !== undefined && !(isFields(value) && Object.values(value).every((one) => typeof one === "string")))
      return bad(`${key} must be an object of texts`, `Write "${key}": {"NAME": "value"}.`);
  for (const [key, value] of Object.entries({ timeout, startTimeout }))
    if (value !== undefined && !(Number.isInteger(value) && (value as number) > 0))
      return bad(`${key} must be a whole number of milliseconds`, `Write "${key}": 60000.`);
  if (typeof url === "string" && variablesIn({ url }).length === 0) {
    const read = hookUrl(url);
    if ("problem" in read) return bad(read.problem, "Correct the URL.");
  }
  return undefined;
}

function projectProblem({ env = {} }: Entry, variables: readonly string[]): ServerReading | undefined {
  const key = variables.find(isProviderKey);
  if (key !== undefined)
    return bad(
      `it names $${key}, the key of a model provider, which a project's servers never get`,
      "Use another variable, or define the server in your own mcp.json.",
    );
  const loader = Object.keys(env as object).find((name) => LOADERS.test(name));
  if (loader === undefined) return undefined;
  return bad(
    `its env sets ${loader}, which makes programs load code`,
    "Remove it, or define the server in your own mcp.json.",
  );
}

function bad(problem: string, remedy: string): ServerReading {
  return { problem, remedy };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}
