import { messageOf, TIER_RANK } from "@hookline/ground";
import { diagnose, place } from "@hookline/runtime/dialect";
import type { CommandDefinition, Conflict, ContributionKind, ToolDefinition } from "@hookline/runtime/engine";
import { assertJson, jsonKind } from "@hookline/runtime/engine";
import type { InProcessContext } from "./context.ts";
import type { Owner } from "./owner.ts";
import { isStrings } from "./rows.ts";
import { alive } from "./ui.ts";

/** How a dialect resolves two tools, commands or other contributions of the same name, by their kind. */
export type Conflicts = Readonly<
  Record<Exclude<ContributionKind, "text" | "server" | "exclusion" | "tool-renderer">, Conflict>
>;

/** Makes the `ctx` objects for tools, commands and shortcuts that a dialect's modules register. */
export interface Contexts {
  /** Makes a context for tools and shortcuts. */
  plain(): InProcessContext;
  /** Makes the context of a running tool. `agent` is what the agent passes to its own tools. Default: `plain`. */
  tool?(agent: object): InProcessContext;
  /** Makes a context for commands, which may also replace the session. */
  command(): InProcessContext;
}

/** A keyboard shortcut as the host runs it. */
export interface ShortcutDefinition {
  readonly description?: string | undefined;
  handler(): Promise<void>;
}

/** A command-line flag that a module registers. */
export interface FlagDefinition {
  readonly description?: string | undefined;
  readonly type: "boolean" | "string";
  readonly default?: boolean | string | undefined;
}

interface ForeignCommand {
  readonly description?: string;
  getArgumentCompletions?(prefix: string): unknown;
  handler(args: string, ctx: object): unknown;
}

/** The `register…` members that pi and omp share. */
export interface Registering {
  registerTool(definition: unknown): void;
  registerCommand(name: string, command: ForeignCommand): void;
  registerShortcut(key: string, shortcut: { readonly description?: string; handler(ctx: object): unknown }): void;
  registerFlag(name: string, flag: FlagDefinition): void;
  getFlag(name: string): boolean | string | undefined;
  registerMessageRenderer(customType: string, renderer: unknown): void;
  registerEntryRenderer(customType: string, renderer: unknown): void;
  registerMarkdownTransformer(transformer: unknown): void;
  registerProvider(provider: unknown, config?: unknown): void;
  unregisterProvider(name: string): void;
}

/** Makes the `register…` members of one module. They do nothing after the session has ended. */
export function createRegistering(owner: Owner, contexts: Contexts, conflicts: Conflicts): Registering {
  const { around, instance } = owner;
  const flags = new Map<string, FlagDefinition>();
  const providers = new Map<string, () => void>();

  const add = (member: string, kind: keyof Conflicts, key: unknown, value: unknown): (() => void) => {
    if (!alive(instance, `${owner.name}.${member}`)) return () => {};
    if (typeof key !== "string" || key === "") throw new TypeError(`${member} needs a name of one or more characters`);
    return around.contributions.add(kind, key, value, instance, conflicts[kind]);
  };

  /** Whether the module may set or remove a provider. It may not if a module of a higher tier has registered it. */
  const holds = (name: string): boolean => {
    const held = around.contributions.all("provider").get(name)?.instance.source.tier;
    return held === undefined || TIER_RANK[held] >= TIER_RANK[instance.source.tier];
  };

  return {
    registerTool(definition) {
      const tool = hostTool(definition, contexts.tool ?? contexts.plain);
      add("registerTool", "tool", tool.name, tool);
    },
    registerCommand(name, command) {
      needsFunction(command?.handler, `The command "${name}"`);
      const { description, getArgumentCompletions } = command;
      const definition: CommandDefinition = {
        description,
        ...(getArgumentCompletions !== undefined && {
          getArgumentCompletions: (prefix) => getArgumentCompletions.call(command, prefix),
        }),
        handler: (args) => reporting(owner, `/${name}`, () => command.handler(args, contexts.command())),
      };
      add("registerCommand", "command", name, definition);
      if (conflicts.command === "suffix") reportShadowed(owner, name);
    },
    registerShortcut(key, shortcut) {
      needsFunction(shortcut?.handler, `The shortcut "${key}"`);
      const definition: ShortcutDefinition = {
        description: shortcut.description,
        handler: () => reporting(owner, key, () => shortcut.handler(contexts.plain())),
      };
      add("registerShortcut", "shortcut", key, definition);
    },
    registerFlag(name, said) {
      if (typeof said !== "object" || said === null)
        throw new TypeError(`The flag "${name}" needs a type, "boolean" or "string"`);
      // A flag is a text unless it is declared boolean, as in pi and omp.
      const flag: FlagDefinition = { ...said, type: said.type === "boolean" ? "boolean" : "string" };
      add("registerFlag", "flag", name, flag);
      flags.set(name, flag);
    },
    getFlag(name) {
      const flag = flags.get(name);
      if (flag === undefined) return undefined;
      return around.services.flag?.(name) ?? flag.default;
    },
    registerMessageRenderer(customType, renderer) {
      needsFunction(renderer, `The message renderer of "${customType}"`);
      add("registerMessageRenderer", "message-renderer", customType, renderer);
    },
    registerEntryRenderer(customType, renderer) {
      needsFunction(renderer, `The entry renderer of "${customType}"`);
      add("registerEntryRenderer", "entry-renderer", customType, renderer);
    },
    registerMarkdownTransformer(transformer) {
      needsFunction(transformer, "The markdown transformer");
      // A module has at most one transformer: a second one replaces the first.
      add("registerMarkdownTransformer", "markdown-transformer", instance.source.path, transformer);
    },
    registerProvider(provider, config) {
      if (!alive(instance, `${owner.name}.registerProvider`)) return;
      // A provider that is an object has its name in `id`.
      const name = typeof provider === "string" ? provider : (provider as { readonly id?: unknown } | null)?.id;
      const undo = add("registerProvider", "provider", name, config ?? provider);
      const known = providers.has(name as string);
      providers.set(name as string, undo);
      if (!holds(name as string)) return;
      around.services.models?.registerProvider(name as string, config ?? provider);
      if (!known) instance.own(() => around.services.models?.unregisterProvider(name as string));
    },
    unregisterProvider(name) {
      if (!alive(instance, `${owner.name}.unregisterProvider`)) return;
      if (!holds(name)) return;
      providers.get(name)?.();
      around.services.models?.unregisterProvider(name);
    },
  };
}

