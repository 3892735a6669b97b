import { type Component, truncateToWidth } from "@earendil-works/pi-tui";
import { type Message, textOf } from "@hookline/runtime";
import type { BashExecutionMessage } from "@hookline/runtime/engine";
import type { Agent } from "../../agent/agent.ts";
import type { UserCommand } from "../../agent/user-command.ts";
import { ABORTED, errorWords } from "../../provider/error-words.ts";
import type { Chat } from "../../tui/chat/look.ts";
import { summary } from "../../tui/chat/note.ts";
import { customSaid, entryDrawn, ModelReply, userSaid } from "../../tui/chat/said.ts";
import { ShellRun } from "../../tui/chat/shell-run.ts";
import { ToolCall } from "../../tui/chat/tool-call.ts";
import { oneLine } from "../../tui/shown.ts";
import type { Stage } from "../../tui/stage.ts";
import { hooksBehind } from "../../turn/author.ts";
import type { AgentEvent } from "../../turn/event.ts";
import { withText } from "../../turn/review.ts";
import { retryWait } from "../retry-line.ts";
import { showConversation } from "./conversation.ts";

type Handlers = {
  readonly [T in AgentEvent["type"]]?: (event: Extract<AgentEvent, { readonly type: T }>) => void;
};

/** Shows the agent's work on the screen as it happens. */
export class ChatShow {
  readonly #agent: Agent;
  readonly #stage: Stage;
  readonly #calls = new Map<string, ToolCall>();
  readonly #handlers: Handlers;
  #reply: ModelReply | undefined;
  /** Replaces the text of the last reply on the screen. */
  #retell: ((text: string) => void) | undefined;
  /** The running shell commands that the person has typed, by id. */
  readonly #shells = new Map<string, ShellRun>();
  /** Typed shell commands that are already on the screen: `#shellEnded` does not add them again. */
  readonly #ran: string[] = [];
  /** The last error on the screen: why a reply ended early or a compaction failed. */
  lastError: string | undefined;
  #busyWith: string | undefined;
  #seenEntries = 0;
  #shellCount = 0;

  constructor(agent: Agent, stage: Stage) {
    this.#agent = agent;
    this.#stage = stage;
    this.#handlers = this.#made();
  }

