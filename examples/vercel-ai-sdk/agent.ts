import assert from "node:assert/strict";
import { createRuntime } from "@hookline/runtime";
import { wrapTools } from "@hookline/runtime/ai";
import { dialects } from "@hookline/runtime/dialects";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
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
  doGenerate: [
    calls("bash", { command: "rm -rf /" }),
    calls("bash", { command: "cat .env" }),
    calls("weather", { city: "Ulm" }),
    says("Done."),
  ],
});

const weather = tool({
  inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
  execute: ({ city }) => ({ city, temperature: 21 }),
});
// Runs in the browser.
const confirm = tool({
  inputSchema: jsonSchema<{ text: string }>({ type: "object", properties: { text: { type: "string" } } }),
  outputSchema: jsonSchema<boolean>({ type: "boolean" }),
});

const runtime = createRuntime({ dialects, runUnapprovedProjectHooks: true });
const scene = { sessionId: crypto.randomUUID(), cwd: import.meta.dirname };
// A tool of one's own is named by itself; guards for every tool are asked about it.
const hooks = await runtime.open({ scene, tools: { weather: "weather", confirm: "confirm" } });
const tools = wrapTools(hooks, { bash, weather, confirm });
const { text, steps } = await generateText({ model, prompt: "Clean up", tools, stopWhen: isStepCount(6) });
await runtime.close();

const results = steps.flatMap(({ content }) => content);
const refused = results.find((part) => part.type === "tool-error");
const read = results.find((part) => part.type === "tool-result");
assert.match(String(refused?.error), /does not delete trees/);
assert.equal(read?.output, "TOKEN=[key]");
assert.deepEqual(ran, ["cat .env"]);
// An object stays one, and what runs elsewhere still does.
const forecast = results.findLast((part) => part.type === "tool-result");
assert.deepEqual(forecast?.output, { city: "Ulm", temperature: 21 });
assert.equal(tools.confirm.execute, undefined);
console.log(`${text} The guard refused one call, the redactor edited one result.`);
