import { type EventName, type Message, textOf } from "@hookline/runtime";
import { catalog } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";

type Fields = Readonly<Record<string, unknown>>;
type Describe = (payload: Fields) => string;

const said = (text: unknown): string =>
  JSON.stringify(
    String(text)
      .replaceAll("\n", "⏎")
      .replace(/\/tmp\/\S*/, "PATH")
      .replace(/\b[0-9a-f]{8}\b/, "ID")
      .slice(0, 48),
  );
const call: Describe = ({ tool, toolCallId }) => `${tool} ${toolCallId}`;
const spoken = ({ message }: Fields): string => describeMessage(message as Message);

/** Descriptions of the events whose contents are worth reading; other events are shown only by name. */
const facts: Readonly<Record<string, Describe>> = {
  "session.start": ({ reason }) => String(reason),
  "session.end": ({ reason }) => String(reason),
  "session.before-switch": ({ reason }) => String(reason),
  "session.switch": ({ reason }) => String(reason),
  "session.before-branch": ({ position }) => String(position),
  "session.before-tree": ({ preparation }) => {
    const { entriesToSummarize, userWantsSummary } = preparation as {
      entriesToSummarize: [];
      userWantsSummary: boolean;
    };
    return `${entriesToSummarize.length} entries left, summary ${userWantsSummary ? "wanted" : "not wanted"}`;
  },
  "session.tree": ({ summaryEntry, fromExtension }) =>
    summaryEntry === undefined ? "" : `with a summary${fromExtension ? " of a hook" : ""}`,
  "resources.discover": ({ reason }) => String(reason),
  "task.created": ({ subject }) => said(subject),
  "task.completed": ({ subject }) => said(subject),
  input: ({ text, source, streaming }) => `${said(text)} ${source}${streaming === undefined ? "" : ` ${streaming}`}`,
  "prompt.expand": ({ kind, name, args }) => `${kind} ${name} ${said(args)}`,
  "prompt.before": ({ text }) => said(text),
  "input.sent": ({ text }) => said(text),
  "shell.user": ({ command, excludeFromContext }) =>
    `${said(command)}${excludeFromContext ? " outside the context" : ""}`,
  "python.user": ({ code }) => said(code),
  "agent.end": ({ messages, aborted }) => `${(messages as []).length} new messages${aborted ? ", aborted" : ""}`,
  "agent.stop": ({ reply }) => said(reply),
  "agent.spawn": ({ type, depth, tools }) => `${type} ${depth}, ${(tools as []).length} tools`,
  "agent.spawned": ({ prompt }) => said(prompt),
  "agent.done": ({ reply }) => said(reply),
  "agent.before-settle": ({ outcome }) => String(outcome),
  "agent.settled": ({ aborted }) => (aborted ? "aborted" : ""),
  "turn.start": ({ turnIndex }) => String(turnIndex),
  "turn.end": ({ turnIndex, toolResults }) => `${turnIndex}, ${(toolResults as []).length} results`,
  "message.start": ({ message }) => (message as Message).role,
  "message.end": spoken,
  "tools.select": ({ tools }) => (tools as { name: string }[]).map(({ name }) => name).join(" "),
  "model.context": ({ messages }) => (messages as Message[]).map(({ role }) => role).join(" "),
  "model.responded": ({ status }) => String(status),
  "model.response": ({ text }) => said(text),
  "reply.before": ({ text }) => said(text),
  "reply.final": ({ reply }) => said(reply),
  "tool.start": call,
  "tool.before": call,
  "tool.update": call,
  "tool.after": (payload) =>
    `${call(payload)}${payload["blocked"] ? " blocked" : ""}${payload["isError"] ? " error" : ""}`,
  "tool.output": call,
  "tool.end": (payload) => `${call(payload)}${payload["isError"] ? " error" : ""}`,
  "tool.done": call,
  "compact.before": ({ kind, trigger }) => `${kind}, ${trigger}`,
  "compact.prompt": ({ messages }) => `${(messages as []).length} messages to summarise`,
  "compact.after": ({ kind, trigger, messagesArchived, fromExtension }) =>
    `${kind}, ${trigger}, ${messagesArchived} archived${fromExtension ? ", of a hook" : ""}`,
  "compact.failed": ({ trigger, aborted, errorMessage }) =>
    `${trigger}${aborted ? ", aborted" : ""}${errorMessage === undefined ? "" : `, ${said(errorMessage)}`}`,
  "compact.auto-start": ({ trigger }) => String(trigger),
  "compact.auto-end": ({ result, aborted, willRetry }) =>
    `${result === undefined ? "without result" : "done"}${aborted ? ", aborted" : ""}${willRetry ? ", will retry" : ""}`,
  "retry.start": ({ attempt, maxAttempts }) => `${attempt} of ${maxAttempts}`,
  "retry.end": ({ success, attempt }) => `${success ? "success" : "given up"} after ${attempt}`,
  "rule.triggered": ({ rules }) => (rules as { name: string }[]).map(({ name }) => name).join(" "),
  "todo.reminder": ({ todos, attempt, maxAttempts }) => `${(todos as []).length} open, ${attempt} of ${maxAttempts}`,
  "model.before-select": ({ model, source }) => `${(model as { id: string }).id} ${source}`,
  "instructions.loaded": ({ tier, reason }) => `${tier} ${reason}`,
  "model.select": ({ model, source }) => `${(model as { id: string }).id} ${source}`,
  "thinking.select": ({ level }) => String(level),
  "context.switch": ({ from, to }) => `${from} to ${to}`,
  "tool.cache-before": call,
  "tool.cached": call,
  "mail.before": ({ from, to, content }) => `${from} to ${to} ${said(content)}`,
  "mail.after": ({ from, to }) => `${from} to ${to}`,
  "ui.prompt-start": ({ kind, title }) => `${kind} ${said(title)}`,
  "ui.prompt-end": ({ kind, title }) => `${kind} ${said(title)}`,
  "approval.requested": ({ tool, reason }) => `${tool} ${said(reason)}`,
  "approval.resolved": ({ tool, approved }) => `${tool} ${approved ? "approved" : "denied"}`,
};

