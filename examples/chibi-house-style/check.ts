import assert from "node:assert/strict";
import { Project } from "../session.ts";

using project = new Project(import.meta.dirname);
const { reply } = await project.prompt("Do you know the rules?");
console.log(`the model said: ${reply}`);
assert.equal(reply, "I know the rules.");
