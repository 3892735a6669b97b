import {
  answerOf,
  askAgentStart,
  askMessage,
  askSettle,
  askStart,
  askText,
  CONTEXT,
  callRows,
  cancelled,
  changed,
  type Done,
  type ExtensionEvent,
  eventsOf,
  keep,
  MESSAGE_MOMENTS,
  messagesIn,
  PROMPT,
  present,
  RUN_MOMENTS,
  readEvent,
  SHARED,
  START,
  STOP_MOMENTS,
  some,
  TEXT_MOMENTS,
  tellRunEnd,
  textIn,
  told,
} from "@hookline/bridge/kit";
import type { Message } from "@hookline/runtime";
import { piTools } from "../tools.ts";

/** The extension's time limit for one event, in ms. pi itself waits forever. */
const WAIT_MS = 60_000;

/** The time limit at the end of a session, in ms: hooks must not delay the user's exit for long. */
const END_MS = 5_000;

/** pi's events that the extension listens to. Source: spec/hosts/pi. */
const table: Readonly<Record<string, ExtensionEvent>> = {
  session_start: {
    moments: ["session.start", "session.switch", "session.branch"],
    async say({ reason, previousSessionFile }, hooks) {
      const { context } = await askStart(hooks, reason as "startup");
      // Since 0.65 pi fires no separate events for a fork or a switch of the session.
      if (reason === "fork") await hooks.emit("session.branch", present({ previousSessionFile }));
      else if (reason === "new" || reason === "resume")
        await hooks.emit("session.switch", { reason, ...present({ previousSessionFile }) });
      hooks.memory.set(START, context);
      return { notices: hooks.notices() };
    },
  },
  session_shutdown: { ...told("session.end", ({ reason }) => ({ reason })), timeoutMs: END_MS, ends: true },
  session_before_fork: cancelled("session.before-branch", ({ entryId, position }) => present({ entryId, position })),
  session_before_tree: cancelled("session.before-tree", ({ preparation }) => ({ preparation }), [
    "cancel",
    "summary",
    "customInstructions",
    "replaceInstructions",
    "label",
  ]),
  model_select: {
    moments: ["model.select"],
    async say({ model, previousModel, source }, hooks) {
      const { answer } = await hooks.emit("model.select", present({ model, previousModel, source }) as never);
      keep(hooks, START, answer.additionalContext ?? []);
      return undefined;
    },
  },
  thinking_level_select: told("thinking.select", ({ level, previousLevel }) => ({ level, previousLevel })),
  input: {
    moments: TEXT_MOMENTS,
    refuse: (reason) => ({ returns: { action: "handled" }, notices: [reason] }),
    prompt: (event) => ({ text: textIn(event, "text") }),
    async say(event, hooks) {
      const { source, images, streamingBehavior: streaming } = event;
      const verdict = await askText(hooks, textIn(event, "text"), present({ source, images, streaming }));
      hooks.memory.set(PROMPT, verdict.text ?? textIn(event, "text"));
      hooks.memory.set(CONTEXT, verdict.context);
      if (verdict.refused !== undefined)
        return { returns: { action: "handled" }, notices: [verdict.refused, ...hooks.notices()] };
      if (verdict.text === undefined && verdict.images === undefined) return { notices: hooks.notices() };
      const text = verdict.text ?? event["text"];
      return {
        returns: { action: "transform", ...present({ text, images: verdict.images }) },
        notices: hooks.notices(),
      };
    },
  },
  before_agent_start: {
    moments: RUN_MOMENTS,
    async say(event, hooks) {
      return { returns: some(await askAgentStart(hooks, event)) };
    },
  },
  agent_end: {
    moments: ["reply.final", "agent.end"],
    async say(event, hooks) {
      const messages = messagesIn(event);
      await tellRunEnd(hooks, messages);
      hooks.memory.set(MESSAGES, messages);
      return undefined;
    },
  },
  agent_before_settle: {
    moments: STOP_MOMENTS,
    async say({ outcome }, hooks) {
      if (outcome !== "completed") return undefined;
      const messages = (hooks.memory.get(MESSAGES) as readonly Message[] | undefined) ?? [];
      const content = await askSettle(hooks, messages, undefined);
      if (content === undefined) return { notices: hooks.notices() };
      const entries = [{ type: "custom_message", customType: "hookline", content, display: true }];
      return { returns: { continue: true, entries }, notices: hooks.notices() };
    },
  },
  agent_settled: told("agent.settled", () => ({ aborted: false })),
  message_end: {
    moments: MESSAGE_MOMENTS,
    async say(event, hooks) {
      const message = await askMessage(event, hooks);
      return message === undefined ? undefined : { returns: { message } };
    },
  },
  before_provider_headers: {
    moments: ["model.headers"],
    async say({ headers }, hooks) {
      const { answer } = await hooks.emit("model.headers", { headers: headers as Record<string, string> });
      return { edits: changed(answer, ["headers"]) };
    },
  },
  ...callRows({ label: "pi", tools: piTools, rewritten: (input) => ({ edits: { input } }) }),
};

/** pi's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf<Done>(
  { ...SHARED, ...table },
  { timeoutMs: WAIT_MS, read: readEvent, write: (_, said) => answerOf(said) },
);

const MESSAGES = "messages";