/** Reports a command whose name another module already has. It is then called with a number, such as `/name:2`. */
function reportShadowed({ around, instance }: Owner, name: string): void {
  const all = around.contributions.all("command");
  const winner = all.get(name)?.instance;
  const loser = winner === instance ? all.get(`${name}:2`)?.instance : instance;
  if (winner === undefined || loser === undefined || winner === loser) return;
  const { source } = loser;
  const details = { path: `/${name} of ${source.path}`, other: winner.source.path, key: name };
  instance.report(diagnose("SHADOWED", details, { source }));
}

/** Runs a command or shortcut for the user. Reports a failure instead of throwing it. */
async function reporting({ instance }: Owner, what: string, run: () => unknown): Promise<void> {
  if (!alive(instance, what)) return;
  try {
    await run();
  } catch (thrown) {
    const { source, lane } = instance;
    const hook = `${lane}:${source.path}#${what}`;
    const details = { hook, place: place(source), event: what, problem: messageOf(thrown) };
    instance.report(diagnose("HOOK_THREW", details, { source, hook }));
  }
}

function needsFunction(value: unknown, what: string): void {
  if (typeof value !== "function") throw new TypeError(`${what} has no function to run`);
}

type Update = Parameters<ToolDefinition["execute"]>[3];
type Foreign = Readonly<Record<string, unknown>> & {
  execute(id: string, params: never, signal: AbortSignal | undefined, onUpdate: Update, context: object): unknown;
};

/** Members of a tool's definition that may be inherited from its class. */
const members = [
  "label",
  "promptSnippet",
  "promptGuidelines",
  "executionMode",
  "prepareArguments",
  "renderShell",
  "renderCall",
  "renderResult",
] as const;

/**
 * Turns a module's tool into one that the host can run. Each call gets a new context. Throws for a definition that
 * could never run.
 */
export function hostTool(definition: unknown, contextOf: (agent: object) => InProcessContext): ToolDefinition {
  const { name, description, parameters, execute } = (definition ?? {}) as Partial<Foreign>;
  if (typeof name !== "string" || name === "") throw new TypeError("A tool needs a name of one or more characters");
  if (typeof execute !== "function") throw new TypeError(`The tool "${name}" has no execute function`);
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    throw new TypeError(`The tool "${name}" has no parameters; give it a JSON schema of type "object"`);
  }
  const foreign = definition as Foreign;
  assertTold(foreign);
  const found: Record<string, unknown> = {};
  for (const member of members) {
    const value = foreign[member];
    if (value !== undefined) found[member] = typeof value === "function" ? value.bind(foreign) : value;
  }
  return {
    ...foreign,
    label: name,
    ...found,
    name,
    description: typeof description === "string" ? description : "",
    parameters: parameters as Readonly<Record<string, unknown>>,
    execute: async (toolCallId, params, signal, onUpdate, agent) =>
      (await foreign.execute(toolCallId, params, signal, onUpdate, contextOf(agent))) as never,
  };
}

/** Throws for a tool that cannot be described to a model, with the tool's name in the message. */
function assertTold({ name, parameters, ...tool }: Foreign): void {
  for (const field of ["label", "description", "promptSnippet"]) {
    const value = tool[field] ?? "";
    if (typeof value !== "string")
      throw new TypeError(`The tool "${name}" has a ${field} that is ${jsonKind(value)}; it must be text`);
  }
  if (!isStrings(tool["promptGuidelines"] ?? []))
    throw new TypeError(`The tool "${name}" has promptGuidelines that are no list of texts`);
  try {
    assertJson({ parameters });
  } catch (thrown) {
    throw new TypeError(`The tool "${name}" cannot be described to a model: ${messageOf(thrown)}`, { cause: thrown });
  }
}
