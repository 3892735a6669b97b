import { resolve } from "node:path";
import { MAX_MS, messageOf } from "@hookline/ground";
import { execEnd } from "@hookline/ground/system";
import type { Instance, ProcessReport, Surroundings } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import type {
  Content,
  CustomMessageInput,
  ExecOptions,
  ExecResult,
  HostConversation,
  ModelRef,
} from "@hookline/runtime/engine";
import { assertJson, joinedSignal, jsonKind, sharedOf } from "@hookline/runtime/engine";
import type { Owner } from "./owner.ts";
import { isContent, isStrings } from "./rows.ts";
import { alive } from "./ui.ts";

type SendOptions = Parameters<HostConversation["sendMessage"]>[1];
type SendUserOptions = Parameters<HostConversation["sendUserMessage"]>[1];

/** The error of an action that a module calls while it is loading. */
export const NOT_BOUND = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

/**
 * Runs one action of a module. Throws while the module's factory still runs. After the session has ended, it does
 * nothing but report the call. Returns `otherwise` if the host does not provide the action.
 */
export function act<T>(owner: Owner, member: string, otherwise: T, run: () => T | undefined): T {
  if (!alive(owner.instance, `${owner.name}.${member}`)) return otherwise;
  if (!owner.bound) throw new Error(NOT_BOUND);
  return run() ?? otherwise;
}

/** The actions that pi and omp share, as members of an API object. */
export interface Actions {
  sendMessage(message: CustomMessageInput, options?: SendOptions): void;
  sendUserMessage(content: string | readonly Content[], options?: SendUserOptions): void;
  appendEntry(customType: string, data?: unknown): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  setLabel(entryId: string, label: string | undefined): void;
  getActiveTools(): string[];
  getAllTools(): object[];
  setActiveTools(names: readonly string[]): void;
  getCommands(): object[];
  setModel(model: ModelRef): Promise<boolean>;
  getThinkingLevel(): string;
  setThinkingLevel(level: string): void;
}

/** Makes the actions of one module from the host's services. */
export function createActions(owner: Owner): Actions {
  const { conversation, tools, models } = owner.around.services;
  const sender = owner.instance.source.path;
  return {
    sendMessage(message, options = {}) {
      act(owner, "sendMessage", undefined, () => {
        const { customType = "", content } = message ?? {};
        const said = { ...message, customType, content: content ?? [] };
        if (typeof message !== "object" || typeof customType !== "string" || !isContent(said.content))
          throw new TypeError(
            "sendMessage needs a message whose customType is text and whose content is text or blocks",
          );
        assertJson(said);
        return told(owner, "sendMessage", () => conversation?.sendMessage(said, { ...options, sender }));
      });
    },
    sendUserMessage(content, options = {}) {
      act(owner, "sendUserMessage", undefined, () => {
        if (!isContent(content)) throw new TypeError("sendUserMessage needs text or a list of blocks");
        assertJson({ content });
        return told(owner, "sendUserMessage", () => conversation?.sendUserMessage(content, { ...options, sender }));
      });
    },
    appendEntry(customType, data) {
      act(owner, "appendEntry", undefined, () => {
        needsText("appendEntry", "type", customType);
        assertJson({ data });
        return conversation?.appendEntry(customType, data);
      });
    },
    setSessionName(name) {
      act(owner, "setSessionName", undefined, () => {
        needsText("setSessionName", "name", name);
        return conversation?.setSessionName(name.trim());
      });
    },
    getSessionName: () => act(owner, "getSessionName", undefined, () => conversation?.getSessionName()),
    setLabel(entryId, label) {
      act(owner, "setLabel", undefined, () => {
        if (label !== undefined) needsText("setLabel", "label", label);
        return conversation?.setLabel(entryId, label);
      });
    },
    getActiveTools: () => act(owner, "getActiveTools", [], () => tools && [...tools.active()]),
    getAllTools: () => act(owner, "getAllTools", [], () => tools && [...tools.all()]),
    setActiveTools(names) {
      act(owner, "setActiveTools", undefined, () => {
        if (!isStrings(names)) throw new TypeError("setActiveTools needs a list of names of tools");
        return tools?.setActive([...names]);
      });
    },
    getCommands: () => act(owner, "getCommands", [], () => tools && [...tools.commands()]),
    setModel: (model) => act(owner, "setModel", Promise.resolve(false), () => models?.set(model)),
    getThinkingLevel: () => act(owner, "getThinkingLevel", "off", () => models?.thinkingLevel()),
    setThinkingLevel: (level) => act(owner, "setThinkingLevel", undefined, () => models?.setThinkingLevel(level)),
  };
}

function needsText(member: string, what: string, value: unknown): void {
  if (typeof value !== "string") throw new TypeError(`${member} needs a ${what} that is text, not ${jsonKind(value)}`);
}

