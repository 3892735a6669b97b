import assert from "node:assert/strict";
import { Project, results } from "../session.ts";

using project = new Project(import.meta.dirname);
const { events } = await project.prompt("Write both files");
console.log(`the model read: ${results(events)[0]}`);
assert.match(results(events)[0] ?? "", /written by its package manager/);
assert.equal(project.read("package-lock.json"), undefined);
assert.equal(project.read("notes.md"), "# Notes");
