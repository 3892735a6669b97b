import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { packageTexts } from "../../src/pi/hooks/package-texts.ts";
import { writeTree } from "./kit.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** The texts of packages over these files below `project/` and `home/`, as paths below both. */
function textsOf(files: Readonly<Record<string, string>>, explicit: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), "hookline-texts-"));
  roots.push(root);
  writeTree(root, files);
  const home = join(root, "home");
  const where = { cwd: join(root, "project"), home, hooklineHome: join(home, ".hookline"), env: {}, explicit };
  const { skills, prompts, themes } = packageTexts({ ...where, files: systemFiles });
  const [s, p, t] = [skills, prompts, themes].map((paths) => paths.map((path) => relative(root, path)));
  return { skills: s, prompts: p, themes: t };
}

const json = (value: unknown): string => JSON.stringify(value);
const settings = "home/.pi/agent/settings.json";

test("a package of the command line brings what its manifest lists, with patterns and exceptions", () => {
  const texts = textsOf(
    {
      "project/pack/package.json": json({
        pi: { skills: ["./SKILL.md", "./more"], prompts: ["p/*.md", "!p/draft.md"], themes: ["colours/one.json"] },
      }),
      "project/pack/SKILL.md": "",
      "project/pack/more/bake/SKILL.md": "",
      "project/pack/more/brew/SKILL.md": "",
      "project/pack/p/a.md": "",
      "project/pack/p/draft.md": "",
      "project/pack/colours/one.json": "{}",
      "project/pack/colours/two.json": "{}",
      "project/pack/skills/unlisted/SKILL.md": "",
    },
    ["./pack"],
  );
  expect(texts).toEqual({
    skills: ["project/pack/SKILL.md", "project/pack/more/bake", "project/pack/more/brew"],
    prompts: ["project/pack/p/a.md"],
    themes: ["project/pack/colours/one.json"],
  });
});

test("what a manifest does not list lies in the folder of its name; an empty list is nothing", () => {
  const files = {
    "project/pack/package.json": json({ omp: { skills: [] } }),
    "project/pack/skills/bake/SKILL.md": "",
    "project/pack/prompts/a.md": "",
    "project/pack/prompts/notes.txt": "",
    "project/pack/themes/t.json": "{}",
  };
  const found = { prompts: ["project/pack/prompts/a.md"], themes: ["project/pack/themes/t.json"] };
  expect(textsOf(files, ["omp:pack"])).toEqual({ ...found, skills: [] });
  expect(textsOf({ ...files, "project/pack/package.json": "{]" }, ["pack"])).toEqual({
    ...found,
    skills: ["project/pack/skills/bake"],
  });
});

test("a folder without a manifest is not a package, and a missing folder provides nothing", () => {
  expect(textsOf({ "project/pack/skills/bake/SKILL.md": "" }, ["pack", "gone", "npm:gone", "file.ts"])).toEqual({
    skills: [],
    prompts: [],
    themes: [],
  });
});

test("packages of the user's settings bring theirs, as far as the settings let them", () => {
  const one = "home/.pi/agent/npm/node_modules/one";
  const texts = textsOf({
    [settings]: json({
      packages: ["npm:one@1.0.0", { source: "~/two", skills: [], prompts: ["prompts/a.md"], themes: ["!**/t.json"] }],
    }),
    [`${one}/package.json`]: "{}",
    [`${one}/skills/bake/SKILL.md`]: "",
    [`${one}/prompts/z.md`]: "",
    "home/two/package.json": "{}",
    "home/two/skills/brew/SKILL.md": "",
    "home/two/prompts/a.md": "",
    "home/two/prompts/b.md": "",
    "home/two/themes/t.json": "{}",
    "home/two/themes/u.json": "{}",
  });
  expect(texts).toEqual({
    skills: [`${one}/skills/bake`],
    prompts: [`${one}/prompts/z.md`, "home/two/prompts/a.md"],
    themes: ["home/two/themes/u.json"],
  });
});

test("a project's settings bring no texts of packages: nobody has been asked about them", () => {
  const texts = textsOf({
    "project/.pi/settings.json": json({ packages: ["./pack"] }),
    "project/.pi/pack/package.json": "{}",
    "project/.pi/pack/prompts/a.md": "",
  });
  expect(texts.prompts).toEqual([]);
});
