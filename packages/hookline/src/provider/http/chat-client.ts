import { messageOf } from "@hookline/runtime";
import { ApiError, refused, unanswered } from "./api-error.ts";
import { EventLines } from "./event-lines.ts";
import { WireHeaders } from "./headers.ts";
import { fetchAtOrigin } from "./origin.ts";

/** As pi-ai makes OpenAI's client. */
export interface ChatClientOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch?: typeof fetch | undefined;
  /** `null` takes a header away. */
  readonly defaultHeaders?: Readonly<Record<string, string | null | undefined>>;
}

/** How one request is sent. */
export interface ChatRequestOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for the head of the answer. */
  readonly timeout?: number;
}

/** An answer, and the pieces that it carries. */
export interface ChatAnswer {
  readonly data: AsyncIterable<unknown>;
  readonly response: Response;
}

const TIMEOUT_MS = 600_000;
const OPENAI_URL = "https://api.openai.com/v1";

const SYSTEMS: Readonly<Record<string, string>> = {
  android: "Android",
  darwin: "MacOS",
  freebsd: "FreeBSD",
  linux: "Linux",
  openbsd: "OpenBSD",
  win32: "Windows",
};

/** What OpenAI's client of this version says of itself; some gateways know requests by it. */
const ABOUT = new WireHeaders({
  accept: "application/json",
  "content-type": "application/json",
  "x-stainless-arch": ["x64", "arm", "arm64"].includes(process.arch) ? process.arch : `other:${process.arch}`,
  "x-stainless-lang": "js",
  "x-stainless-os": SYSTEMS[process.platform] ?? `Other:${process.platform}`,
  "x-stainless-package-version": "6.40.0",
  "x-stainless-retry-count": "0",
  "x-stainless-runtime": "node",
  "x-stainless-runtime-version": process.version,
});

/**
 * Streams chat completions in the place of OpenAI's client, of which pi-ai needs only this: the same requests, pieces
 * and errors, with less to load at each launch and to run through at each request. It never repeats a request.
 */
export class ChatClient {
  readonly chat = { completions: { create: this.#create.bind(this) } };
  readonly #options: ChatClientOptions;

  constructor(options: ChatClientOptions) {
    this.#options = options;
  }

  #create(body: object, options: ChatRequestOptions = {}): { withResponse(): Promise<ChatAnswer> } {
    return { withResponse: () => this.#send(body, options) };
  }

  async #send(body: object, { signal, timeout }: ChatRequestOptions): Promise<ChatAnswer> {
    const { baseURL, fetch: send = fetchAtOrigin } = this.#options;
    const base = baseURL || OPENAI_URL;
    const url = new URL(`${base.endsWith("/") ? base.slice(0, -1) : base}/chat/completions`).href;
    const headers = this.#headers(timeout);
    const text = JSON.stringify(body);
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    if (signal?.aborted) throw unanswered(undefined, true);
    signal?.addEventListener("abort", abort, { once: true });
    const late = setTimeout(abort, timeout ?? TIMEOUT_MS);
    let response: Response;
    try {
      response = await send(url, {
        method: "POST",
        headers: headers as unknown as Headers,
        body: text,
        signal: stop.signal,
      });
    } catch (thrown) {
      throw unanswered(thrown, signal?.aborted ?? false);
    } finally {
      clearTimeout(late);
    }
    const read = response.headers as unknown as WireHeaders;
    if (!response.ok) throw refused(response.status, read, await response.text().catch(messageOf));
    return { data: pieces(response, read, stop), response };
  }

  #headers(timeout: number | undefined): WireHeaders {
    const { apiKey, defaultHeaders = {} } = this.#options;
    const headers = new WireHeaders(ABOUT);
    headers.set("authorization", `Bearer ${apiKey}`);
    if (timeout !== undefined) headers.set("x-stainless-timeout", String(Math.trunc(timeout / 1000)));
    const organization = fromEnvironment("OPENAI_ORG_ID");
    if (organization !== undefined) headers.set("openai-organization", organization);
    const project = fromEnvironment("OPENAI_PROJECT_ID");
    if (project !== undefined) headers.set("openai-project", project);
    for (const line of fromEnvironment("OPENAI_CUSTOM_HEADERS")?.split("\n") ?? []) {
      const colon = line.indexOf(":");
      if (colon >= 0) headers.set(line.slice(0, colon).trim(), line.slice(colon + 1));
    }
    for (const [name, value] of Object.entries(defaultHeaders)) {
      if (value === null) headers.delete(name);
      else if (value !== undefined) headers.set(name, value);
    }
    return headers;
  }
}

function fromEnvironment(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

/** What comes of a stream that is read to its end; one that is left before that is cut off. */
async function* pieces(response: Response, headers: WireHeaders, stop: AbortController): AsyncGenerator<unknown> {
  const lines = new EventLines();
  let done = false;
  function* parsed(events: readonly string[]): Generator<unknown> {
    for (const data of events) {
      if (done) return;
      done = data.startsWith("[DONE]");
      if (done) return;
      const piece = JSON.parse(data) as { readonly error?: unknown } | null;
      if (piece?.error) throw new ApiError({ error: piece.error, headers });
      yield piece;
    }
  }
  let whole = false;
  try {
    if (response.body === null) throw new Error("Attempted to iterate over a response with no body");
    for await (const bytes of response.body) yield* parsed(lines.read(bytes));
    yield* parsed(lines.end());
    whole = true;
  } catch (thrown) {
    if ((thrown as { readonly name?: unknown } | null)?.name !== "AbortError") throw thrown;
  } finally {
    if (!whole) stop.abort();
  }
}
