import { appendFileSync } from "node:fs";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { event, tool_name, tool_arguments, tool_result } = JSON.parse(text);
const line = { at: new Date(), event, tool_name, tool_arguments, tool_result };
appendFileSync("audit.jsonl", `${JSON.stringify(line)}\n`);
