import { isFields } from "@hookline/ground";

/** Stands for a value that a wire protocol cannot express. */
const NO_FORM: unique symbol = Symbol("no form");

/** The place of one key of a chat-completions body in another protocol's body, and its form there. */
interface KeyPlacement {
  readonly at: readonly string[];
  /** Converts the value to the protocol's form. `there` is the value at that place so far; `undefined` removes it. */
  form(value: unknown, there: unknown): unknown;
}

/** A protocol's places for those keys of a chat-completions body that have no field in `ProviderRequest`. */
interface Wire {
  readonly places: Readonly<Record<string, KeyPlacement>>;
  /** The path in the request body under which keys that hookline does not know are put, unchanged. */
  readonly rest: readonly string[];
}

/** The keys of a request body that have a meaning in every protocol (ruling 48). Others are sent unchanged. */
const NEUTRAL = new Set(["model", "messages", "tools", "temperature", "top_p", "max_tokens", "stop", "tool_choice"]);

const asNumber = (value: unknown): unknown => (typeof value === "number" ? value : NO_FORM);
const asTexts = (value: unknown): unknown => {
  const texts = typeof value === "string" ? [value] : value;
  return Array.isArray(texts) && texts.every((text) => typeof text === "string") ? texts : NO_FORM;
};

/** The values with which a protocol says which tool the model must call. */
interface Choices {
  readonly none: unknown;
  readonly auto: unknown;
  readonly required: unknown;
  one(name: string): unknown;
}

const asChoice =
  (choices: Choices) =>
  (value: unknown): unknown => {
    if (value === "none" || value === "auto" || value === "required") return choices[value];
    const called = isFields(value) && value["type"] === "function" ? value["function"] : undefined;
    const name = isFields(called) ? called["name"] : undefined;
    return typeof name === "string" ? choices.one(name) : NO_FORM;
  };

const responses: Wire = {
  places: {
    top_p: { at: ["top_p"], form: asNumber },
    tool_choice: {
      at: ["tool_choice"],
      form: asChoice({
        none: "none",
        auto: "auto",
        required: "required",
        one: (name) => ({ type: "function", name }),
      }),
    },
  },
  rest: [],
};

const google: Wire = {
  places: {
    top_p: { at: ["config", "topP"], form: asNumber },
    stop: { at: ["config", "stopSequences"], form: asTexts },
    tool_choice: {
      at: ["config", "toolConfig", "functionCallingConfig"],
      form: asChoice({
        none: { mode: "NONE" },
        auto: { mode: "AUTO" },
        required: { mode: "ANY" },
        one: (name) => ({ mode: "ANY", allowedFunctionNames: [name] }),
      }),
    },
  },
  rest: ["config", "httpOptions", "extraBody"],
};

const bedrockChoice = asChoice({
  none: null,
  auto: { auto: {} },
  required: { any: {} },
  one: (name) => ({ tool: { name } }),
});

/** The known wire protocols. Chat completions and the scripted model get all keys unchanged. */
const WIRES: Readonly<Record<string, Wire>> = {
  script: { places: {}, rest: [] },
  "openai-completions": { places: {}, rest: [] },
  "openai-responses": responses,
  "azure-openai-responses": responses,
  "anthropic-messages": {
    places: {
      top_p: { at: ["top_p"], form: asNumber },
      stop: { at: ["stop_sequences"], form: asTexts },
      tool_choice: {
        at: ["tool_choice"],
        form: asChoice({
          none: { type: "none" },
          auto: { type: "auto" },
          required: { type: "any" },
          one: (name) => ({ type: "tool", name }),
        }),
      },
    },
    rest: [],
  },
  "google-generative-ai": google,
  "google-vertex": google,
  "mistral-conversations": {
    places: {
      top_p: { at: ["topP"], form: asNumber },
      stop: { at: ["stop"], form: asTexts },
      tool_choice: {
        at: ["toolChoice"],
        form: asChoice({
          none: "none",
          auto: "auto",
          required: "required",
          one: (name) => ({ type: "function", function: { name } }),
        }),
      },
    },
    rest: [],
  },
  "bedrock-converse-stream": {
    places: {
      top_p: { at: ["inferenceConfig", "topP"], form: asNumber },
      stop: { at: ["inferenceConfig", "stopSequences"], form: asTexts },
      tool_choice: {
        at: ["toolConfig"],
        // The protocol has no value for "no tool", so no tools are offered.
        form(value, there) {
          const toolChoice = bedrockChoice(value);
          if (toolChoice === NO_FORM) return NO_FORM;
          return toolChoice === null || !isFields(there) ? undefined : { ...there, toolChoice };
        },
      },
    },
    rest: ["additionalModelRequestFields"],
  },
};

