// A minimal agent: asks the model, reads the file, asks again. This is the least that any agent must cost.
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";

const [url, prompt, history] = process.argv.slice(2);
const messages = history === undefined ? [] : JSON.parse(readFileSync(history, "utf8"));
messages.push({ role: "user", content: prompt });
const agent = new Agent({ keepAlive: true });

function ask() {
  const body = JSON.stringify({ model: "m1", stream: true, messages });
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(`${url}/chat/completions`, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject).end(body);
  });
}

for (;;) {
  const lines = (await ask()).split("\n").filter((line) => line.startsWith("data: {"));
  const deltas = lines.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta);
  const content = deltas.map((delta) => delta?.content ?? "").join("");
  const delta = deltas.find((one) => one?.tool_calls !== undefined) ?? { role: "assistant", content };
  messages.push(delta);
  if (delta.tool_calls === undefined) break;
  const { id } = delta.tool_calls[0];
  const args = JSON.parse(deltas.map((one) => one?.tool_calls?.[0].function.arguments ?? "").join(""));
  if (args.content !== undefined) writeFileSync(args.path, args.content);
  messages.push({ role: "tool", tool_call_id: id, content: readFileSync(args.path, "utf8") });
}
agent.destroy();
