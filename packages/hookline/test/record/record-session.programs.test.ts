import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import { expect, onTestFinished, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { type LoopbackReply, startLoopback } from "../support/loopback.ts";

const WIRES: Readonly<Record<string, string>> = {
  "openai-completions": "/v1",
  "openai-responses": "/v1",
  "anthropic-messages": "",
  "google-generative-ai": "/v1beta",
};

/** Ten replies, the first with one call and the last with ten; each call has arguments of its own. */
const REPLIES: readonly LoopbackReply[] = Array.from({ length: 10 }, (_, reply) => ({
  text: `Reply ${reply + 1}.`,
  toolCalls: Array.from({ length: reply + 1 }, (_, call) => ({
    id: `call_${reply}_${call}`,
    name: "ls",
    arguments: { path: ".", limit: 1 + reply * 10 + call },
  })),
}));

type Message = { readonly role: string; readonly content: readonly { readonly type: string }[] };

/** The calls of each reply, with their arguments. */
function callsOf(messages: readonly Message[]): unknown[] {
  const replies = messages.filter(({ role }) => role === "assistant");
  return replies.map(({ content }) =>
    content.flatMap((block) => {
      const { type, arguments: args } = block as { readonly type: string; readonly arguments?: unknown };
      return type === "toolCall" ? [args] : [];
    }),
  );
}

test.each(Object.entries(WIRES))(
  "a recording of everything has the session's own calls, over %s",
  async (api, path) => {
    const server = await startLoopback([...REPLIES, { text: "Over." }]);
    const at = new Workplace();
    onTestFinished(async () => {
      at.remove();
      await server.close();
    });
    const model = { id: "m1", contextWindow: 100_000, maxTokens: 1000 };
    const provider = { baseUrl: `${server.url}${path}`, api, apiKey: "k", models: [model] };
    at.write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }));
    expect(await at.run(["--record=all", "--model", "loop/m1", "-p", "go"])).toMatchObject({ code: 0, out: "Over.\n" });

    const below = (folder: string, ending: string): string => {
      const top = join(at.home, ".hookline", folder);
      const names = readdirSync(top, { recursive: true, encoding: "utf8" });
      return join(top, names.find((name) => name.endsWith(ending)) as string);
    };
    const session = readFileSync(below("sessions", ".jsonl"), "utf8").trimEnd().split("\n");
    const said = session.flatMap((line) => (JSON.parse(line) as { message?: Message }).message ?? []);
    const asked = [...REPLIES.map(({ toolCalls }) => toolCalls?.map((call) => call.arguments)), []];
    expect(callsOf(said)).toEqual(asked);

    const ended: Message[] = [];
    const contexts: unknown[] = [];
    const requests: string[] = [];
    const reader = readRecording(below("recordings", ".jsonl"));
    for await (const { event, payload } of reader.moments()) {
      if (event === "message.end") ended.push((payload as { message: Message }).message);
      if (event === "model.context") contexts.push(callsOf((payload as { messages: Message[] }).messages));
      if (event === "model.request") requests.push(JSON.stringify(payload));
    }
    reader.close();
    expect(callsOf(ended)).toEqual(asked);
    expect(contexts).toEqual(Array.from({ length: 11 }, (_, replies) => asked.slice(0, replies)));
    expect(requests).toHaveLength(11);
    for (const args of asked.flat()) expect(requests.at(-1)).toContain(`"limit":${args?.["limit"] as number}`);
  },
);
