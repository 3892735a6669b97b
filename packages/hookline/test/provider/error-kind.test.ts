import { expect, test } from "vitest";
import { type ErrorKind, errorKind } from "../../src/provider/error-kind.ts";
import { emptyMessage } from "../../src/provider/message.ts";
import { testModel } from "./collect.ts";

const cases: readonly (readonly [ErrorKind, string])[] = [
  ["rate_limit", "429 Too Many Requests"],
  ["rate_limit", '429 {"type":"error","error":{"type":"rate_limit_error"}}'],
  ["rate_limit", "ThrottlingException: Too many tokens, rate limit exceeded"],
  ["rate_limit", "429 RESOURCE_EXHAUSTED"],
  ["authentication_failed", "401 invalid x-api-key"],
  ["authentication_failed", "403 Forbidden"],
  ["authentication_failed", "Incorrect API key provided: it is invalid"],
  ["billing_error", "402 Payment Required"],
  ["billing_error", "400 Your credit balance is too low to access the API"],
  ["billing_error", "429 You exceeded your current quota, insufficient_quota"],
  ["billing_error", "Monthly usage limit reached, 429"],
  ["server_error", "529 Overloaded"],
  ["server_error", "overloaded_error: Overloaded"],
  ["server_error", "503 Service Unavailable"],
  [
    "server_error",
    "Connection error. http://127.0.0.1:1 could not be reached; check the address, and that the server runs.",
  ],
  ["server_error", "Request timed out."],
  ["invalid_request", "400 max_tokens must be at most 5000"],
  ["invalid_request", "404 model not found"],
  ["invalid_request", "prompt is too long: 213462 tokens > 200000 maximum"],
  ["max_output_tokens", "max_output_tokens reached before the reply was complete"],
  ["unknown", "the provider failed"],
  ["unknown", ""],
];

test.each(cases)("%s: %s", (kind, errorMessage) => {
  expect(errorKind({ ...emptyMessage(testModel()), stopReason: "error", errorMessage })).toBe(kind);
});
