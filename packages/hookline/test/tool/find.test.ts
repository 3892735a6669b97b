import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFindTool } from "../../src/tool/find.ts";
import { makeFolder, run, textFrom } from "./folder.ts";

const tree = {
  "a.ts": "",
  "src/b.ts": "",
  "src/deep/c.ts": "",
  "src/deep/README.md": "",
  "x/src/d.ts": "",
  ".e.ts": "",
};

test.each([
  ["names at any depth", { pattern: "*.ts" }, ".e.ts\na.ts\nsrc/b.ts\nsrc/deep/c.ts\nx/src/d.ts"],
  ["paths that begin at any folder", { pattern: "src/*.ts" }, "src/b.ts\nx/src/d.ts"],
  ["paths through folders", { pattern: "src/**/*.ts" }, "src/b.ts\nsrc/deep/c.ts\nx/src/d.ts"],
  ["folders too, with a slash", { pattern: "src" }, "src/\nx/src/"],
  ["any case for a small pattern", { pattern: "readme*" }, "src/deep/README.md"],
  ["the case that is asked for", { pattern: "Readme*" }, "No files found matching pattern"],
  ["from another folder", { pattern: "*.ts", path: "src" }, "b.ts\ndeep/c.ts"],
  [
    "as many as asked for, and says so",
    { pattern: "*.ts", limit: 2 },
    ".e.ts\na.ts\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]",
  ],
  ["nothing", { pattern: "*.py" }, "No files found matching pattern"],
  ["no missing folder", { pattern: "*", path: "nope" }, "Error: Path not found: <root>/nope"],
  ["no file in place of a folder", { pattern: "*", path: "a.ts" }, "Error: Not a directory: <root>/a.ts"],
])("finds %s", async (_name, params, expected) => {
  const root = makeFolder(tree);
  expect((await textFrom(createFindTool(root), params)).replace(root, "<root>")).toBe(expected);
});

test("an absolute pattern is tested on absolute paths", async () => {
  const root = makeFolder(tree);
  expect(await textFrom(createFindTool(root), { pattern: join(root, "src/*.ts") })).toBe("src/b.ts");
});

test("leaves out what .gitignore names, and .git", async () => {
  const root = makeFolder({ ...tree, ".gitignore": "src\n", ".git/f.ts": "" });
  expect(await textFrom(createFindTool(root), { pattern: "*.ts" })).toBe(".e.ts\na.ts");
});

describe("limits of its own", () => {
  test("a thousand results", async () => {
    const root = makeFolder(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, ""])));
    const { content, details } = await run(createFindTool(root), { pattern: "f*" });
    expect(content).toEqual([
      {
        type: "text",
        text: expect.stringMatching(/\n\n\[1000 results limit reached\. Use limit=2000 for more, or refine pattern\]$/),
      },
    ]);
    expect(details).toEqual({ resultLimitReached: 1000 });
  });

  test("50 KB, in whole paths", async () => {
    const root = makeFolder(
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}`.padStart(200, "f"), ""])),
    );
    const { content, details } = await run(createFindTool(root), { pattern: "f*" });
    expect(content).toEqual([{ type: "text", text: expect.stringMatching(/f\d+\n\n\[50\.0KB limit reached\]$/) }]);
    expect(details).toMatchObject({ truncation: { truncated: true, totalLines: 400 } });
  });
});

describe("operations", () => {
  test("find in place of this machine", async () => {
    const seen: unknown[] = [];
    const tool = createFindTool("/far", {
      operations: {
        exists: () => true,
        glob: (...call) => {
          seen.push(call);
          return ["/far/d/", "/far/a.ts", "b.ts"];
        },
      },
    });
    expect(await textFrom(tool, { pattern: "*", limit: 3 })).toBe("d/\na.ts\nb.ts\n\n[3 results limit reached]");
    expect(seen).toEqual([["*", "/far", { ignore: ["**/node_modules/**", "**/.git/**"], limit: 3 }]]);
  });

  test("that know no such folder", async () => {
    const tool = createFindTool("/far", {
      operations: { exists: async () => false, glob: () => expect.unreachable() },
    });
    expect(await textFrom(tool, { pattern: "*" })).toBe("Error: Path not found: /far");
  });
});

test("an abort ends the search", async () => {
  const root = makeFolder(tree);
  expect(await textFrom(createFindTool(root), { pattern: "*" }, { signal: AbortSignal.abort() })).toBe(
    "Error: Operation aborted",
  );
  const controller = new AbortController();
  const searching = textFrom(createFindTool(root), { pattern: "*" }, { signal: controller.signal });
  controller.abort();
  expect(await searching).toBe("Error: Operation aborted");
});
