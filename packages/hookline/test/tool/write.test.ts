import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWriteTool, type WriteOperations } from "../../src/tool/write.ts";
import { filesIn, makeFolder, run, textFrom } from "./folder.ts";

test.each([
  ["a new file", {}, "a.txt", "x\n"],
  ["a new file in new folders", {}, "a/b/c.txt", "é"],
  ["what is there", { "a.txt": "a longer old text" }, "a.txt", "new"],
  ["nothing", { "a.txt": "old" }, "a.txt", ""],
  ["behind an @", {}, "@a.txt", "x"],
])("writes %s", async (_name, files, path, content) => {
  const root = makeFolder(files);
  const result = await run(createWriteTool(root), { path, content });
  expect(result).toEqual({ content: [{ type: "text", text: `Successfully wrote to ${path}` }], details: undefined });
  expect(readFileSync(join(root, path.replace("@", "")), "utf8")).toBe(content);
});

test("a link is written through", async () => {
  const root = makeFolder({ "real.txt": "old" });
  symlinkSync("real.txt", join(root, "link.txt"));
  await run(createWriteTool(root), { path: "link.txt", content: "new" });
  expect(readFileSync(join(root, "real.txt"), "utf8")).toBe("new");
});

test.each([
  ["a folder", { "d/": "" }, "d", "Error: EISDIR: illegal operation on a directory, open '<root>/d'"],
  ["below a file", { f: "x" }, "f/a", "Error: EEXIST: file already exists, mkdir '<root>/f'"],
])("refuses %s", async (_name, files, path, expected) => {
  const root = makeFolder(files);
  const before = filesIn(root);
  expect((await textFrom(createWriteTool(root), { path, content: "x" })).replace(root, "<root>")).toBe(expected);
  expect(filesIn(root)).toEqual(before);
});

test("an abort before the write leaves everything as it is", async () => {
  const root = makeFolder({ f: "old" });
  const controller = new AbortController();
  const operations: WriteOperations = {
    mkdir: async () => controller.abort(),
    writeFile: async () => expect.unreachable(),
  };
  for (const [tool, signal] of [
    [createWriteTool(root), AbortSignal.abort()],
    [createWriteTool(root, { operations }), controller.signal],
  ] as const) {
    expect(await textFrom(tool, { path: "f", content: "new" }, { signal })).toBe("Error: Operation aborted");
  }
  expect(filesIn(root)).toEqual({ f: "old" });
});

test("an abort during the write tells that it was written", async () => {
  const controller = new AbortController();
  const operations = { writeFile: async () => controller.abort() };
  const tool = createWriteTool("/far", { operations });
  expect(await textFrom(tool, { path: "f", content: "x" }, { signal: controller.signal })).toBe(
    "Successfully wrote to f",
  );
});

test("writeFile alone makes no local folders", async () => {
  const root = makeFolder();
  const written: string[][] = [];
  const operations = { writeFile: async (...args: string[]) => void written.push(args) };
  await run(createWriteTool(root, { operations }), { path: "a/b", content: "x" });
  expect(written).toEqual([[join(root, "a/b"), "x"]]);
  expect(filesIn(root)).toEqual({});
});

test("calls for one file are carried out in their order, the last one wins", async () => {
  const root = makeFolder();
  const tool = createWriteTool(root);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      run(tool, { path: "f", content: `${index}`.repeat(20_000 - index * 900) }),
    ),
  );
  expect(filesIn(root)).toEqual({ f: "19".repeat(20_000 - 19 * 900) });
});
