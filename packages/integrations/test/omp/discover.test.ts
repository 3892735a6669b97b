import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import { type Opened, openFiles } from "./kit.ts";

const hook = `export default (pi) => { pi.on("agent_start", () => {}); };`;
const extension = `import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";
export default (pi: ExtensionAPI) => { pi.on("agent_start", () => {}); };`;

/** Returns the hooks that were found: path relative to the test's folder, interface and state. */
function found({ session, root }: Opened): string[] {
  return session.report.sources.map(({ path, api, state }) => `${relative(root, path)} ${api} ${state}`);
}

describe("hooks", () => {
  test("[omp.discover.1, omp.discover.2, omp.discover.4, omp.load.1] providers are asked by priority, omp's own first", async () => {
    await using opened = await openFiles({
      "home/.codex/hooks/pre-read.ts": hook,
      "home/.claude/hooks/pre/bash.ts": hook,
      "project/.claude/hooks/post/write.js": hook,
      "home/.omp/agent/hooks/post/u.ts": hook,
      "project/.omp/hooks/pre/p.ts": hook,
      "project/.omp/hooks/post/p.ts": hook,
      "project/.codex/hooks/post-edit.js": hook,
    });
    expect(found(opened)).toEqual([
      "project/.omp/hooks/pre/p.ts hook runs",
      "project/.omp/hooks/post/p.ts hook runs",
      "home/.omp/agent/hooks/post/u.ts hook runs",
      "home/.claude/hooks/pre/bash.ts hook runs",
      "project/.claude/hooks/post/write.js hook runs",
      "home/.codex/hooks/pre-read.ts hook runs",
      "project/.codex/hooks/post-edit.js hook runs",
    ]);
    expect(opened.session.report.searched).toEqual(
      expect.arrayContaining([join(opened.root, "project/.omp/hooks/pre"), join(opened.root, "home/.codex/hooks")]),
    );
  });

  test("[omp.discover.5] within a folder names are sorted bytewise", async () => {
    await using opened = await openFiles(
      Object.fromEntries(["b.ts", "a.ts", "Z.ts", "ä.ts"].map((name) => [`home/.omp/agent/hooks/pre/${name}`, hook])),
    );
    expect(found(opened).map((line) => line.split("/").at(-1))).toEqual([
      "Z.ts hook runs",
      "a.ts hook runs",
      "b.ts hook runs",
      "ä.ts hook runs",
    ]);
  });

  test("[omp.discover.2, omp.discover.3] a project's file with a person's key never takes it: both run, a copy once", async () => {
    await using opened = await openFiles({
      "project/.omp/hooks/pre/bash.ts": `${hook}// the project's`,
      "project/.omp/hooks/pre/copy.ts": hook,
      "home/.omp/agent/hooks/pre/bash.ts": hook,
      "home/.omp/agent/hooks/pre/copy.ts": hook,
      "home/.omp/agent/hooks/post/bash.ts": hook,
    });
    expect(found(opened)).toEqual([
      "project/.omp/hooks/pre/bash.ts hook runs",
      "project/.omp/hooks/pre/copy.ts hook shadowed",
      "home/.omp/agent/hooks/pre/bash.ts hook runs",
      "home/.omp/agent/hooks/pre/copy.ts hook runs",
      "home/.omp/agent/hooks/post/bash.ts hook runs",
    ]);
    expect(opened.diagnostics).toEqual([]);
  });

  test("Claude's folders keep the ending in the key, so a file of the same name runs as well, and this is reported", async () => {
    await using opened = await openFiles({
      "home/.omp/agent/hooks/pre/bash.ts": hook,
      "home/.claude/hooks/pre/bash.ts": hook,
      "project/.claude/hooks/pre/bash.ts": hook,
    });
    expect(found(opened)).toEqual([
      "home/.omp/agent/hooks/pre/bash.ts hook runs",
      "home/.claude/hooks/pre/bash.ts hook runs",
      "project/.claude/hooks/pre/bash.ts hook shadowed",
    ]);
    expect(opened.codes()).toEqual(["LINT"]);
  });

  test("[omp.load.6, omp.load.7] shell-style files are named with the way out, and never run", async () => {
    await using opened = await openFiles({
      "project/.claude/hooks/pre/guard.sh": "#!/bin/sh\ntouch ran\n",
      "home/.omp/agent/hooks/post/notify": "#!/bin/sh\n",
      "home/.omp/agent/hooks/post/old.mjs": hook,
    });
    expect(found(opened).sort()).toEqual([
      "home/.omp/agent/hooks/post/notify hook unsupported",
      "home/.omp/agent/hooks/post/old.mjs hook unsupported",
      "project/.claude/hooks/pre/guard.sh hook unsupported",
    ]);
    expect(opened.diagnostics.map(({ code }) => code)).toEqual(["UNSUPPORTED", "UNSUPPORTED", "UNSUPPORTED"]);
    expect(opened.diagnostics.every(({ hint }) => hint.includes(".jcli/hooks.yaml"))).toBe(true);
  });

  test("what lies beside pre and post, in folders of its own, or behind a link is named with the way out", async () => {
    await using opened = await openFiles({
      "project/.omp/hooks/bash.ts": hook,
      "project/.omp/hooks/pre/folder/index.ts": hook,
      "project/.omp/hooks/pre/.hidden.ts": hook,
      "elsewhere.ts": hook,
    });
    symlinkSync(join(opened.root, "elsewhere.ts"), join(opened.root, "project/.omp/hooks/pre/link.ts"));
    const report = await opened.session.load();
    const states = report.sources.map(({ path, state }) => `${relative(opened.root, path)} ${state}`);
    expect(states.sort()).toEqual([
      "project/.omp/hooks/bash.ts unreachable",
      "project/.omp/hooks/pre/folder unreachable",
      "project/.omp/hooks/pre/link.ts unsupported",
    ]);
    const misplaced = report.diagnostics.find(({ source }) => source?.path.endsWith("hooks/bash.ts"));
    expect(misplaced).toMatchObject({ code: "UNREACHABLE", hint: expect.stringContaining("hooks/pre/bash.ts") });
  });

  test("pre and post are labels: a module there may listen to anything", async () => {
    const source = `export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "post" })); };`;
    await using opened = await openFiles({ "home/.omp/agent/hooks/post/read.ts": source });
    const { answer } = await opened.session.emit("tool.before", { toolCallId: "c", tool: "bash", args: {} });
    expect(answer).toEqual({ decision: "deny", reason: "post" });
  });

  test("in the home folder Claude's and Codex's hooks are the person's own", async () => {
    await using opened = await openFiles(
      { "home/.claude/hooks/pre/a.ts": hook, "home/.codex/hooks/pre-b.ts": hook },
      { consent: trustNothing },
    );
    const { root } = opened;
    const session = await opened.runtime.open({ scene: { sessionId: "s2", cwd: join(root, "home") } });
    expect(found({ ...opened, session, root })).toEqual([
      "home/.claude/hooks/pre/a.ts hook runs",
      "home/.codex/hooks/pre-b.ts hook runs",
    ]);
  });

  test("a project's hooks wait for a person's approval, the person's own do not", async () => {
    const touching = `globalThis.ompUntrusted = true; ${hook}`;
    await using opened = await openFiles(
      { "project/.omp/hooks/pre/p.ts": touching, "home/.omp/agent/hooks/pre/u.ts": hook },
      { consent: trustNothing },
    );
    expect(found(opened)).toEqual([
      "project/.omp/hooks/pre/p.ts hook untrusted",
      "home/.omp/agent/hooks/pre/u.ts hook runs",
    ]);
    expect((globalThis as any).ompUntrusted).toBeUndefined();
  });
});

