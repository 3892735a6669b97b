import * as v from "valibot";
import type { Content, Entry, Message, ToolCallBlock, ToolResultMessage } from "./message.ts";
import type { ModelRef, NeutralRequest, OfferedTool } from "./request.ts";

/**
 * The shapes that several rows share. Foreign structures are checked no deeper than hookline reads them;
 * `v.title` names the definition in the generated JSON Schema.
 */
const list = (title: string) => v.pipe(v.array(v.unknown()), v.title(title));
const object = (title: string) => v.pipe(v.looseObject({}), v.title(title));

type Shape<T> = v.GenericSchema<T, T>;

/** A message, identified by its role. */
export const message = (): Shape<Message> => v.looseObject({ role: v.string() }) as unknown as Shape<Message>;

/** A conversation. */
export const messages = (): Shape<readonly Message[]> => v.array(message()) as unknown as Shape<readonly Message[]>;

/** The results of a reply's tool calls. */
export const toolResults = (): Shape<readonly ToolResultMessage[]> =>
  list("tool results") as unknown as Shape<readonly ToolResultMessage[]>;

/** The tool calls that a reply asks for. */
export const toolCalls = (): Shape<readonly ToolCallBlock[]> =>
  list("tool calls") as unknown as Shape<readonly ToolCallBlock[]>;

/** Blocks of text and pictures. */
export const content = (): Shape<readonly Content[]> =>
  v.array(v.looseObject({ type: v.string() })) as unknown as Shape<readonly Content[]>;

/** Pictures attached to a prompt. */
export const images = (): Shape<readonly Content[]> => list("images") as unknown as Shape<readonly Content[]>;

/** A tool call's arguments by name. */
export const args = (): Shape<Readonly<Record<string, unknown>>> => v.record(v.string(), v.unknown());

/** The model that is asked. */
export const model = (): Shape<ModelRef> => object("model") as unknown as Shape<ModelRef>;

/** A session's entries. */
export const entries = (): Shape<readonly Entry[]> => list("session entries") as unknown as Shape<readonly Entry[]>;

/** One of a session's entries. */
export const entry = (): Shape<Entry> => object("session entry") as unknown as Shape<Entry>;

/** An abort signal of the host. */
export const signal = (): Shape<AbortSignal> =>
  v.pipe(
    v.custom<AbortSignal>(() => true),
    v.title("abort signal"),
  );

/** A value of any type, which only the code that made it reads. */
export const anything = (): Shape<unknown> => v.unknown();

/** An object of the host that is passed through unchanged and never recorded. */
export const handle = <T>(title: string): Shape<T> =>
  v.pipe(
    v.custom<T>((value) => typeof value === "object" && value !== null),
    v.title(title),
  );

/** Plain data of the host, recorded like any other field. */
export const data = <T>(title: string): Shape<T> => object(title) as unknown as Shape<T>;

/** A text. */
export const text = () => v.string();

/** True or false. */
export const flag = () => v.boolean();

/** A whole number. */
export const count = () => v.pipe(v.number(), v.integer());

/** An answer that ends the run after the results so far are recorded. Only the person sees the reason (ruling 79). */
export const halt = () => v.strictObject({ reason: v.string() });

/** A reply after which the agent would stop. */
export const replied = () => ({
  prompt: text(),
  reply: text(),
  messages: messages(),
  retryCount: count(),
  stopHookActive: flag(),
  /** The limit on retries that hooks demand: for a sub-agent all hooks, for the main agent only Claude Code's. */
  cap: v.optional(count()),
});

/** A list of texts. */
export const texts = (): Shape<readonly string[]> => v.array(v.string());

/** The tools that are offered to a model. */
export const tools = (): Shape<readonly OfferedTool[]> =>
  v.array(
    v.looseObject({
      name: v.string(),
      description: v.string(),
      type: v.picklist(["builtin", "file", "plugin", "mcp"]),
    }),
  ) as unknown as Shape<readonly OfferedTool[]>;

/** The neutral request: a model request before it is converted to a provider's own format. */
export const request = (): Shape<NeutralRequest> =>
  v.looseObject({
    model: model(),
    systemPrompt: v.string(),
    messages: messages(),
    tools: tools(),
  }) as unknown as Shape<NeutralRequest>;
