import { diagnose } from "@hookline/runtime/dialect";
import { type Actions, createActions, type EventBus, exec, sessionBus } from "../../in-process/actions.ts";
import { listed } from "../../in-process/context.ts";
import { type Conflicts, createRegistering, type Registering } from "../../in-process/contribute.ts";
import { createOn } from "../../in-process/handlers.ts";
import { lineOf, type Owner } from "../../in-process/owner.ts";
import { alive } from "../../in-process/ui.ts";
import { PiCommandContext, PiContext, PiToolContext } from "./context.ts";
import { piEvents, projectEvents } from "./events.ts";
import { type ServerMembers, serverMembers } from "./mcp-servers.ts";
import { effectiveSettings } from "./settings.ts";

/** Resolves name conflicts as pi does: usually the first wins (ruling 15), and a second command gets a suffix. */
const conflicts: Conflicts = {
  tool: "first",
  command: "suffix",
  flag: "first",
  shortcut: "last",
  "message-renderer": "first",
  "entry-renderer": "first",
  "markdown-transformer": "first",
  provider: "last",
};

/** pi's `ExtensionAPI`, the object with which an extension's factory is called. Its members can be detached from it. */
export interface PiApi extends Actions, Registering, ServerMembers {
  on(event: string, handler: unknown): () => void;
  exec(command: string, args: readonly string[], options?: Parameters<typeof exec>[3]): ReturnType<typeof exec>;
  registerToolRenderer(resolver: unknown): void;
  registerVirtualModel(model: unknown): void;
  unregisterVirtualModel(provider: string, id: string): void;
  getSettings(): object;
  readonly events: EventBus;
}

/** Makes the API object of one extension. Its members are in pi's order. */
export function createPiApi(owner: Owner): PiApi {
  const actions = createActions(owner);
  const registering = createRegistering(
    owner,
    {
      plain: () => listed(new PiContext(owner)),
      command: () => listed(new PiCommandContext(owner)),
      tool: (agent) => listed(new PiToolContext(owner, agent)),
    },
    conflicts,
  );
  return {
    on: createOn(owner, owner.instance.source.tier === "project" ? projectEvents : piEvents, (call, event) =>
      listed(new PiContext(owner, call, event)),
    ),
    registerTool: registering.registerTool,
    registerCommand: registering.registerCommand,
    registerShortcut: registering.registerShortcut,
    registerFlag: registering.registerFlag,
    registerMessageRenderer: registering.registerMessageRenderer,
    getFlag: registering.getFlag,
    sendMessage: actions.sendMessage,
    sendUserMessage: actions.sendUserMessage,
    appendEntry: actions.appendEntry,
    setSessionName: actions.setSessionName,
    getSessionName: actions.getSessionName,
    setLabel: actions.setLabel,
    exec: (command, args, options) => exec(owner, command, args, options),
    getActiveTools: actions.getActiveTools,
    getAllTools: actions.getAllTools,
    setActiveTools: actions.setActiveTools,
    getCommands: actions.getCommands,
    setModel: actions.setModel,
    getThinkingLevel: actions.getThinkingLevel,
    setThinkingLevel: actions.setThinkingLevel,
    registerProvider: registering.registerProvider,
    unregisterProvider: registering.unregisterProvider,
    registerEntryRenderer: registering.registerEntryRenderer,
    registerMarkdownTransformer: registering.registerMarkdownTransformer,
    registerToolRenderer(resolver) {
      if (typeof resolver !== "function") throw new TypeError("registerToolRenderer needs a function");
      const { around, instance } = owner;
      if (!alive(instance, "pi.registerToolRenderer")) return;
      // All renderers are asked, in the order of their registration, so each gets a key of its own.
      const { size } = around.contributions.all("tool-renderer");
      around.contributions.add("tool-renderer", `${instance.source.path} ${size}`, resolver, instance, "first");
    },
    // Newer than the release in `VERSION`: pi has these members since 0.99 or 1.3.
    registerVirtualModel: () => without(owner, "registerVirtualModel", "Choose a model with setModel."),
    unregisterVirtualModel: () => {},
    ...serverMembers(owner),
    getSettings: () => effectiveSettings(owner.around.scan, owner.instance.source.tier),
    events: sessionBus(owner.around, owner.instance, "pi"),
  };
}

/** Reports a call of a member that the current pi has but hookline does not, so that its missing effect is noticed. */
function without(owner: Owner, member: string, remedy: string): void {
  const { source } = owner.instance;
  const problem = `pi.${member} has no effect here`;
  const details = { path: source.path, line: lineOf(owner, member), problem, remedy };
  owner.instance.report(diagnose("LINT", details, { source }));
}