describe("extensions", () => {
  test("[omp.status.3] the project's folder comes first, then the user's, hookline's for modules that are omp's, then what was named", async () => {
    await using opened = await openFiles(
      {
        "project/.omp/extensions/p.ts": hook,
        "project/.omp/extensions/packed/package.json": `{ "omp": { "extensions": ["./main.ts"] } }`,
        "project/.omp/extensions/packed/main.ts": hook,
        "home/.omp/agent/extensions/u.ts": hook,
        "project/.hookline/extensions/mine.ts": extension,
        "project/.hookline/extensions/pi.ts": hook,
        "home/.hookline/extensions/mine.ts": extension,
        "project/given.ts": extension,
        "project/set.ts": hook,
        "home/.omp/agent/settings.json": `{ "extensions": ["set.ts"] }`,
      },
      { explicit: ["given.ts"] },
    );
    expect(found(opened)).toEqual([
      "project/.omp/extensions/p.ts extension runs",
      "project/.omp/extensions/packed/main.ts extension runs",
      "project/.hookline/extensions/mine.ts extension runs",
      "home/.omp/agent/extensions/u.ts extension runs",
      "home/.hookline/extensions/mine.ts extension runs",
      "project/given.ts extension runs",
      "project/set.ts extension runs",
    ]);
  });

  test("[omp.status.2] a path given by --hook is an extension, omp's where it imports no agent's package", async () => {
    await using opened = await openFiles(
      {
        "project/plain.ts": hook,
        "project/pi.ts": `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent"; ${hook}`,
        "project/said.ts": hook,
      },
      { explicit: ["hook:plain.ts", "hook:pi.ts", "omp:said.ts", "plain.ts"] },
    );
    expect(found(opened)).toEqual(["project/plain.ts extension runs", "project/said.ts extension runs"]);
  });

  test("[omp.load.3, omp.load.4, omp.load.5] named paths are absolute, of the home folder, or below the working folder", async () => {
    const given = { "project/a.ts": extension, "home/b.ts": extension, "elsewhere/c.ts": extension };
    await using first = await openFiles(given);
    await using opened = await openFiles(given, { explicit: ["./a.ts", "~/b.ts", join(first.root, "elsewhere/c.ts")] });
    expect(found(opened)).toEqual([
      "project/a.ts extension runs",
      "home/b.ts extension runs",
      `${relative(opened.root, join(first.root, "elsewhere/c.ts"))} extension runs`,
    ]);
  });

  test("a hook of the project that a person names keeps its place and needs no other approval", async () => {
    await using opened = await openFiles(
      { "project/.omp/hooks/pre/p.ts": extension },
      { explicit: [".omp/hooks/pre/p.ts"], consent: trustNothing },
    );
    expect(found(opened)).toEqual(["project/.omp/hooks/pre/p.ts hook runs"]);
  });

  test("what is named and not there is broken, packages are not fetched", async () => {
    await using opened = await openFiles(
      { "home/.omp/agent/config.yml": "extensions:\n  - gone.ts\n  - npm:something\n" },
      { explicit: ["omp:missing.ts"] },
    );
    expect(found(opened)).toEqual([
      "project/missing.ts extension broken",
      "project/gone.ts extension broken",
      "home/.hookline/packages/npm/something@latest/node_modules/something extension broken",
    ]);
    expect(opened.codes()).toEqual(["UNREADABLE"]);
  });
});

