import type { HostHooks } from "@hookline/bridge/kit";
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
  MESSAGE_MOMENTS,
  maybeText,
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
  type TextVerdict,
  TRIGGER,
  tellRunEnd,
  textIn,
  told,
} from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";
import type { Message } from "@hookline/runtime";
import { readCall } from "@hookline/runtime/engine";
import { ompTools } from "../tools.ts";

/**
 * The extension's time limit for an event, in ms. oh-my-pi abandons a handler after 30 s and would then let the call
 * pass.
 */
const WAIT_MS = 29_000;

/** The time limit for the end of a session, in ms. oh-my-pi waits only 2 s, but the daemon completes the call. */
const END_MS = 3_500;

/** oh-my-pi's events that the extension listens to. Source: spec/hosts/omp. */
const table: Readonly<Record<string, ExtensionEvent>> = {
  session_start: {
    moments: ["session.start"],
    async say(_, hooks) {
      const { context } = await askStart(hooks, "startup");
      hooks.memory.set(START, context);
      return { notices: hooks.notices() };
    },
  },
  session_shutdown: { ...told("session.end", () => ({ reason: "quit" })), timeoutMs: END_MS, ends: true },
  session_switch: told("session.switch", ({ reason, previousSessionFile }) => present({ reason, previousSessionFile })),
  session_before_branch: cancelled("session.before-branch", ({ entryId }) => ({ entryId })),
  session_branch: told("session.branch", ({ previousSessionFile }) => present({ previousSessionFile })),
  session_before_tree: cancelled("session.before-tree", ({ preparation }) => ({ preparation }), ["cancel", "summary"]),
  input: {
    moments: TEXT_MOMENTS,
    refuse: (reason) => ({ returns: { handled: true }, notices: [reason] }),
    prompt: (event) => ({ text: textIn(event, "text") }),
    async say(event, hooks) {
      hooks.memory.set(TYPES, true);
      const { source, images } = event;
      const verdict = await askPrompt(hooks, textIn(event, "text"), present({ source, images }));
      const notices = [...(verdict.refused === undefined ? [] : [verdict.refused]), ...hooks.notices()];
      if (verdict.refused !== undefined) return { returns: { handled: true }, notices };
      return { returns: some({ text: verdict.text, images: verdict.images }), notices };
    },
  },
  before_agent_start: {
    moments: [...TEXT_MOMENTS, ...RUN_MOMENTS],
    // In print mode oh-my-pi fires no `input` event, so only an abort keeps the prompt from the model.
    refuse: (reason) => ({ abort: true, notices: [reason] }),
    // If there was an `input` event, hooks have already judged the prompt. Its text is still compared with hooks'
    // feedback: if it is that feedback, the user's run goes on and no new one begins.
    prompt: (event, { memory }) => ({ text: textIn(event, "prompt"), ...(memory.has(TYPES) && { from: "known" }) }),
    async say(event, hooks) {
      hooks.memory.delete(REWRITTEN);
      const notices: string[] = [];
      if (!hooks.memory.has(TYPES)) {
        const prompt = textIn(event, "prompt");
        const { refused, text } = await askPrompt(hooks, prompt, present({ images: event["images"] }));
        notices.push(...hooks.notices());
        if (refused !== undefined) return { abort: true, notices: [refused, ...notices] };
        if (text !== undefined) hooks.memory.set(REWRITTEN, { prompt, text } satisfies Rewritten);
      }
      const { systemPrompt, message } = await askAgentStart(hooks, event);
      return { returns: some({ systemPrompt: systemPrompt && [systemPrompt], message }), notices };
    },
  },
  agent_end: {
    moments: ["reply.final", "agent.end", "agent.settled"],
    async say(event, hooks) {
      if (event["willContinue"] === true) {
        await hooks.emit("agent.end", { messages: messagesIn(event), willRetry: true });
        return undefined;
      }
      await tellRunEnd(hooks, messagesIn(event));
      await hooks.emit("agent.settled", { aborted: false });
      return undefined;
    },
  },
  session_stop: {
    moments: STOP_MOMENTS,
    async say(event, hooks) {
      const feedback = await askSettle(hooks, messagesIn(event), event["stop_hook_active"] === true);
      const returns = feedback === undefined ? undefined : { continue: true, additionalContext: feedback };
      return { returns, notices: hooks.notices() };
    },
  },
  message_end: {
    moments: MESSAGE_MOMENTS,
    async say(event, hooks) {
      // The answer is ignored, since oh-my-pi lets nobody change its messages.
      await askMessage(event, hooks);
      return undefined;
    },
  },
  context: {
    moments: SHARED["context"]?.moments ?? [],
    async say(event, hooks) {
      const given = messagesIn(event);
      const messages = asRewritten(given, hooks);
      const done = await SHARED["context"]?.say({ ...event, messages }, hooks);
      return messages === given || done?.returns !== undefined || done?.abort
        ? done
        : { ...done, returns: { messages } };
    },
  },
  ...callRows({
    label: "oh-my-pi",
    tools: ompTools,
    rewritten: (input, event) =>
      // oh-my-pi reads `edit` arguments from the answer; other tools' are changed in place, also for later extensions.
      event["toolName"] === "edit" ? { returns: { input: theirInput(input) } } : { edits: { input } },
  }),
  tool_approval_requested: told("approval.requested", (event) => {
    const { toolCallId, reason } = event;
    return { toolCallId, tool: toolIn(event), args: {}, ...(present({ reason }) as object) };
  }),
  tool_approval_resolved: told("approval.resolved", (event) => {
    const { toolCallId, approved, reason } = event;
    return { toolCallId, tool: toolIn(event), approved, ...(present({ reason }) as object) };
  }),
  user_python: {
    moments: ["python.user"],
    refuse: (reason) => ({ returns: { result: refusedCode(reason) } }),
    async say({ code, excludeFromContext, cwd }, hooks) {
      const { answer } = await hooks.emit("python.user", { code, excludeFromContext, cwd } as never);
      const result = answer.cancel === undefined ? answer.result : refusedCode(answer.cancel);
      return result === undefined ? undefined : { returns: { result } };
    },
  },
  "session.compacting": {
    moments: ["compact.prompt"],
    async say(event, hooks) {
      const { answer } = await hooks.emit("compact.prompt", {
        sessionId: maybeText(event, "sessionId") ?? "",
        messages: messagesIn(event),
      });
      return { returns: changed(answer as Fields, ["context", "prompt", "preserveData"]) };
    },
  },
  auto_compaction_start: {
    moments: ["compact.auto-start"],
    async say({ reason }, hooks) {
      const trigger = reason === "overflow" ? "overflow" : "threshold";
      hooks.memory.set(TRIGGER, trigger);
      await hooks.emit("compact.auto-start", { trigger });
      return undefined;
    },
  },
  auto_compaction_end: {
    moments: ["compact.auto-end"],
    async say({ result, aborted, willRetry, errorMessage }, hooks) {
      hooks.memory.delete(TRIGGER);
      const told = { aborted: aborted === true, willRetry: willRetry === true };
      await hooks.emit("compact.auto-end", { ...told, ...(present({ result, errorMessage }) as object) });
      return undefined;
    },
  },
  auto_retry_start: told("retry.start", ({ attempt, maxAttempts, delayMs, errorMessage }) => ({
    attempt,
    maxAttempts,
    delayMs,
    errorMessage,
  })),
  auto_retry_end: told("retry.end", ({ success, attempt, finalError }) => present({ success, attempt, finalError })),
  ttsr_triggered: told("rule.triggered", ({ rules }) => ({ rules })),
  todo_reminder: told("todo.reminder", ({ todos, attempt, maxAttempts }) => ({ todos, attempt, maxAttempts })),
  mcp_notification: told("mcp.notification", ({ server, method, params }) => ({ server, method, params })),
};

