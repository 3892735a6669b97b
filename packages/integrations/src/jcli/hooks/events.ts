import { textOf } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { edit, putText } from "@hookline/runtime/engine";
import { readCallResult } from "./answer.ts";
import { jcliCalls } from "./calls.ts";
import { append, chained, replace, told } from "./cells.ts";
import { added, changed, context, filled, injected, replaced, shown } from "./views.ts";

const SKIPPED = "Tool call skipped by hook";
const STOPPED = "Tool call stopped by hook, with the calls of this reply that had not started";

/** The fourteen events of j-cli, in the order of a session. Source: seed 003; rulings 26 to 36c. */
export const rows: readonly LaneRow[] = [
  told({
    name: "session_start",
    of: "session.start",
    when: ({ reason }) => reason !== "reload",
    see: (_, scene) => context("session_start", scene, { messages: shown(scene.messages?.()) }),
  }),
  told({
    name: "session_end",
    of: "session.end",
    kind: "shutdown",
    when: ({ reason }) => reason !== "reload",
    see: (_, scene) => context("session_end", scene, { messages: shown(scene.messages?.()) }),
  }),
  chained({
    name: "pre_send_message",
    of: "prompt.before",
    kind: "transform",
    actionKeeps: "nothing",
    fields: { user_input: replace() },
    feeds: { user_input: "chain" },
    view: {
      get: ({ text }, scene) =>
        context("pre_send_message", scene, { user_input: text, messages: shown(scene.messages?.()) }),
      put: ({ action, user_input, retry_feedback }, { text }) =>
        action === "stop"
          ? edit({ stop: true as const, feedback: filled(retry_feedback) })
          : edit({ text: changed(user_input, text) }),
    },
  }),
  told({
    name: "post_send_message",
    of: "input.sent",
    see: ({ text }, scene) =>
      context("post_send_message", scene, { user_input: text, messages: shown(scene.messages?.()) }),
  }),
  chained({
    name: "pre_llm_request",
    of: "model.context",
    kind: "transform",
    actionKeeps: "nothing",
    fields: {
      messages: replace(),
      system_prompt: replace(),
      inject_messages: append(),
      additional_context: append(),
    },
    feeds: { messages: "chain", system_prompt: "chain", inject_messages: "original", additional_context: "original" },
    view: {
      get: ({ messages, systemPrompt, model }, scene) =>
        context("pre_llm_request", scene, {
          messages: shown(messages),
          system_prompt: filled(systemPrompt),
          model: model ?? scene.model,
        }),
      put: (said, { messages, systemPrompt }) =>
        said.action === "stop"
          ? edit({ stop: true as const, feedback: filled(said.retry_feedback) })
          : edit({
              messages: replaced(said.messages, messages),
              systemPrompt: changed(said.system_prompt, systemPrompt),
              inject: injected(said.inject_messages, messages),
              additionalContext: said.action === undefined ? added(said.additional_context) : undefined,
            }),
    },
  }),
  chained({
    name: "post_llm_response",
    of: "model.response",
    kind: "redactor",
    actionKeeps: "nothing",
    fields: { assistant_output: replace() },
    feeds: { assistant_output: "chain" },
    view: {
      get: ({ text, model }, scene) =>
        context("post_llm_response", scene, {
          assistant_output: text,
          messages: shown(scene.messages?.()),
          model: model ?? scene.model,
        }),
      put: ({ action, assistant_output, retry_feedback }, { text }) =>
        action === "stop"
          ? edit({ stop: true as const, feedback: filled(retry_feedback) })
          : edit({ text: changed(assistant_output, text) }),
    },
  }),
  chained({
    name: "pre_tool_execution",
    of: "tool.before",
    kind: "guard",
    subject: "tool_name",
    read: readCallResult,
    actionKeeps: "nothing",
    fields: { tool_arguments: replace() },
    feeds: { tool_arguments: "chain" },
    view: {
      get: ({ tool, aliases, args }, scene) =>
        context("pre_tool_execution", scene, {
          tool_name: jcliCalls.name(tool),
          tool_aliases: aliases,
          tool_arguments: jcliCalls.text(tool, args),
        }),
      put: ({ action, tool_arguments, retry_feedback }, { tool, args }) => {
        if (action !== undefined) {
          const reason = [action === "stop" ? STOPPED : SKIPPED, filled(retry_feedback)];
          return edit({
            decision: "deny" as const,
            reason: reason.filter((part) => part !== undefined).join(": "),
            rest: action === "stop" ? ("refuse" as const) : undefined,
          });
        }
        if (tool_arguments === undefined) return undefined;
        const put = jcliCalls.putText(tool, tool_arguments, args);
        if (!put.ok) throw new Error(`tool_arguments cannot be used: ${put.problem}`);
        return edit({ args: put.args === args ? undefined : put.args });
      },
    },
  }),
  chained({
    name: "post_tool_execution",
    of: "tool.after",
    kind: "redactor",
    subject: "tool_name",
    when: ({ isError, blocked }) => !isError && !blocked,
    actionKeeps: "everything",
    fields: { tool_result: replace() },
    feeds: { tool_result: "chain" },
    view: {
      get: ({ tool, aliases, args, content }, scene) =>
        context("post_tool_execution", scene, {
          tool_name: jcliCalls.name(tool),
          tool_aliases: aliases,
          tool_arguments: jcliCalls.text(tool, args),
          tool_result: textOf(content),
        }),
      put: ({ tool_result }, { content }) =>
        tool_result === undefined || tool_result === textOf(content)
          ? undefined
          : { content: putText(tool_result, content) },
    },
  }),
  chained({
    name: "post_tool_execution_failure",
    of: "tool.after",
    kind: "redactor",
    subject: "tool_name",
    when: ({ isError, blocked }) => isError || blocked,
    actionKeeps: "everything",
    fields: { tool_error: replace(), additional_context: append() },
    feeds: { tool_error: "chain", additional_context: "original" },
    view: {
      get: ({ tool, aliases, content }, scene) =>
        context("post_tool_execution_failure", scene, {
          tool_name: jcliCalls.name(tool),
          tool_aliases: aliases,
          tool_error: textOf(content),
        }),
      put: ({ tool_error, additional_context }, { content }) =>
        edit({
          content: changed(tool_error, textOf(content)) === undefined ? undefined : putText(tool_error ?? "", content),
          additionalContext: added(additional_context),
        }),
    },
  }),
  chained({
    name: "stop",
    of: "agent.stop",
    kind: "control",
    actionKeeps: "nothing",
    fields: { retry_feedback: replace(), additional_context: append() },
    feeds: { retry_feedback: "original", additional_context: "original" },
    view: {
      get: ({ prompt, reply, messages, retryCount }, scene) =>
        context("stop", scene, {
          user_input: prompt,
          assistant_output: reply,
          messages: shown(messages),
          system_prompt: filled(scene.systemPrompt?.()),
          model: scene.model,
          retry_count: retryCount,
        }),
      put: ({ action, retry_feedback, additional_context }) => {
        if (action === "skip") return undefined;
        const feedback = filled(retry_feedback);
        return edit({
          stop: action === "stop" && feedback === undefined ? (true as const) : undefined,
          feedback,
          additionalContext: added(additional_context),
        });
      },
    },
  }),
  chained({
    name: "pre_micro_compact",
    of: "compact.before",
    kind: "gate",
    when: ({ kind }) => kind === "micro",
    actionKeeps: "nothing",
    fields: {},
    view: {
      get: ({ messages }, scene) =>
        context("pre_micro_compact", scene, { messages: shown(messages), model: scene.model }),
      put: ({ action }) => (action === "stop" ? { skip: "all" } : undefined),
    },
  }),
  chained({
    name: "pre_auto_compact",
    of: "compact.before",
    kind: "gate",
    when: ({ kind }) => kind !== "micro",
    actionKeeps: "nothing",
    fields: { additional_context: append() },
    feeds: { additional_context: "original" },
    view: {
      get: ({ messages, systemPrompt }, scene) =>
        context("pre_auto_compact", scene, {
          messages: shown(messages),
          system_prompt: filled(systemPrompt),
          model: scene.model,
        }),
      put: ({ action, additional_context }) => {
        if (action === "stop") return { skip: "this" };
        const text = action === undefined ? added(additional_context) : undefined;
        return text === undefined ? undefined : { instructions: [text] };
      },
    },
  }),
  chained({
    name: "post_micro_compact",
    of: "compact.after",
    kind: "transform",
    when: ({ kind }) => kind === "micro",
    actionKeeps: "everything",
    fields: { messages: replace() },
    feeds: { messages: "chain" },
    view: {
      get: ({ messages }, scene) => context("post_micro_compact", scene, { messages: shown(messages) }),
      put: ({ messages: given }, { messages }) => edit({ messages: replaced(given, messages) }),
    },
  }),
  chained({
    name: "post_auto_compact",
    of: "compact.after",
    kind: "transform",
    when: ({ kind }) => kind !== "micro",
    actionKeeps: "everything",
    fields: { messages: replace() },
    feeds: { messages: "chain" },
    view: {
      get: ({ messages }, scene) => context("post_auto_compact", scene, { messages: shown(messages) }),
      put: ({ messages: given }, { messages }) => edit({ messages: replaced(given, messages) }),
    },
  }),
];
