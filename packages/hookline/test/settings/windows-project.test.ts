import { expect, test, vi } from "vitest";

const text = JSON.stringify({ required: ["guard.ts", String.raw`D:\other\guard.ts`, String.raw`..\guard.ts`] });

vi.mock("node:path", async (original) => {
  const { win32 } = await original<typeof import("node:path")>();
  return { ...win32, default: win32 };
});
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const isIt = (path: unknown): boolean => path === String.raw`C:\work\.hookline\settings.json`;
  return {
    ...fs,
    statSync: (path: string, ...more: never[]) =>
      isIt(path) ? { isDirectory: () => false, isFile: () => true, size: text.length } : fs.statSync(path, ...more),
    readFileSync: (path: string, ...more: never[]) => (isIt(path) ? Buffer.from(text) : fs.readFileSync(path, ...more)),
  };
});

const { readProjectSettings } = await import("../../src/settings/project.ts");

test("a project cannot name files of another drive or of a folder above it", () => {
  const home = String.raw`C:\Users\me`;
  const { settings, diagnostics } = readProjectSettings(String.raw`C:\work`, String.raw`${home}\.hookline`, home);
  expect(settings.required).toEqual([String.raw`C:\work\guard.ts`]);
  expect(diagnostics.map(({ message }) => message).join()).toContain(String.raw`D:\other\guard.ts, ..\guard.ts`);
});
