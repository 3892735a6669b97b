import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildForTests } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root, step } from "./step.ts";

/** Returns the self-checking programs of the examples; they use the built packages, as users do. */
export function examplePrograms(): { readonly name: string; readonly file: string; readonly needs?: string }[] {
  return readdirSync(join(root, "examples")).flatMap((name) => {
    const file = ["agent.ts", "check.ts"].map((entry) => join(root, "examples", name, entry)).find(existsSync);
    const needs = name.split("-").includes("python") ? { needs: "python3" } : {};
    return file === undefined ? [] : [{ name, file, ...needs }];
  });
}

/** Whether a program is installed. */
export function isHere(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

if (import.meta.main) {
  const all = examplePrograms();
  const { words } = commandLine({
    name: "examples",
    says: "Runs the examples; each checks its own result.",
    words: { called: "NAME", says: "only these", known: all.map(({ name }) => name) },
  });
  await buildForTests();
  const programs = all.filter(({ name }) => words.length === 0 || words.includes(name));
  let failed = 0;
  let ran = 0;
  for (const { name, file, needs } of programs) {
    if (needs !== undefined && !isHere(needs)) {
      process.stdout.write(`\n${name}: left out, because there is no ${needs}\n`);
      continue;
    }
    process.stdout.write(`\n${name}\n`);
    ran += 1;
    if ((await step("node", [file])) !== 0) failed += 1;
  }
  process.stdout.write(`\n${ran - failed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
