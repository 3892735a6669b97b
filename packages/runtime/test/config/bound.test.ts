import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { lockPath, lockText } from "../../src/consent/lock-file.ts";
import { approvalOf, Project } from "./kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
  project.write(".jcli/hooks.yaml", 'pre_tool_execution:\n  - command: sh "$(cat tools/which)"\n');
  project.write("tools/which", "tools/a.sh");
  project.write("tools/a.sh", `echo a >> '${project.marker}'\n`);
  project.write("tools/deep/b.sh", `echo b >> '${project.marker}'\n`);
});

afterEach(() => project.remove());

/** Approves the only hook, bound to a folder. */
async function approveBoundTo(folder: string): Promise<void> {
  await using opened = await project.open("trust", true);
  const [review] = await opened.session.review();
  if (review === undefined) throw new Error("there is no hook");
  project.store.approve([{ ...approvalOf(review), ...review.bind([project.path(folder)]) }]);
}

async function asked(how: "trust" | "frozen" = "trust"): Promise<{ ran: string[]; state: string | undefined }> {
  await using opened = await project.open(how);
  await opened.session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} });
  return { ran: project.ran(), state: opened.session.report.sources[0]?.state };
}

describe("an approval that is bound to a folder", () => {
  test("holds while everything in the folder is as it was", async () => {
    await approveBoundTo("tools");
    expect(await asked()).toEqual({ ran: ["a"], state: "runs" });
    project.write("elsewhere.txt", "more");
    expect(await asked()).toEqual({ ran: ["a"], state: "runs" });
  });

  test.each<[string, (at: Project) => void]>([
    ["a byte of any file", (at) => at.write("tools/deep/b.sh", "echo c\n")],
    ["a new file", (at) => at.write("tools/deep/new.sh", "")],
    ["the bit that makes a file a program", (at) => chmodSync(at.path("tools/a.sh"), 0o755)],
    ["a link instead of a file", (at) => symlinkSync("a.sh", at.path("tools/link.sh"))],
  ])("is asked about again after a change of %s", async (_name, change) => {
    await approveBoundTo("tools");
    change(project);
    expect(await asked()).toEqual({ ran: [], state: "untrusted" });
  });

  test("does not start what has changed while the session runs, and its guard refuses", async () => {
    await approveBoundTo("tools");
    await using opened = await project.open();
    project.write("tools/deep/b.sh", "echo c\n");
    const { answer } = await opened.session.emit("tool.before", { toolCallId: "1", tool: "bash", args: {} });
    expect(answer).toMatchObject({ decision: "deny" });
    expect(project.ran()).toEqual([]);
    const told = opened.diagnostics.find(({ code }) => code === "TRUST_CHANGED");
    expect(told?.message).toContain("tools");
  });

  test("that has become a link to a folder elsewhere is named as what changed", async () => {
    await approveBoundTo("tools");
    rmSync(project.path("tools"), { recursive: true });
    symlinkSync("/usr", project.path("tools"));
    const opened = await project.open();
    const told = opened.diagnostics.find(({ code }) => code === "TRUST_CHANGED");
    expect(told?.message).toMatch(/is not run: \S+tools changed after it was approved$/);
  });

  test("is in the lock file, and holds there for a copy of the project", async () => {
    await approveBoundTo("tools");
    const path = lockPath(project.cwd, systemFiles);
    writeFileSync(path, lockText(path, project.store.list(), ["jcli"]));
    project.store.revoke(() => true);
    expect(await asked("frozen")).toMatchObject({ ran: ["a"] });
    project.write("tools/deep/b.sh", "echo c\n");
    expect(await asked("frozen")).toMatchObject({ ran: [] });
  });

  test("to the whole project is not changed by writing the lock file", async () => {
    await approveBoundTo(".");
    const path = lockPath(project.cwd, systemFiles);
    writeFileSync(path, lockText(path, project.store.list(), ["jcli"]));
    expect(await asked()).toEqual({ ran: ["a"], state: "runs" });
  });
});

describe("a folder that no approval can be bound to", () => {
  const many = (at: Project): void => {
    mkdirSync(at.path("many"));
    for (let i = 0; i <= 2000; i++) writeFileSync(join(at.path("many"), `${i}`), "");
  };
  test.each<[string, string, (at: Project) => void, RegExp]>([
    ["is not there", "absent", () => {}, /is not a file or a folder/],
    ["is outside the project", "..", () => {}, /is outside the project/],
    ["holds too many files", "many", many, /more than 2000 files/],
    ["holds too many bytes", "big", (at) => at.write("big/x", "x".repeat(17 * 1024 * 1024)), /16 MiB/],
    [
      "holds a link to a folder elsewhere",
      "linked",
      (at) => {
        mkdirSync(at.path("linked"));
        symlinkSync("/usr", at.path("linked/usr"));
      },
      /link to a folder outside/,
    ],
  ])("%s: approving says so, and approves nothing", async (_name, folder, make, why) => {
    make(project);
    await expect(approveBoundTo(folder)).rejects.toThrow(why);
    expect(project.store.list()).toEqual([]);
  });
});

test("in a folder of dependencies the lock file stands for what is there", async () => {
  project.write("tools/node_modules/p/index.js", "1");
  project.write("tools/package-lock.json", "{}");
  await approveBoundTo("tools");
  project.write("tools/node_modules/p/index.js", "2");
  expect(await asked()).toMatchObject({ state: "runs" });
  project.write("tools/package-lock.json", '{"a":1}');
  expect(await asked()).toMatchObject({ state: "untrusted" });
});
