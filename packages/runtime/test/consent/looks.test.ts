import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Files } from "../../../ground/src/file/files.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { loadParser } from "../../src/command/parser.ts";
import { Fingerprints } from "../../src/consent/fingerprint.ts";
import { MOST_LOOKED_AT } from "../../src/consent/folder.ts";
import { Watch } from "../../src/consent/watch.ts";
import type { Candidate } from "../../src/dialect/dialect.ts";
import { approvalOf, type Opened, Project } from "../config/kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
  project.write(".jcli/hooks.yaml", "pre_tool_execution:\n  - command: sh tools/g.sh\n");
});

afterEach(() => project.remove());

async function asked({ session }: Pick<Opened, "session">): Promise<unknown> {
  return (await session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} })).answer;
}

describe("a look before and after each run", () => {
  test("refuses where a covered file changed while the hook ran, and says which", async () => {
    project.write("tools/lib.sh", "true\n");
    project.write("tools/g.sh", `. tools/lib.sh\n[ -f go ] && echo '# more' >> tools/lib.sh\necho '{}'\n`);
    await project.approve();
    await using opened = await project.open();
    expect(await asked(opened)).toEqual({});
    project.write("go", "");
    expect(await asked(opened)).toMatchObject({ decision: "deny" });
    const told = opened.diagnostics.find(({ code }) => code === "TRUST_CHANGED");
    expect(told?.message).toMatch(/hooks\.yaml:2 is not run: .*tools\/lib\.sh changed/);
    expect(told?.hint).toMatch(/trust approve .*hooks\.yaml:2/);
  });

  test("does not start what vanished, or was replaced with the old times", async () => {
    project.write("tools/g.sh", `echo ran >> '${project.marker}'\necho '{}'\n`);
    const old = new Date(2020, 0, 1);
    utimesSync(project.path("tools/g.sh"), old, old);
    await project.approve();
    await using opened = await project.open();
    await asked(opened);
    expect(project.ran()).toEqual(["ran"]);
    project.write("tools/other", project.read("tools/g.sh").replace("ran", "van"));
    utimesSync(project.path("tools/other"), old, old);
    renameSync(project.path("tools/other"), project.path("tools/g.sh"));
    expect(await asked(opened)).toMatchObject({ decision: "deny" });
    rmSync(project.path("tools/g.sh"));
    expect(await asked(opened)).toMatchObject({ decision: "deny" });
    expect(project.ran()).toEqual([]);
  });

  test("lets a hook write what is not covered: its log, and what Python compiles", async () => {
    project.write(
      "tools/g.sh",
      "echo x >> tools/run.log\nmkdir -p tools/__pycache__\n: > tools/__pycache__/g.pyc\necho '{}'\n",
    );
    await project.approve();
    await using opened = await project.open();
    expect(await asked(opened)).toEqual({});
    expect(await asked(opened)).toEqual({});
  });
});

test.each<[string, string, (at: Project) => void]>([
  ["a module that Python would load beside a script", "python3 tools/g.py", (at) => at.write("tools/any.py", "")],
  ["a package there", "python3 tools/g.py", (at) => at.write("tools/any/__init__.py", "")],
  ["a module in the working folder of -c", "python3 -c 'import json'", (at) => at.write("json.py", "")],
  ["a program in a relative PATH", "PATH=./bin:$PATH; true; cat", (at) => at.write("bin/cat", "", "x")],
  ["a file that a pattern fits", "for f in tools/*.sh; do . $f; done", (at) => at.write("tools/z.sh", "")],
  ["a configuration that a linter reads", "eslint .", (at) => at.write("eslint.config.js", "")],
  ["a program in git's configuration", "git status", (at) => at.write(".git/config", "[core]\n\tfsmonitor = x\n")],
  [
    "another target of an import",
    "node tools/g.mjs",
    (at) => at.write("package.json", '{"imports":{"#lib":"./lib/b.mjs"}}'),
  ],
  ["a code file for an unknown program", "guardian rules.rb", (at) => at.write("rules.rb", "")],
])("%s is asked about when it appears", async (_name, command, appear) => {
  project.write(".jcli/hooks.yaml", `pre_tool_execution:\n  - command: ${JSON.stringify(command)}\n`);
  for (const [path, text] of Object.entries({
    "tools/g.py": "",
    "tools/g.mjs": 'import "#lib";\n',
    "package.json": '{"imports":{"#lib":"./lib/a.mjs"}}',
    "lib/a.mjs": "",
    "lib/b.mjs": "",
    "tools/a.sh": "",
    ".git/config": "[core]\n\tbare = false\n",
  }))
    project.write(path, text);
  await project.approve();
  const verdict = async (): Promise<string | undefined> => {
    await using opened = await project.open("trust", true);
    return (await opened.session.review())[0]?.verdict;
  };
  expect(await verdict()).toBe("approved");
  appear(project);
  expect(await verdict()).toBe("changed");
});

