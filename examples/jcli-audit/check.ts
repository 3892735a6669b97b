import assert from "node:assert/strict";
import { Project } from "../session.ts";

using project = new Project(import.meta.dirname);
await project.prompt("Write a file and show it");
const lines = (project.read("audit.jsonl") ?? "")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
for (const { event, tool_name, tool_arguments = "", tool_result = "" } of lines)
  console.log(`${event} ${tool_name} ${tool_arguments}${tool_result.trim()}`);
const asked = lines.filter(({ event }) => event === "pre_tool_execution");
const done = lines.filter(({ event }) => event === "post_tool_execution");
assert.deepEqual(
  asked.map(({ tool_name }) => tool_name),
  ["Write", "Bash"],
);
assert.deepEqual(done.map(({ tool_name }) => tool_name).sort(), ["Bash", "Write"]);
assert.ok(asked.every(({ tool_arguments }) => typeof JSON.parse(tool_arguments) === "object"));
assert.ok(done.every(({ tool_result }) => tool_result.length > 0));
