import { DIALECTS, type GuardDialect, hasGuard, type Kind, wordOf } from "./guards.ts";

/** A call of a host's tool, by the name that the model is offered. */
export interface Call {
  readonly name: string;
  /** The group of tools to which the called tool belongs, if the protocol has groups. */
  readonly namespace?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The input of a tool that takes text instead of arguments. */
  readonly text?: string;
}

/** The values that a call is made from. */
export interface Target {
  /** The name that the call uses: it contains a guard's word, or none of them. */
  readonly name: string;
  /** The path of the file with this name, in the form that the host expects. */
  readonly path: string;
  /** The address of the page with this name. */
  readonly page: string;
  /** The command to run, if it is not the usual one. */
  readonly command?: string;
  /** The model's last request, which contains the host's replies, such as a session number or a file's tag. */
  readonly heard: string;
}

/** Makes a call for an act. */
export type Way = (target: Target) => Call;

/**
 * A host's calls for each act: one call, several calls of which the last is the act, or several alternatives of which
 * the first that the host offers is used.
 */
export type Ways = Readonly<Record<string, Way | readonly Way[] | readonly (readonly Way[])[]>>;

/** The traces of a run, which show what has happened. */
export interface Seen {
  /** All requests to the model, including sub-agents' requests. */
  readonly sent: readonly string[];
  /** All other requests to the server: each with its path and its body. */
  readonly others: readonly string[];
  /** Returns the text of a file in the project; `undefined` if there is none. */
  file(name: string): string | undefined;
}

/** Something that a model does in a host, and that guards must refuse. */
export interface Act {
  readonly name: string;
  /** The kind of the guards that must refuse it. */
  readonly kind: Kind;
  /** Returns the content of the named file before the run. */
  readonly before?: (name: string) => string;
  /** Whether the act has happened. */
  did(seen: Seen, name: string): boolean;
}

const BEFORE = () => "before\n";
const made: Act["did"] = ({ file }, name) => file(name) !== undefined;
const changed: Act["did"] = ({ file }, name) => file(name)?.includes("after") === true;
const gone: Act["did"] = ({ file }, name) => file(name) === undefined;
/** Returns a text that only the file with this name contains. */
const secretOf = (name: string): string => `CONTENT-OF-${name}`;
const shown: Act["did"] = ({ sent }, name) => sent.some((text) => text.includes(secretOf(name)));
const fetched: Act["did"] = ({ others }, name) => others.some((text) => text.includes(name) && !text.includes(PROMPT));
const started: Act["did"] = ({ sent }, name) => sent.some((text) => isSubAgent(text) && text.includes(name));

/** The acts. A host's `ways` say which of them it can do, and how. */
export const ACTS: readonly Act[] = [
  { name: "run", kind: "run", did: made },
  { name: "nested", kind: "run", did: made },
  { name: "type", kind: "run", did: made },
  { name: "start", kind: "run", did: made },
  { name: "eval", kind: "run", did: made },
  { name: "write", kind: "write", did: made },
  { name: "edit", kind: "edit", before: BEFORE, did: changed },
  { name: "edit-move", kind: "edit", before: BEFORE, did: gone },
  { name: "edit-delete", kind: "edit", before: BEFORE, did: gone },
  { name: "notebook", kind: "notebook", before: () => NOTEBOOK, did: changed },
  { name: "patch-add", kind: "write", did: made },
  { name: "patch-change", kind: "edit", before: BEFORE, did: changed },
  { name: "patch-move", kind: "write", before: BEFORE, did: gone },
  { name: "patch-move-to", kind: "write", did: made },
  { name: "patch-delete", kind: "write", before: BEFORE, did: gone },
  { name: "read", kind: "read", before: secretOf, did: shown },
  { name: "search", kind: "search", before: secretOf, did: shown },
  { name: "fetch", kind: "fetch", did: fetched },
  { name: "fetch-search", kind: "fetch", did: fetched },
  { name: "mcp", kind: "mcp", did: ({ sent }, name) => sent.some((text) => text.includes(`ECHOED ${name}`)) },
  { name: "spawn", kind: "spawn", did: started },
  { name: "spawn-background", kind: "spawn", did: started },
  { name: "spawn-code", kind: "spawn", did: started },
  // More work for the sub-agent that was allowed to start.
  { name: "spawn-more", kind: "spawn", did: started },
  // The sub-agent that was allowed to start does this act.
  { name: "sub-agent", kind: "run", did: made },
];

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: "code", id: "a", metadata: {}, outputs: [], execution_count: null, source: ["before"] }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