test("a look asks for each state once, and at an unchanged bound folder reads nothing; one after a change does", async () => {
  await loadParser();
  project.write("tools/g.sh", "true\n");
  mkdirSync(project.path("tools/many"));
  for (let at = 0; at < 300; at++) writeFileSync(project.path(`tools/many/${at}`), `${at}`);
  let reads = 0;
  const read: Files["read"] = (path) => {
    reads += 1;
    return systemFiles.read(path);
  };
  const states: string[] = [];
  const stat: Files["stat"] = (path) => {
    states.push(path);
    return systemFiles.stat(path);
  };
  const counted: Files = { ...systemFiles, read, stat };
  const source = { path: project.path(".jcli/hooks.yaml"), tier: "project", line: 2 } as const;
  const item: Candidate = {
    lane: "jcli",
    source,
    state: "runs",
    files: [source.path],
    commands: ["sh tools/g.sh"],
    definition: 1,
  };
  const later = Date.now() + 60_000;
  const watch = new Watch(
    counted,
    () => later,
    (files) => new Fingerprints({ cwd: project.cwd, files }).of(item, { bound: [project.path("tools")] }),
  );
  const { hash } = watch.value;
  expect(reads).toBeGreaterThan(300);
  expect(states).toEqual([...new Set(states)]);
  reads = 0;
  expect(watch.value.hash).toBe(hash);
  expect(reads).toBe(0);
  appendFileSync(project.path("tools/many/7"), "more");
  expect(watch.value.hash).not.toBe(hash);
});

describe("an approval of the former rule", () => {
  const asFormer = async (): Promise<void> => {
    project.write("tools/g.sh", "cat notes.txt\n");
    project.write("notes.txt", "a");
    await using opened = await project.open("trust", true);
    const [review] = await opened.session.review();
    if (review === undefined) throw new Error("there is no hook");
    const { rule: _, data: __, modules: ___, inRoot: ____, ...former } = approvalOf(review);
    const note = { path: project.path("notes.txt"), sha256: "a".repeat(64), isData: true };
    project.store.approve([{ ...former, files: [...former.files, note], hash: "f".repeat(64) }]);
  };
  const state = async (): Promise<string | undefined> => {
    await using opened = await project.open();
    return opened.session.report.sources[0]?.state;
  };

  test("stays while what is code is as it was approved, whatever happened to data", async () => {
    await asFormer();
    expect(await state()).toBe("runs");
    project.write("notes.txt", "b");
    expect(await state()).toBe("runs");
    project.write("tools/g.sh", "cat notes.txt #\n");
    expect(await state()).toBe("untrusted");
  });

  test("asks for a file that the rule adds", async () => {
    await asFormer();
    project.write(".jcli/hooks.yaml", "pre_tool_execution:\n  - command: sh tools/g.sh\n");
    project.write("tools/g.sh", "cat notes.txt\n. tools/lib.sh\n");
    project.write("tools/lib.sh", "");
    expect(await state()).toBe("untrusted");
  });
});

test("a project in / is looked at quickly", async () => {
  await loadParser();
  const source = { path: "/etc/none/hooks.yaml", tier: "project", line: 1 } as const;
  const item: Candidate = {
    lane: "jcli",
    source,
    state: "runs",
    files: [],
    commands: ["python3 -c 'import json'; cat etc/hostname"],
    definition: 1,
  };
  let asks = 0;
  const list: Files["list"] = (path) => {
    asks += 1;
    return systemFiles.list(path);
  };
  const counted: Files = { ...systemFiles, list };
  const print = new Fingerprints({ cwd: "/", files: counted }).of(item);
  expect(print.refused).toBeUndefined();
  expect(asks).toBeLessThan(20);
});

test("a hooks folder with very many files is not covered, and is searched no further", async () => {
  await loadParser();
  project.write(".jcli/g.sh", "true\n");
  const many = project.path(".jcli/data");
  mkdirSync(many);
  let heads = 0;
  let reads = 0;
  const crowded = (count: number): Files => ({
    ...systemFiles,
    list: (path) =>
      path === many
        ? Array.from({ length: count }, (_, at) => ({ name: `${at}`, kind: "file" as const }))
        : systemFiles.list(path),
    head: (path) => {
      heads += 1;
      return path.startsWith(many) ? Buffer.from("ab") : systemFiles.head?.(path);
    },
    read: (path) => {
      reads += 1;
      return systemFiles.read(path);
    },
  });
  const source = { path: project.path(".jcli/hooks.yaml"), tier: "project", line: 2 } as const;
  const item: Candidate = {
    lane: "jcli",
    source,
    state: "runs",
    files: [source.path],
    commands: ["sh .jcli/g.sh"],
    definition: 1,
  };
  const openIn = (count: number) =>
    new Fingerprints({ cwd: project.cwd, files: crowded(count) }).of(item).open?.map(({ piece, why }) => [piece, why]);
  expect(openIn(MOST_LOOKED_AT - 100)).toEqual([]);
  expect(reads).toBeLessThan(10);
  heads = 0;
  const why = `contains more than ${MOST_LOOKED_AT} files, so it is not searched for code`;
  expect(openIn(MOST_LOOKED_AT + 1)).toEqual([[".jcli", why]]);
  expect(heads).toBeLessThanOrEqual(MOST_LOOKED_AT);
});
