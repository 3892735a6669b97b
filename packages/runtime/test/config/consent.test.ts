import { chmodSync, cpSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { exercise, furnished, type Project } from "./kit.ts";
import { append, MUTATIONS, PARTS, type Part } from "./mutations.ts";

let project: Project;

beforeEach(() => {
  project = furnished();
});

afterEach(() => project.remove());

async function runAll(): Promise<string[]> {
  await using opened = await project.open();
  await exercise(opened);
  return [...new Set(project.ran())].sort();
}

/** Replaces a file of the project by a link to another, which is named like data. */
function linkTo(path: string, name: string, text: string): void {
  project.write(name, text);
  rmSync(project.path(path), { force: true });
  symlinkSync(project.path(name), project.path(path));
}

/** Files that a hook starts, sources or imports late, each with the mark that it leaves when it runs. */
const STARTED: Readonly<Record<string, string>> = {
  "scripts/check.sh": "jcli",
  "scripts/lib.sh": "lib",
  "scripts/second.sh": "second",
  ".hookline/plugins/plugin": "plugin",
  ".pi/extensions/lib/late.ts": "late",
};

/** Changes of a file while a session that has loaded its hook is open. */
const CHANGES: Readonly<Record<string, (path: string, changed: string) => void>> = {
  "is written over": (path, changed) => writeFileSync(path, changed),
  "is replaced by another": (path, changed) => {
    writeFileSync(`${path}.new`, changed, { mode: statSync(path).mode });
    renameSync(`${path}.new`, path);
  },
  "becomes a link": (path, changed) => {
    writeFileSync(`${path}.else`, changed, { mode: statSync(path).mode });
    rmSync(path);
    symlinkSync(`${path}.else`, path);
  },
};

/** Modules of the project, each with the mark that it leaves when it runs. */
const MODULES: readonly (readonly [file: string, mark: string])[] = [
  [".pi/extensions/ext.ts", "pi"],
  [".pi/extensions/lib/rule.ts", "rule"],
  [".pi/extensions/lib/deep.ts", "deep"],
  [".omp/hooks/pre/guard.ts", "omp"],
];

const everything = (): string[] => Object.values(PARTS).flat().sort();

describe("a project without consent", () => {
  test("nothing of it is run, imported or asked for its schema, and each definition is reported", async () => {
    await using opened = await project.open();
    await exercise(opened);
    expect(project.ran()).toEqual([]);
    const { sources, diagnostics } = opened.session.report;
    expect(sources.map(({ state }) => state)).toEqual([
      "untrusted",
      "untrusted",
      "untrusted",
      "untrusted",
      "untrusted",
    ]);
    expect(diagnostics.filter(({ code }) => code === "UNTRUSTED")).toHaveLength(5);
  });

  test("a review reads it to the end and still runs nothing", async () => {
    await using opened = await project.open("trust", true);
    const reviews = await opened.session.review();
    expect(project.ran()).toEqual([]);
    expect(reviews.map(({ verdict }) => verdict)).toEqual(Array(5).fill("pending"));
    const pi = reviews.find(({ print }) => print.lane === "pi");
    const names = pi?.print.files.map(({ path }) => path.slice(project.cwd.length + 1)).sort();
    expect(names).toEqual([
      ".pi/extensions/ext.ts",
      ".pi/extensions/lib/data.json",
      ".pi/extensions/lib/deep.ts",
      ".pi/extensions/lib/late.ts",
      ".pi/extensions/lib/rule.ts",
      "node_modules/pack/index.js",
      "package-lock.json",
    ]);
  });
});

describe("an approved project", () => {
  test("all of it runs, also from a new session", async () => {
    await project.approve();
    expect(await runAll()).toEqual(everything());
    // Node itself keeps an installed package for as long as the process lives.
    expect(await runAll()).toEqual(everything().filter((name) => name !== "pack"));
  });

  test("approvals are for one definition each", async () => {
    const approvals = await project.approve();
    project.store.revoke(({ lane }) => lane !== "omp-hooks");
    expect(approvals.length).toBe(5);
    expect(await runAll()).toEqual(["omp"]);
  });

  test("an approval of one entry is none of its neighbour's, which has the same files", async () => {
    const [one, two] = ["one", "two"].map((name) => `  - command: echo ${name} >> '${project.marker}'\n`);
    project.write(".jcli/hooks.yaml", `pre_tool_execution:\n${one}${two}`);
    await project.approve();
    project.store.revoke(({ definition }) => !definition.includes("echo two"));
    expect(await runAll()).toEqual(["two"]);
  });
});

describe("a change of an approved project", () => {
  test("there are thirty and more of them", () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(30);
  });

  test.each(MUTATIONS)("$name is asked about again, and nothing of it runs", async ({ stops, apply }) => {
    await project.approve();
    apply(project);
    const ran = await runAll();
    const kept = (Object.keys(PARTS) as Part[]).filter((part) => !stops.includes(part));
    expect(ran).toEqual(kept.flatMap((part) => [...PARTS[part]]).sort());
  });

  test("a moved project, and a copy of it, are asked about again", async () => {
    await project.approve();
    const copy = join(project.top, "copy");
    cpSync(project.cwd, copy, { recursive: true });
    const original = project.cwd;
    project.cwd = copy;
    expect(await runAll()).toEqual([]);
    project.cwd = original;
    expect(await runAll()).toEqual(everything());
  });

  test.each([
    ["a folder whose name differs only in case", "Project"],
    ["a folder below it", "project/nested"],
  ])("%s is another folder", async (_, name) => {
    await project.approve();
    const [original, other] = [join(project.top, "original"), join(project.top, name)];
    cpSync(project.cwd, original, { recursive: true });
    cpSync(original, other, { recursive: true });
    project.cwd = other;
    expect(await runAll()).toEqual([]);
  });

  test("the report says that it has changed, and in what way to have it run", async () => {
    await project.approve();
    append(".omp/hooks/pre/guard.ts", "// more\n")(project);
    await using opened = await project.open();
    const source = opened.session.report.sources.find(({ lane }) => lane === "omp-hooks");
    expect(source).toMatchObject({ state: "untrusted" });
    expect(source?.reason).toMatch(/changed after it was approved/);
    const told = opened.diagnostics.find(({ code }) => code === "TRUST_CHANGED");
    expect(told?.hint).toMatch(/hookline trust approve .*guard\.ts/);
  });
});