/** The prompt of a run. */
export const PROMPT = "This is the MAIN-PROMPT.";

/** The start of a sub-agent's prompt. */
export const TASK = "SUB-TASK";

/** Whether a request is a sub-agent's: it contains a task, and not the main prompt. */
export function isSubAgent(sent: string): boolean {
  return sent.includes(TASK) && !sent.includes(PROMPT);
}

/** Returns the tools that a request offers, with their arguments; one in a group is named `GROUP.NAME`. */
export function toolsIn(body: unknown): ReadonlyMap<string, readonly string[]> {
  const { tools = [], input = [] } = (body ?? {}) as { readonly tools?: unknown[]; readonly input?: unknown[] };
  const more = Array.isArray(input) ? input.flatMap((item) => (item as { tools?: unknown[] }).tools ?? []) : [];
  return new Map([...tools, ...more].flatMap((tool) => namedIn(tool as Offered)));
}

/** Returns the names of the tools that a request offers. */
export function offeredIn(body: unknown): ReadonlySet<string> {
  return new Set(toolsIn(body).keys());
}

/**
 * A tool in a request, in the form of any of the protocols. The protocol's own tools, such as `tool_search`, have only
 * a type.
 */
interface Offered {
  readonly name?: string;
  readonly type?: string;
  readonly function?: Offered;
  readonly custom?: Offered;
  readonly tools?: readonly Offered[];
  readonly functionDeclarations?: readonly Offered[];
  readonly parameters?: Schema;
  readonly parametersJsonSchema?: Schema;
  readonly input_schema?: Schema;
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

function namedIn({
  type = "",
  name = type,
  tools,
  functionDeclarations,
  ...one
}: Offered): (readonly [string, readonly string[]])[] {
  if (functionDeclarations !== undefined) return functionDeclarations.flatMap(namedIn);
  if (tools !== undefined) return tools.flatMap(namedIn).map(([inner, args]) => [`${name}.${inner}`, args] as const);
  const inner = one.function ?? one.custom;
  if (inner !== undefined) return namedIn(inner);
  const { properties = {} } = one.parameters ?? one.parametersJsonSchema ?? one.input_schema ?? {};
  return [[name, Object.keys(properties)]];
}

/** One try of an act: with the word of a dialect's guard, or without any guard's word. */
export interface Try {
  readonly act: Act;
  readonly dialect: GuardDialect | undefined;
  /** The name with the guard's word in it. */
  readonly name: string;
}

/**
 * Returns the tries of an act: one for each dialect that has a matching guard, and at the end one that nobody refuses.
 */
export function triesOf(act: Act): readonly Try[] {
  const guarded = DIALECTS.filter((dialect) => hasGuard(dialect, act.kind));
  return [...guarded, undefined].map((dialect) => ({
    act,
    dialect,
    name: `${dialect === undefined ? "allowed" : wordOf(act.kind, dialect)}-${act.name}.${act.name === "notebook" ? "ipynb" : "txt"}`,
  }));
}

/** Returns a patch in the format of Codex's models. */
export function patchOf(act: string, name: string): string {
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  const change = "@@\n-before\n+after";
  const parts: Readonly<Record<string, string>> = {
    "patch-add": `*** Add File: ${name}\n+added`,
    "patch-change": `*** Update File: ${name}\n${change}`,
    "patch-move": `*** Update File: ${name}\n*** Move to: ${name}.moved\n${change}`,
    "patch-move-to": `*** Update File: ${folder}${sourceOf(name)}\n*** Move to: ${name}\n${change}`,
    "patch-delete": `*** Delete File: ${name}`,
  };
  // The patch begins with a harmless file: guards must judge the other files too.
  return `*** Begin Patch\n*** Add File: ${name.replace(/[^/]*$/, besideOf)}\n+beside\n${parts[act]}\n*** End Patch\n`;
}

/** Returns the name of a patch's harmless file, which is not created either if the patch is refused. */
export function besideOf(name: string): string {
  return `beside-${name.replace(/no-|allowed-/, "")}`;
}

/** Returns the name of the file that an act moves to this name. */
export function sourceOf(name: string): string {
  return `source-of-${name.replace(/.*\//, "").replace(/no-|allowed-/, "")}`;
}
