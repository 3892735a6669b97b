import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import { loadResources } from "../../src/agent/resources.ts";
import { LOOP_DEFAULTS } from "../../src/turn/core.ts";
import { makeFolder } from "../tool/folder.ts";

/** Odd things at a place where a text file is expected, with the message that the person must see. */
const odd: Readonly<Record<string, readonly [(path: string) => void, RegExp]>> = {
  "a link that leads nowhere": [(path) => symlinkSync("nowhere", path), /it is a link that leads nowhere/],
  "a link to itself": [(path) => symlinkSync(path, path), /it is a link that leads back to itself/],
  "a link to a device": [(path) => symlinkSync("/dev/zero", path), /it is a device, not a file/],
  "a named pipe": [(path) => void execFileSync("mkfifo", [path]), /it is a named pipe, not a file/],
  "a file of 9 MB": [(path) => writeFileSync(path, Buffer.alloc(9_000_000)), /it is larger than 8 MiB/],
};

const files: Readonly<Record<string, string>> = {
  "context file": "AGENTS.md",
  prompt: "hooks/prompts/odd.md",
  rule: "hooks/rules/odd.md",
  skill: "hooks/skills/odd/SKILL.md",
  theme: "hooks/themes/odd.json",
};

const folders: Readonly<Record<string, string>> = {
  "a person's rules": ".omp/agent/rules",
  "their parent": ".omp",
  "a person's skills": ".claude/skills",
  "a person's themes": "hooks/themes",
  "a project's themes": ".hookline/themes",
};

const NOTHING = { rules: [], prompts: [], skills: [], agents: [], waiting: new Set<string>() };

/** Loads from a folder that is home and project at once. */
async function load(cwd: string) {
  const diagnostics: Diagnostic[] = [];
  for (const [path, text] of Object.entries({
    "pi/prompts/good.md": "Good.",
    "hooks/rules/good.md": "---\ncondition: x\n---\nGood.",
    "pi/skills/good/SKILL.md": "---\ndescription: good\n---\nGood.",
  })) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const roots = { cwd, env: {}, home: cwd, hooklineHome: join(cwd, "hooks"), piHome: join(cwd, "pi") };
  const report = (one: Diagnostic): void => void diagnostics.push(one);
  const found = await loadResources(roots, {}, NOTHING, LOOP_DEFAULTS.rules, report);
  expect([found.templates, found.rules, found.skills].map((list) => list.length)).toEqual([1, 1, 1]);
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

describe.each(Object.entries(odd))("%s", (_, [make, says]) => {
  test.each(Object.entries(files))("in place of a %s is named, and the others are read", async (_kind, path) => {
    const cwd = makeFolder();
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    make(join(cwd, path));
    const told = await load(cwd);
    expect(told.length).toBeGreaterThan(0);
    for (const one of told) expect(one).toMatch(says);
    expect(told[0]).toContain(path);
  });

  test.each(Object.entries(folders))("in place of the folder of %s ends nothing", async (_kind, path) => {
    const cwd = makeFolder();
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    make(join(cwd, path));
    await load(cwd);
  });
});

test("a link from the folder of skills to a whole disk is told of, and what is wrong there is not", async () => {
  const cwd = makeFolder();
  const disk = makeFolder();
  symlinkSync("nowhere", join(disk, "odd.md"));
  for (let n = 0; n < 5001; n++) mkdirSync(join(disk, `f${n}`));
  mkdirSync(join(cwd, "hooks"));
  symlinkSync(disk, join(cwd, "hooks/skills"));
  expect(await load(cwd)).toEqual([expect.stringMatching(/^UNREADABLE .*hooks\/skills .*more than 5000 folders/)]);
});

test("folders of skills that lead into each other are searched once", async () => {
  const cwd = makeFolder({ "hooks/skills/a/notes.txt": "", "hooks/skills/b/notes.txt": "" });
  for (const [from, to] of ["ab", "ba", "aa", "bb"].map((pair) => pair.split("")))
    symlinkSync(join(cwd, `hooks/skills/${to}`), join(cwd, `hooks/skills/${from}/to-${to}`));
  expect(await load(cwd)).toEqual([]);
});