describe("a change while the session runs", () => {
  test.each(Object.keys(STARTED).flatMap((file) => Object.keys(CHANGES).map((change) => [file, change] as const)))(
    "nothing runs of %s once it %s, and its guard refuses",
    async (file, change) => {
      const mark = STARTED[file] as string;
      await project.approve();
      await using opened = await project.open();
      // A module that was imported once is not imported again.
      if (mark !== "late") {
        await exercise(opened);
        expect(project.ran()).toContain(mark);
      }
      const path = project.path(file);
      CHANGES[change]?.(path, readFileSync(path, "utf8").replaceAll(mark, "changed"));
      const { answer } = await opened.session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} });
      await opened.session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
      expect(project.ran()).not.toContain("changed");
      // A module that is imported late is not needed to judge.
      if (mark !== "late") {
        expect(answer).toMatchObject({ decision: "deny" });
        expect(opened.diagnostics.map(({ code }) => code)).toContain("TRUST_CHANGED");
      }
    },
  );

  test("a link that comes to be under a name that a script sources is not followed, now or at the next start", async () => {
    append("scripts/check.sh", "if [ -f scripts/extra.sh ]; then . scripts/extra.sh; fi\n")(project);
    await project.approve();
    await using opened = await project.open();
    await exercise(opened);
    expect(project.ran()).toContain("jcli");
    linkTo("scripts/extra.sh", "notes", `echo evil >> '${project.marker}'\n`);
    await exercise(opened);
    await using again = await project.open();
    await exercise(again);
    expect(project.ran()).not.toContain("evil");
  });

  test("a file that defines hooks may change; what was read and agreed to goes on", async () => {
    await project.approve();
    await using opened = await project.open();
    append(".jcli/hooks.yaml", "# more\n")(project);
    project.ran();
    const { answer } = await opened.session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} });
    expect(answer).toEqual({});
    expect(project.ran()).toContain("jcli");
  });

  test("what a module imports later must be what was agreed to", async () => {
    await project.approve();
    await using opened = await project.open();
    project.write(".pi/extensions/lib/late.ts", "export const late = 2;\n");
    await exercise(opened);
    expect(project.ran()).not.toContain("evil");
    project.write(
      ".pi/extensions/ext.ts",
      `export default function (pi) {\n  const name = "./lib/" + ["unseen", "ts"].join(".");\n  pi.on("turn_start", async () => { await import(name); });\n}\n`,
    );
    project.write(
      ".pi/extensions/lib/unseen.ts",
      `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(project.marker)}, "unseen\\n");\n`,
    );
    await project.approve();
    await using again = await project.open();
    const outcome = await again.session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    expect(project.ran()).not.toContain("unseen");
    expect(outcome.diagnostics[0]?.message).toMatch(/unseen\.ts is not what was approved/);
  });

  test.each(MODULES)("%s that changes between the question and the import is not run", async (file, mark) => {
    await project.approve();
    const path = project.path(file);
    const before = readFileSync(path);
    project.write(file, before.toString().replaceAll(`"${mark}\\n"`, '"changed\\n"'));
    // To the question, the file looks unchanged.
    const files = { ...systemFiles, read: (at: string) => (at === path ? before : systemFiles.read(at)) };
    await using opened = await project.open("trust", false, { files });
    await exercise(opened);
    const ran = project.ran();
    expect(ran).not.toContain("changed");
    expect(ran).not.toContain(mark);
  });
});

test("a hook of the user needs no consent, and one that is switched off is not asked about", async () => {
  project.write("~/.jdata/agent/hooks.yaml", `stop:\n  - command: echo user >> '${project.marker}'\n`);
  project.write(".hookline/plugins/off.disabled", "#!/bin/sh\n", "x");
  await using opened = await project.open();
  await opened.session.emit("agent.stop", {
    prompt: "",
    reply: "",
    messages: [],
    retryCount: 0,
    stopHookActive: false,
  });
  expect(project.ran()).toEqual(["user"]);
  const reviews = await opened.session.review();
  expect(reviews.some(({ candidate }) => candidate.source.path.endsWith(".disabled"))).toBe(false);
});

test("an executable bit that is taken away is reported as such", async () => {
  await project.approve();
  chmodSync(project.path(".hookline/plugins/plugin"), 0o644);
  await using opened = await project.open();
  const source = opened.session.report.sources.find(({ lane }) => lane === "chibi");
  expect(source?.state).toBe("unsupported");
});
