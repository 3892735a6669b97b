import type { Fields } from "@hookline/ground";
import { diagnose } from "@hookline/runtime/dialect";
import {
  type Actions,
  type ClearableBus,
  createActions,
  type EventBus,
  exec,
  sessionBus,
} from "../../in-process/actions.ts";
import { listed } from "../../in-process/context.ts";
import type { Conflicts, Registering } from "../../in-process/contribute.ts";
import { lineOf, type Owner } from "../../in-process/owner.ts";
import { type HookActions, hookActions, hookApi, hookConflicts, registeringOf } from "./api.ts";
import type { Builders } from "./builders.ts";
import { ompCalls, RESERVED_COMMANDS, RESERVED_KEYS } from "./calls.ts";
import { ExtensionContext } from "./context.ts";
import { extensionEvents } from "./events.ts";
import { sending } from "./message.ts";
import { createOmpOn, stopRemark } from "./on.ts";

/**
 * Resolves conflicts of names among omp's extensions: the last loaded wins, but for renderers and Markdown transformers
 * the first. Source: spec/omp.md 2.5.
 */
const conflicts: Conflicts = {
  tool: "last",
  command: "last",
  flag: "last",
  shortcut: "last",
  "message-renderer": "first",
  "entry-renderer": "first",
  "markdown-transformer": "first",
  provider: "last",
};

/** Members of the current omp's API that no host of hookline supports. A call is reported. */
const WITHOUT = [
  "registerFileWriteFallback",
  "registerFileDeleteFallback",
  "registerAssistantThinkingRenderer",
  "registerComposerShape",
  "setServiceTier",
] as const;

/** omp's `ExtensionAPI`: all members of HookAPI, and more. */
export type ExtensionApi = HookActions &
  Builders &
  Omit<Registering, "registerEntryRenderer" | "registerMarkdownTransformer"> &
  Omit<Actions, "setActiveTools" | "setLabel" | "sendMessage" | "getThinkingLevel"> & {
    /** Returns the thinking level; `undefined` for a model that does not think. */
    getThinkingLevel(): string | undefined;
    setActiveTools(names: readonly string[]): Promise<void>;
    /** Names the extension itself (one argument), or labels a session entry as in pi (two arguments). */
    setLabel(...args: readonly (string | undefined)[]): void;
    getServiceTiers(): object;
    readonly events: ClearableBus;
  } & Readonly<Record<(typeof WITHOUT)[number], () => void>>;

/** Makes the API object of one extension. Its members can be detached from it. */
export function extensionApi(owner: Owner, builders: Builders): ExtensionApi {
  const actions = createActions(owner);
  const registering = registeringOf(owner, conflicts);
  const own: HookActions = {
    on: createOmpOn(owner, extensionEvents, (call, event) => listed(new ExtensionContext(owner, call, event)), {
      remarks: { session_stop: stopRemark },
    }),
    sendMessage: sending(actions),
    appendEntry: actions.appendEntry,
    registerMessageRenderer: registering.registerMessageRenderer,
    registerCommand(name, command) {
      if (RESERVED_COMMANDS.has(name)) taken(owner, "command", name);
      else registering.registerCommand(name, command);
    },
    exec: (command, args, options) => exec(owner, command, args, options),
  };
  return { ...hookApi(own, builders), ...besides(owner, actions, registering) };
}

/**
 * Makes the API object of a module in `hooks/{pre,post}`: HookAPI's members, and the further ones of ExtensionAPI
 * (ruling 64).
 */
export function hookModuleApi(owner: Owner, builders: Builders): ExtensionApi {
  const registering = registeringOf(owner, hookConflicts);
  return { ...hookApi(hookActions(owner), builders), ...besides(owner, createActions(owner), registering) };
}

/** The members of ExtensionAPI that HookAPI does not have. */
function besides(
  owner: Owner,
  actions: Actions,
  registering: Registering,
): Omit<ExtensionApi, keyof ReturnType<typeof hookApi>> {
  return {
    registerTool: (definition) => registering.registerTool(inJsonSchema(inToolOrder(owner, definition))),
    registerShortcut(key, shortcut) {
      if (RESERVED_KEYS.has(key.toLowerCase())) taken(owner, "shortcut", key);
      else registering.registerShortcut(key, shortcut);
    },
    registerFlag: registering.registerFlag,
    getFlag: registering.getFlag,
    registerProvider: registering.registerProvider,
    unregisterProvider: registering.unregisterProvider,
    sendUserMessage: actions.sendUserMessage,
    getActiveTools: () => actions.getActiveTools().map((name) => ompCalls.name(name)),
    getAllTools: () =>
      actions.getAllTools().map((tool) => ({ ...tool, name: ompCalls.name((tool as { name: string }).name) })),
    setActiveTools: async (names) => actions.setActiveTools(names.map((name) => ompCalls.tool(name))),
    getCommands: actions.getCommands,
    setModel: actions.setModel,
    getThinkingLevel: () =>
      owner.around.services.models?.current()?.["reasoning"] === false ? undefined : actions.getThinkingLevel(),
    setThinkingLevel: actions.setThinkingLevel,
    getSessionName: actions.getSessionName,
    setSessionName: actions.setSessionName,
    setLabel(...[entryId, ...label]) {
      if (label.length > 0) actions.setLabel(String(entryId), label[0]);
    },
    getServiceTiers: () => ({}),
    events: clearable(sessionBus(owner.around, owner.instance, "omp")),
    ...(Object.fromEntries(WITHOUT.map((member) => [member, () => without(owner, member)])) as Record<
      (typeof WITHOUT)[number],
      () => void
    >),
  };
}

