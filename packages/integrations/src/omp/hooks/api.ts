import { ownSettings } from "@hookline/runtime/dialect";
import { createActions, exec } from "../../in-process/actions.ts";
import { listed } from "../../in-process/context.ts";
import { type Conflicts, createRegistering, type Registering } from "../../in-process/contribute.ts";
import type { Owner } from "../../in-process/owner.ts";
import { settings } from "../about.ts";
import type { Builders } from "./builders.ts";
import { ExtensionCommandContext, ExtensionContext } from "./context.ts";
import { hookEvents, MERGED_EVENTS } from "./events.ts";
import { type Delivery, type MessagePayload, sending } from "./message.ts";
import { createOmpOn, resultRemark, stopRemark } from "./on.ts";

/**
 * Resolves conflicts of names among omp's hooks: the hook loaded first wins, but within one hook the last registration.
 * Source: seed 002.
 */
export const hookConflicts: Conflicts = {
  tool: "first",
  command: "first",
  flag: "first",
  shortcut: "first",
  "message-renderer": "first",
  "entry-renderer": "first",
  "markdown-transformer": "first",
  provider: "first",
};

/** The functions of the API object that a hook's factory gets. The rest of that object are `Builders`. */
export interface HookActions {
  on(event: string, handler: unknown): void;
  sendMessage(message: MessagePayload, delivery?: Delivery): void;
  appendEntry(customType: string, data?: unknown): void;
  registerMessageRenderer: Registering["registerMessageRenderer"];
  registerCommand: Registering["registerCommand"];
  exec(command: string, args?: readonly string[], options?: Parameters<typeof exec>[3]): ReturnType<typeof exec>;
}

/** omp's `HookAPI`, the API object that a hook's factory gets. */
export type HookApi = HookActions & Builders;

/** Makes omp's `HookAPI` object. Its members are in omp's order and can be detached from it. */
export function hookApi(actions: HookActions, builders: Builders): HookApi {
  const { logger, typebox, arktype, zod, pi } = builders;
  return {
    on: actions.on,
    sendMessage: actions.sendMessage,
    appendEntry: actions.appendEntry,
    registerMessageRenderer: actions.registerMessageRenderer,
    registerCommand: actions.registerCommand,
    exec: actions.exec,
    logger,
    typebox,
    arktype,
    zod,
    pi,
  };
}

/**
 * Makes the functions of the API object for a session's hook. Sending and appending throw omp's error while the factory
 * runs.
 */
export function hookActions(owner: Owner): HookActions {
  const actions = createActions(owner);
  const send = sending(actions);
  const registering = registeringOf(owner, hookConflicts);
  const merges = ownSettings(owner.around.scan.settings, { id: "omp", rows: settings }).mergeOverrides;
  return {
    on: createOmpOn(owner, hookEvents, (call, event) => listed(new ExtensionContext(owner, call, event)), {
      ...(merges && { instead: MERGED_EVENTS }),
      remarks: { tool_result: resultRemark(merges), session_stop: stopRemark },
    }),
    sendMessage(message, delivery) {
      if (!owner.bound) throw new Error(notInitialized("sendMessage"));
      send(message, delivery);
    },
    appendEntry(customType, data) {
      if (!owner.bound) throw new Error(notInitialized("appendEntry"));
      actions.appendEntry(customType, data);
    },
    registerMessageRenderer: registering.registerMessageRenderer,
    registerCommand: registering.registerCommand,
    exec: (command, args, options) => exec(owner, command, args, options),
  };
}

/** Makes the `register…` functions for a module, with omp's contexts. */
export function registeringOf(owner: Owner, conflicts: Conflicts): Registering {
  const plain = (): ExtensionContext => listed(new ExtensionContext(owner));
  return createRegistering(owner, { plain, command: () => listed(new ExtensionCommandContext(owner)) }, conflicts);
}

/** Returns omp's error message for an action that is called before there is a session. */
export function notInitialized(member: string): string {
  return `${member} handler not initialized`;
}
