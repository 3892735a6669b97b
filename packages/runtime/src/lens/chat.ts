import type { Fields } from "@hookline/ground";
import { type Conversation, chatMessages, putMessages } from "./chat-list.ts";
import { equal } from "./equal.ts";

/** A tool, with the fields that a chat-completions request shows. */
export interface ViewedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Fields;
}

/** A model request with the fields that chat completions show, such as a `NeutralRequest`. */
export interface ViewedRequest extends Conversation {
  readonly tools: readonly ViewedTool[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /**
   * Further keys of a chat-completions body; the provider's client puts each where its own format has it. They override
   * a field above that has the same meaning.
   */
  readonly extra?: Fields;
}

/** A key of the body for which the request has a field. */
interface BodyKey {
  show(request: ViewedRequest): unknown;
  /** Returns the fields that the value changes; `undefined` if the request cannot hold the value. */
  put(value: unknown, request: ViewedRequest): Partial<ViewedRequest> | undefined;
}

const places: ReadonlyMap<string, BodyKey> = new Map<string, BodyKey>([
  [
    "model",
    {
      show: ({ model }) => model.id,
      put: (id, { model }) => (typeof id === "string" && id !== "" ? { model: { ...model, id } } : undefined),
    },
  ],
  ["messages", { show: chatMessages, put: putMessages }],
  ["tools", { show: ({ tools }) => tools.map(chatTool), put: putTools }],
  [
    "temperature",
    {
      show: ({ temperature }) => temperature,
      put: (temperature) => (typeof temperature === "number" ? { temperature } : undefined),
    },
  ],
  [
    "max_tokens",
    {
      show: ({ maxTokens }) => maxTokens,
      put: (count) => (Number.isInteger(count) && (count as number) > 0 ? { maxTokens: count as number } : undefined),
    },
  ],
]);

/** Converts a request to the body of a chat-completions request, whatever its provider. */
export function chatBody(request: ViewedRequest): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [key, { show }] of places) {
    const value = show(request);
    if (value !== undefined) body[key] = value;
  }
  return { ...body, ...request.extra };
}

/**
 * Replaces the given keys of the request's body; returns `request` itself if nothing changes. A key without a field, or
 * a value that its field cannot hold, is put into `extra`, which `chatBody` adds to the body.
 */
export function putChat<R extends ViewedRequest>(patch: Fields, request: R): R {
  let fields: Partial<ViewedRequest> | undefined;
  let extra: Fields | undefined;
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined || isShown(key, value, request)) continue;
    fields ??= {};
    const mapped = places.get(key)?.put(value, request);
    if (mapped === undefined) extra = { ...(extra ?? request.extra), [key]: value };
    else {
      Object.assign(fields, mapped);
      extra = without(extra ?? request.extra, key);
    }
  }
  if (fields === undefined) return request;
  const { extra: before, ...rest } = request;
  const kept = extra ?? before;
  return { ...rest, ...fields, ...(kept !== undefined && Object.keys(kept).length > 0 && { extra: kept }) } as R;
}

/** Returns whether the request has a field that can hold this value of a body's key, so that `extra` is not needed. */
export function isHeld(key: string, value: unknown, request: ViewedRequest): boolean {
  return places.get(key)?.put(value, request) !== undefined;
}

/** Returns whether the request's body already has this value under the key. */
export function isShown(key: string, value: unknown, request: ViewedRequest): boolean {
  const { extra } = request;
  if (extra !== undefined && Object.hasOwn(extra, key)) return equal(extra[key], value);
  const place = places.get(key);
  return place !== undefined && equal(place.show(request), value);
}

function without(extra: Fields | undefined, key: string): Fields | undefined {
  if (extra === undefined || !Object.hasOwn(extra, key)) return extra;
  const { [key]: _, ...rest } = extra;
  return rest;
}

function chatTool({ name, description, parameters }: ViewedTool): Fields {
  return { type: "function", function: { name, description, parameters } };
}

function putTools(given: unknown, { tools }: ViewedRequest): Partial<ViewedRequest> | undefined {
  if (!Array.isArray(given)) return undefined;
  const next = given.map((tool) => readTool(tool, tools));
  return next.includes(undefined) ? undefined : { tools: next as readonly ViewedTool[] };
}

/**
 * Returns the tool that a hook has written into the body; a tool that existed keeps what the body does not show, such
 * as its origin.
 */
function readTool(given: unknown, tools: readonly ViewedTool[]): ViewedTool | undefined {
  const called = (given as { readonly function?: unknown } | null)?.function as Partial<ViewedTool> | null | undefined;
  if (typeof called?.name !== "string") return undefined;
  const { name, description = "", parameters = { type: "object", properties: {} } } = called;
  if (typeof description !== "string" || typeof parameters !== "object" || parameters === null) return undefined;
  if (!equal(given, { type: "function", function: called }) || Object.keys(called).some((key) => !KNOWN.has(key)))
    return undefined;
  const old = tools.find((tool) => tool.name === name);
  if (old !== undefined && equal(old.description, description) && equal(old.parameters, parameters)) return old;
  return { ...(old ?? { type: "plugin" }), name, description, parameters };
}

const KNOWN: ReadonlySet<string> = new Set(["name", "description", "parameters"]);
