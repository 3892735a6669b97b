import {
  brief,
  CODES,
  type Code,
  type Diagnostic,
  diagnose,
  type FailureTold,
  messageOf,
  place,
  SIZE_LIMITS,
} from "@hookline/ground";
import type { Cause, Failure } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import { jsonKind } from "../lens/has-json.ts";

const brand = Symbol.for("hookline.failure");

/** The error that a handler throws to say precisely why it has no answer. */
export class HookFailure extends Error {
  readonly reason: Cause;
  /** The diagnostic's code, if the cause alone does not imply it. */
  readonly code: Code | undefined;
  /** Whether the hook wanted to change the call and that change cannot be made (ruling 62). */
  readonly rewrite: boolean;

  constructor(reason: Cause, message: string, code?: Code, rewrite = false) {
    super(message);
    this.name = "HookFailure";
    this.reason = reason;
    this.code = code;
    this.rewrite = rewrite;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Converts anything thrown to a failure; never throws itself. */
export function failureOf(thrown: unknown): Failure {
  const { reason, rewrite } = branded(thrown) ?? {};
  const cause = reason !== undefined && Object.hasOwn(codes, reason) ? reason : "threw";
  return { cause, message: messageOf(thrown), error: thrown, ...(rewrite === true && { rewrite }) };
}

/** Returns the failure of a hook whose answer throws when it is read. */
export function unreadable(thrown: unknown, answer: unknown): Failure {
  const failure = failureOf(thrown);
  const { message } = failure;
  const isNamed = failure.cause !== "threw" || message.includes(" cannot be read: ");
  return isNamed ? failure : { ...failure, message: `its answer (${jsonKind(answer)}) cannot be read: ${message}` };
}

/** Returns the thrown value if it is a `HookFailure`; guarded, because reading a foreign object may throw. */
function branded(thrown: unknown): Partial<Pick<HookFailure, "reason" | "code" | "rewrite">> | undefined {
  try {
    if (typeof thrown !== "object" || thrown === null || !(brand in thrown)) return undefined;
    const { reason, code, rewrite } = thrown as unknown as HookFailure;
    return { reason, code, rewrite };
  } catch {
    return undefined;
  }
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

/** Returns the diagnostic code of a failure. */
export function failureCode({ error, cause }: Failure): Code {
  const own = branded(error)?.code;
  return own !== undefined && Object.hasOwn(CODES, own) ? own : codes[cause];
}

/** Returns the diagnostic of a failure. */
export function failureDiagnostic(
  failure: Failure,
  hook: Hook,
  limits: { readonly timeoutMs: number; readonly budgetMs: number },
): Diagnostic {
  return diagnose(
    failureCode(failure),
    {
      hook: hook.id,
      place: place(hook.source),
      event: hook.event,
      problem: failure.message,
      status: failure.message,
      timeoutMs: hook.transportMs ?? limits.timeoutMs,
      limitMs: limits.budgetMs,
    },
    { source: hook.source, hook: hook.id, event: hook.event },
  );
}

const MOST_SAID = SIZE_LIMITS.said.most;

/** Matches stack frames, and what Node prints below a stack. */
const NOISE = /^(?:at |Node\.js v\d|\^+$)/;

/**
 * Returns the facts that a host needs to report a failure in one line. Among them is one meaningful line of `stderr`:
 * the first if `said` is `first`, else the last.
 */
export function failureTold(
  { message }: Failure,
  {
    moment,
    effect,
    stderr,
    said: which,
  }: { moment: string; effect: FailureTold["effect"]; stderr: string; said?: "first" | undefined },
): FailureTold {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim());
  const meaningful = lines.filter((line) => line !== "" && !NOISE.test(line));
  const said = meaningful.at(which === "first" ? 0 : -1);
  const told: FailureTold = { what: brief(message), moment, ...(effect !== undefined && { effect }) };
  if (said === undefined) return told;
  const value = said.length > MOST_SAID ? `${said.slice(0, MOST_SAID)}…` : said;
  return Object.defineProperty(told, "said", { value });
}
