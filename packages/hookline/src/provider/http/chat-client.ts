import { messageOf } from "@hookline/ground";
import { ApiError, pageInstead, refused, unanswered } from "./api-error.ts";
import { BodyWriter } from "./body.ts";
import { EventLines } from "./event-lines.ts";
import { wireFetch } from "./fetch.ts";
import { WireHeaders } from "./headers.ts";

/** The options with which pi-ai creates OpenAI's client. */
export interface ChatClientOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch?: typeof fetch | undefined;
  /** Headers of each request; `null` removes a header. */
  readonly defaultHeaders?: Readonly<Record<string, string | null | undefined>>;
}

/** Aborts one request, and limits its time. */
export interface ChatRequestOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for the response's headers, in ms. */
  readonly timeout?: number;
}

/** A response and its chunks. */
export interface ChatAnswer {
  readonly data: AsyncIterable<unknown>;
  readonly response: Response;
}

const TIMEOUT_MS = 600_000;
const OPENAI_URL = "https://api.openai.com/v1";

/** One writer for all requests, because each body usually starts like the previous one. */
const writer = new BodyWriter();

/**
 * The agent's client for the chat-completions protocol. pi-ai creates it in place of OpenAI's
 * (scripts/replaced-modules.ts), so it has the members that pi-ai uses. Only the new part of a body is serialized, so a
 * long conversation does not make each request slower. Never retries.
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
    const { baseURL, fetch: send = wireFetch } = this.#options;
    const base = baseURL || OPENAI_URL;
    const url = new URL(`${base.endsWith("/") ? base.slice(0, -1) : base}/chat/completions`).href;
    const headers = this.#headers();
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    if (signal?.aborted) throw unanswered(undefined, true);
    signal?.addEventListener("abort", abort, { once: true });
    const { bytes, release } = writer.write(body);
    const late = setTimeout(abort, timeout ?? TIMEOUT_MS);
    let response: Response;
    try {
      const init = {
        method: "POST",
        headers: headers as unknown as Headers,
        body: bytes as BodyInit,
        signal: stop.signal,
      };
      // A `fetch` other than `wireFetch` never calls `release`, so the bytes of this body are then not reused.
      response = await (send as typeof wireFetch)(url, init, release);
    } catch (thrown) {
      throw unanswered(thrown, signal?.aborted ?? false);
    } finally {
      clearTimeout(late);
    }
    const answered = response.headers as unknown as WireHeaders;
    if (!response.ok) throw refused(response.status, answered, await response.text().catch(messageOf));
    if (answered.get("content-type")?.startsWith("text/html")) {
      stop.abort();
      throw pageInstead(url);
    }
    return { data: pieces(response, answered, stop), response };
  }

  #headers(): WireHeaders {
    const { apiKey, defaultHeaders = {} } = this.#options;
    const headers = new WireHeaders({
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${apiKey}`,
    });
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

function read(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    const begin = data.length > 100 ? `${data.slice(0, 100)}…` : data;
    throw new ApiError({ message: `The server sent a part of the reply that is not JSON: ${begin}` }, cause);
  }
}

/** Returns the chunks of a stream; if the caller stops before its end, the request is aborted. */
async function* pieces(response: Response, headers: WireHeaders, stop: AbortController): AsyncGenerator<unknown> {
  const lines = new EventLines();
  let done = false;
  function* parsed(events: readonly string[]): Generator<unknown> {
    for (const data of events) {
      if (done) return;
      done = data.startsWith("[DONE]");
      if (done) return;
      const piece = read(data) as { readonly error?: unknown } | null;
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

/** The export that importers of OpenAI's module expect. */
export { ChatClient as default };
