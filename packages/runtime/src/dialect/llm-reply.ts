import type { Call } from "../hook/call.ts";
import type { LlmReport } from "../port/llm.ts";
import { HookFailure } from "../run/failure.ts";

/** The text of a model's reply; throws a `HookFailure` that says why there is none. */
export function replyOf(report: LlmReport, call: Pick<Call, "note">, timeoutMs: number): string {
  if (report.ok) return report.text;
  // A provider's error text may repeat the prompt, so only a trace shows it.
  call.note(report.message, true);
  switch (report.cause) {
    case "timed-out":
      throw new HookFailure("timeout", `no answer within ${timeoutMs} ms`);
    case "aborted":
      throw new HookFailure("aborted", "aborted");
    case "no-model":
      throw new HookFailure("threw", "there is no model to ask");
    case "failed":
      throw new HookFailure("threw", "the request to the model failed");
  }
}
