import type { Tier } from "@hookline/ground";
import type { TraceContext } from "./trace-context.ts";

/** One question to a hook behind a URL: a POST with a JSON body. */
export interface HttpCall {
  /** `https`, or `http` to this machine; see `hookUrl` for what is refused. */
  readonly url: string;
  /**
   * Sent as they are: variables are already filled in. They must not set headers of the connection or of the body's
   * form.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as headers. Headers of another trace in `headers` are always dropped. */
  readonly trace?: TraceContext | undefined;
  /** JSON text, sent as `application/json`. */
  readonly body: string;
  /** Tier of the definition. Only `builtin` and `user` may reach private addresses. */
  readonly tier: Tier;
  /** One limit for name lookup, connection, TLS, headers and body together. The wait for a free slot does not count. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Names the hook, for transports that keep a record. */
  readonly label: string;
}

/** Reports what happened, never what it means: an answer with status 500 or 302 is an answer. */
export interface HttpReport {
  /**
   * `answered`: a whole answer came, with any HTTP status. `refused`: against the rules, so nothing was sent.
   * `not-sent`: the name lookup, the connection or TLS failed, so nothing was sent. `broken`: sent, but no whole answer
   * came. `over-limit`: the answer is too large; none of it is kept.
   */
  readonly status: "answered" | "refused" | "not-sent" | "timed-out" | "aborted" | "over-limit" | "broken";
  /** Set once the headers of an answer have arrived, whatever happens next. */
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** Body of the answer, otherwise empty. */
  readonly body: string;
  /** False if the body was not valid UTF-8; it then holds replacement characters and must not decide anything. */
  readonly bodyValid: boolean;
  /** Set for every status but `answered`: what happened, without any text of the request or the answer. */
  readonly problem?: string;
  /**
   * The fault is hookline's or the machine's, not the hook's: a rule, a withdrawn approval, no free file descriptor.
   * Such a fault closes a guard in every dialect (guarantees 2.0).
   */
  readonly isOurs?: boolean;
  readonly queueMs: number;
  readonly runMs: number;
}

/** A request whose answer is read while it arrives. */
export interface HttpStreamCall extends Pick<HttpCall, "url" | "headers" | "tier" | "label"> {
  readonly method: "GET" | "POST" | "DELETE";
  readonly body?: string;
  /** Time limit until the headers of the answer arrive. */
  readonly timeoutMs: number;
  /** Ends the exchange at any time, even while the body is read. */
  readonly signal?: AbortSignal;
}

/** A server's answer with its body still to come, or the reason why there is none. */
export type HttpStream =
  | {
      readonly status: "answered";
      readonly httpStatus: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Throws when the connection breaks. A reader that stops early must call `return`. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly status: Exclude<HttpReport["status"], "answered" | "over-limit">; readonly problem: string };

/**
 * Sends requests to hooks and servers over HTTP and reports what happened. Never rejects for a fault of the other side.
 */
export interface HttpTransport {
  ask(call: HttpCall): Promise<HttpReport>;
  /**
   * Starts an exchange under the same rules: addresses are checked, redirects not followed, bodies not decompressed.
   */
  open(call: HttpStreamCall): Promise<HttpStream>;
  /** Aborts what runs and closes kept connections. */
  close(): Promise<void>;
}
