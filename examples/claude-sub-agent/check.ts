import assert from "node:assert/strict";
import { Project, results } from "../session.ts";

using project = new Project(import.meta.dirname);
const { events } = await project.prompt("Find the port");
const own = events.filter(({ type }) => type === "subagent_event").map(({ event }) => event);
const [refused = ""] = results(own);
const [, found = ""] = results(events);
console.log(`the sub-agent read: ${refused}\nthe agent read: ${found}`);
assert.match(refused, /A researcher only reads the log/);
assert.equal(project.read("note.txt"), "mine\n");
assert.equal(found, "It is 8080. Source: config.txt");
