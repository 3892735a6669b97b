import assert from "node:assert/strict";
import { Project, results } from "../session.ts";

using project = new Project(import.meta.dirname);
const { events, reply } = await project.prompt("What is in config.env?");
const [result] = results(events);
console.log(`the model read: ${result?.trim()}`);
assert.match(result ?? "", /API_KEY=\[token\]/);
assert.equal(JSON.stringify(events).includes("sk-abcdefghijklmnop1234"), false);
assert.equal(reply, "I have read it.");
