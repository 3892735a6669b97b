import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { WireHeaders } from "./headers.ts";

/** A response in the form of the fetch standard, with the members that the providers' clients use. */
export class WireResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers = new WireHeaders();
  readonly url: string;
  readonly redirected = false;
  readonly type = "basic";
  /** The content; `null` if a response with its status has no body. */
  readonly body: WireBody | null;

  /** `content` is the decompressed body of the message. */
  constructor(message: IncomingMessage, content: Readable, url: string) {
    this.status = message.statusCode ?? 0;
    this.statusText = message.statusMessage ?? "";
    this.url = url;
    for (let i = 0; i + 1 < message.rawHeaders.length; i += 2)
      this.headers.append(message.rawHeaders[i] as string, message.rawHeaders[i + 1] as string);
    this.body = [101, 103, 204, 205, 304].includes(this.status) ? null : new WireBody(content);
    if (this.body === null) content.resume();
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get bodyUsed(): boolean {
    return this.body?.used ?? false;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = await this.#bytes();
    return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.#bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async #bytes(): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

/** The bytes of a response, which can be read once: with a loop, or chunk by chunk with a reader. */
export class WireBody implements AsyncIterable<Uint8Array> {
  readonly #content: Readable;
  used = false;

  constructor(content: Readable) {
    this.#content = content;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    if (this.used) throw new TypeError("The body of this response was read already.");
    this.used = true;
    return new Chunks(this.#content);
  }

  getReader(): {
    read(): Promise<IteratorResult<Uint8Array, undefined>>;
    cancel(): Promise<void>;
    releaseLock(): void;
  } {
    const chunks = this[Symbol.asyncIterator]();
    return {
      read: () => chunks.next(),
      cancel: async () => void (await chunks.return?.()),
      releaseLock() {},
    };
  }

  async cancel(): Promise<void> {
    this.used = true;
    this.#content.destroy();
  }
}

/**
 * The maximum length of a line, in bytes: longer than any line of a reply within the limits. Without it, a line without
 * end would be collected until memory runs out.
 */
const MOST_LINE_BYTES = 64 << 20;

/** The number of buffered chunks at which the connection is paused. */
const WAITING = 16;

/**
 * Returns the chunks of a stream to one reader, each as soon as it arrives. Node's own iterator handles all kinds of
 * streams, which takes much of the time of a short response.
 */
class Chunks implements AsyncIterator<Uint8Array> {
  readonly #from: Readable;
  readonly #chunks: Uint8Array[] = [];
  #ended = false;
  #failure: { readonly thrown: unknown } | undefined;
  #wake: (() => void) | undefined;
  #lineBytes = 0;

  constructor(from: Readable) {
    this.#from = from;
    from.on("data", (chunk: Uint8Array) => {
      const end = chunk.lastIndexOf(10);
      this.#lineBytes = end < 0 ? this.#lineBytes + chunk.length : chunk.length - end - 1;
      if (this.#lineBytes > MOST_LINE_BYTES)
        from.destroy(new Error(`The provider sent a line of more than ${MOST_LINE_BYTES} bytes, which no reply has.`));
      if (this.#chunks.push(chunk) >= WAITING) from.pause();
      this.#wake?.();
    });
    from.once("end", () => {
      this.#ended = true;
      this.#wake?.();
    });
    from.on("error", (thrown) => this.#fail(thrown));
    from.once("close", () => {
      if (!this.#ended) this.#fail(Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" }));
    });
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const value = this.#chunks.shift();
      if (value !== undefined) {
        if (this.#chunks.length === 0) this.#from.resume();
        return { done: false, value };
      }
      if (this.#failure !== undefined) throw this.#failure.thrown;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#ended = true;
    this.#from.destroy();
    return { done: true, value: undefined };
  }

  #fail(thrown: unknown): void {
    this.#failure ??= { thrown: asCutOff(thrown) };
    this.#wake?.();
  }
}

/** Converts the error of a broken connection to that of Node's `fetch`, which is recognised as retryable. */
function asCutOff(thrown: unknown): unknown {
  const { code } = thrown as { readonly code?: unknown };
  return code === "ECONNRESET" ? new TypeError("terminated", { cause: thrown }) : thrown;
}
