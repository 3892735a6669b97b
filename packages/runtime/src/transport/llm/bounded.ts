import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, MAX_MS, messageOf, SIZE_LIMITS } from "@hookline/ground";
import type { LlmCall, LlmReport, LlmTransport } from "../../port/llm.ts";

/**
 * The length above which a reply is refused. An answer is far shorter: two thousand tokens are less than a hundredth of
 * this.
 */
const MAX_REPLY_CHARS = SIZE_LIMITS.verdict.most;

/** The transports with a call in progress in the current code, tracked across asynchronous work. */
const asked = new AsyncLocalStorage<readonly LlmTransport[]>();

/**
 * Wraps a host's model client, which may be unreliable, as a safe transport (guarantees R44).
 *
 * A call ends at its deadline or on abort, even if the provider ignores both; later results are dropped. Errors of a
 * provider, and replies that are not text or too long, are failures. A call that is made during another one is refused:
 * a request for a hook must fire no hooks. The dialect decides what a reply means, and the hook's `retry` whether to
 * ask again.
 */
export function boundLlm(provider: LlmTransport, clock: Clock): LlmTransport {
  const within = <C extends LlmCall>(call: C, ask: (its: C) => Promise<LlmReport>): Promise<LlmReport> => {
    const before = asked.getStore() ?? [];
    if (call.signal?.aborted === true) return Promise.resolve(ABORTED);
    if (before.includes(transport)) return Promise.resolve(RECURSION);
    return bounded((its: C) => asked.run([...before, transport], () => ask(its)), call, clock);
  };
  const { investigate } = provider;
  const transport: LlmTransport = {
    complete: (call) => within(call, (its) => provider.complete(its)),
    ...(investigate !== undefined && { investigate: (call) => within(call, (its) => investigate.call(provider, its)) }),
  };
  return transport;
}

const ABORTED: LlmReport = { ok: false, cause: "aborted", message: "aborted" };
const RECURSION: LlmReport = {
  ok: false,
  cause: "failed",
  message: "a model call for a hook must not start another one",
};

function bounded<C extends LlmCall>(ask: (call: C) => Promise<LlmReport>, call: C, clock: Clock): Promise<LlmReport> {
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<LlmReport>();
  const end = (report: LlmReport): void => {
    timer.cancel();
    call.signal?.removeEventListener("abort", onAbort);
    resolve(report);
  };
  const onAbort = (): void => {
    end(ABORTED);
    stop.abort(call.signal?.reason);
  };
  const timeoutMs = call.timeoutMs >= 1 ? Math.min(call.timeoutMs, MAX_MS) : 1;
  const timer = clock.timer(timeoutMs, () => {
    end({ ok: false, cause: "timed-out", message: `no reply within ${timeoutMs} ms` });
    stop.abort(new DOMException("the time for the reply is over", "TimeoutError"));
  });
  // The timer keeps a host with nothing else to do from exiting before the answer.
  timer.hold(true);
  call.signal?.addEventListener("abort", onAbort, { once: true });
  const failed = (thrown: unknown): void => end({ ok: false, cause: "failed", message: messageOf(thrown) });
  try {
    Promise.resolve(ask({ ...call, timeoutMs, signal: stop.signal })).then((report) => end(checked(report)), failed);
  } catch (thrown) {
    failed(thrown);
  }
  return promise;
}

/** Returns the report if it is valid, else a failure. */
function checked(report: LlmReport): LlmReport {
  if (report?.ok === false) return report;
  if (report?.ok !== true || typeof report.text !== "string")
    return { ok: false, cause: "failed", message: "the provider gave no reply" };
  if (report.text.length <= MAX_REPLY_CHARS) return report;
  return { ok: false, cause: "failed", message: `the reply is longer than ${MAX_REPLY_CHARS} characters` };
}
