import {
  type Check,
  flag,
  list,
  number,
  object,
  oneOf,
  type Problem,
  pattern,
  record,
  text,
  whatever,
  word,
} from "./shape.ts";

/** A tool call of a scripted reply. */
export interface ScriptCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Arguments as text, sent unchanged whether or not it is valid JSON. */
  readonly argumentsRaw?: string;
  readonly id?: string;
}

/** Conditions that a request must meet for a reply to be used; all those present must hold. */
export interface ScriptCondition {
  /** A regular expression for the last user message; the next are for the last tool result and the system prompt. */
  readonly lastUserMatches?: string;
  readonly lastResultMatches?: string;
  readonly systemMatches?: string;
  /** A tool that the request must offer. */
  readonly tool?: string;
  /** The required number of the request, from 1, among requests that are answered from the same list. */
  readonly request?: number;
  readonly purpose?: "turn" | "hook" | "summary";
}

/** One reply of the scripted model; only the parts present are sent. */
export interface ScriptReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptCall[];
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  /** Makes the request fail, after `thinking` and `text` if there are any. */
  readonly error?: { readonly status?: number; readonly message: string };
  readonly when?: ScriptCondition;
  /** Whether the reply may be used again. */
  readonly repeat?: boolean;
  /** How long to wait before anything is sent, in ms. */
  readonly delayMs?: number;
  readonly tokensPerSecond?: number;
  readonly stopReason?: "stop" | "length" | "toolUse";
}

/** A script: the replies to the agent's requests and to hooks' requests, and the model's properties. */
export interface Script {
  readonly replies: readonly ScriptReply[];
  readonly hookReplies?: readonly ScriptReply[];
  readonly model?: {
    readonly id?: string;
    readonly contextWindow?: number;
    readonly maxTokens?: number;
    readonly reasoning?: boolean;
  };
}

const call: Check = (value, path) => {
  const found = callFields(value, path);
  const given = value as ScriptCall;
  if (found.length > 0 || given.arguments === undefined || given.argumentsRaw === undefined) return found;
  return [{ path, problem: 'a call has both "arguments" and "argumentsRaw"', remedy: "Keep one of the two." }];
};

const callFields = object({ name: word, arguments: record(whatever), argumentsRaw: text, id: word }, ["name"]);

const reply = object({
  thinking: text,
  text,
  toolCalls: list(call),
  usage: object({ input: number(), output: number(), cacheRead: number(), cacheWrite: number() }),
  error: object({ status: number(100), message: text }, ["message"]),
  when: object({
    lastUserMatches: pattern,
    lastResultMatches: pattern,
    systemMatches: pattern,
    tool: word,
    request: number(1),
    purpose: oneOf("turn", "hook", "summary"),
  }),
  repeat: flag,
  delayMs: number(),
  tokensPerSecond: number(0.001),
  stopReason: oneOf("stop", "length", "toolUse"),
});

const script = object(
  {
    replies: list(reply),
    hookReplies: list(reply),
    model: object({ id: word, contextWindow: number(1), maxTokens: number(1), reasoning: flag }),
  },
  ["replies"],
);

/** Lists the problems of a script file; empty if it is a `Script`. */
export function scriptProblems(value: unknown): readonly Problem[] {
  return script(value, []);
}
