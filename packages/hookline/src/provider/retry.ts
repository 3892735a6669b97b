import type { AssistantMessage } from "@hookline/runtime/engine";

/** How to react to a failed reply: `overflow` needs a compaction, `transient` another attempt, `final` neither. */
export type FailureKind = "overflow" | "transient" | "final";

/**
 * Classifies a failed reply; `undefined` if it succeeded or was aborted. With `contextWindow`, also finds an overflow
 * that the provider has not reported, from the usage. Source: spec/pi.md 5.4; the texts are those of the providers that
 * pi knows.
 */
export function classifyFailure(message: AssistantMessage, contextWindow = 0): FailureKind | undefined {
  if (isOverflow(message, contextWindow)) return "overflow";
  if (message.stopReason !== "error") return undefined;
  return isTransient(message.errorMessage ?? "") ? "transient" : "final";
}

/** Whether an error's text is about a passing problem: load, rate limit, server or network. */
export function isTransient(text: string): boolean {
  return !lasting.test(text) && passing.test(text);
}

/** Whether the request did not fit into the model's context window. */
export function isOverflow(message: AssistantMessage, contextWindow = 0): boolean {
  const { stopReason, errorMessage = "", usage } = message;
  if (stopReason === "error") return !throttled.test(errorMessage) && overflowing(message.provider).test(errorMessage);
  if (contextWindow <= 0) return false;
  const given = usage.input + usage.cacheRead;
  if (stopReason === "stop") return given > contextWindow;
  return stopReason === "length" && usage.output === 0 && given >= contextWindow * 0.99;
}

const lasting = any(
  "GoUsageLimitError",
  "FreeUsageLimitError",
  "monthly usage limit reached",
  "available balance",
  "insufficient_quota",
  "out of budget",
  "quota exceeded",
  "billing",
  // The scripted model's error contains the number of the request, which may look like a status.
  "has no reply left",
);

const passing = any(
  "overloaded",
  "high demand",
  "rate.?limit",
  "too many requests",
  "^5\\d\\d\\b",
  "\\b(?:429|500|502|503|504|520|521|522|523|524|529)\\b",
  "service.?unavailable",
  "server.?error",
  "internal.?error",
  "provider.?returned.?error",
  "exceeded request buffer limit while retrying upstream",
  "network.?error",
  "connection.?(?:error|refused|lost|reset)",
  "other side closed",
  "fetch failed",
  "getaddrinfo",
  "ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EPIPE",
  "upstream.?connect",
  "reset before headers",
  "socket hang up",
  "socket connection was closed",
  "timed? out",
  "timeout",
  "terminated",
  "premature close",
  "websocket.?(?:closed|error)",
  "ended without",
  "stream ended before",
  "http2 request did not get a response",
  "retry delay",
  "you can retry your request",
  "try your request again",
  "please retry your request",
  "ResourceExhausted",
);

// Errors about throttling may also say "too many tokens", but are no overflow.
const throttled = any("^(?:throttling error|service unavailable):", "rate limit", "too many requests");

const tooLong = [
  "prompt (?:is )?too long",
  "request_too_large",
  "input is too long for requested model",
  "exceeds the context window",
  "exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\\d,]+ tokens?|\\s*\\([\\d,]+\\))",
  "input token count.*exceeds the maximum",
  "maximum prompt length is \\d+",
  "reduce the length of the messages",
  "maximum context length is [\\d,]+ tokens",
  "exceeds (?:the )?maximum allowed input length of [\\d,]+ tokens?",
  "input \\(\\d+ tokens\\) is longer than the model'?s context length",
  "exceeds the limit of \\d+",
  "exceeds the available context size",
  "greater than the context length",
  "context window exceeds limit",
  "exceeded model token limit",
  "too large for model with \\d+ maximum context length",
  "prompt has [\\d,]+ tokens?, but the configured context size is [\\d,]+ tokens?",
  "model_context_window_exceeded",
  "range of input length should be",
  "context[_ ]length[_ ]exceeded",
  "too many tokens",
  "token limit exceeded",
];

const overflow = any(...tooLong);
// Cerebras reports an overflow with a status and no body.
const bareOverflow = any(...tooLong, "^4(?:00|13)\\s*(?:status code)?\\s*\\(no body\\)");

function overflowing(provider: string): RegExp {
  return provider === "cerebras" ? bareOverflow : overflow;
}

function any(...patterns: string[]): RegExp {
  return new RegExp(patterns.join("|"), "i");
}
