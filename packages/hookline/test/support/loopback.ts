import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { heardInChat } from "../../src/provider/chat.ts";
import { replySequence } from "../../src/provider/script.ts";
import {
  anthropicEvents,
  anthropicFailure,
  googleEvents,
  googleFailure,
  googleWhole,
  openAiEvents,
  openAiFailure,
  responsesEvents,
  type WireReply,
} from "./wire.ts";

const completions = { events: openAiEvents, failure: openAiFailure };
const protocols: readonly (readonly [RegExp, Protocol])[] = [
  [/\/chat\/completions$/, completions],
  [/\/messages$/, { events: anthropicEvents, failure: anthropicFailure }],
  [/\/responses$/, { events: responsesEvents, failure: openAiFailure }],
  [/:streamGenerateContent$/, { events: googleEvents, failure: googleFailure }],
  [/:generateContent$/, { events: googleWhole, failure: googleFailure }],
];

interface Protocol {
  events(reply: WireReply, model: string): Iterable<string>;
  failure(failure: { readonly status: number; readonly message: string }): object;
}

/**
 * A fault of a response: `hang` never answers, `stall` stops half way and keeps the connection open, `drop` breaks it
 * half way, `cut` ends it half way as if it were complete, `garbage` sends lines that are not JSON, `drip` sends every
 * byte separately.
 */
export type Fault = "hang" | "stall" | "drop" | "cut" | "garbage" | "drip";

/** A reply of the scripted model, and how the line behaves. `error` becomes the status and body of the response. */
export interface LoopbackReply extends WireReply {
  readonly fault?: Fault;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Is given each server-sent event before it is sent, and can hold it back. */
  pace?(event: string): Promise<void>;
}

/** A request as it came in; `body` is its JSON. */
export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: any;
  /** Settles when the client has hung up or the response has ended. */
  readonly closed: Promise<void>;
}

/** Replies in order, or a function that is asked for each request (counted from 0). */
export type LoopbackScript =
  | readonly LoopbackReply[]
  | ((request: LoopbackRequest, index: number) => LoopbackReply | Promise<LoopbackReply>);

/**
 * A running server. `url` has no path; there are `/v1/chat/completions`, `/v1/messages`, `/v1/responses` and
 * `/v1beta/models/NAME:streamGenerateContent` and `:generateContent`, which has a text alone.
 */
export interface Loopback {
  readonly url: string;
  readonly requests: readonly LoopbackRequest[];
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1 that streams as OpenAI's, Anthropic's and Google's do. */
export async function startLoopback(script: LoopbackScript): Promise<Loopback> {
  const requests: LoopbackRequest[] = [];
  const answer = typeof script === "function" ? script : inOrder(script);
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers, body: text === "" ? undefined : JSON.parse(text), closed };
    const index = requests.push(request) - 1;
    const bare = path.split("?")[0] ?? "";
    const protocol = protocols.find(([pattern]) => pattern.test(bare))?.[1] ?? completions;
    try {
      const reply = await answer(request, index);
      await send(response, reply, protocol, String(request.body?.model ?? ""));
    } catch (thrown) {
      const failure = { status: 400, message: (thrown as Error).message };
      finish(response, failure.status, {}, protocol.failure(failure));
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function inOrder(replies: readonly LoopbackReply[]) {
  const next = replySequence(replies, "replies", "of the loopback server");
  return (request: LoopbackRequest): LoopbackReply => next(heardInChat(request.body), "turn");
}

async function send(response: ServerResponse, reply: LoopbackReply, protocol: Protocol, model: string): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (reply.fault === "hang") return;
  const headers = { "x-request-id": "req_loopback", ...reply.headers };
  if (reply.error !== undefined) {
    const { status = 500, message } = reply.error;
    const body = protocol.failure({ status, message });
    finish(response, status, headers, body);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
  const events = [...protocol.events(reply, model)];
  const half = ["stall", "drop", "cut"].includes(reply.fault ?? "");
  for (const event of half ? events.slice(0, Math.ceil(events.length / 2)) : events) {
    await reply.pace?.(event);
    if (response.destroyed) return;
    if (reply.fault === "drip") {
      for (const byte of Buffer.from(event, "utf8")) {
        response.write(Buffer.of(byte));
        await breathe();
      }
    } else response.write(reply.fault === "garbage" ? event.replace(/data: .*/, "data: {]]broken") : event);
    await (reply.tokensPerSecond === undefined ? breathe() : sleep(1000 / reply.tokensPerSecond));
  }
  if (reply.fault === "drop") response.destroy();
  else if (reply.fault !== "stall") response.end();
}

function finish(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
