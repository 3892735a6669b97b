import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { FrozenConsent, lockPath, lockText } from "../../src/consent/lock-file.ts";
import { exercise, furnished, type Project } from "./kit.ts";

const DIALECTS = ["pi", "omp", "jcli", "chibi"];

let project: Project;

beforeEach(async () => {
  project = furnished();
  const approvals = await project.approve();
  const path = lockPath(project.cwd, systemFiles);
  writeFileSync(path, lockText(path, approvals, DIALECTS));
  project.store.revoke(() => true);
});

afterEach(() => project.remove());

async function states(): Promise<Record<string, string>> {
  await using opened = await project.open("frozen");
  await exercise(opened);
  return Object.fromEntries(
    opened.session.report.sources.map(({ lane, line, state }) => [
      `${lane}${line === undefined ? "" : `:${line}`}`,
      state,
    ]),
  );
}

test("what it lists runs, though nobody has approved it on this machine", async () => {
  expect(new Set(Object.values(await states()))).toEqual(new Set(["runs"]));
  expect(project.ran()).toContain("jcli");
});

test("it holds for a copy of the project at another place, and from a folder inside it", async () => {
  const other = join(project.top, "elsewhere/deep/down");
  mkdirSync(join(other, ".."), { recursive: true });
  cpSync(project.cwd, other, { recursive: true });
  project.cwd = other;
  expect(new Set(Object.values(await states()))).toEqual(new Set(["runs"]));
  mkdirSync(join(other, "src"));
  expect(new FrozenConsent(join(other, "src"), systemFiles).path).toBe(join(other, "hookline.lock"));
});

test("hooks, rules and plugins of a project's Claude settings hold for a copy elsewhere, with another home", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] };
  const settings = {
    enabledPlugins: { "g@m": true },
    extraKnownMarketplaces: { m: { source: { source: "directory", path: "./market" } } },
    permissions: { deny: ["Read(/secret/**)"] },
    hooks,
  };
  const market = { name: "m", owner: { name: "o" }, plugins: [{ name: "g", source: "./g" }] };
  project.write(".claude/settings.json", JSON.stringify(settings));
  project.write("market/.claude-plugin/marketplace.json", JSON.stringify(market));
  project.write("market/g/.claude-plugin/plugin.json", JSON.stringify({ name: "g" }));
  project.write("market/g/hooks/hooks.json", JSON.stringify({ hooks }));
  const approvals = await project.approve();
  const path = project.path("hookline.lock");
  writeFileSync(path, lockText(path, approvals, [...DIALECTS, "claude"]));
  expect(readFileSync(path, "utf8")).not.toContain(project.top);
  const other = join(project.top, "elsewhere/deep");
  cpSync(project.cwd, other, { recursive: true });
  await using opened = await Object.assign(project, { cwd: other, home: join(project.top, "home2") }).open("frozen");
  const own = opened.session.report.sources.filter(({ dialect }) => dialect === "claude");
  expect(own.map(({ state }) => state)).toEqual(["runs", "runs", "runs"]);
});

test("what has changed since does not run, and the remedy names the lock file", async () => {
  project.write("scripts/second.sh", "#!/bin/sh\necho changed\n", "x");
  project.write(".omp/hooks/pre/more.ts", "export default () => {};\n");
  await using opened = await project.open("frozen");
  const refused = opened.session.report.sources.filter(({ state }) => state === "untrusted");
  expect(refused.map(({ path }) => path.slice(project.cwd.length + 1))).toEqual([
    ".jcli/hooks.yaml",
    // New code in its folder, too, is not as it was locked.
    ".omp/hooks/pre/guard.ts",
    ".omp/hooks/pre/more.ts",
  ]);
  expect(opened.diagnostics.map(({ code }) => code)).toEqual(["TRUST_CHANGED", "TRUST_CHANGED", "UNTRUSTED"]);
  expect(opened.diagnostics[0]?.hint).toMatch(
    /second\.sh differs from what .*hookline\.lock lists.*trust approve --lock/,
  );
});

test("without the file nothing of the project runs, whatever is approved on this machine", async () => {
  rmSync(project.path("hookline.lock"));
  await project.approve();
  expect(new Set(Object.values(await states()))).toEqual(new Set(["untrusted"]));
  expect(project.ran()).toEqual([]);
});

test.each(["", "{}", '{"version":1,"hooks":[{}]}', "null"])("a damaged file %j is refused by name", (text) => {
  project.write("hookline.lock", text);
  expect(() => new FrozenConsent(project.cwd, systemFiles)).toThrow(/hookline\.lock cannot be read/);
});

test("its text does not depend on the place, the time or the order of approval", async () => {
  const before = readFileSync(project.path("hookline.lock"), "utf8");
  expect(before).not.toContain(project.top);
  const moved = join(project.top, "moved");
  renameSync(project.cwd, moved);
  project.cwd = moved;
  const approvals = [...(await project.approve())].reverse();
  expect(lockText(project.path("hookline.lock"), approvals, DIALECTS)).toBe(before);
});

describe("a lock of version 2, which was written by the former rule", () => {
  /** Writes the lock as the former version did: data that a hook only names is listed, and nothing says what is open. */
  const asFormer = (more: Readonly<Record<string, string>> = {}): void => {
    const lock = JSON.parse(readFileSync(project.path("hookline.lock"), "utf8"));
    for (const hook of lock.hooks) {
      for (const name of ["rule", "data", "modules", "inRoot", "bound"]) delete hook[name];
      if (hook.definition.includes("check.sh"))
        for (const [path, sha256] of Object.entries(more)) hook.files.push({ path, sha256 });
    }
    project.write("hookline.lock", JSON.stringify({ ...lock, version: 2 }));
  };

  test("is judged by its own list", async () => {
    project.write("notes.txt", "a");
    asFormer({ "notes.txt": createHash("sha256").update("a").digest("hex") });
    expect(new Set(Object.values(await states()))).toEqual(new Set(["runs"]));
    project.write("notes.txt", "b");
    expect(Object.values(await states()).sort()).toEqual(["runs", "runs", "runs", "runs", "untrusted"]);
    expect(new FrozenConsent(project.cwd, systemFiles).isFormer).toBe(true);
  });
});
