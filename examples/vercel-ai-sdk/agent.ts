import assert from "node:assert/strict";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { openHooks } from "./hooked.ts";
import { calls, says } from "./script.ts";

const ran: string[] = [];
const bash = tool({
  description: "Runs a command",
  inputSchema: jsonSchema<{ command: string }>({ type: "object", properties: { command: { type: "string" } } }),
  execute: async ({ command }) => {
    ran.push(command);
    return "TOKEN=sk-12345";
  },
});
const model = new MockLanguageModelV4({
  doGenerate: [calls("bash", { command: "rm -rf /" }), calls("bash", { command: "cat .env" }), says("Done.")],
});

const hooks = await openHooks(import.meta.dirname, { bash });
const { tools } = hooks;
const { text, steps } = await generateText({ model, prompt: "Clean up", tools, stopWhen: isStepCount(5) });
await hooks.close();

const results = steps.flatMap(({ content }) => content);
const refused = results.find((part) => part.type === "tool-error");
const read = results.find((part) => part.type === "tool-result");
assert.match(String(refused?.error), /does not delete trees/);
assert.equal(read?.output, "TOKEN=[key]");
assert.deepEqual(ran, ["cat .env"]);
console.log(`${text} The guard refused one call, the redactor edited one result.`);
