import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model on this machine that asks for the same tool call again and again, and watches the clock. */
export interface TimedProvider {
  readonly url: string;
  /**
   * From now on: so many replies that call `read`, then one that says "done". Settles with the arrival of each request
   * and the end of each reply, in nanoseconds of `hrtime`, when the last reply has ended. `first` is called when the
   * first request has arrived. Each reply with a call begins with so many pieces of text.
   */
  expect(
    turns: number,
    first?: () => void,
    tokens?: number,
  ): Promise<{ readonly arrivals: bigint[]; readonly ends: bigint[] }>;
  close(): Promise<void>;
}

/** Starts it on a port of its own, in the form of OpenAI's chat completions. */
export async function startTimedProvider(path: string): Promise<TimedProvider> {
  let turns = 0;
  let arrivals: bigint[] = [];
  let ends: bigint[] = [];
  let first: (() => void) | undefined;
  let tokens = 0;
  let settle: ((times: { arrivals: bigint[]; ends: bigint[] }) => void) | undefined;
  const server = createServer((request, response) => {
    const index = arrivals.push(process.hrtime.bigint()) - 1;
    if (index === 0) first?.();
    request.resume();
    request.on("end", () => {
      response.once("finish", () => {
        ends.push(process.hrtime.bigint());
        if (index === turns) settle?.({ arrivals, ends });
      });
      reply(response, index < turns ? { call: `call-${index}`, path, tokens } : { text: "done" });
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    expect(count, onFirst, many = 0) {
      tokens = many;
      turns = count;
      arrivals = [];
      ends = [];
      first = onFirst;
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

type Reply = { readonly text: string } | { readonly call: string; readonly path: string; readonly tokens: number };

/** The whole reply in one piece, so that nothing but the agent takes time. */
function reply(response: ServerResponse, what: Reply): void {
  const delta =
    "text" in what
      ? { role: "assistant", content: what.text }
      : {
          role: "assistant",
          tool_calls: [
            {
              index: 0,
              id: what.call,
              type: "function",
              function: { name: "read", arguments: JSON.stringify({ path: what.path }) },
            },
          ],
        };
  const about = { id: "c", object: "chat.completion.chunk", created: 0, model: "m1" };
  const token = { ...about, choices: [{ index: 0, delta: { content: "token " }, finish_reason: null }] };
  const chunks = [
    ...Array.from({ length: "text" in what ? 0 : what.tokens }, () => token),
    { ...about, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...about, choices: [{ index: 0, delta: {}, finish_reason: "text" in what ? "stop" : "tool_calls" }] },
    { ...about, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
  ];
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`);
}
