import assert from "node:assert/strict";
import { Project, results } from "../session.ts";

using project = new Project(import.meta.dirname);
project.git("init", "-q");
project.git("commit", "-q", "--allow-empty", "-m", "first");
const { events } = await project.prompt("Commit your work");
const said = results(events);
console.log(`the model read: ${said[0]}`);
assert.match(said[0] ?? "", /Do not commit on main/);
// The second command also starts on main: a hook judges the state before the command runs.
assert.match(said[1] ?? "", /Do not commit on main/);
assert.equal(project.git("log", "--format=%s").trim(), "first");
