import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createLsTool } from "../../src/tool/ls.ts";
import { makeFolder, run, textFrom } from "./folder.ts";

const names = (count: number, width = 3) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${String(index).padStart(width, "0")}`, ""]));

test.each([
  ["an empty folder", {}, {}, "(empty directory)"],
  [
    "names in order, whatever their case, with a slash behind folders",
    { "b.txt": "", ".a": "", "C/": "", Aa: "" },
    {},
    ".a\nAa\nb.txt\nC/",
  ],
  ["another folder", { "d/x": "" }, { path: "d" }, "x"],
  ["exactly as many as asked for", names(3), { limit: 3 }, "f000\nf001\nf002"],
  ["fewer than there are", names(4), { limit: 2 }, "f000\nf001\n\n[2 entries limit reached. Use limit=4 for more]"],
  ["at least one", names(2), { limit: 0 }, "f000\n\n[1 entries limit reached. Use limit=2 for more]"],
  ["a missing folder", {}, { path: "nope" }, "Error: Path not found: <root>/nope"],
  ["a file", { f: "" }, { path: "f" }, "Error: Not a directory: <root>/f"],
])("%s", async (_name, files, params, expected) => {
  const root = makeFolder(files);
  expect((await textFrom(createLsTool(root), params)).replace(root, "<root>")).toBe(expected);
});

describe("limits of its own", () => {
  test("five hundred entries", async () => {
    expect((await textFrom(createLsTool(makeFolder(names(500))), {})).split("\n")).toHaveLength(500);
    const { content, details } = await run(createLsTool(makeFolder(names(501))), {});
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/f499\n\n\[500 entries limit reached\. Use limit=1000 for more\]$/) },
    ]);
    expect(details).toEqual({ entryLimitReached: 500 });
  });

  test("50 KB, in whole names", async () => {
    const { content, details } = await run(createLsTool(makeFolder(names(400, 200))), {});
    const [block] = content;
    const text = block?.type === "text" ? block.text : "";
    expect(text).toMatch(/\n\n\[50\.0KB limit reached\]$/);
    for (const line of text.split("\n\n")[0]?.split("\n") ?? []) expect(line).toHaveLength(201);
    expect(details).toMatchObject({ truncation: { truncatedBy: "bytes", totalLines: 400 } });
  });
});

test("links to folders are folders, links that lead nowhere are left out", async () => {
  const root = makeFolder({ "d/": "" });
  symlinkSync("d", join(root, "link"));
  symlinkSync("nowhere", join(root, "broken"));
  expect(await textFrom(createLsTool(root), {})).toBe("d/\nlink/");
});

test("operations replace the access to folders", async () => {
  const tool = createLsTool("/far", {
    operations: { readdir: () => ["b", "a"], stat: (path) => ({ isDirectory: () => path !== "/far/a" }) },
  });
  expect(await textFrom(tool, {})).toBe("a\nb/");
  expect(await textFrom(createLsTool("/far", { operations: { exists: () => false } }), {})).toBe(
    "Error: Path not found: /far",
  );
});

test("a folder that cannot be read is named as the system does", async () => {
  const tool = createLsTool("/far", {
    operations: {
      stat: () => ({ isDirectory: () => true }),
      readdir: () => Promise.reject(new Error("EACCES: permission denied")),
    },
  });
  expect(await textFrom(tool, {})).toBe("Error: Cannot read directory: EACCES: permission denied");
});

test("an abort is not held up by a listing that hangs", async () => {
  const controller = new AbortController();
  const operations = {
    exists: () => {
      controller.abort();
      return new Promise<boolean>(() => {});
    },
  };
  expect(await textFrom(createLsTool("/far", { operations }), {}, { signal: controller.signal })).toBe(
    "Error: Operation aborted",
  );
});