/** oh-my-pi's events, including those that it shares with pi: how the bridge reads, asks and answers. */
export const events = eventsOf<Done>(
  { ...SHARED, ...table },
  { timeoutMs: WAIT_MS, read: readEvent, write: (_, said) => answerOf(said) },
);

/** The key in `memory` that an `input` event sets, so that `before_agent_start` does not ask about the prompt again. */
const TYPES = "prompts are typed";
/** The key in `memory` of the prompt as hooks have changed it. oh-my-pi itself keeps the original. */
const REWRITTEN = "rewritten prompt";

interface Rewritten {
  readonly prompt: string;
  readonly text: string;
}

async function askPrompt(hooks: HostHooks, prompt: string, more: Fields): Promise<TextVerdict> {
  const verdict = await askText(hooks, prompt, more);
  hooks.memory.set(PROMPT, verdict.text ?? prompt);
  hooks.memory.set(CONTEXT, verdict.context);
  return verdict;
}

/** Replaces the prompt in a request's messages by the hooks' rewritten one. */
function asRewritten(messages: readonly Message[], { memory }: HostHooks): readonly Message[] {
  const rewritten = memory.get(REWRITTEN) as Rewritten | undefined;
  if (rewritten === undefined) return messages;
  const at = messages.findLastIndex((message) => message.role === "user" && hasText(message, rewritten.prompt));
  const message = messages[at];
  if (message?.role !== "user") return messages;
  const content =
    typeof message.content === "string"
      ? rewritten.text
      : message.content.map((block) =>
          block.type === "text" && block.text === rewritten.prompt ? { ...block, text: rewritten.text } : block,
        );
  return messages.with(at, { ...message, content });
}

function hasText({ content }: Message & { readonly role: "user" }, text: string): boolean {
  return typeof content === "string"
    ? content === text
    : content.some((block) => block.type === "text" && block.text === text);
}

function refusedCode(reason: string): Fields {
  return { output: reason, exitCode: 1, cancelled: false, truncated: false, displayOutputs: [] };
}

/** Returns hookline's name of the tool of an event that contains no arguments. */
function toolIn(event: Fields): string {
  return readCall(ompTools, maybeText(event, "toolName") ?? "", {}).told.tool;
}

/** Returns the arguments of an edit without the `paths` that oh-my-pi computed for hooks. */
function theirInput(input: Fields): Fields {
  const { path, paths: _, ...rest } = input;
  const isText = ["input", "_input"].some((name) => typeof rest[name] === "string");
  return isText || rest["_path"] !== undefined || path === undefined ? rest : { path, ...rest };
}