  /** Shows the conversation so far, then follows the agent. Returns a function that stops this. */
  begin(): () => void {
    this.#fill();
    return this.#agent.listen((event) => {
      (this.#handlers[event.type] as ((event: AgentEvent) => void) | undefined)?.(event);
      this.#stage.screen.requestRender();
    });
  }

  /** Whether a shell command that the person has typed is running. */
  get runsShell(): boolean {
    return this.#shells.size > 0;
  }

  /** Runs a command that the person has typed and shows it while it runs. Throws if it could not be run. */
  async shell(command: UserCommand): Promise<void> {
    const { kind, text, excludeFromContext } = command;
    const id = `shell-${++this.#shellCount}`;
    const name = kind === "shell" ? text : `python3: ${text}`;
    const run = new ShellRun(name, excludeFromContext, this.#stage.chat);
    this.#shells.set(id, run);
    this.#ran.push(name);
    this.#stage.add(run);
    try {
      run.end(await this.#agent.userCommands.execute(this.#agent, command, id));
    } catch (thrown) {
      this.#stage.transcript.remove(run);
      this.#ran.splice(this.#ran.indexOf(name), 1);
      throw thrown;
    } finally {
      this.#shells.delete(id);
      this.#stage.screen.requestRender();
    }
  }

  /** Draws the session entries that extensions have added since the last call, if a renderer is registered for them. */
  newEntries(): void {
    const entries = this.#agent.core.store.getBranch();
    const seen = this.#seenEntries;
    this.#seenEntries = entries.length;
    for (const entry of entries.slice(Math.min(seen, entries.length))) {
      const drawn = entry.type === "custom" ? entryDrawn(entry, this.#stage.chat) : undefined;
      if (drawn !== undefined) this.#stage.add(drawn);
    }
  }

  /** Clears the screen and shows the session's current conversation. */
  #conversation(): void {
    this.#calls.clear();
    this.#reply = undefined;
    this.#stage.transcript.clear();
    this.#stage.transcript.add(this.#stage.header);
    this.#fill();
  }

  #fill(): void {
    showConversation(this.#agent, this.#stage);
    this.#seenEntries = this.#agent.core.store.getBranch().length;
  }

  #made(): Handlers {
    const stage = this.#stage;
    const { chat, working } = stage;
    const again = (): void => {
      this.#conversation();
      stage.transcript.redraw();
    };
    const busy = (text: string | undefined): void => {
      this.#busyWith = text;
      working.show(text);
    };
    return {
      agent_start: () => busy("Working… (Esc interrupts)"),
      agent_settled: () => {
        busy(undefined);
        this.newEntries();
      },
      agent_end: () => this.#calls.clear(),
      turn_start: () => busy(this.#busyWith ?? "Working… (Esc interrupts)"),
      message_start: ({ message, hooks }) => this.#messageStart(message, hooks),
      message_update: ({ message }) => {
        this.#reply?.update(message, true);
        for (const block of message.content)
          if (block.type === "toolCall") this.#call(block.name, block.id, block.arguments);
      },
      message_end: ({ message }) => this.#messageEnd(message),
      "reply.withdrawn": ({ text }) => this.#retell?.(text),
      tool_execution_start: ({ toolName, toolCallId, args }) => this.#call(toolName, toolCallId, args).start(),
      tool_execution_update: ({ toolName, toolCallId, args, partialResult }) =>
        this.#call(toolName, toolCallId, args).update(partialResult),
      tool_execution_end: ({ toolName, toolCallId, result, isError }) => {
        this.#call(toolName, toolCallId, {}, "keep").end(result, isError, hooksBehind(result));
        // The call is over, and a provider may use its id again in a later reply.
        this.#calls.delete(toolCallId);
      },
      auto_retry_start: (retry) => {
        // The reason for the retry is already visible in the failed reply above.
        stage.note(`${retryWait(retry)}.`, "warning");
        busy(`${retryWait(retry)}… (Esc gives up)`);
      },
      auto_retry_end: () => busy("Working… (Esc interrupts)"),
      compaction_start: () => working.show("Compacting… (Esc interrupts)"),
      compaction_end: ({ result, aborted, errorMessage }) => {
        working.show(this.#busyWith);
        if (result !== undefined) again();
        else if (!aborted && errorMessage !== undefined) stage.note((this.lastError = errorMessage), "error");
      },
      queue_update: ({ steering, followUp }) => stage.pending.show(pendingLines(steering, followUp, chat)),
      bash_execution_update: ({ id, delta }) => {
        if (id !== undefined) this.#shells.get(String(id))?.append(delta);
      },
      session_changed: again,
      tree_changed: again,
      command_output: ({ command, text }) => {
        if (command !== "shell" && command !== "python") stage.output(text);
      },
      notice: ({ level, text }) => stage.note(text, level),
      model_changed: ({ model }) => stage.toasts.show(`Model: ${model.provider}/${model.id}`),
      thinking_level_changed: ({ level }) => stage.toasts.show(`Thinking: ${level}`),
    };
  }

  #messageStart(message: Message, hooks: readonly string[] | undefined): void {
    const { chat } = this.#stage;
    if (message.role === "assistant") {
      this.#reply = new ModelReply(message, chat, true);
      this.#stage.add(this.#reply);
    } else if (message.role === "user") this.#stage.add(userSaid(message, chat, hooks));
    else if (message.role === "custom" && message.display) this.#stage.add(customSaid(message, chat));
    else if (message.role === "bashExecution") this.#shellEnded(message);
    else if (message.role === "compactionSummary" || message.role === "branchSummary")
      this.#stage.add(summary(message, chat));
  }

  #messageEnd(message: Message): void {
    if (message.role !== "assistant") return;
    this.lastError = message.stopReason === "error" ? message.errorMessage : undefined;
    const reply = this.#reply;
    reply?.update(message);
    this.#retell = (text) => reply?.update(withText(message, text));
    this.#reply = undefined;
    if (message.stopReason !== "aborted" && message.stopReason !== "error") return;
    // The tool calls of a reply that was cut off never run, so they show the reason.
    const why = errorWords(message.errorMessage ?? ABORTED);
    for (const block of message.content)
      if (block.type === "toolCall") this.#calls.get(block.id)?.end({ content: [{ type: "text", text: why }] }, true);
  }

  #shellEnded(message: BashExecutionMessage): void {
    const at = this.#ran.indexOf(message.command);
    if (at >= 0) this.#ran.splice(at, 1);
    else this.#stage.add(ShellRun.ended(message, this.#stage.chat));
  }

  #call(name: string, id: string, args: unknown, mode?: "keep"): ToolCall {
    const known = this.#calls.get(id);
    if (known !== undefined) {
      if (mode !== "keep") known.setArgs(args);
      return known;
    }
    const call = new ToolCall(name, id, args, this.#stage.chat);
    this.#calls.set(id, call);
    this.#stage.add(call);
    return call;
  }
}

/** Returns the text of the last reply, for copying. */
export function lastReply(agent: Agent): string | undefined {
  const last = agent.messages().findLast(({ role }) => role === "assistant");
  return last?.role === "assistant" ? textOf(last.content) : undefined;
}

/** Draws the messages that are queued for the running prompt, one per line. */
function pendingLines(steering: readonly string[], followUp: readonly string[], chat: Chat): Component | undefined {
  const rows = [
    ...steering.map((text) => `steers: ${oneLine(text)}`),
    ...followUp.map((text) => `follows: ${oneLine(text)}`),
  ];
  if (rows.length === 0) return undefined;
  return {
    invalidate() {},
    render(width) {
      const theme = chat.theme();
      const lines = rows.map((row) => theme.fg("muted", truncateToWidth(` ⏳ ${row}`, width, "…")));
      return ["", ...lines, theme.fg("dim", truncateToWidth("    Alt+Up takes them back", width))];
    },
  };
}
