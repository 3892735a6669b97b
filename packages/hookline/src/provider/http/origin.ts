/** Statuses of redirects. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const MOST_REDIRECTS = 10;

/**
 * Works like `fetch` but stays at its origin: requests to providers carry keys, secret headers and the conversation,
 * none of which may be sent to an address that only a server has named. A redirect within the origin is followed; any
 * other becomes a response with that status, whose body says what happened. Uses the global `fetch` at the time of the
 * call.
 */
export async function fetchAtOrigin(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const start = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
  let [to, request] = [input, init];
  for (let left = MOST_REDIRECTS; ; left--) {
    const response = await globalThis.fetch(to, { ...request, redirect: "manual" });
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    // The body is not read, so without this the connection would stay occupied.
    void response.body?.cancel().catch(() => {});
    const from = new URL(typeof to === "string" || to instanceof URL ? to : to.url);
    const next = nextRequest(to, request, { from, location, status: response.status });
    if (next === undefined || left === 0 || next[0].origin !== start.origin)
      return refusedRedirect(from, location, response.status);
    [to, request] = next;
  }
}

/** A redirect that a server has sent. */
export interface Redirect {
  readonly from: URL;
  readonly location: string;
  readonly status: number;
}

/** Returns the request for a redirect, without a body if the method changes. Undefined if it cannot be sent. */
export function nextRequest(
  input: string | URL | Request,
  init: RequestInit,
  { from, location, status }: Redirect,
): [URL, RequestInit] | undefined {
  if (!URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from);
  const isRequest = typeof input !== "string" && !(input instanceof URL);
  const { method = isRequest ? input.method : "GET" } = init;
  const headers = init.headers ?? (isRequest ? input.headers : undefined);
  const turnsToGet = (status === 303 && method !== "HEAD") || (status < 303 && method.toUpperCase() === "POST");
  const common = { ...init, ...(headers !== undefined && { headers }) };
  if (!turnsToGet) {
    const { body } = init;
    const canRepeat = body === undefined || body === null || typeof body === "string" || body instanceof Uint8Array;
    return canRepeat && !(isRequest && input.body !== null) ? [to, { ...common, method }] : undefined;
  }
  const { body: _, ...rest } = common;
  const about = ["content-type", "content-length", "content-encoding"];
  const kept = [...pairsOf(headers)].filter(([name]) => !about.includes(name.toLowerCase()));
  return [to, { ...rest, method: "GET", headers: kept }];
}

function pairsOf(headers: RequestInit["headers"]): Iterable<[string, string]> {
  if (headers === undefined) return [];
  return Symbol.iterator in headers ? (headers as Iterable<[string, string]>) : Object.entries(headers);
}

/** Returns the response for a redirect that is not followed, in the form of a server's error. */
export function refusedRedirect(from: URL, location: string, status: number): Response {
  const named = URL.canParse(location, from.href) ? new URL(location, from).origin : location;
  const message = `${from.origin} redirects to ${named}. Requests to a provider are not forwarded, because they carry its key; if you trust the new address, set it as the baseUrl.`;
  const body = JSON.stringify({ type: "error", error: { type: "redirect", message } });
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}
