import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withFileMutationQueue } from "../../src/tool/mutation-queue.ts";
import { makeFolder } from "./folder.ts";

/** Runs one change per path and says when each began and ended; a change takes some turns of the loop. */
async function logOf(paths: readonly string[]): Promise<string[]> {
  const log: string[] = [];
  const change = async (index: number) => {
    log.push(`+${index}`);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    log.push(`-${index}`);
  };
  await Promise.all(paths.map((path, index) => withFileMutationQueue(path, () => change(index))));
  return log;
}

test("changes of one file run one after the other, in the order of the calls", async () => {
  const root = makeFolder({ f: "" });
  expect(await logOf([join(root, "f"), join(root, "f"), join(root, "f")])).toEqual([
    "+0",
    "-0",
    "+1",
    "-1",
    "+2",
    "-2",
  ]);
});

test("changes of different files run side by side", async () => {
  const root = makeFolder();
  expect(await logOf([join(root, "a"), join(root, "b")])).toEqual(["+0", "+1", "-0", "-1"]);
});

test.each([
  ["a link to the file", "f", "link"],
  ["a link to its folder", "d/f", "dir/f"],
  ["a link to the folder of a file that is not there yet", "d/new", "dir/new"],
  ["dots in the path", "d/f", "d/../d/f"],
])("%s is the same file", async (_name, first, second) => {
  const root = makeFolder({ f: "", "d/f": "" });
  symlinkSync("f", join(root, "link"));
  symlinkSync("d", join(root, "dir"));
  expect(await logOf([join(root, first), `${root}/${second}`])).toEqual(["+0", "-0", "+1", "-1"]);
});

test("a file that the first change creates is still the same file", async () => {
  const root = makeFolder();
  const log: string[] = [];
  await Promise.all([
    withFileMutationQueue(join(root, "a/b"), async () => {
      mkdirSync(join(root, "a/b"), { recursive: true });
      await new Promise((resolve) => setImmediate(resolve));
      log.push("first");
    }),
    withFileMutationQueue(join(root, "a/b"), async () => void log.push("second")),
  ]);
  expect(log).toEqual(["first", "second"]);
});

test("a failed change rejects its own call and lets the next one run", async () => {
  const root = makeFolder();
  const path = join(root, "f");
  const failed = withFileMutationQueue(path, () => Promise.reject(new Error("own")));
  const next = withFileMutationQueue(path, async () => "next");
  await expect(failed).rejects.toThrow(new Error("own"));
  expect(await next).toBe("next");
});
