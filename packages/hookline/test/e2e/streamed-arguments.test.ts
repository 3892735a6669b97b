import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { startLoopback } from "../support/loopback.ts";

let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

test.each([
  ["openai-completions", "/v1"],
  ["anthropic-messages", ""],
  ["openai-responses", "/v1"],
])("hooks see the arguments of a call grow over %s", async (api, path) => {
  const content = "one line and another ".repeat(12);
  const toolCalls = [{ id: "c", name: "write", arguments: { path: "a.txt", content } }];
  const server = await startLoopback([{ toolCalls, tokensPerSecond: 100 }, { text: "went on" }]);
  const models = [{ id: "m", name: "m", contextWindow: 1_000_000, maxTokens: 100 }];
  const providers = { own: { api, baseUrl: server.url + path, apiKey: "k", models } };
  place.write("~/.hookline/models.json", JSON.stringify({ providers }));
  place.write(
    "~/.pi/agent/extensions/see.ts",
    `import { writeFileSync } from "node:fs";
     const seen: string[] = [];
     export default (pi) => {
       pi.on("message_update", (event) => {
         const block = event.message.content.find(({ type }) => type === "toolCall");
         if (block !== undefined) seen.push(structuredClone(block).arguments.content ?? "");
       });
       pi.on("tool_call", () => writeFileSync("seen.json", JSON.stringify(seen)));
     };`,
  );
  const ran = await place.run(["--model", "own/m", "-p", "go"]);
  await server.close();
  expect([ran.code, ran.out, ran.err]).toEqual([0, "went on\n", ""]);
  expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe(content);
  const seen = JSON.parse(readFileSync(join(place.project, "seen.json"), "utf8")) as string[];
  for (const [i, text] of seen.entries())
    expect(content.startsWith(text) && text.startsWith(seen[i - 1] ?? "")).toBe(true);
  expect(new Set(seen).size).toBeGreaterThan(3);
  expect(seen.at(-1)).toBe(content);
});
