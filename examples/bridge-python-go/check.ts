import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// A person's home with a guard, and a project in which two programs of other languages ask.
const top = mkdtempSync(join(tmpdir(), "hookline-example-"));
const [home, project, bin] = ["home", "project", "bin"].map((name) => join(top, name)) as [string, string, string];
for (const folder of [home, project, bin, join(home, ".claude")]) mkdirSync(folder);
const guard = "if grep -q 'push --force'; then echo 'no force' >&2; exit 2; fi";
const PreToolUse = [{ matcher: "Bash", hooks: [{ type: "command", command: guard }] }];
writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse } }));
const hookline = join(import.meta.dirname, "../../packages/hookline/bin/hookline.js");
writeFileSync(join(bin, "hookline"), `#!/bin/sh\nexec "${process.execPath}" "${hookline}" "$@"\n`);
chmodSync(join(bin, "hookline"), 0o755);
for (const name of ["ask.py", "ask.go"]) cpSync(join(import.meta.dirname, name), join(project, name));
const PATH = `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}`;
const go = { GO111MODULE: "off", GOCACHE: join(top, "go"), ...goRoot() };
const inProject = { cwd: project, env: { PATH, HOME: home, ...go }, encoding: "utf8" } as const;

const expected = "ls: allow\ngit push --force: deny no force\n";
const commands = ["ls", "git push --force"];
try {
  assert.equal(execFileSync("python3", ["ask.py", ...commands], inProject), expected);
  console.log("python: one call allowed, one refused");
  if (spawnSync("go", ["version"], inProject).status === 0) {
    assert.equal(execFileSync("go", ["run", "ask.go", ...commands], inProject), expected);
    console.log("go: the same");
  } else console.log("go: left out, because there is no go");
  execFileSync("hookline", ["bridge", "stop"], inProject);
  const daemons = () => JSON.parse(execFileSync("hookline", ["bridge", "status", "--json"], inProject)).daemons;
  for (let tries = 0; tries < 20 && daemons().length > 0; tries++) await new Promise((done) => setTimeout(done, 500));
  // A program that cannot ask refuses: with this search path it finds no hookline that it could start.
  rmSync(join(bin, "hookline"));
  const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], inProject).trim();
  const away = execFileSync(python, ["ask.py", "ls"], { ...inProject, env: { ...inProject.env, PATH: bin } });
  assert.match(away, /^ls: deny hookline is not reachable/);
  console.log("without a daemon: refused");
} finally {
  spawnSync(process.execPath, [hookline, "bridge", "stop"], inProject);
  rmSync(top, { recursive: true, force: true });
}

function goRoot(): Record<string, string> {
  const root = process.env["GOROOT"];
  return root === undefined ? {} : { GOROOT: root };
}