const RESPONSES = new Set(["openai-responses", "azure-openai-responses"]);
/** The smallest `max_output_tokens` that OpenAI accepts; the client raises smaller values. */
const LEAST_OUTPUT = 16;

const CHAT = new Set(["script", "openai-completions"]);

/** Moves keys of a chat-completions body to their places in the protocol's body. Does nothing for unknown protocols. */
export function placeKeys(api: string, body: unknown, keys: Readonly<Record<string, unknown>>): unknown {
  const wire = wireOf(api);
  if (wire === undefined || !isFields(body)) return body;
  let placed = body;
  for (const [key, value] of Object.entries(keys)) {
    const place = Object.hasOwn(wire.places, key) ? wire.places[key] : undefined;
    if (place !== undefined) {
      const form = (there: unknown): unknown => place.form(value, there);
      placed = put(placed, place.at, form);
    } else if (CHAT.has(api) || !NEUTRAL.has(key)) placed = put(placed, [...wire.rest, key], () => value);
  }
  return placed;
}

/** The properties of a request that decide which keys of a chat-completions body can be sent. */
export interface Asked {
  readonly api: string;
  readonly compat?: Readonly<Record<string, unknown>>;
  /** Whether the model is asked to think. */
  readonly thinks: boolean;
}

/** A reason why a protocol's client or server may ignore, change or refuse a key of a request body. */
export interface Lack {
  /** Whether the key is sent all the same: unchanged, or with a value that the protocol accepts. */
  readonly sent: boolean;
  readonly because: string;
}

/**
 * Returns why a key of a chat-completions body may be ignored or refused; undefined if it is fine. `held`:
 * `ProviderRequest` has a field for the key, so only the protocol's client can leave it out or raise it.
 */
export function lackOf(asked: Asked, key: string, value: unknown, held: boolean): Lack | undefined {
  const { api } = asked;
  if (key === "stream") return { sent: false, because: "the reply is always read as a stream" };
  if (held) return unsent(asked, key, value);
  const wire = wireOf(api);
  if (wire === undefined)
    return { sent: true, because: `an extension sends the requests of the api "${api}", and may leave it out` };
  if (CHAT.has(api)) return undefined;
  const place = Object.hasOwn(wire.places, key) ? wire.places[key] : undefined;
  if (place !== undefined)
    return place.form(value, {}) === NO_FORM
      ? { sent: false, because: `the api "${api}" cannot express this value` }
      : undefined;
  if (!NEUTRAL.has(key)) return { sent: true, because: `it is sent unchanged, and the api "${api}" may refuse it` };
  return {
    sent: false,
    because: ["stop", "top_p", "tool_choice"].includes(key)
      ? `the api "${api}" has no field for it`
      : `only chat completions can be sent this value, and the model's api is "${api}"`,
  };
}

/** Returns why the protocol's client leaves a value out or raises it; undefined if it sends the value as it is. */
function unsent({ api, compat, thinks }: Asked, key: string, value: unknown): Lack | undefined {
  const never = (because: string): Lack => ({ sent: false, because });
  if (key === "temperature" && api === "anthropic-messages") {
    if (thinks) return never("a model that is asked to think accepts no temperature");
    if (compat?.["supportsTemperature"] === false || compat?.["supportsMidConvoEffort"] === true)
      return never("the model accepts no temperature");
  }
  if (key === "max_tokens" && RESPONSES.has(api) && (value as number) < LEAST_OUTPUT)
    return { sent: true, because: `the api "${api}" accepts no limit below ${LEAST_OUTPUT}, which is sent instead` };
  if (key === "max_tokens" && api === "openai-responses" && compat?.["supportsMaxOutputTokens"] === false)
    return never("the model's provider accepts no token limit");
  return undefined;
}

/** Whether `WIRES` contains the protocol, so that the places of its keys are known. */
export function isKnownWire(api: string): boolean {
  return wireOf(api) !== undefined;
}

function wireOf(api: string): Wire | undefined {
  return Object.hasOwn(WIRES, api) ? WIRES[api] : undefined;
}

/** Returns a copy of the body with another value at one path. */
function put(
  body: Readonly<Record<string, unknown>>,
  [head = "", ...rest]: readonly string[],
  form: (there: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  const there = Object.hasOwn(body, head) ? body[head] : undefined;
  const value = rest.length === 0 ? form(there) : put(isFields(there) ? there : {}, rest, form);
  if (value === NO_FORM) return body;
  const { [head]: _, ...others } = body;
  return value === undefined
    ? others
    : Object.defineProperty({ ...others }, head, { value, writable: true, enumerable: true, configurable: true });
}
