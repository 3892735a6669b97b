import { diagnose } from "../../error/diagnostic.ts";
import { type Actions, createActions } from "../inprocess/actions.ts";
import { type EventBus, sessionBus } from "../inprocess/bus.ts";
import { listed } from "../inprocess/context.ts";
import type { Conflicts, Registering } from "../inprocess/contribute.ts";
import { exec } from "../inprocess/exec.ts";
import { lineOf, type Owner } from "../inprocess/owner.ts";
import { type HookActions, hookActions, hookApi, hookConflicts, registeringOf } from "./api.ts";
import type { Builders } from "./builders.ts";
import { ExtensionContext } from "./context.ts";
import { extensionEvents } from "./events.ts";
import { inToolOrder } from "./legacy-tool.ts";
import { createOmpOn } from "./on.ts";
import { stopRemark } from "./remark.ts";
import { sending } from "./send.ts";
import { inJsonSchema } from "./standard.ts";
import { ompCalls, RESERVED_COMMANDS, RESERVED_KEYS } from "./tools.ts";

/** Who wins a name among omp's extensions: who was loaded last, renderers apart. Source: spec/omp.md 2.5. */
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

/** Members of today's omp that no host has a place for: told when they are called, so that nothing is silent. */
const WITHOUT = [
  "registerFileWriteFallback",
  "registerFileDeleteFallback",
  "registerAssistantThinkingRenderer",
  "registerComposerShape",
  "setServiceTier",
] as const;

/** omp's `ExtensionAPI`: all of HookAPI, with ExtensionAPI's folds, and more. */
export type ExtensionApi = HookActions &
  Builders &
  Omit<Registering, "registerEntryRenderer" | "registerMarkdownTransformer"> &
  Omit<Actions, "setActiveTools" | "setLabel" | "sendMessage"> & {
    setActiveTools(names: readonly string[]): Promise<void>;
    /** One argument names the extension itself, two label a session entry as in pi. */
    setLabel(...args: readonly (string | undefined)[]): void;
    getServiceTiers(): object;
    readonly events: EventBus;
  } & Readonly<Record<(typeof WITHOUT)[number], () => void>>;

/** Makes the API object of one extension; its members may be taken off it. */
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

/** Makes the API object of a module in `hooks/{pre,post}`: HookAPI's members, and ExtensionAPI's besides (decision 64). */
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
    getThinkingLevel: actions.getThinkingLevel,
    setThinkingLevel: actions.setThinkingLevel,
    getSessionName: actions.getSessionName,
    setSessionName: actions.setSessionName,
    setLabel(...[entryId, ...label]) {
      if (label.length > 0) actions.setLabel(String(entryId), label[0]);
    },
    getServiceTiers: () => ({}),
    events: sessionBus(owner.around, owner.instance, "omp"),
    ...(Object.fromEntries(WITHOUT.map((member) => [member, () => without(owner, member)])) as Record<
      (typeof WITHOUT)[number],
      () => void
    >),
  };
}

/** What belongs to the agent itself is skipped; the extension goes on. */
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