/** Reports a name that belongs to the agent itself. Only this registration is skipped. */
function taken({ instance }: Owner, kind: string, key: string): void {
  const { source } = instance;
  const details = { kind, key, path: source.path, other: "hookline itself" };
  instance.report(diagnose("DUPLICATE", details, { source }));
}

function without(owner: Owner, member: string): void {
  const { source } = owner.instance;
  const details = {
    path: source.path,
    line: lineOf(owner, member),
    problem: `pi.${member} has no effect here`,
    remedy: "Remove the call, or see the dialect's README for what is there instead.",
  };
  owner.instance.report(diagnose("LINT", details, { source }));
}

type Execute = (...args: unknown[]) => unknown;
type Definition = Readonly<Record<string, unknown>> & { readonly execute?: unknown };

/**
 * Adapts a tool whose `execute` takes its arguments in omp's older order, `(id, params, onUpdate, ctx, signal)`. The
 * definition must say `toolArgs: "legacy"`: both orders have five parameters, so they cannot be told apart otherwise.
 * If a tool without it throws a TypeError, that is reported with this remedy.
 *
 * Source: spec/omp.md 9, R14.
 */
export function inToolOrder(owner: Owner, definition: unknown): unknown {
  const given = (definition ?? {}) as Definition;
  if (typeof given.execute !== "function") return definition;
  const execute = given.execute.bind(definition) as Execute;
  const ordered: Execute =
    given["toolArgs"] === "legacy"
      ? (id, params, signal, onUpdate, ctx) => execute(id, params, onUpdate, ctx, signal)
      : async (...args) => {
          try {
            return await execute(...args);
          } catch (thrown) {
            if ((thrown as { readonly name?: unknown } | null)?.name === "TypeError")
              report(owner, String(given["name"]));
            throw thrown;
          }
        };
  return Object.assign(Object.create(Object.getPrototypeOf(given)) as object, given, { execute: ordered });
}

function report(owner: Owner, name: string): void {
  const { source } = owner.instance;
  owner.instance.report(
    diagnose(
      "LINT",
      {
        path: source.path,
        line: lineOf(owner, `"${name}"`, `'${name}'`),
        problem: `the tool "${name}" failed with a TypeError`,
        remedy:
          'If its execute takes (id, params, onUpdate, ctx, signal), add toolArgs: "legacy" to it; the order here is (id, params, signal, onUpdate, ctx).',
      },
      { source },
    ),
  );
}

/** The part of the Standard Schema interface that a tool needs. Source: standardschema.dev, JSON Schema part. */
interface Standard {
  readonly validate?: (value: unknown) => Result | Promise<Result>;
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => Fields };
}

type Result =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/**
 * Adapts a tool whose parameters were made with `pi.zod` or `pi.arktype`. Hosts get a JSON Schema, and defaults and
 * conversions are applied before `execute` is called. Returns other definitions unchanged.
 */
export function inJsonSchema(definition: unknown): unknown {
  const given = (definition ?? {}) as Fields;
  const standard = (given["parameters"] as { readonly "~standard"?: Standard } | undefined)?.["~standard"];
  const { validate, jsonSchema } = standard ?? {};
  if (typeof jsonSchema?.input !== "function" || typeof given["execute"] !== "function") return definition;
  const { $schema: _, ...parameters } = jsonSchema.input({ target: "draft-2020-12" });
  const execute = (given["execute"] as (...args: unknown[]) => unknown).bind(definition);
  const checked = async (id: unknown, params: unknown, ...rest: unknown[]): Promise<unknown> =>
    execute(id, validate === undefined ? params : fitting(String(given["name"]), await validate(params)), ...rest);
  return Object.assign(Object.create(Object.getPrototypeOf(given)) as object, given, { parameters, execute: checked });
}

function fitting(name: string, result: Result): unknown {
  if (result.issues === undefined) return result.value;
  const said = result.issues.map(({ message, path = [] }) => [path.map(keyOf).join("."), message].filter(Boolean));
  throw new Error(`The arguments of "${name}" do not fit: ${said.map((parts) => parts.join(": ")).join("; ")}`);
}

function keyOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}

/** Restricts omp's bus for one module: `clear` removes only the module's own listeners. */
function clearable({ emit, on }: EventBus): ClearableBus {
  const own = new Set<() => void>();
  return {
    emit,
    on(channel, listener) {
      const off = on(channel, listener);
      own.add(off);
      return () => {
        own.delete(off);
        off();
      };
    },
    clear() {
      for (const off of own) off();
      own.clear();
    },
  };
}
