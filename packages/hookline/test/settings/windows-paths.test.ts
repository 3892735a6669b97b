import { expect, test, vi } from "vitest";

// Everything below runs with the paths of Windows.
vi.mock("node:path", async (original) => {
  const { win32 } = await original<typeof import("node:path")>();
  return { ...win32, default: win32 };
});

const { below } = await import("../../../runtime/src/consent/fingerprint.ts");
const { dependencyFolder } = await import("../../../runtime/src/consent/dependencies.ts");
const { isInside } = await import("../../../runtime/src/dialect/project.ts");
const { eachOnce } = await import("../../../integrations/src/in-process/directory.ts");
const { isInProject, projectOf, trustedFolders } = await import("../../../ground/src/file/search-path.ts");

test("a lock names files with slashes, and files of another drive in full", () => {
  expect(below(String.raw`C:\work\.pi\extensions\a.ts`, String.raw`C:\work`)).toBe(".pi/extensions/a.ts");
  expect(below(String.raw`C:\work`, String.raw`C:\work`)).toBe(".");
  expect(below(String.raw`D:\other\a.ts`, String.raw`C:\work`)).toBe("D:/other/a.ts");
  expect(below(String.raw`C:\other\a.ts`, String.raw`C:\work`)).toBe("../other/a.ts");
});

test("the folder of dependencies is found behind backslashes", () => {
  expect(dependencyFolder(String.raw`C:\work\node_modules\a\index.js`)).toBe(String.raw`C:\work\node_modules`);
  expect(dependencyFolder(String.raw`C:\work\lib\a.js`)).toBeUndefined();
});

test("another drive, and a folder whose name only begins alike, are outside a project", () => {
  const project = String.raw`C:\work`;
  expect(isInside(String.raw`C:\work\a.ts`, project)).toBe(true);
  for (const path of [String.raw`C:\workshop\a.ts`, String.raw`D:\work\a.ts`]) {
    expect(isInside(path, project)).toBe(false);
    expect(isInProject(path, project)).toBe(false);
  }
  expect(isInProject(String.raw`C:\work\bin`, project)).toBe(true);
  expect(isInProject(String.raw`C:\WORK\bin`, project)).toBe(true);
});

test("no program is taken from a folder of the project, in whatever case PATH names it", () => {
  const seeker = { cwd: String.raw`C:\work`, home: String.raw`C:\Users\me` };
  expect(projectOf(seeker)).toBe(String.raw`C:\work`);
  const PATH = [String.raw`C:\Work\node_modules\.bin`, String.raw`C:\tools`, "."].join(";");
  expect(trustedFolders({ ...seeker, env: { PATH } })).toEqual([String.raw`C:\tools`]);
});

test("a file that two names lead to by their case is one file, and a person's", () => {
  const files = { real: (path: string) => path.toLowerCase() } as never;
  const modules = [
    { path: String.raw`C:\Work\.pi\Guard.ts`, tier: "project" },
    { path: String.raw`C:\work\.pi\guard.ts`, tier: "user" },
  ] as const;
  expect(eachOnce(files, modules)).toEqual([modules[1]]);
});