/** Runs `send`, which hands a module's message to the host. Reports an error of the host instead of throwing it. */
function told({ instance }: Owner, what: string, send: () => void): void {
  try {
    send();
  } catch (thrown) {
    const details = { path: instance.source.path, problem: `${what}: ${messageOf(thrown)}` };
    instance.report(diagnose("HOOK_LATE_ERROR", details, { source: instance.source }));
  }
}

/**
 * Runs a program for a module without a shell, by the host's `exec` or else as a child process. It is ended when the
 * module is unloaded, at its timeout, or when `options.signal` aborts. Its failure does not reject the promise.
 */
export async function exec(
  { around, instance, name }: Owner,
  command: string,
  args: readonly string[] = [],
  options: ExecOptions = {},
): Promise<ExecResult> {
  if (!alive(instance, `${name}.exec`)) return { stdout: "", stderr: "", code: 1, killed: false };
  const { signal, leave } = joinedSignal(options.signal, instance.signal);
  const cwd = resolve(around.scene.cwd, options.cwd ?? ".");
  try {
    if (around.services.exec !== undefined)
      return await around.services.exec(command, args, { ...options, cwd, signal });
    const report = await around.transports.process.run({
      command: { file: command, args },
      cwd,
      tier: instance.source.tier,
      env: {},
      timeoutMs: options.timeout !== undefined && options.timeout > 0 ? Math.min(options.timeout, MAX_MS) : MAX_MS,
      signal,
      label: `${command} of ${instance.source.path}`,
    });
    return resultOf(report);
  } finally {
    leave();
  }
}

function resultOf(report: ProcessReport): ExecResult {
  const end = execEnd(report);
  const reason = report.startError?.message ?? (end.truncated ? "its output was too large" : "");
  return { stdout: report.stdout, stderr: report.stderr === "" ? reason : report.stderr, ...end };
}

/** Receives what is sent on a channel. Its return value is used only to report a rejected promise. */
export type Listener = (data: unknown) => unknown;

/** Carries messages between modules, by channel. `emit` is synchronous and does not wait for promises of listeners. */
export interface EventBus {
  emit(channel: string, data: unknown): void;
  on(channel: string, listener: Listener): () => void;
}

/** A bus that can remove all its listeners at once, as in omp. */
export interface ClearableBus extends EventBus {
  clear(): void;
}

/** Makes an independent bus. If a listener throws or rejects, `failed` is called and the other listeners still run. */
export function createEventBus(
  failed: (channel: string, thrown: unknown) => void = (channel, thrown) =>
    console.error(`Event handler error (${channel}):`, thrown),
): ClearableBus {
  const channels = new Map<string, readonly Listener[]>();
  return {
    emit(channel, data) {
      for (const listener of channels.get(channel) ?? []) {
        try {
          watch(listener(data), (thrown) => failed(channel, thrown));
        } catch (thrown) {
          failed(channel, thrown);
        }
      }
    },
    on(channel, listener) {
      channels.set(channel, [...(channels.get(channel) ?? []), listener]);
      return () => {
        const left = [...(channels.get(channel) ?? [])];
        const at = left.indexOf(listener);
        if (at >= 0) left.splice(at, 1);
        channels.set(channel, left);
      };
    },
    clear: () => channels.clear(),
  };
}

/**
 * Gives one module access to the bus that all modules of its dialect share in a session. The module's listeners are
 * removed when it is unloaded. Their errors become diagnostics of that module.
 */
export function sessionBus(around: Surroundings, instance: Instance, dialect: string): EventBus {
  const bus = sharedOf(around.shared, `${dialect}.bus`, createEventBus);
  const report = (channel: string, thrown: unknown): void => {
    const details = { what: `the channel "${channel}"`, problem: messageOf(thrown) };
    instance.report(diagnose("LISTENER_THREW", details, { source: instance.source }));
  };
  return {
    emit(channel, data) {
      if (alive(instance, "events.emit") && around.acts?.("events.emit") !== false) bus.emit(channel, data);
    },
    on(channel, listener) {
      if (!alive(instance, "events.on")) return () => {};
      const off = bus.on(channel, (data) => {
        try {
          watch(listener(data), (thrown) => report(channel, thrown));
        } catch (thrown) {
          report(channel, thrown);
        }
      });
      instance.use();
      const release = instance.own(off);
      return () => {
        release();
        off();
      };
    },
  };
}

/** Calls `failed` if a listener returned a promise that rejects. */
function watch(result: unknown, failed: (thrown: unknown) => void): void {
  const then: unknown = (result as { readonly then?: unknown } | null | undefined)?.then;
  if (typeof then === "function") Promise.resolve(result).catch(failed);
}
