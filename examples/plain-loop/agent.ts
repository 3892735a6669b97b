import assert from "node:assert/strict";
import { createRuntime, type Message } from "@hookline/runtime";
import { jcli } from "@hookline/runtime/dialects";
import { type Reply, scripted } from "./model.ts";

const files: Readonly<Record<string, string>> = { ".env": "TOKEN=1", "notes.txt": "milk" };
const model = scripted([
  { tool: "read", args: { path: ".env" } },
  { tool: "read", args: { path: "notes.txt" } },
  { text: "Milk." },
  { text: "notes.txt says milk." },
]);

const runtime = createRuntime({ dialects: [jcli], runUnapprovedProjectHooks: true });
const messages: Message[] = [];
const scene = { sessionId: "plain", cwd: import.meta.dirname, messages: () => messages };
const hooks = await runtime.open({ scene });
hooks.on("tool.end", function tally({ tool, isError }) {
  console.log(`${tool} ${isError ? "failed" : "ran"}`);
});

const say = (text: string) =>
  void messages.push({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
const { answer } = await hooks.emit("prompt.before", { text: "What is there?" });
say(answer.text ?? "What is there?");
let final = "";
let retryCount = 0;
for (let turn = 0; turn < 10 && final === ""; turn++) {
  const reply: Reply = model(messages);
  if (reply.text === undefined) {
    const call = { tool: reply.tool, args: reply.args, toolCallId: `c${turn}` };
    const { content, isError } = await hooks.wrap(call, ({ path }) => files[path as string] ?? "");
    const { tool: toolName, toolCallId } = call;
    messages.push({ role: "toolResult", toolCallId, toolName, content: [...content], isError, timestamp: Date.now() });
    continue;
  }
  const stop = { prompt: "", reply: reply.text, messages, retryCount, stopHookActive: retryCount > 0 };
  const { feedback } = (await hooks.emit("agent.stop", stop)).answer;
  if (feedback === undefined || feedback.length === 0) final = reply.text;
  else {
    say(feedback.join("\n"));
    retryCount += 1;
  }
}
await runtime.close();

const texts = messages.map((message) => JSON.stringify("content" in message ? message.content : ""));
assert.match(texts[0] ?? "", /Be brief/);
assert.match(texts[1] ?? "", /Not that file/);
assert.match(texts[2] ?? "", /milk/);
assert.match(texts[3] ?? "", /Name the file/);
console.log(final);
assert.equal(final, "notes.txt says milk.");
