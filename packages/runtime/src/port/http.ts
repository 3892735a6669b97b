import type { Tier } from "@hookline/ground";
import type { TraceContext } from "./trace-context.ts";

/** One question to a hook behind a URL: a POST with a JSON body. */
export interface HttpCall {
  /** The address: `https`, or `http` to this machine; see `hookUrl` for what is refused. */
  readonly url: string;
  /** The headers to send, with variables filled in. Must have no connection or encoding headers (`content-length`). */
  readonly headers: Readonly<Record<string, string>>;
  /** The trace context to send as headers. Headers of another trace in `headers` are always dropped. */
  readonly trace?: TraceContext | undefined;
  /** The body as JSON text, sent as `application/json`. */
  readonly body: string;
  /** The tier of the definition. Only `builtin` and `user` may reach private addresses. */
  readonly tier: Tier;
  /**
   * One time limit in milliseconds for name lookup, connection, TLS, headers and body together. The wait for a free
   * slot does not count.
   */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The hook's name, for transports that keep a record. */
  readonly label: string;
}

/** The report on a request, without a judgement: an answer with status 500 or 302 is an answer. */
export interface HttpReport {
  /**
   * `answered`: a whole answer arrived, with any HTTP status. `refused`: the request is against the rules, so nothing
   * was sent. `not-sent`: the name lookup, the connection or TLS failed, so nothing was sent. `broken`: the request was
   * sent, but no whole answer arrived. `over-limit`: the answer is too large; none of it is kept.
   */
  readonly status: "answered" | "refused" | "not-sent" | "timed-out" | "aborted" | "over-limit" | "broken";
  /** The HTTP status; set once the headers of an answer have arrived, whatever happens next. */
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** The body of the answer; empty if there is no answer. */
  readonly body: string;
  /** False if the body was not valid UTF-8. It then contains replacement characters and must not decide anything. */
  readonly bodyValid: boolean;
  /** Says what happened, without any text of the request or the answer; set for every status but `answered`. */
  readonly problem?: string;
  /**
   * Whether the fault is hookline's or the machine's, not the hook's: a rule, a withdrawn approval, no free file
   * descriptor. Such a fault makes a guard refuse in every dialect (guarantees 2.0).
   */
  readonly isOurs?: boolean;
  readonly queueMs: number;
  readonly runMs: number;
}

/** A request whose answer is read while it arrives. */
export interface HttpStreamCall extends Pick<HttpCall, "url" | "headers" | "tier" | "label"> {
  readonly method: "GET" | "POST" | "DELETE";
  readonly body?: string;
  /** The time limit in milliseconds until the headers of the answer arrive. */
  readonly timeoutMs: number;
  /** Ends the exchange at any time, even while the body is read. */
  readonly signal?: AbortSignal;
}

/** A server's answer whose body is still to be read, or the reason why there is none. */
export type HttpStream =
  | {
      readonly status: "answered";
      readonly httpStatus: number;
      /** The headers, with names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** The chunks of the body. Throws if the connection breaks. A reader that stops early must call `return`. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly status: Exclude<HttpReport["status"], "answered" | "over-limit">; readonly problem: string };

/** Sends requests to hooks and servers over HTTP and reports what happened. Never rejects for a remote fault. */
export interface HttpTransport {
  ask(call: HttpCall): Promise<HttpReport>;
  /**
   * Starts an exchange under the same rules as `ask`: addresses are checked, redirects not followed, bodies not
   * decompressed.
   */
  open(call: HttpStreamCall): Promise<HttpStream>;
  /** Aborts running requests and closes kept connections. */
  close(): Promise<void>;
}
