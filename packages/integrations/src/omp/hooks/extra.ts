import type { LaneRow } from "@hookline/runtime/dialect";
import {
  answerOnly,
  collect,
  type Fold,
  first,
  type Guard,
  halt,
  isArray,
  isObject,
  isString,
  last,
  record,
  row,
} from "@hookline/runtime/dialect";
import type { Content } from "@hookline/runtime/engine";
import { edit } from "@hookline/runtime/engine";
import { body, isAnyTruth, isStrings, loose, type Wire } from "../../in-process/rows.ts";
import { ompCalls } from "./calls.ts";
import { edited, type Limit, told } from "./views.ts";

interface InputAnswer {
  readonly handled?: unknown;
  readonly text?: string;
  readonly images?: readonly Content[];
}

interface Ran {
  readonly result?: Readonly<Record<string, unknown>>;
}

interface Paths {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
  readonly themePaths?: readonly string[];
}

type Lists = { readonly [K in keyof Paths]?: readonly (readonly string[])[] };

/**
 * Reads the answer of an extension that has run the user's command itself. The first answer ends the event, and only
 * its `result` counts.
 */
const readRan = loose<Ran>({
  result: ((value) => isObject(value) && isString((value as { output?: unknown }).output)) as Guard,
});

/** Converts the result of a command to the host's form. An exit code that is not a number is left out. */
function resultOf({ result }: Ran): { readonly result: object } | undefined {
  if (result === undefined) return undefined;
  const { exitCode, cancelled, truncated, ...rest } = result;
  const code = typeof exitCode === "number" ? { exitCode } : {};
  return { result: { ...rest, ...code, cancelled: Boolean(cancelled), truncated: Boolean(truncated) } };
}

/** A hook's answer to the start of a sub-agent. */
interface SpawnAnswer {
  readonly block?: unknown;
  readonly reason?: string;
  readonly model?: string | readonly string[];
  readonly note?: string;
}

/** Keeps the last answer that names a model, with the `note` from the same answer. */
const lastModel: Fold<SpawnAnswer, SpawnAnswer> = {
  ...last<SpawnAnswer>(),
  name: "last that names a model",
  step: (state, { model, note }) => (model === undefined ? state : { model, ...(note !== undefined && { note }) }),
};

const isModel: Guard = (value) => isString(value) || isStrings(value);

/** The approval mode that handlers see. In hookline, the user is asked about every call for which a hook asks. */
const APPROVAL_MODE = "always-ask";

/** Events of ExtensionAPI that HookAPI does not have. Source: spec/omp.md 1.3. */
export function extraRows(limit: Limit): readonly LaneRow[] {
  return [
    row<"resources.discover", object, Paths, Lists>({
      name: "resources_discover",
      of: "resources.discover",
      kind: "transform",
      schedule: "all",
      fold: record<Paths, Lists>({ skillPaths: collect(), promptPaths: collect(), themePaths: collect() }),
      read: loose<Paths>({ skillPaths: isStrings, promptPaths: isStrings, themePaths: isStrings }),
      ...limit,
      view: {
        get: ({ cwd, reason }) => ({ type: "resources_discover", cwd, reason }),
        put: ({ skillPaths, promptPaths, themePaths }) =>
          edit({ skillPaths: skillPaths?.flat(), promptPaths: promptPaths?.flat(), themePaths: themePaths?.flat() }),
      },
    }),
    row<"input", object, InputAnswer, InputAnswer>({
      name: "input",
      of: "input",
      kind: "transform",
      schedule: "series",
      fold: halt<InputAnswer, InputAnswer>(
        { name: "handled", by: ({ handled }) => Boolean(handled), keep: answerOnly },
        record<InputAnswer>({ text: last(), images: last() }),
      ),
      feeds: { text: "chain", images: "chain" },
      read: loose<InputAnswer>({ handled: isAnyTruth, text: isString, images: isArray }),
      ...limit,
      view: {
        get: ({ text, images, source }) => ({
          type: "input",
          text,
          ...(images !== undefined && { images }),
          source,
        }),
        put: ({ handled, text, images }, payload) =>
          handled
            ? { handled: true }
            : edit({ text: edited(text, payload.text), images: edited(images, payload.images ?? []) }),
      },
    }),
    row<"shell.user", object, Ran, Ran>({
      name: "user_bash",
      of: "shell.user",
      kind: "gate",
      schedule: "series",
      fold: first<Ran>(),
      read: readRan,
      ...limit,
      view: {
        get: ({ command, excludeFromContext, cwd }) => ({ type: "user_bash", command, excludeFromContext, cwd }),
        put: resultOf,
      },
    }),
    row<"python.user", object, Ran, Ran>({
      name: "user_python",
      of: "python.user",
      kind: "gate",
      schedule: "series",
      fold: first<Ran>(),
      read: readRan,
      ...limit,
      view: {
        get: ({ code, excludeFromContext, cwd }) => ({ type: "user_python", code, excludeFromContext, cwd }),
        put: resultOf,
      },
    }),
    row<"agent.spawn", object, SpawnAnswer, SpawnAnswer>({
      name: "before_subagent_spawn",
      of: "agent.spawn",
      kind: "gate",
      subject: "agent",
      schedule: "series",
      fold: halt<SpawnAnswer, SpawnAnswer>(
        { name: "block", by: ({ block }) => Boolean(block), keep: answerOnly },
        lastModel,
      ),
      read: loose<SpawnAnswer>({ block: isAnyTruth, reason: isString, model: isModel, note: isString }),
      ...limit,
      view: {
        get: ({ type, model }) => ({
          type: "before_subagent_spawn",
          agent: type,
          invocationKind: "task",
          patterns: [model],
        }),
        put: ({ block, reason, model, note }) =>
          block
            ? { cancel: true, reason: reason || "The sub-agent was blocked by an extension" }
            : edit({ model, note }),
      },
    }),
    told(limit, "message_start", "message.start", ({ message }) => ({ message })),
    told(limit, "message_update", "message.update", ({ message, event }) => ({
      message,
      assistantMessageEvent: event,
    })),
    told(limit, "message_end", "message.end", ({ message }) => ({ message })),
    row<"model.wire", object, Wire, Wire>({
      name: "before_provider_request",
      of: "model.wire",
      kind: "transform",
      ...body,
      ...limit,
      view: {
        get: ({ body }) => ({ type: "before_provider_request", payload: body }),
        put: ({ payload }, { body }) => edit({ body: edited(payload, body) }),
      },
    }),
    told(limit, "after_provider_response", "model.responded", ({ status, headers }) => ({
      status,
      headers,
      requestId: headers["request-id"] ?? headers["x-request-id"],
      metadata: {},
    })),
    told(limit, "mcp_notification", "mcp.notification", (p) => ({ ...p })),
    told(
      limit,
      "tool_approval_requested",
      "approval.requested",
      ({ toolCallId, tool, reason }, { sessionId }) => ({
        sessionId,
        toolCallId,
        toolName: ompCalls.name(tool),
        ...(reason !== undefined && { reason }),
        approvalMode: APPROVAL_MODE,
      }),
      { subject: "toolName" },
    ),
    told(
      limit,
      "tool_approval_resolved",
      "approval.resolved",
      ({ toolCallId, tool, approved, reason }, { sessionId }) => ({
        sessionId,
        toolCallId,
        toolName: ompCalls.name(tool),
        approved,
        ...(reason !== undefined && { reason }),
      }),
      { subject: "toolName" },
    ),
  ];
}
