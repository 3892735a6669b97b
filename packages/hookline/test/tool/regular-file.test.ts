import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, readSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEditTool } from "../../src/tool/edit.ts";
import { createFileGrepTool } from "../../src/tool/file-grep.ts";
import { createFileHeadTool } from "../../src/tool/file-head.ts";
import { createFileLinesTool } from "../../src/tool/file-lines.ts";
import { createFileTailTool } from "../../src/tool/file-tail.ts";
import { createFindTool } from "../../src/tool/find.ts";
import { createGrepTool } from "../../src/tool/grep.ts";
import { createReadTool } from "../../src/tool/read.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { createWriteTool } from "../../src/tool/write.ts";
import { makeFolder, textFrom } from "./folder.ts";

const places = (root: string) => ({
  cacheFolder: () => root,
  allowed: { cwd: root, home: root, paths: ["/"] },
});

/** Every tool that opens the file that it is given, with a call for it. */
const tools: Readonly<Record<string, (root: string) => readonly [Tool<never>, object]>> = {
  read: (root) => [createReadTool(root), {}],
  grep: (root) => [createGrepTool(root), { pattern: "x" }],
  write: (root) => [createWriteTool(root), { content: "x" }],
  edit: (root) => [createEditTool(root), { edits: [{ oldText: "a", newText: "b" }] }],
  file_head: (root) => [createFileHeadTool(places(root)), {}],
  file_tail: (root) => [createFileTailTool(places(root)), {}],
  file_lines: (root) => [createFileLinesTool(places(root)), { start: 1, end: 2 }],
  file_grep: (root) => [createFileGrepTool(places(root)), { pattern: "x" }],
};

/** Makers of special files, which are not regular files. */
const specials: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  "a named pipe": (path) => void execFileSync("mkfifo", [path]),
  "a named pipe that somebody reads and writes": (path) => {
    execFileSync("mkfifo", [path]);
    const fd = openSync(path, constants.O_RDWR);
    onTestFinished(() => closeSync(fd));
  },
  "a link to a named pipe": (path) => {
    execFileSync("mkfifo", [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
  "a link to a device without an end": (path) => symlinkSync("/dev/zero", path),
  "a link to a device without a beginning": (path) => symlinkSync("/dev/null", path),
  "a socket": (path) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    return new Promise((done) => server.listen(path, done));
  },
};

describe.each(Object.entries(tools))("%s", (_name, make) => {
  test.each(Object.entries(specials))("refuses %s at once", async (_kind, create) => {
    const root = makeFolder();
    await create(join(root, "odd"));
    const [tool, args] = make(root);
    const text = await textFrom(tool, { path: join(root, "odd"), ...args } as never);
    expect(text).toMatch(/Not a regular file: \S+ is (a named pipe|a socket|a device)\. Use bash/);
  });
});

test("a pipe that is refused gets nothing, and loses nothing", async () => {
  const root = makeFolder();
  const pipe = join(root, "pipe");
  execFileSync("mkfifo", [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  writeSync(fd, "waiting");
  for (const make of Object.values(tools)) {
    const [tool, args] = make(root);
    await textFrom(tool, { path: pipe, ...args } as never);
  }
  const bytes = Buffer.alloc(100);
  expect(bytes.toString("utf8", 0, readSync(fd, bytes))).toBe("waiting");
});

test.each([".gitignore", ".ignore", ".git/info/exclude"])(
  "a search continues where %s is a named pipe",
  async (name) => {
    const root = makeFolder({ "a.txt": "x" });
    mkdirSync(join(root, ".git/info"), { recursive: true });
    execFileSync("mkfifo", [join(root, name)]);
    expect(await textFrom(createGrepTool(root), { pattern: "x" })).toBe("a.txt:1: x");
    expect(await textFrom(createFindTool(root), { pattern: "*.txt" })).toBe("a.txt");
  },
);

test("a write keeps the file's mode, its links and its shorter text", async () => {
  const root = makeFolder();
  writeFileSync(join(root, "run.sh"), "a longer text", { mode: 0o755 });
  await textFrom(createWriteTool(root), { path: "run.sh", content: "short" });
  expect(execFileSync("stat", ["-c", "%a %s", join(root, "run.sh")], { encoding: "utf8" })).toBe("755 5\n");
});
