import type { NativeAnswer } from "../client/native-answer.ts";

/**
 * The most answers that are kept for a session. They are needed only if an adapter is installed twice, which makes the
 * host send each call twice at once.
 */
const MOST_KEPT = 256;

interface Kept {
  /** The hook entries that have received the answer, such as `codex-user`. */
  readonly origins: Set<string>;
  readonly until: number;
  readonly answer: Promise<NativeAnswer>;
}

/**
 * Shares one answer among the hook entries that report the same call. So an adapter that is installed twice asks the
 * hooks once. Event and tool call id identify a call; if the same entry asks again, it is a new call.
 */
export class Answered {
  readonly #kept = new Map<string, Kept>();

  /** Returns the answer that another hook entry has received for this call, else that of `ask`. */
  of(
    call: { readonly event: string; readonly call: string; readonly origin: string; readonly lastsMs?: number },
    ask: () => Promise<NativeAnswer>,
  ) {
    const key = `${call.event}\0${call.call}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && !kept.origins.has(call.origin) && Date.now() < kept.until) {
      kept.origins.add(call.origin);
      return kept.answer;
    }
    const answer = ask();
    this.#kept.delete(key);
    this.#kept.set(key, {
      origins: new Set([call.origin]),
      until: Date.now() + (call.lastsMs ?? Number.POSITIVE_INFINITY),
      answer,
    });
    // A failed answer is forgotten, so another hook entry that reports the call asks the hooks again.
    answer.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
}
