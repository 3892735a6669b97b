import type { Content } from "../../catalog/message.ts";
import type { ModelRef } from "../../catalog/shape.ts";
import { diagnose } from "../../error/diagnostic.ts";
import { messageOf } from "../../error/error.ts";
import { assertJson } from "../../lens/has-json.ts";
import type { CustomMessageInput, HostConversation } from "../../port/host.ts";
import { alive } from "../ui.ts";
import type { Owner } from "./owner.ts";
import { isContent } from "./read.ts";

type SendOptions = Parameters<HostConversation["sendMessage"]>[1];
type SendUserOptions = Parameters<HostConversation["sendUserMessage"]>[1];

/** What an action says that a module calls while it is being loaded. */
export const NOT_BOUND = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

/**
 * Runs one action of a module: refused while its factory runs, inert and reported once its session is gone.
 * `otherwise` is the answer where the host lends nothing for it.
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

/** Makes the actions of one module over what the host lends. */
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
        return told(owner, "sendUserMessage", () => conversation?.sendUserMessage(content, { ...options, sender }));
      });
    },
    appendEntry: (customType, data) =>
      act(owner, "appendEntry", undefined, () => conversation?.appendEntry(customType, data)),
    setSessionName: (name) => act(owner, "setSessionName", undefined, () => conversation?.setSessionName(name.trim())),
    getSessionName: () => act(owner, "getSessionName", undefined, () => conversation?.getSessionName()),
    setLabel: (entryId, label) => act(owner, "setLabel", undefined, () => conversation?.setLabel(entryId, label)),
    getActiveTools: () => act(owner, "getActiveTools", [], () => tools && [...tools.active()]),
    getAllTools: () => act(owner, "getAllTools", [], () => tools && [...tools.all()]),
    setActiveTools: (names) => act(owner, "setActiveTools", undefined, () => tools?.setActive([...names])),
    getCommands: () => act(owner, "getCommands", [], () => tools && [...tools.commands()]),
    setModel: (model) => act(owner, "setModel", Promise.resolve(false), () => models?.set(model)),
    getThinkingLevel: () => act(owner, "getThinkingLevel", "off", () => models?.thinkingLevel()),
    setThinkingLevel: (level) => act(owner, "setThinkingLevel", undefined, () => models?.setThinkingLevel(level)),
  };
}

/** Sending never throws into the module; what the host says against it is reported. */
function told({ instance }: Owner, what: string, send: () => void): void {
  try {
    send();
  } catch (thrown) {
    const details = { path: instance.source.path, problem: `${what}: ${messageOf(thrown)}` };
    instance.report(diagnose("HOOK_LATE_ERROR", details, { source: instance.source }));
  }
}
