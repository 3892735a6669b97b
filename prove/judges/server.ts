import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptReply } from "../../packages/hookline/src/provider/reply.ts";
import { openAiEvents } from "../../packages/hookline/test/support/wire.ts";

/** Writes a faulty response to a judge's request; may leave it open forever. */
export type Fault = (response: ServerResponse) => void;

const stream = (response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "text/event-stream" });
const status = (code: number): Fault => {
  const body = JSON.stringify({ error: { message: `${code}, made by the experiment`, type: "error" } });
  return (response) => void response.writeHead(code, { "content-type": "application/json" }).end(body);
};
const says =
  (text: string): Fault =>
  (response) => {
    stream(response);
    const usage = { input: 11, output: 3 };
    for (const event of openAiEvents({ text: "", usage }, "model")) {
      if (event.includes('"finish_reason":"stop"')) for (const piece of pieces(text)) response.write(piece);
      response.write(event);
    }
    response.end();
  };

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) {
    const delta = { content: text.slice(at, at + 65_536) };
    yield `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta }] })}\n\n`;
  }
}

/** Faults of a judge, each with the required report of its hook's failure. */
export const FAULTS: Readonly<Record<string, readonly [fault: Fault, named: RegExp]>> = {
  "does not answer": [() => {}, /no answer within/],
  "stops half way": [
    (response) => {
      stream(response);
      for (const piece of pieces('{"action"')) response.write(piece);
    },
    /no answer within/,
  ],
  "breaks the connection": [
    (response) => {
      stream(response);
      for (const piece of pieces('{"action"')) response.write(piece, () => response.destroy());
    },
    /the request to the model failed|no JSON object|not valid/,
  ],
  "sends lines that are no JSON": [
    (response) => {
      stream(response);
      response.end("data: {]]broken\n\n");
    },
    /the request to the model failed|no JSON object|not valid/,
  ],
  "says 400": [status(400), /the request to the model failed/],
  "says 401": [status(401), /the request to the model failed/],
  "says 429": [status(429), /the request to the model failed/],
  "says 500": [status(500), /the request to the model failed/],
  "says 529": [status(529), /the request to the model failed/],
  "says 10 MB": [
    says(`{"action":"skip","retry_feedback":"${"x".repeat(10_000_000)}"}`),
    /the request to the model failed|no answer within/,
  ],
  "answers without JSON": [says("I would rather not say."), /holds no JSON object/],
  "answers with a wrong type": [says('{"action": true}'), /action must be/],
};

/** A provider whose judges fail, with counts of its requests. */
export interface JudgeServer extends AsyncDisposable {
  readonly url: string;
  /** Number of requests by hooks, and by the conversation. */
  readonly judged: number;
  readonly turns: number;
  /** Whether a hook's request offered tools, as the conversation's requests do. */
  readonly offered: boolean;
}

/**
 * Starts a provider on loopback: the conversation gets its replies in order, and each judge gets the faulty response.
 */
export async function startJudges(replies: readonly ScriptReply[], fault: Fault): Promise<JudgeServer> {
  let judged = 0;
  let turns = 0;
  let offered = false;
  const server = createServer((request, response) => {
    response.on("error", () => {});
    void bodyOf(request).then((body) => {
      if (body.includes("You are a hook of a coding agent")) {
        judged += 1;
        offered ||= (JSON.parse(body) as { tools?: readonly unknown[] }).tools?.length !== undefined;
        fault(response);
        return;
      }
      stream(response);
      for (const event of openAiEvents(replies[turns++] ?? { text: "more" }, "model")) response.write(event);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get judged() {
      return judged;
    },
    get turns() {
      return turns;
    },
    get offered() {
      return offered;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
