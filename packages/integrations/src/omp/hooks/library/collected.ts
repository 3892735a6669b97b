import { exec } from "../../../in-process/actions.ts";
import type { Owner } from "../../../in-process/owner.ts";
import { type HookActions, notInitialized } from "../api.ts";
import { type Delivery, type MessagePayload, messageOf } from "../message.ts";

/** A handler as a hook module registers it. */
export type HookHandler = (event: never, ctx: never) => unknown;
/** A slash command of a hook. */
export interface RegisteredCommand {
  readonly name: string;
  readonly description?: string;
  handler(args: string, ctx: never): unknown;
}
type SendMessage = (message: ReturnType<typeof messageOf>, options: object) => void;
type AppendEntry = (customType: string, data?: unknown) => void;

/** A hook module as omp's loader returns it: what it has registered, and setters for how it sends messages. */
export interface LoadedHook {
  /** The path of the hook module, as the caller wrote it. */
  readonly path: string;
  readonly resolvedPath: string;
  readonly handlers: Map<string, HookHandler[]>;
  readonly messageRenderers: Map<string, unknown>;
  readonly commands: Map<string, RegisteredCommand>;
  setSendMessageHandler(handler: SendMessage): void;
  setAppendEntryHandler(handler: AppendEntry): void;
}

/** Makes a hook that only stores what its module registers, and the functions of the module's API object. */
export function collecting(
  owner: Owner,
  { path, resolvedPath, cwd }: { readonly path: string; readonly resolvedPath: string; readonly cwd: string },
): { readonly hook: LoadedHook; readonly actions: HookActions } {
  let send: SendMessage | undefined;
  let append: AppendEntry | undefined;
  const hook: LoadedHook = {
    path,
    resolvedPath,
    handlers: new Map(),
    messageRenderers: new Map(),
    commands: new Map(),
    setSendMessageHandler(handler) {
      send = handler;
    },
    setAppendEntryHandler(handler) {
      append = handler;
    },
  };
  const actions: HookActions = {
    on(event, handler) {
      const handlers = hook.handlers.get(event) ?? [];
      hook.handlers.set(event, handlers);
      handlers.push(handler as HookHandler);
    },
    sendMessage(message: MessagePayload, delivery?: Delivery) {
      if (send === undefined) throw new Error(notInitialized("sendMessage"));
      send(messageOf(message), typeof delivery === "boolean" ? { triggerTurn: delivery } : (delivery ?? {}));
    },
    appendEntry(customType, data) {
      if (append === undefined) throw new Error(notInitialized("appendEntry"));
      append(customType, data);
    },
    registerMessageRenderer: (customType, renderer) => void hook.messageRenderers.set(customType, renderer),
    registerCommand: (name, command) =>
      void hook.commands.set(name, { name, ...(command as Omit<RegisteredCommand, "name">) }),
    exec: (command, args, options) => exec(owner, command, args, { ...options, cwd: options?.cwd ?? cwd }),
  };
  return { hook, actions };
}
