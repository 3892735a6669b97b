import type { Fields } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import {
  answerOnly,
  collect,
  type Fold,
  field,
  halt,
  isObject,
  isString,
  last,
  meet,
  prepend,
  record,
  type Scene,
  shallow,
  union,
} from "@hookline/runtime/dialect";
import {
  type BodyLack,
  chatBody,
  equal,
  isAnything,
  isHeld,
  isShown,
  putChat,
  putText,
  type ViewedRequest,
} from "@hookline/runtime/engine";
import { newerPoints } from "./newer.ts";
import { closes, observed, type Point, point, refusal } from "./point.ts";
import { type Claim, claim, isBoolean, type ToolFilter, toolFilter } from "./reads.ts";
import {
  callView,
  clearView,
  compactView,
  contextName,
  contextTexts,
  hostNames,
  listTools,
  mailView,
  onlyText,
  sessionView,
  toolName,
} from "./views.ts";

/** The request from which each body for `pre_api_request` was made, so that `lackingIn` can find it. */
const requests = new WeakMap<Fields, ViewedRequest>();

/** Returns a request in the form in which `pre_api_request` shows it. */
export function bodyOf(request: ViewedRequest): Fields {
  const body = chatBody(request);
  requests.set(body, request);
  return body;
}

/** Returns the keys that a plugin set in a request body and that the model's provider does not support. */
export function lackingIn(edited: Fields, body: Fields, scene: Scene): ReadonlyMap<string, BodyLack> {
  const found = new Map<string, BodyLack>();
  const request = requests.get(body);
  if (request === undefined || scene.lacks === undefined) return found;
  for (const [key, value] of Object.entries(edited)) {
    if (value === undefined || isShown(key, value, request)) continue;
    const lack = scene.lacks(key, value, isHeld(key, value, request));
    if (lack !== undefined) found.set(key, lack);
  }
  return found;
}

interface Prompt {
  readonly prompt?: string;
}
interface Inject {
  readonly inject?: string;
}
interface Injected {
  readonly inject?: readonly string[];
}
interface CallAnswer {
  readonly block?: boolean;
  readonly message?: string;
  readonly arguments?: unknown;
}
interface OutputAnswer {
  readonly block?: boolean;
  readonly message?: string;
  readonly output?: string;
}
interface BodyAnswer {
  readonly request_body?: Readonly<Record<string, unknown>>;
}
interface CacheAnswer {
  readonly summary?: string;
  readonly block?: boolean;
}

/** Reads the field `inject`, a text. Empty texts add nothing. */
const inject = field<Inject>({ inject: isString });
const given = (texts: readonly string[] | undefined): readonly string[] => (texts ?? []).filter((text) => text !== "");
const blocks = { name: "block", by: (answer: { readonly block?: boolean }) => answer.block === true };

/** A fold that keeps the last answer that is not empty. */
const lastText: Fold<string, string> = {
  ...last<string>(),
  name: "last non-empty",
  step: (state, answer) => (answer === "" ? state : answer),
};

/**
 * chibi's hook points: the original ones, and newer ones that fire here. Every plugin sees the same event: no plugin
 * sees another's changes (seed 004, ruling 37).
 */
