import { afterEach, beforeEach, expect, test } from "vitest";
import { Project } from "./kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

async function unread(): Promise<string[]> {
  await using opened = await project.open();
  return opened.session.report.diagnostics
    .filter(({ code }) => code === "UNSUPPORTED")
    .map(({ message, hint }) => `${message.replaceAll(project.top, "")}. ${hint.replaceAll(project.top, "")}`);
}

const GUARD = 'import { x } from "./lib/x.ts";\nexport default (pi) => { pi.on("tool_call", () => x); };\n';

test("files that are almost where hooks are read are named with the right place", async () => {
  project.write(".pi/extension/a.ts", GUARD);
  project.write("~/.jdata/hooks.yaml", "stop:\n  - command: cat\n");
  project.write("~/.jdata/agent/hooks.json", "{}");
  project.write(".claude/hooks/hooks.json", "{}");
  expect(await unread()).toEqual([
    "/home/.jdata/agent/hooks.json is not run: hooks are read from /home/.jdata/agent/hooks.yaml. Move it there.",
    "/home/.jdata/hooks.yaml is not run: hooks are read from /home/.jdata/agent/hooks.yaml. Move it there.",
    "/project/.claude/hooks/hooks.json is not run: hooks are read from /project/.claude/settings.json. Move it there.",
    "/project/.pi/extension is not run: hooks are read from /project/.pi/extensions. Move it there.",
  ]);
});

test("a file in a folder of modules that is not a module is named, once", async () => {
  project.write("~/.pi/agent/extensions/a.mjs", GUARD);
  project.write("~/.pi/agent/extensions/folder/main.ts", GUARD);
  project.write("~/.hookline/extensions/b.py", "print(1)\n");
  project.write(".jcli/hooks/mine/run.sh", "cat\n");
  expect((await unread()).map((line) => line.split(" is not run")[0])).toEqual([
    "/project/.jcli/hooks/mine",
    "/home/.hookline/extensions/b.py",
    "/home/.pi/agent/extensions/a.mjs",
    "/home/.pi/agent/extensions/folder",
  ]);
});

test("files that belong to a module, and files that are not code, are not reported", async () => {
  project.write("~/.pi/agent/extensions/a.ts", GUARD);
  project.write("~/.pi/agent/extensions/lib/x.ts", "export const x = undefined;\n");
  project.write("~/.pi/agent/extensions/README.md", "# mine\n");
  project.write("~/.pi/agent/extensions/types.d.ts", "declare const y: 1;\n");
  project.write("~/.pi/agent/extensions/.cache/c.mjs", "1;\n");
  project.write("~/.pi/agent/extensions/node_modules/p/index.js", "1;\n");
  project.write("~/.pi/agent/extensions/data/list.txt", "1\n");
  project.write("~/.pi/agent/extensions/package.json", "{}\n");
  expect(await unread()).toEqual([]);
});
