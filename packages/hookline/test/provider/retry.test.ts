import type { AssistantMessage } from "@hookline/runtime/engine";
import { describe, expect, test } from "vitest";
import { emptyMessage } from "../../src/provider/message.ts";
import { classifyFailure, type FailureKind, isTransient } from "../../src/provider/retry.ts";
import { testModel } from "./collect.ts";

function message(change: Partial<AssistantMessage>): AssistantMessage {
  return { ...emptyMessage(testModel()), ...change };
}

describe("what an error text requires", () => {
  const cases: readonly (readonly [FailureKind, string])[] = [
    ["transient", "overloaded_error: Overloaded"],
    ["transient", "429 Too Many Requests"],
    ["transient", "Rate limit reached for requests"],
    ["transient", "500: internal"],
    ["transient", "502 Bad Gateway"],
    ["transient", '529 {"type":"error"}'],
    ["transient", "599 something"],
    ["transient", "fetch failed"],
    ["transient", "terminated"],
    ["transient", "Request timed out."],
    ["transient", "socket hang up"],
    ["transient", "read ECONNRESET"],
    ["transient", "Connection error."],
    ["transient", "Stream ended without finish_reason"],
    ["transient", "Anthropic stream ended before message_stop"],
    ["transient", "The model is currently experiencing high demand"],
    ["transient", "ThrottlingException: Too many tokens, rate limit exceeded"],
    ["final", "401 invalid x-api-key"],
    ["final", "429 You exceeded your current quota, insufficient_quota"],
    ["final", "402 billing hard limit"],
    ["final", "max_tokens must be at most 5000"],
    ["final", "Monthly usage limit reached, 429"],
    ["final", "The script a.yaml has no reply left for request 503"],
    ["overflow", "prompt is too long: 213462 tokens > 200000 maximum"],
    ["overflow", '413 {"error":{"type":"request_too_large"}}'],
    ["overflow", "Your input exceeds the context window of this model"],
    ["overflow", "Requested token count exceeds the model's maximum context length of 131072 tokens"],
    ["overflow", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"],
    ["overflow", "This model's maximum prompt length is 131072 but the request contains 537812 tokens"],
    ["overflow", "Please reduce the length of the messages or completion"],
    ["overflow", "the request exceeds the available context size, try increasing it"],
    ["overflow", "500 context_length_exceeded"],
  ];
  test.each(cases)("%s: %s", (kind, errorMessage) => {
    expect(classifyFailure(message({ stopReason: "error", errorMessage }))).toBe(kind);
  });

  test("a bare 400 is an overflow at Cerebras only", () => {
    const failed = { stopReason: "error", errorMessage: "400 status code (no body)" } as const;
    expect(classifyFailure(message({ ...failed, provider: "cerebras" }))).toBe("overflow");
    expect(classifyFailure(message(failed))).toBe("final");
  });

  test("numbers that only look like a status are not transient", () => {
    expect(isTransient("the field has 1500 entries")).toBe(false);
  });
});

describe("replies without an error", () => {
  const usage = (input: number, output: number) => ({ ...emptyMessage(testModel()).usage, input, output });
  const cases: readonly (readonly [string, Partial<AssistantMessage>, number, FailureKind | undefined])[] = [
    ["a good reply", { stopReason: "stop", usage: usage(10, 5) }, 1000, undefined],
    ["an abort", { stopReason: "aborted", errorMessage: "429" }, 1000, undefined],
    ["more input than the window holds", { stopReason: "stop", usage: usage(1001, 5) }, 1000, "overflow"],
    ["a cut reply without output in a full window", { stopReason: "length", usage: usage(995, 0) }, 1000, "overflow"],
    ["a cut reply with output", { stopReason: "length", usage: usage(995, 9) }, 1000, undefined],
    ["an unknown window", { stopReason: "stop", usage: usage(1001, 5) }, 0, undefined],
  ];
  test.each(cases)("%s", (_name, change, window, kind) => {
    expect(classifyFailure(message(change), window)).toBe(kind);
  });
});