export const points: readonly Point[] = [
  observed({ name: "on_start", of: "session.start", when: ({ reason }) => reason === "startup", see: sessionView }),
  {
    ...observed({ name: "on_end", of: "session.end", when: ({ reason }) => reason === "quit", see: sessionView }),
    kind: "shutdown",
    schedule: "all",
  },
  point<"prompt.before", object, Prompt, Prompt>({
    name: "pre_message",
    of: "prompt.before",
    kind: "transform",
    fold: record({ prompt: last() }),
    feeds: { prompt: "original" },
    read: field({ prompt: isString }),
    view: {
      get: ({ text }, scene) => ({
        prompt: text,
        context_name: contextName(scene),
        summary: scene.summary ?? "",
      }),
      put: ({ prompt }, { text }) => (prompt === undefined || prompt === text ? undefined : { text: prompt }),
    },
  }),
  observed({
    name: "post_message",
    of: "reply.final",
    see: ({ prompt, finalPrompt, reply }, scene) => ({
      prompt,
      response: reply,
      context_name: contextName(scene),
      final_prompt: finalPrompt,
    }),
  }),
  point<"prompt.build", object, Inject, Injected>({
    name: "pre_system_prompt",
    of: "prompt.build",
    kind: "transform",
    fold: record({ inject: prepend() }),
    feeds: { inject: "original" },
    read: inject,
    view: {
      get: (_, scene) => contextTexts(scene),
      put: (outcome) => (given(outcome.inject).length === 0 ? undefined : { before: given(outcome.inject) }),
    },
  }),
  point<"prompt.build", object, Inject, Injected>({
    name: "post_system_prompt",
    of: "prompt.build",
    kind: "transform",
    fold: record({ inject: collect() }),
    feeds: { inject: "original" },
    read: inject,
    view: {
      get: (_, scene) => contextTexts(scene),
      put: (outcome) => (given(outcome.inject).length === 0 ? undefined : { after: given(outcome.inject) }),
    },
  }),
  point<"tools.select", object, ToolFilter, ToolFilter>({
    name: "pre_api_tools",
    of: "tools.select",
    kind: "transform",
    fold: record({ include: meet(), exclude: union() }),
    feeds: { include: "original", exclude: "original" },
    read: toolFilter(),
    view: {
      get: ({ tools }, scene) => ({
        context_name: contextName(scene),
        tools: listTools(tools),
        recursion_depth: scene.recursionDepth ?? 0,
      }),
      put: ({ include, exclude }, { tools }) =>
        include === undefined && exclude === undefined
          ? undefined
          : {
              ...(include !== undefined && { include: hostNames(include, tools) }),
              ...(exclude !== undefined && { exclude: hostNames(exclude, tools) }),
            },
    },
  }),
  point<"model.request", object, BodyAnswer, BodyAnswer>(
    {
      name: "pre_api_request",
      of: "model.request",
      kind: "transform",
      fold: record({ request_body: shallow() }),
      feeds: { request_body: "original" },
      read: field({ request_body: isObject }),
      view: {
        get: ({ request }, scene) => ({
          context_name: contextName(scene),
          request_body: bodyOf(request),
          recursion_depth: scene.recursionDepth ?? 0,
        }),
        put: (outcome, payload) => {
          if (outcome.request_body === undefined) return undefined;
          const request = putChat(outcome.request_body, payload.request);
          return request === payload.request ? undefined : { request };
        },
      },
    },
    { how: "shorten", within: "request_body" },
    { field: "request_body", lackingIn },
  ),
  point<"tool.before", object, CallAnswer, CallAnswer>({
    name: "pre_tool",
    of: "tool.before",
    kind: "guard",
    fold: halt<CallAnswer, CallAnswer>(
      {
        ...blocks,
        keep: ({ message }, before) => ({ ...before, block: true, ...(message !== undefined && { message }) }),
      },
      record({ arguments: last() }),
    ),
    feeds: { arguments: "original" },
    read: field({ block: isBoolean, message: isString, arguments: isAnything }),
    failed: (failure, hook) => (closes(failure, hook) ? { block: true, message: refusal(failure, hook) } : undefined),
    view: {
      get: callView,
      put: ({ block, message, arguments: args }, payload) => {
        const edited = args !== undefined && !equal(args, payload.args);
        const edit = edited && isObject(args) ? { args: args as Readonly<Record<string, unknown>> } : undefined;
        if (block === true) return { decision: "deny", reason: message ?? "Tool call blocked by hook", ...edit };
        if (edited && edit === undefined)
          return {
            decision: "deny",
            reason: "Tool call blocked: a hook replaced the arguments with something that is no object",
          };
        return edit;
      },
    },
  }),
  point<"tool.after", object, OutputAnswer, OutputAnswer>({
    name: "pre_tool_output",
    of: "tool.after",
    kind: "redactor",
    fold: halt<OutputAnswer, OutputAnswer>({ ...blocks, keep: answerOnly }, record({ output: last() })),
    feeds: { output: "original" },
    read: field({ block: isBoolean, message: isString, output: isString }),
    view: {
      get: (payload, scene) => ({ ...callView(payload, scene), output: textOf(payload.content) }),
      put: ({ block, message, output }, { content }) => {
        if (block === true) return { content: onlyText(message ?? "Output blocked by hook") };
        if (output === undefined) return undefined;
        const edited = putText(output, content);
        return edited === content ? undefined : { content: edited };
      },
    },
  }),
  point<"tool.cache-before", object, CacheAnswer, CacheAnswer>({
    name: "pre_cache_output",
    of: "tool.cache-before",
    kind: "transform",
    fold: halt<CacheAnswer, CacheAnswer>({ ...blocks, keep: answerOnly }, record({ summary: lastText })),
    feeds: { summary: "original" },
    read: field({ summary: isString, block: isBoolean }),
    view: {
      get: (payload, scene) => ({
        ...callView(payload, scene),
        content: payload.content,
        char_count: payload.charCount,
        line_count: payload.lineCount,
        // Later releases of chibi use this name for the number of characters.
        output_size: payload.charCount,
      }),
      put: ({ summary, block }) => {
        if (block === true) return { keep: false };
        return summary === undefined ? undefined : { summary };
      },
    },
  }),
  observed({
    name: "post_cache_output",
    of: "tool.cached",
    see: ({ tool, cacheId, charCount, tokenEstimate, lineCount }, scene) => ({
      tool_name: toolName(tool, scene),
      cache_id: cacheId,
      char_count: charCount,
      token_estimate: tokenEstimate,
      line_count: lineCount,
    }),
  }),
  observed({
    name: "post_tool_output",
    of: "tool.output",
    see: (payload, scene) => ({
      ...callView(payload, scene),
      output: payload.output,
      final_output: payload.finalOutput,
      cached: payload.cached,
    }),
  }),
  observed({
    name: "post_tool",
    of: "tool.done",
    see: (payload, scene) => ({ ...callView(payload, scene), result: payload.result, cached: payload.cached }),
  }),
  point<"mail.before", object, Claim, Claim>({
    name: "pre_send_message",
    of: "mail.before",
    kind: "gate",
    fold: halt<Claim, Claim>(
      { name: "delivered", by: ({ delivered }) => delivered === true, keep: answerOnly },
      record({}),
    ),
    read: claim(),
    view: {
      get: mailView,
      put: ({ delivered, via }) =>
        delivered === true ? { delivered: true, ...(via !== undefined && { via }) } : undefined,
    },
  }),
  observed({
    name: "post_send_message",
    of: "mail.after",
    see: (payload, scene) => ({ ...mailView(payload, scene), delivery_result: payload.result }),
  }),
  observed({
    name: "on_context_switch",
    of: "context.switch",
    see: ({ from, to, transient }) => ({ from_context: from, to_context: to, is_transient: transient }),
  }),
  observed({ name: "pre_clear", of: "context.before-clear", see: clearView }),
  observed({ name: "post_clear", of: "context.clear", see: clearView }),
  observed({ name: "pre_compact", of: "compact.before", when: ({ kind }) => kind === "full", see: compactView }),
  observed({ name: "post_compact", of: "compact.after", when: ({ kind }) => kind === "full", see: compactView }),
  observed({
    name: "pre_rolling_compact",
    of: "compact.before",
    when: ({ kind }) => kind === "rolling",
    see: (payload, scene) => ({ ...compactView(payload, scene), non_system_count: payload.nonSystemCount }),
  }),
  observed({
    name: "post_rolling_compact",
    of: "compact.after",
    when: ({ kind }) => kind === "rolling",
    see: (payload, scene) => ({ ...compactView(payload, scene), messages_archived: payload.messagesArchived }),
  }),
  ...newerPoints,
];

/** The hook points by name. */
export const pointsByName: ReadonlyMap<string, Point> = new Map(points.map((one) => [one.name, one]));
