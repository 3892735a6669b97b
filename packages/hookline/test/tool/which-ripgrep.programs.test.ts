import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHookRuntime } from "@hookline/runtime/session";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { isAlive } from "../../../ground/src/store/owner.ts";
import { createGrepTool } from "../../src/tool/grep.ts";
import { BEFORE, makeFolder, textFrom } from "./folder.ts";

const runtime = createHookRuntime({ home: NO_HOME });
afterAll(() => runtime.close());
const { processes } = runtime;

describe.skipIf(process.platform === "win32")("which ripgrep is run", () => {
  const PATTERN = { pattern: "needle" };
  const FOUND = "z.txt:1: needle";
  const path = process.env["PATH"] ?? "";

  /** A project of many files with a program named rg in `places`, which notes that it was run. */
  function project(places: readonly string[], program: string): { root: string; wasRun(): string } {
    const root = makeFolder({
      ...BEFORE,
      "z.txt": "needle",
      "ran.log": "",
      ".gitignore": "ran.log\n",
      ".git/HEAD": "",
    });
    const log = join(root, "ran.log");
    for (const place of places) {
      mkdirSync(join(root, place), { recursive: true });
      writeFileSync(join(root, place, "rg"), `#!/bin/sh\necho "$@" >> ${log}\n${program}\n`, { mode: 0o755 });
    }
    return { root, wasRun: () => readFileSync(log, "utf8") };
  }

  async function searched(root: string, folders: readonly string[], cwd = root): Promise<string> {
    process.env["PATH"] = [...folders, "/usr/bin", "/bin"].filter((folder) => !hasRipgrep(folder)).join(":");
    onTestFinished(() => {
      process.env["PATH"] = path;
    });
    return textFrom(createGrepTool(cwd, { processes }), PATTERN);
  }

  const hasRipgrep = (folder: string) => folder.startsWith("/usr") && existsSync(join(folder, "rg"));

  test.each([
    ["of the project", (root: string) => join(root, "node_modules/.bin")],
    ["in any folder of the project", (root: string) => join(root, "tools")],
    ["by a relative place", () => "tools"],
    ["by an empty place", () => ""],
    [
      "that a link outside leads to",
      (root: string) => {
        const link = join(makeFolder(), "bin");
        symlinkSync(join(root, "tools"), link);
        return link;
      },
    ],
    [
      "of packages beside the project",
      (root: string) => {
        const other = makeFolder({ "node_modules/.bin/": "" });
        symlinkSync(join(root, "tools/rg"), join(other, "node_modules/.bin/rg"));
        return join(other, "node_modules/.bin");
      },
    ],
    [
      "that is a link into the project",
      (root: string) => {
        const bin = makeFolder();
        symlinkSync(join(root, "tools/rg"), join(bin, "rg"));
        return bin;
      },
    ],
  ])("none %s", async (_name, place) => {
    const { root, wasRun } = project(["node_modules/.bin", "tools", "."], "exit 1");
    expect(await searched(root, [place(root)])).toContain(FOUND);
    expect(wasRun()).toBe("");
  });

  test("none of the repository, when the work is in one of its folders", async () => {
    const { root, wasRun } = project(["tools"], "exit 1");
    const cwd = makeBelow(root);
    expect(await searched(root, [join(root, "tools")], cwd)).toContain(FOUND);
    expect(wasRun()).toBe("");
  });

  test.each([
    ["is too old", 'echo "ripgrep 12.1.1"'],
    ["is something else", 'echo "rg 99"'],
    ["fails", "exit 3"],
    ["is no program", "not a command"],
  ])("none that %s, beyond asking for its version", async (_name, program) => {
    const { root } = project([], "");
    const bin = elsewhere(program);
    expect(await searched(root, [bin])).toBe(FOUND);
    expect(readFileSync(join(bin, "ran.log"), "utf8")).toBe("--no-config --version\n");
  });

  test.each([
    ["fails", "exit 2"],
    ["ends by a signal", "kill -9 $$"],
    ["claims a match in every file", "printf '%s\\0' \"$@\"; exit 0"],
    ["names files that there are not", "printf '%s\\0' \"$0.gone\"; exit 2"],
  ])("one that %s changes no result", async (_name, program) => {
    const { root } = project([], "");
    const bin = elsewhere(`[ "$2" = --version ] && { echo "ripgrep 99.0.0"; exit 0; }\n${program}`);
    expect(await searched(root, [bin])).toBe(FOUND);
    expect(readFileSync(join(bin, "ran.log"), "utf8").split("\n").length).toBeGreaterThan(2);
  });

  test("it gets folders in which every file is searched, without their subfolders, and otherwise files", async () => {
    const bin = makeFolder();
    const named =
      '[ "$2" = --version ] && echo "ripgrep 99.0.0" && exit; printf "%s\\n" "$@" >> "$(dirname "$0")/named"; exit 1';
    writeFileSync(join(bin, "rg"), `#!/bin/sh\n${named}\n`, { mode: 0o755 });
    const below = (folder: string) => Object.keys(BEFORE).map((name) => [`${folder}/${name}`, "nothing\n"]);
    const root = makeFolder({
      ...Object.fromEntries([...below("part"), ...below("whole"), ...below("whole/out")]),
      ".gitignore": "out\nz\n",
      "part/z": "",
    });
    await searched(root, [bin]);
    const words = readFileSync(join(bin, "named"), "utf8").split("\n");
    expect(words).toContain("--max-depth=1");
    const folders = words.filter((word) => word.startsWith(join(root, "whole")));
    expect(folders).toEqual([join(root, "whole")]);
    // The first 128 files, the ignore file among them, are read without it.
    expect(words.filter((word) => word.startsWith(join(root, "part/")))).toHaveLength(273);
  });

  test("an abort ends it at once, with all that it has started", async () => {
    const { root } = project([], "");
    const bin = elsewhere(
      '[ "$2" = --version ] && { echo "ripgrep 99.0.0"; exit 0; }\nsleep 600 & echo $$ $! > "$(dirname "$0")/pids"; wait',
    );
    const controller = new AbortController();
    process.env["PATH"] = `${bin}:/bin`;
    onTestFinished(() => {
      process.env["PATH"] = path;
    });
    const searching = textFrom(createGrepTool(root, { processes }), PATTERN, { signal: controller.signal });
    const pids = await vi.waitFor(() => {
      const [line = "", rest] = readFileSync(join(bin, "pids"), "utf8").split("\n");
      expect(rest, "the line is not whole").toBe("");
      return line.split(" ").map(Number);
    });
    controller.abort();
    expect(await searching).toBe("Error: Operation aborted");
    await vi.waitFor(() => {
      for (const pid of pids) expect(isAlive(String(pid))).toBe(false);
    });
  });

  function makeBelow(root: string): string {
    const below = join(root, "a");
    mkdirSync(below);
    for (const name of [...Object.keys(BEFORE), "z.txt"]) renameSync(join(root, name), join(below, name));
    return below;
  }

  /** A folder outside of every project with a program named rg. */
  function elsewhere(program: string): string {
    const bin = makeFolder({ "ran.log": "" });
    writeFileSync(join(bin, "rg"), `#!/bin/sh\necho "$1 $2" >> ${join(bin, "ran.log")}\n${program}\n`, { mode: 0o755 });
    return bin;
  }
});
