import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ToolCall, wireOf } from "./wires.ts";

/** A model on this machine that asks for the same tool call again and again, and watches the clock. */
export interface TimedProvider {
  readonly url: string;
  /** Settles when the last reply has ended. */
  expect(what: Expected): Promise<Times>;
  close(): Promise<void>;
}

/** So many replies with a call, then one that says "done". */
export interface Expected {
  readonly turns: number;
  readonly call: ToolCall;
  /** Called when the first request has arrived. */
  first?(): void;
  /** Pieces of text at the beginning of each reply with a call, where the wire is that of chat completions. */
  readonly tokens?: number;
}

/** The arrival of each request and the end of each reply, in nanoseconds of `hrtime`. */
export interface Times {
  readonly arrivals: bigint[];
  readonly ends: bigint[];
}

/** Starts it on a port of its own; the path of a request says in which form it is answered. */
export async function startTimedProvider(): Promise<TimedProvider> {
  let expected: Expected | undefined;
  let arrivals: bigint[] = [];
  let ends: bigint[] = [];
  let settle: ((times: Times) => void) | undefined;
  const server = createServer((request, response) => {
    const arrival = process.hrtime.bigint();
    const wire = wireOf(request.method, request.url);
    request.resume();
    if (wire === undefined || expected === undefined) {
      response.writeHead(404).end("{}");
      return;
    }
    const { turns, call, tokens = 0, first } = expected;
    const index = arrivals.push(arrival) - 1;
    if (index === 0) first?.();
    request.on("end", () => {
      response.once("finish", () => {
        ends.push(process.hrtime.bigint());
        if (index === turns) settle?.({ arrivals, ends });
      });
      const id = `call-${index}`;
      // The whole reply in one piece, so that nothing but the agent takes time.
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      response.end(wire(index < turns ? { id, call, tokens } : { id, text: "done" }));
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
