import assert from "node:assert/strict";
import { Project, results } from "../session.ts";

using project = new Project(import.meta.dirname);
const { events } = await project.prompt("Look around");
const said = results(events);
console.log(said.map((line) => `the model read: ${line.trim()}`).join("\n"));
assert.match(said[0] ?? "", /at home/);
assert.match(said[1] ?? "", /need a person's yes/);
