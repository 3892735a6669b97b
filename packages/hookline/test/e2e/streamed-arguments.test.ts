import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { startLoopback } from "../support/loopback.ts";

let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

/** A piece of a call's arguments, in each of the protocols. */
const PIECE = /input_json_delta|arguments\.delta"|"function":\{"arguments":"[^"]/;

/** Holds each event back until hooks have seen the pieces before it, however long the program takes. */
function stepByStep(): (event: string) => Promise<void> {
  let sent = 0;
  const seen = (): number => {
    const path = join(place.project, "updates.txt");
    return existsSync(path) ? readFileSync(path, "utf8").length : 0;
  };
  return async (event) => {
    while (seen() < sent) await sleep(2);
    if (PIECE.test(event)) sent += 1;
  };
}

test.each([
  ["openai-completions", "/v1"],
  ["anthropic-messages", ""],
  ["openai-responses", "/v1"],
])("hooks see the arguments of a call grow over %s", async (api, path) => {
  const content = "one line and another ".repeat(12);
  const toolCalls = [{ id: "c", name: "write", arguments: { path: "a.txt", content } }];
  const server = await startLoopback([{ toolCalls, pace: stepByStep() }, { text: "went on" }]);
  const models = [{ id: "m", name: "m", contextWindow: 1_000_000, maxTokens: 100 }];
  const providers = { own: { api, baseUrl: server.url + path, apiKey: "k", models } };
  place.write("~/.hookline/models.json", JSON.stringify({ providers }));
  place.write(
    "~/.pi/agent/extensions/see.ts",
    `import { appendFileSync, writeFileSync } from "node:fs";
     const seen: string[] = [];
     export default (pi) => {
       pi.on("message_update", async (event) => {
         const block = event.message.content.find(({ type }) => type === "toolCall");
         if (block === undefined) return;
         seen.push(structuredClone(block).arguments.content ?? "");
         // For 50 ms what was parsed is shown again.
         if (new Set(seen).size < 6) await new Promise((done) => setTimeout(done, 60));
         appendFileSync("updates.txt", "x");
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
