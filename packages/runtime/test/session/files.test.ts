import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hookline-files-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("entries are sorted by their bytes, also where characters sort otherwise", () => {
  const path = folder();
  const names = ["b", "a", "B", "ä", "～", "😀", "a-", "钩", "😀a"];
  for (const name of names) writeFileSync(join(path, name), "");
  const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(names.toSorted()).not.toEqual(byBytes);
  expect(systemFiles.list(path)?.map(({ name }) => name)).toEqual(byBytes);
});

test("a path is resolved through every link; what leads nowhere, or in a circle, is absent", () => {
  const path = folder();
  const real = systemFiles.real(path) ?? "";
  mkdirSync(join(path, "to"));
  writeFileSync(join(path, "to/file"), "");
  symlinkSync("to", join(path, "link"));
  symlinkSync("link/file", join(path, "second"));
  symlinkSync("gone", join(path, "dangling"));
  symlinkSync("circle", join(path, "circle"));
  expect(systemFiles.real(join(path, "second"))).toBe(join(real, "to/file"));
  for (const name of ["gone", "dangling", "circle", "second/below"])
    expect(systemFiles.real(join(path, name))).toBeUndefined();
});

test.skipIf(process.platform === "win32")("what is no regular file has no bytes, and nobody waits for them", () => {
  const path = folder();
  execFileSync("mkfifo", [join(path, "pipe")]);
  symlinkSync("pipe", join(path, "link"));
  symlinkSync("/dev/zero", join(path, "device"));
  for (const name of ["pipe", "link", "device", "."]) expect(systemFiles.read(join(path, name))).toBeUndefined();
});
