import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildAgent, buildRuntime } from "./build.ts";
import { stateNode } from "./node-version.ts";
import { root, step } from "./step.ts";

/** The programs of the examples that check themselves; they use what is built, as its users do. */
export function examplePrograms(): { readonly name: string; readonly file: string }[] {
  return readdirSync(join(root, "examples")).flatMap((name) => {
    const file = ["agent.ts", "check.ts"].map((entry) => join(root, "examples", name, entry)).find(existsSync);
    return file === undefined ? [] : [{ name, file }];
  });
}

if (import.meta.main) {
  stateNode();
  await Promise.all([buildRuntime(), buildAgent()]);
  const wanted = process.argv.slice(2);
  const programs = examplePrograms().filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  let failed = wanted.filter((name) => !programs.some((program) => program.name === name)).length;
  for (const { name, file } of programs) {
    process.stdout.write(`\n${name}\n`);
    if ((await step("node", [file])) !== 0) failed += 1;
  }
  process.stdout.write(`\n${programs.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
