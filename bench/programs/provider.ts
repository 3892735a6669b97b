import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ToolCall, wireOf } from "./wires.ts";

/** A model on this machine that repeats the same tool call and measures times. */
export interface TimedProvider {
  readonly url: string;
  /** Resolves when the last reply has ended. */
  expect(what: Expected): Promise<Times>;
  close(): Promise<void>;
}

/** The number of replies with a call; after them, one says "done". */
export interface Expected {
  readonly turns: number;
  readonly call: ToolCall;
  /** Called when the first request has arrived. */
  first?(): void;
  /** Number of pieces of text at the start of each reply with a call, for chat completions. */
  readonly tokens?: number;
  /** The number of characters of a call's arguments that arrive at once; by default all of them. */
  readonly pieces?: number;
}

/** The arrival of each request and the end of each reply, in nanoseconds of `hrtime`. */
export interface Times {
  readonly arrivals: bigint[];
  readonly ends: bigint[];
}

const CHAT = "/v1/chat/completions";

/** Starts the model on its own port; the path of a request decides the format of the answer. */
export async function startTimedProvider(): Promise<TimedProvider> {
  let expected: Expected | undefined;
  let arrivals: bigint[] = [];
  let ends: bigint[] = [];
  let settle: ((times: Times) => void) | undefined;
  /** Long replies are prepared before the clock runs. */
  const made = new Map<string, string>();
  const replyOf = (path: string, index: number): string => {
    const { turns = 0, call, tokens = 0, pieces } = expected ?? {};
    const wire = wireOf("POST", path);
    const id = `call-${index}`;
    const more = pieces === undefined ? {} : { pieces };
    if (wire === undefined || call === undefined) return "";
    return wire(index < turns ? { id, call, tokens, ...more } : { id, text: "done" });
  };
  const server = createServer((request, response) => {
    const arrival = process.hrtime.bigint();
    const wire = wireOf(request.method, request.url);
    request.resume();
    if (wire === undefined || expected === undefined) {
      response.writeHead(404).end("{}");
      return;
    }
    const { turns, first } = expected;
    const index = arrivals.push(arrival) - 1;
    if (index === 0) first?.();
    request.on("end", () => {
      response.once("finish", () => {
        ends.push(process.hrtime.bigint());
        if (index === turns) settle?.({ arrivals, ends });
      });
      // Sends the whole reply at once, so that only the agent takes time.
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      const key = `${request.url} ${index}`;
      response.end(made.get(key) ?? replyOf(request.url ?? "", index));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    expect(what) {
      expected = what;
      arrivals = [];
      ends = [];
      made.clear();
      if (what.pieces !== undefined) made.set(`${CHAT} 0`, replyOf(CHAT, 0));
      return new Promise((resolve) => {
        settle = resolve;
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
