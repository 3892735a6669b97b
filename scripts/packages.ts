import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAgent, buildRuntime } from "./build.ts";
import { stateNode } from "./node-version.ts";
import { root, step } from "./step.ts";

/** Packs both packages, installs them into an empty folder as a user would, and uses them there. */
stateNode();
await Promise.all([buildRuntime(), buildAgent()]);
let failed = (await step("tsc", ["-p", "packages/runtime/tsconfig.build.json"])) === 0 ? 0 : 1;
const place = mkdtempSync(join(tmpdir(), "hookline-pack-"));
try {
  for (const name of ["runtime", "hookline"])
    copyFileSync(join(root, "LICENSE"), join(root, "packages", name, "LICENSE"));
  for (const name of ["runtime", "hookline"])
    run("npm", ["pack", "--silent", "--pack-destination", place], join(root, "packages", name));
  const tarballs = readdirSync(place).filter((name) => name.endsWith(".tgz"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  run("npm", ["install", "--no-audit", "--no-fund", ...tarballs.map((name) => `./${name}`)], place);
  const version = run(process.execPath, ["node_modules/hookline/bin/hookline.js", "--version"], place);
  check("the command line says its version", /^\d+\.\d+\.\d+$/.test(version.trim()));
  writeFileSync(
    join(place, "use.mjs"),
    'import { createRuntime } from "@hookline/runtime";\nimport { dialects } from "@hookline/runtime/dialects";\nconst runtime = createRuntime({ dialects, home: import.meta.dirname });\nconst session = await runtime.open({ scene: { sessionId: "s", cwd: import.meta.dirname } });\nsession.on("tool.before", () => ({ decision: "deny", reason: "no" }));\nconst { answer } = await session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} });\nconsole.log(answer.decision);\nawait runtime.close();\n',
  );
  check("the library denies what a handler denies", run(process.execPath, ["use.mjs"], place).trim() === "deny");
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.stdout.write(failed === 0 ? "Packages install and work.\n" : "Packages are broken.\n");
process.exitCode = failed === 0 ? 0 : 1;

function run(program: string, args: readonly string[], cwd: string): string {
  const result = spawnSync(program, [...args], { cwd, encoding: "utf8" });
  if (result.status !== 0) {
    failed += 1;
    process.stderr.write(`${program} ${args.join(" ")}: ${result.stderr}\n`);
  }
  return result.stdout;
}

function check(what: string, holds: boolean): void {
  process.stdout.write(`${holds ? "ok    " : "FAILED"}  ${what}\n`);
  if (!holds) failed += 1;
}
