import type { CustomMessage, CustomMessageInput, HostConversation } from "@hookline/runtime/engine";
import type { SessionManager } from "../session/session.ts";
import { tellEntry } from "../turn/boundary.ts";
import type { PromptResult } from "../turn/event.ts";
import { appendHeld, appendMessage } from "../turn/held.ts";
import { nameSession } from "../turn/session-name.ts";
import type { Agent } from "./agent.ts";
import { inBackground } from "./in-background.ts";

type SendOptions = Parameters<HostConversation["sendMessage"]>[1];

/** Makes the functions with which hooks add to the conversation. Without an agent, they only write to the session. */
export function hostConversation(late: { readonly agent?: Agent }, store: () => SessionManager): HostConversation {
  return {
    sendMessage: (message, options) => sendMessage(late.agent, store(), message, options),
    sendUserMessage(content, options) {
      const { agent } = late;
      if (agent === undefined) return;
      const text =
        typeof content === "string"
          ? content
          : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      const images = typeof content === "string" ? undefined : content.filter((block) => block.type === "image");
      const { deliverAs: streaming, expandPromptTemplates: expandTemplates, sender } = options;
      inBackground(
        agent.core.tell,
        agent.prompt(text, { images, source: "extension", streaming, expandTemplates, sender }),
      );
    },
    appendEntry(customType, data) {
      const id = store().appendCustomEntry(customType, data);
      if (late.agent !== undefined) tellEntry(late.agent.core, id);
    },
    setSessionName(name) {
      if (late.agent === undefined) store().appendSessionInfo(name.trim());
      else void nameSession(late.agent.core, name);
    },
    getSessionName: () => store().getSessionName(),
    setLabel: (entryId, label) => void store().appendLabelChange(entryId, label),
  };
}

/**
 * Delivers a hook's message: to a queue while a prompt runs, otherwise to the conversation or a new turn. If hooks may
 * not start turns, the message is added to the conversation without a request. Source: spec/pi.md 5.3, ruling 60.
 */
function sendMessage(
  agent: Agent | undefined,
  store: SessionManager,
  input: CustomMessageInput,
  { deliverAs, triggerTurn, sender = "A hook" }: SendOptions,
): void {
  const { customType, content, display, details } = input;
  const message: CustomMessage = {
    role: "custom",
    customType,
    content,
    display,
    ...(details !== undefined && { details }),
    timestamp: Date.now(),
  };
  if (agent === undefined) {
    store.appendCustomMessageEntry(customType, content, display, details);
    return;
  }
  const { core } = agent;
  const { queues, hookTurns } = core;
  if (deliverAs === "nextTurn") queues.nextTurn(message);
  else if (!agent.isIdle && (triggerTurn === false || !agent.takesHookTurns)) {
    queues.hold(message);
    agent.whenFree(() => appendHeld(core));
  } else if (!agent.isIdle) {
    hookTurns.sent(message, sender);
    if (deliverAs === "followUp") queues.followUp(message);
    else queues.steer(message);
  } else if (triggerTurn && agent.takesHookTurns && hookTurns.count(core, sender))
    inBackground(agent.core.tell, answered(agent, message));
  else appendMessage(core, message);
}

/** Starts a turn for a message. If a prompt begins while this waits for the session, the message steers that prompt. */
async function answered(agent: Agent, message: CustomMessage): Promise<PromptResult> {
  if (agent.isOccupied) await agent.waitForIdle();
  if (agent.isIdle) return agent.answerTo(message);
  agent.core.queues.steer(message);
  return { kind: "queued" };
}
