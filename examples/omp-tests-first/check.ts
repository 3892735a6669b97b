import assert from "node:assert/strict";
import { Project } from "../session.ts";

using project = new Project(import.meta.dirname);
const { reply, events } = await project.prompt("Is add() right?");
const replies = events.filter(({ type, message }) => type === "message_end" && message.role === "assistant");
console.log(`${replies.length} replies, the last one: ${reply}`);
assert.equal(reply, "Now it is.");
assert.match(project.read("sum.js") ?? "", /a \+ b/);