describe("settings", () => {
  test("disabledExtensions switches off by id; a project cannot switch off a person's own", async () => {
    const files = {
      "home/.omp/agent/hooks/pre/bash.ts": hook,
      "home/.omp/agent/hooks/pre/read.ts": hook,
      "home/.omp/agent/extensions/quiet/index.ts": hook,
      "project/.omp/hooks/pre/own.ts": hook,
    };
    await using opened = await openFiles({
      ...files,
      "home/.omp/agent/config.yml": 'disabledExtensions: ["hook:pre:bash:bash.ts", "extension-module:quiet"]',
      "project/.omp/settings.json": '{ "disabledExtensions": ["hook:pre:read:read.ts", "hook:pre:own:own.ts"] }',
    });
    expect(found(opened)).toEqual([
      "project/.omp/hooks/pre/own.ts hook disabled",
      "home/.omp/agent/hooks/pre/bash.ts hook disabled",
      "home/.omp/agent/hooks/pre/read.ts hook runs",
      "home/.omp/agent/extensions/quiet/index.ts extension disabled",
    ]);
  });

  test.each([
    ["home/.omp/agent/settings.json", "{ nope", "SYNTAX"],
    ["home/.omp/agent/config.yml", "a: [", "SYNTAX"],
    ["project/.omp/settings.json", '{ "extensions": "x.ts" }', "BAD_ENTRY"],
    ["home/.omp/agent/config.yml", "disabledExtensions: [1]", "BAD_ENTRY"],
  ])("%s that cannot be used is reported, and hooks run anyway", async (path, source, code) => {
    await using opened = await openFiles({ [path]: source, "home/.omp/agent/hooks/pre/a.ts": hook });
    expect(opened.codes()).toEqual([code]);
    expect(found(opened)).toEqual(["home/.omp/agent/hooks/pre/a.ts hook runs"]);
  });
});
