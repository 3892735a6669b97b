import type { LaneRow } from "@hookline/runtime/dialect";
import { last, record, row } from "@hookline/runtime/dialect";
import { equal } from "@hookline/runtime/engine";
import { body, contextView, ignored, isMessages, loose } from "../../in-process/rows.ts";
import { HANDLER_MS, told } from "./told.ts";
import { contextWithSystemView } from "./views.ts";

interface Listed {
  readonly messages?: readonly { readonly role: string }[];
}

interface Headers {
  readonly headers?: Readonly<Record<string, string | null>>;
}

const messagesFold = record<Listed, never>({ messages: last() });
const readMessages = loose<Listed>({ messages: isMessages });

/** The rows of events about requests to a model, and about selecting a model. */
export const modelRows: readonly LaneRow[] = [
  row({
    name: "context",
    of: "model.context",
    kind: "transform",
    schedule: "all",
    fold: messagesFold,
    feeds: { messages: "draft" },
    read: readMessages,
    timeoutMs: HANDLER_MS,
    view: contextView,
  }),
  row({
    name: "context_with_system",
    of: "model.context",
    kind: "transform",
    schedule: "all",
    fold: messagesFold,
    feeds: { messages: "draft" },
    read: readMessages,
    timeoutMs: HANDLER_MS,
    view: contextWithSystemView,
  }),
  row({
    name: "before_provider_request",
    of: "model.wire",
    kind: "transform",
    ...body,
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ body }) => ({ type: "before_provider_request", payload: body }),
      put: ({ payload }, { body }) => (payload === undefined || equal(payload, body) ? undefined : { body: payload }),
    },
  }),
  row({
    name: "before_provider_headers",
    of: "model.headers",
    kind: "transform",
    schedule: "all",
    fold: record<Headers>({ headers: last() }),
    feeds: { headers: "draft" },
    read: ignored,
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ headers }) => ({ type: "before_provider_headers", headers }),
      put({ headers }, payload) {
        if (headers === undefined || equal(headers, payload.headers)) return undefined;
        const wrong = Object.entries(headers).find(([, value]) => value !== null && typeof value !== "string");
        if (wrong !== undefined) throw new Error(`the header "${wrong[0]}" is neither text nor null`);
        return { headers };
      },
    },
  }),
  told("after_provider_response", "model.responded", ({ status, headers }) => ({ status, headers })),
  told("model_select", "model.select", ({ model, previousModel, source }) => ({ model, previousModel, source })),
  told("thinking_level_select", "thinking.select", ({ level, previousLevel }) => ({ level, previousLevel })),
];
