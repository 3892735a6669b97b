import { DIALECTS, type GuardDialect, hasGuard, type Kind, wordOf } from "./guards.ts";

/** A call of a host's tool, by the name that the model is offered. */
export interface Call {
  readonly name: string;
  /** The group of tools that it belongs to, where the protocol has such. */
  readonly namespace?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The text of a tool that takes a text instead of arguments. */
  readonly text?: string;
}

/** The facts from which a call is made. */
export interface Target {
  /** A name that has the word of a guard, or none of them. */
  readonly name: string;
  /** The file of this name as the host wants it written. */
  readonly path: string;
  /** The command to run, where it is not the usual one. */
  readonly command?: string;
  /** The model's last request, for what a host answers with: a session's number, a file's tag. */
  readonly heard: string;
}

/** A call of a way to do an act. */
export type Way = (target: Target) => Call;

/** How a host does each act: by one call, by several of which the last is the act, or in the first of several ways that it offers. */
export type Ways = Readonly<Record<string, Way | readonly Way[] | readonly (readonly Way[])[]>>;

/** The traces of a run. */
export interface Seen {
  /** All requests that the model was sent, sub-agents' included. */
  readonly sent: readonly string[];
  /** The text of a file in the project; absent if there is none. */
  file(name: string): string | undefined;
}

/** Something that a model does in a host. */
export interface Act {
  readonly name: string;
  /** The guards that must refuse it. */
  readonly kind: Kind;
  /** The text of the file of this name before the run. */
  readonly before?: (name: string) => string;
  /** Whether it has happened. */
  did(seen: Seen, name: string): boolean;
}

const BEFORE = () => "before\n";
const made: Act["did"] = ({ file }, name) => file(name) !== undefined;
const changed: Act["did"] = ({ file }, name) => file(name)?.includes("after") === true;
const gone: Act["did"] = ({ file }, name) => file(name) === undefined;
/** A text that only the file of this name has. */
const secretOf = (name: string): string => `CONTENT-OF-${name}`;
const shown: Act["did"] = ({ sent }, name) => sent.some((text) => text.includes(secretOf(name)));

/** The acts; which of them a host can do, and how, stands in its `ways`. */
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
  { name: "mcp", kind: "mcp", did: ({ sent }, name) => sent.some((text) => text.includes(`ECHOED ${name}`)) },
  {
    name: "spawn",
    kind: "spawn",
    did: ({ sent }, name) => sent.some((text) => isSubAgent(text) && text.includes(name)),
  },
  // Done by the sub-agent that was allowed to start.
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

/** Whether a request is a sub-agent's: it has been given a task, and never the prompt. */
export function isSubAgent(sent: string): boolean {
  return sent.includes(TASK) && !sent.includes(PROMPT);
}

/** The tools that a request offers, with their arguments; one in a group as `GROUP.NAME`. */
export function toolsIn(body: unknown): ReadonlyMap<string, readonly string[]> {
  const { tools = [], input = [] } = (body ?? {}) as { readonly tools?: unknown[]; readonly input?: unknown[] };
  const more = Array.isArray(input) ? input.flatMap((item) => (item as { tools?: unknown[] }).tools ?? []) : [];
  return new Map([...tools, ...more].flatMap((tool) => namedIn(tool as Offered)));
}

/** The names of the same tools. */
export function offeredIn(body: unknown): ReadonlySet<string> {
  return new Set(toolsIn(body).keys());
}

/** A tool in a request, as the protocols have it. One of the protocol's own, such as `tool_search`, has a type alone. */
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

/** One try of an act: with the word of a dialect's guard, or with no guard's. */
export interface Try {
  readonly act: Act;
  readonly dialect: GuardDialect | undefined;
  /** The name that has the word. */
  readonly name: string;
}

/** The tries of an act: by each dialect that has such a guard, last the one that nobody refuses. */
export function triesOf(act: Act): readonly Try[] {
  const guarded = DIALECTS.filter((dialect) => hasGuard(dialect, act.kind));
  // The guard of oh-my-pi refuses the first sub-agent.
  const order = guarded.toSorted((a, b) => Number(b === "omp") - Number(a === "omp"));
  return [...order, undefined].map((dialect) => ({
    act,
    dialect,
    name: `${dialect === undefined ? "allowed" : wordOf(act.kind, dialect)}-${act.name}.${act.name === "notebook" ? "ipynb" : "txt"}`,
  }));
}

/** A patch of the kind that Codex's models write. */
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
  // A harmless file comes first: that it may be made says nothing about the others.
  return `*** Begin Patch\n*** Add File: ${name.replace(/[^/]*$/, besideOf)}\n+beside\n${parts[act]}\n*** End Patch\n`;
}

/** The harmless file of a patch, which is not made either if the patch is refused. */
export function besideOf(name: string): string {
  return `beside-${name.replace(/no-|allowed-/, "")}`;
}

/** The file that is moved to a name. */
export function sourceOf(name: string): string {
  return `source-of-${name.replace(/.*\//, "").replace(/no-|allowed-/, "")}`;
}
