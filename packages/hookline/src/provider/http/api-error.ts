import type { WireHeaders } from "./headers.ts";

/** A failed request, with the fields by which pi-ai and the agent's loop classify it. */
export class ApiError extends Error {
  /** The HTTP status; absent if there was no response. */
  readonly status: number | undefined;
  readonly headers: WireHeaders | undefined;
  readonly requestID: string | null | undefined;
  /** The value of `error` in the response. */
  readonly error: unknown;
  readonly code: unknown;
  readonly param: unknown;
  readonly type: unknown;

  constructor(about: ApiFault, cause?: unknown) {
    super(messageFor(about), cause === undefined ? undefined : { cause });
    this.status = about.status;
    this.headers = about.headers;
    this.requestID = about.headers?.get("x-request-id");
    this.error = about.error;
    const { code, param, type } = (about.error ?? {}) as Readonly<Record<string, unknown>>;
    this.code = code;
    this.param = param;
    this.type = type;
  }
}

/** Facts about a failed request, most of them from the server. */
export interface ApiFault {
  readonly status?: number | undefined;
  readonly error?: unknown;
  /** A message that is used if the server sent none. */
  readonly message?: string | undefined;
  readonly headers?: WireHeaders | undefined;
}

function messageFor({ status, error, message }: ApiFault): string {
  const said = (error as { readonly message?: unknown } | null | undefined)?.message;
  const own = typeof said === "string" && said !== "" ? said : JSON.stringify(said || error);
  const text = error ? own : message;
  if (status) return `${status} ${text || "status code (no body)"}`;
  return text || "(no status code or body)";
}

/** Returns the error for an unsuccessful response; `body` is its text. */
export function refused(status: number, headers: WireHeaders, body: string): ApiError {
  const parsed = parsedOr(body);
  const error = (parsed as { readonly error?: unknown } | undefined)?.error;
  return new ApiError({ status, headers, error, message: body });
}

/** Returns the error for a response that is a page for a browser, which means that the address is not the API's. */
export function pageInstead(url: string): ApiError {
  return new ApiError({
    message: `${url} sent a web page, not a reply. Check the address in "baseUrl" or --base-url.`,
  });
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error for a request without a response. */
export function unanswered(thrown: unknown, aborted: boolean): ApiError {
  if (aborted) return new ApiError({ message: "Request was aborted." });
  const { name, cause } = (thrown ?? {}) as { readonly name?: unknown; readonly cause?: unknown };
  const late = name === "AbortError" || /timed? ?out/i.test(`${thrown}${cause === undefined ? "" : cause}`);
  return late
    ? new ApiError({ message: "Request timed out." })
    : new ApiError({ message: "Connection error." }, thrown);
}
