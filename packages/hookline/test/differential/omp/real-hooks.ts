/** Runs in omp's own JavaScript engine: asks the real package, and writes down what came of it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BROKEN, loadBroken, runCommands } from "./broken.ts";
import { driveHooks, modules } from "./drive.ts";

const [, , root = "", work = ""] = process.argv;
const questions = JSON.parse(readFileSync(join(work, "questions.json"), "utf8"));
const folder = join(work, "hooks");
mkdirSync(folder);
for (const [name, text] of Object.entries(modules())) writeFileSync(join(folder, name), text);
for (const [name, { text }] of Object.entries(BROKEN)) writeFileSync(join(folder, name), text);
const lib = await import(join(root, "src/extensibility/hooks/index.ts"));
const told = {
  answers: await driveHooks(lib, folder, questions),
  loaded: await loadBroken(lib, folder),
  ran: await runCommands(lib, folder),
};
writeFileSync(join(work, "told.json"), JSON.stringify(told));
process.exit(0);
