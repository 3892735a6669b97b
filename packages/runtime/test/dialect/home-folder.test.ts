import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { homeFolders } from "../../src/dialect/home-folder.ts";
import { projectFolders, projectRoot, unusedMarkers } from "../../src/dialect/project.ts";
import { hooklineHomeOf } from "../../src/session/home.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const home = join(top, "home");
const project = join(home, "work/project");
const plain = join(home, "work/plain");
for (const folder of [
  join(home, ".jdata"),
  join(project, ".git"),
  join(project, ".evil/agent"),
  join(project, "packages/app"),
  join(plain, ".evil"),
  join(home, "other/jdata"),
])
  mkdirSync(folder, { recursive: true });
symlinkSync(join(project, ".evil"), join(home, "link"));
symlinkSync(join(home, ".jdata"), join(project, "to-usual"));
symlinkSync("/proc/self/cwd", join(project, "here"));

const usual = join(home, ".jdata");
const inAddition = (path: string) => [
  { path: usual, tier: "user" },
  { path, tier: "project" },
];

describe("a variable that moves a program's home is judged by where it leads", () => {
  const folders = (value: string, cwd = project) =>
    homeFolders({ cwd, home, env: { J_DATA_PATH: value }, files: systemFiles }, "J_DATA_PATH", usual);

  it.each([
    ["a relative path", ".evil"],
    ["the project's own absolute path", join(project, ".evil")],
    ["a path in the project that does not exist yet", join(project, "no/such")],
    ["a link outside that leads into the project", join(home, "link")],
    ["a path with dots", `${project}/packages/../.evil`],
    ["a path from the home folder", "~/work/project/.evil"],
    ["a path through /proc", "/proc/self/cwd/.evil"],
    ["a path through another process", `/proc/${process.ppid}/cwd/.evil`],
    ["a path through /proc that is written with dots", "/dev/../proc/self/root/tmp"],
  ])("%s is the project's, in addition", (_, value) => {
    const [own, added] = folders(value);
    expect(own).toEqual({ path: usual, tier: "user" });
    expect(added?.tier).toBe("project");
  });

  it.each([
    ["the session's subfolder", join(project, "packages/app")],
    ["a project without a marker", plain],
  ])("so is one from %s", (_, cwd) => {
    const path = cwd === plain ? join(plain, ".evil") : join(project, ".evil");
    expect(folders(path, cwd)).toEqual(inAddition(path));
  });

  it.each([
    ["a folder outside of the project", join(home, "other/jdata"), project],
    ["a link in the project that leads to the usual home", join(project, "to-usual"), project],
    ["the usual home", usual, project],
    ["a folder below the home, for a session in the home", join(home, "other/jdata"), home],
    ["a folder, for a session in /", join(home, "other/jdata"), "/"],
  ])("%s is the person's", (_, path, cwd) => {
    expect(folders(path, cwd)).toEqual([{ path, tier: "user" }]);
  });

  it("HOOKLINE_HOME that leads into the project keeps the usual folder", () => {
    const own = join(home, ".hookline");
    for (const path of [join(project, ".evil"), "/proc/self/cwd", join(home, "link")])
      expect(hooklineHomeOf({ HOOKLINE_HOME: path }, home, project)).toBe(own);
    expect(hooklineHomeOf({ HOOKLINE_HOME: join(home, "other") }, home, project)).toBe(join(home, "other"));
  });
});

describe("the root of a project", () => {
  const files = systemFiles;
  it("is the nearest folder under version control, else the nearest with a file of hookline's, else the session's", () => {
    expect(projectRoot({ cwd: join(project, "packages/app"), home, files })).toBe(project);
    const lower = join(plain, "a/b");
    mkdirSync(lower, { recursive: true });
    expect(projectRoot({ cwd: lower, home, files })).toBe(lower);
    writeFileSync(join(plain, "hookline.lock"), "{}");
    expect(projectRoot({ cwd: lower, home, files })).toBe(plain);
    rmSync(join(plain, "hookline.lock"));
  });

  it("is never the home folder or above it", () => {
    mkdirSync(join(home, ".git"));
    expect(projectRoot({ cwd: plain, home, files })).toBe(plain);
    rmSync(join(home, ".git"), { recursive: true });
  });

  it("is not above a folder that somebody else may change, and the marker there is named", () => {
    const cwd = join(plain, "shared/mine");
    mkdirSync(cwd, { recursive: true });
    const open = {
      ...files,
      stat: (path: string) => {
        const stat = files.stat(path);
        return stat && path === join(plain, "shared") ? { ...stat, isOthers: true } : stat;
      },
    };
    writeFileSync(join(plain, "shared/hookline.lock"), "{}");
    mkdirSync(join(plain, ".git"));
    expect(projectRoot({ cwd, home, files: open })).toBe(cwd);
    expect(projectFolders({ cwd, home, files: open })).toEqual([cwd]);
    expect(unusedMarkers({ cwd, home, files: open })).toEqual([join(plain, "shared/hookline.lock")]);
    rmSync(join(plain, ".git"), { recursive: true });
  });
});
