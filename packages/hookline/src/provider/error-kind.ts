import type { Payload } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { isOverflow, isTransient } from "./retry.ts";

/** The kinds of errors that `agent.end` reports to hooks. */
export type ErrorKind = NonNullable<Payload<"agent.end">["error"]>["kind"];

/** Error texts of providers for each kind; the first matching row counts. */
const KINDS: readonly (readonly [ErrorKind, RegExp])[] = [
  [
    "billing_error",
    /^402\b|billing|insufficient_quota|insufficient (?:credit|balance|funds)|credit balance|available balance|out of budget|usage ?limit/i,
  ],
  [
    "authentication_failed",
    /^40[13]\b|invalid.{0,20}api.?key|api.?key.{0,20}(?:invalid|missing|required)|unauthori[sz]ed|authentication|permission.?(?:denied|error)|no api key/i,
  ],
  ["rate_limit", /^429\b|rate.?limit|too many requests|throttl|quota exceeded|resource.?exhausted/i],
  [
    "max_output_tokens",
    /max(?:imum)?[ _](?:output|completion)[ _]tokens? (?:was |were )?(?:reached|exceeded)|output token limit/i,
  ],
  ["server_error", /^5\d\d\b|overloaded|internal.?error|server.?error/i],
  ["invalid_request", /^4\d\d\b|invalid.?request|bad request|not.?found/i],
];

/** Returns the kind of a request's final error, by the provider's text. */
export function errorKind(message: AssistantMessage): ErrorKind {
  const text = message.errorMessage ?? "";
  if (isOverflow(message)) return "invalid_request";
  const found = KINDS.find(([, words]) => words.test(text));
  return found?.[0] ?? (isTransient(text) ? "server_error" : "unknown");
}
