import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ProtectedPlaces } from "../../src/protect/places.ts";

function project() {
  const top = mkdtempSync(join(tmpdir(), "hookline-protect-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const cwd = join(top, "project");
  mkdirSync(join(cwd, "src"), { recursive: true });
  mkdirSync(join(cwd, ".jcli"));
  mkdirSync(join(top, "bin"));
  writeFileSync(join(top, "bin/guard.sh"), "exit 0");
  const places = new ProtectedPlaces({
    cwd,
    env: { CHIBI_HOME: join(top, "elsewhere") },
    hooklineHome: join(top, "own-home"),
    hookPlaces: () => [join(top, "bin/guard.sh"), join(cwd, "ext.ts")],
    wouldReach: (path) => path === join(cwd, "absent.sh"),
  });
  return { top, cwd, places };
}

test("hook files are protected whether they are there or not, in any folder and case", () => {
  const { top, places } = project();
  for (const path of [
    ".jcli/hooks.yaml",
    ".JCLI/Hooks.yaml",
    "sub/.jcli/hooks/x/HOOK.yaml",
    ".pi/extensions/x.ts",
    ".omp/hooks/pre/x.ts",
    ".claude/Hooks/pre/x.ts",
    ".claude/settings.json",
    "sub/.claude/Settings.local.json",
    ".hookline/settings.json",
    "hookline.lock",
    "other/HOOKLINE.LOCK",
    "ext.ts",
    "EXT.ts",
    "src/../ext.ts",
    "../bin/guard.sh",
    "absent.sh",
    "../own-home/trust.json",
    "../elsewhere/plugins/x",
    join(top, "home/.chibi/plugins/x"),
  ])
    expect(places.reached(path), path).toBeDefined();
  for (const path of ["src/ext.ts", "ext.tsx", ".claude/notes.md", "jcli/hooks.yaml", "../bin/other.sh", ".piper/x"])
    expect(places.reached(path), path).toBeUndefined();
});

test("a link leads to what it leads to now", () => {
  const { cwd, places } = project();
  const link = join(cwd, "folder");
  for (const [target, expected] of [
    ["src", undefined],
    [".jcli", join(cwd, ".jcli/new.txt")],
    ["src", undefined],
  ] as const) {
    rmSync(link, { force: true });
    symlinkSync(target, link);
    expect(places.reached("folder/new.txt")).toBe(expected);
  }
});

test("the folder above a link on the way is that of its target", () => {
  const { top, cwd, places } = project();
  symlinkSync("../../own-home/hooks", join(cwd, "src/hooks"));
  mkdirSync(join(top, "own-home/hooks"), { recursive: true });
  symlinkSync("src/hooks/../settings.json", join(cwd, "notes.txt"));
  expect(places.reached("notes.txt")).toBe(join(top, "own-home/settings.json"));
});

test.skipIf(process.platform !== "linux")("a link on the way may have a name that is not UTF-8", () => {
  const { cwd, places } = project();
  const name = Buffer.from([0xff]);
  symlinkSync(".jcli", Buffer.concat([Buffer.from(`${cwd}/`), name]));
  symlinkSync(Buffer.concat([name, Buffer.from("/hooks.yaml")]), join(cwd, "notes.txt"));
  expect(places.reached("notes.txt")).toBe(join(cwd, ".jcli/hooks.yaml"));
});

test("links that lead through each other are followed only as often as the system follows them", () => {
  const { cwd, places } = project();
  symlinkSync(".", join(cwd, "link0"));
  for (let i = 1; i <= 40; i++) symlinkSync(`link${i - 1}/link${i - 1}`, join(cwd, `link${i}`));
  expect(places.reached("link4/src/a.txt")).toBeUndefined();
  expect(places.reached("link4/.jcli/a.txt")).toBe(join(cwd, ".jcli/a.txt"));
  // The system refuses this write: more links than it follows.
  expect(places.reached("link40/src/a.txt")).toBeUndefined();
});

test("links of every kind lead to what they lead to", () => {
  const { top, cwd, places } = project();
  symlinkSync(join(cwd, ".jcli"), join(cwd, "folder"));
  symlinkSync("../.jcli/hooks.yaml", join(cwd, "src/absent.txt"));
  symlinkSync("src/absent.txt", join(cwd, "twice"));
  symlinkSync(join(cwd, "circle-b"), join(cwd, "circle-a"));
  symlinkSync(join(cwd, "circle-a"), join(cwd, "circle-b"));
  linkSync(join(top, "bin/guard.sh"), join(cwd, "same.sh"));
  expect(places.reached("folder/hooks.yaml")).toBe(join(cwd, ".jcli/hooks.yaml"));
  expect(places.reached("src/absent.txt")).toBe(join(cwd, ".jcli/hooks.yaml"));
  expect(places.reached("twice")).toBe(join(cwd, ".jcli/hooks.yaml"));
  expect(places.reached("same.sh")).toBe(join(cwd, "same.sh"));
  expect(places.reached("circle-a")).toBeUndefined();
});
