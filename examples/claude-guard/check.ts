import assert from "node:assert/strict";
import { Project, results } from "../session.ts";

using project = new Project(import.meta.dirname);
const { events, reply } = await project.prompt("Publish it");
const [push = "", read = ""] = results(events);
console.log(`the model read: ${push}\nthe model read: ${read}\nthe reply: ${reply}`);
assert.match(push, /Push a branch of your own/);
assert.match(read, /permissions\.deny/);
assert.equal(project.read("CHANGELOG.md"), "Changed.");
assert.equal(reply, "Done, with the change log.");
