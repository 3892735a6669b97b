import type { Tier } from "../error/diagnostic.ts";

/** One question to a hook behind a URL: a POST with a JSON body. */
export interface HttpCall {
  /** `https`, or `http` to this machine; see `hookUrl` for what is refused. */
  readonly url: string;
  /** As they are sent: variables are filled in already. Those of the connection and of the body's form are not theirs to set. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, sent as `application/json`. */
  readonly body: string;
  /** Where the definition comes from. Only `builtin` and `user` reach private addresses. */
  readonly tier: Tier;
  /** One limit for everything: name lookup, connection, TLS, headers and body. The wait for a free place does not count. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Names the hook, for transports that keep a record. */
  readonly label: string;
}

/** What happened, never what it means: an answer with status 500 or 302 is an answer. */
export interface HttpReport {
  /**
   * `answered`: a whole answer came, of any HTTP status. `refused`: against the rules, nothing was sent.
   * `not-sent`: the name, the connection or TLS failed, and nothing was sent. `broken`: sent, and no whole answer came.
   * `over-limit`: the answer is larger than it may be; nothing of it is kept.
   */
  readonly status: "answered" | "refused" | "not-sent" | "timed-out" | "aborted" | "over-limit" | "broken";
  /** Set once headers of an answer arrived, whatever came after. */
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** Of an answer, else empty. */
  readonly body: string;
  /** False when the body was not valid UTF-8; it then holds replacement characters and must not decide anything. */
  readonly bodyValid: boolean;
  /** For every status but `answered`: what happened, in words, without a text of the request or the answer. */
  readonly problem?: string;
  /**
   * The fault is hookline's or the machine's, not the hook's: a rule, a withdrawn approval, no file descriptor left. It
   * closes a guard in every dialect (guarantees 2.0).
   */
  readonly isOurs?: boolean;
  readonly queueMs: number;
  readonly runMs: number;
}

/** Asks a hook over HTTP and reports. Never rejects for what the other side does. */
export interface HttpTransport {
  ask(call: HttpCall): Promise<HttpReport>;
  /** Aborts what runs and closes the connections that are kept. */
  close(): Promise<void>;
}
