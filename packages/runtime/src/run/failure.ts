import type { Cause, Failure } from "../catalog/row.ts";
import type { Code } from "../error/codes.ts";
import { type Diagnostic, diagnose, place } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";

const brand = Symbol.for("hookline.failure");

/** What a handler throws to say why it has no answer, when that is more than an exception. */
export class HookFailure extends Error {
  readonly reason: Cause;
  /** The diagnostic's code, where the cause alone does not say it. */
  readonly code: Code | undefined;

  constructor(reason: Cause, message: string, code?: Code) {
    super(message);
    this.name = "HookFailure";
    this.reason = reason;
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Reads whatever was thrown; never throws itself. */
export function failureOf(thrown: unknown): Failure {
  if (typeof thrown === "object" && thrown !== null && brand in thrown) {
    const failure = thrown as unknown as HookFailure;
    return { cause: failure.reason, message: failure.message, error: failure };
  }
  return { cause: "threw", message: messageOf(thrown), error: thrown };
}

const codes: Readonly<Record<Cause, Code>> = {
  threw: "HOOK_THREW",
  timeout: "HOOK_TIMED_OUT",
  bad: "HOOK_BAD_ANSWER",
  exited: "HOOK_EXITED",
  chain: "CHAIN_LIMIT",
  aborted: "HOOK_THREW",
  engine: "START_FAILED",
};

/** The diagnostic of a failure. */
export function failureDiagnostic(
  failure: Failure,
  hook: Hook,
  limits: { readonly timeoutMs: number; readonly budgetMs: number },
): Diagnostic {
  const own = failure.error instanceof HookFailure ? failure.error.code : undefined;
  return diagnose(
    own ?? codes[failure.cause],
    {
      hook: hook.id,
      place: place(hook.source),
      event: hook.event,
      problem: failure.message,
      status: failure.message,
      timeoutMs: limits.timeoutMs,
      limitMs: limits.budgetMs,
      limit: failure.message,
    },
    { source: hook.source, hook: hook.id, event: hook.event },
  );
}