/** Events of which several in a row count as one, since their number depends on how the bytes arrive. */
const PIECES: ReadonlySet<string> = new Set(["message.update", "tool.update"]);
const IN_RUN = /^(?:turn|message|tools|model|tool)\.|^reply\.before/;
const IN_TURN = /^(?:message|tools|model|tool)\.|^reply\.before/;

/** Every event of the catalog as the hooks of a session hear it, one a line. */
export class Recorder {
  readonly #lines: string[] = [];
  readonly #reactions = new Map<string, (() => void)[]>();

  constructor(hooks: HookSession) {
    for (const name of catalog.keys()) {
      const hear = (payload: unknown): undefined => this.#hear(name, payload as Fields);
      hooks.on(name as EventName, hear as never, { name: "recorder" });
    }
  }

  /** Does something once, when the next event of a name is heard. */
  once(event: EventName, act: () => void): void {
    this.#reactions.set(event, [...(this.#reactions.get(event) ?? []), act]);
  }

  /** A heading between two parts of the trace. */
  part(title: string): void {
    this.#lines.push(...(this.#lines.length === 0 ? [] : [""]), `# ${title}`);
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  #hear(name: string, payload: Fields): undefined {
    const indent =
      name === "model.select" || name === "model.before-select"
        ? ""
        : IN_TURN.test(name)
          ? "    "
          : IN_RUN.test(name)
            ? "  "
            : "";
    const line = `${indent}${name} ${facts[name]?.(payload) ?? ""}`.trimEnd();
    if (!PIECES.has(name) || this.#lines.at(-1) !== line) this.#lines.push(line);
    const [act, ...rest] = this.#reactions.get(name) ?? [];
    this.#reactions.set(name, rest);
    act?.();
  }
}

function describeMessage(message: Message): string {
  if (message.role === "assistant") {
    const calls = message.content.filter(({ type }) => type === "toolCall").length;
    return `assistant ${message.stopReason} ${said(textOf(message.content))}${calls > 0 ? ` and ${calls} calls` : ""}`;
  }
  if (message.role === "toolResult") return `toolResult of ${message.toolCallId}${message.isError ? " error" : ""}`;
  if (message.role === "custom") return `custom ${message.customType}`;
  return "content" in message ? `${message.role} ${said(textOf(message.content))}` : message.role;
}
