import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "@hookline/runtime";
import type { Guard } from "@hookline/runtime/guard";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { offerCoverage } from "../../src/cover.ts";
import { commands, paths } from "../../src/index.ts";

let top: string;
let project: string;
let home: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "hookline-guard-")));
  [project, home] = [join(top, "project"), join(top, "home")];
  mkdirSync(join(project, "sub"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, "notes.txt"), "mine\n");
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

const place = (): object => ({ cwd: project, project, home });

/** Asks guards about one call; returns what the first that answers said, and what a person was shown. */
async function ask(guards: readonly Guard[], tool: string, args: object): Promise<{ answer: any; shown: string[] }> {
  const shown: string[] = [];
  const call = { notice: (text: string) => void shown.push(text) };
  for (const one of guards) {
    if (one.tools?.includes(tool) !== true) continue;
    const answer = await one.run({ toolCallId: "1", tool, args } as never, call as never);
    if (answer !== undefined) return { answer, shown };
  }
  return { answer: undefined, shown };
}

describe("in a session of a program", () => {
  it.each([
    ["commands", commands, 2],
    ["paths", paths, 2],
  ])("%s are alive", async (_, guards, count) => {
    const runtime = createRuntime({ dialects: [], home });
    const session = await runtime.open({ scene: { sessionId: "1", cwd: project } });
    for (const one of guards({}, place())) session.on(one);
    expect(await session.prove()).toMatchObject({ asked: count, alive: count, dead: [], untested: [] });
    await runtime.close();
  });

  it("a wrong setting in code is an error that names it", () => {
    expect(() => commands({ level: "never" } as never)).toThrow(
      "guards.commands.level must be one of note, ask, refuse",
    );
  });

  it("code overrides a person's settings, and a project tightens both", async () => {
    const settings = { commands: { level: "refuse" }, paths: { noRead: ["a"] } };
    const session = {
      ...place(),
      settings,
      projectSettings: { commands: { level: "note" }, paths: { noRead: ["b"] } },
    };
    const guards = commands({ level: "ask" }, session);
    expect((await ask(guards, "bash", { command: "rm notes.txt" })).answer).toHaveProperty("ask");
    for (const path of ["a", "b"]) expect((await ask(guards, "read", { path })).answer).toHaveProperty("deny");
  });
});

describe("a call", () => {
  it("runs in the folder that it names", async () => {
    const guards = commands({}, place());
    expect((await ask(guards, "bash", { command: "rm ../notes.txt", workdir: "sub" })).answer).toHaveProperty("ask");
    expect((await ask(guards, "bash", { command: "rm notes.txt", workdir: "sub" })).answer).toBeUndefined();
  });

  it("passes with a note where a checkpoint is offered that brings back all that it loses", async () => {
    const asked: unknown[] = [];
    let because: string | undefined;
    const session = place();
    offerCoverage(session, async (...all) => {
      asked.push(all);
      return because;
    });
    const guards = commands({}, session);
    const { answer, shown } = await ask(guards, "bash", { command: "rm notes.txt" });
    expect(answer.remark).toBe(
      "`rm notes.txt` would delete notes.txt, which exists nowhere else. `hookline undo` brings it back.",
    );
    expect(shown).toEqual([answer.remark]);
    expect(asked).toEqual([
      [{ toolCallId: "1", label: "rm notes.txt" }, [{ kind: "files", paths: [join(project, "notes.txt")] }]],
    ]);
    because = "it is too big";
    expect((await ask(guards, "bash", { command: "rm notes.txt" })).answer).toHaveProperty("ask");
    expect((await ask(guards, "bash", { command: "kubectl delete ns x" })).answer).toHaveProperty("ask");
    because = undefined;
    expect((await ask(commands({}, place()), "bash", { command: "rm notes.txt" })).answer).toHaveProperty("ask");
    expect(asked).toHaveLength(2);
  });

  it("of a file tool is judged by its file: a patch that deletes it, a search that shows it, a name of another agent", async () => {
    const guards = paths({ noRead: ["*.key"] }, place());
    writeFileSync(join(project, "sub/x.key"), "secret");
    expect((await ask(guards, "write", { path: "notes.txt", content: "" })).answer).toHaveProperty("ask");
    expect((await ask(guards, "write", { path: "notes.txt", content: "new" })).answer).toBeUndefined();
    expect((await ask(guards, "grep", { pattern: "s" })).answer).toHaveProperty("deny");
    expect((await ask(guards, "grep", { pattern: "s", path: "notes.txt" })).answer).toBeUndefined();
    expect((await ask(guards, "NotebookEdit", { notebook_path: "~/.bashrc" })).answer).toHaveProperty("deny");
    await expect(ask(guards, "edit", { edits: [] })).rejects.toThrow("a call of edit names no file");
  });

  it("is judged by the same names where the home folder is the project", async () => {
    const guards = commands({}, { cwd: home, project: home, home });
    expect((await ask(guards, "bash", { command: "echo x >> .bashrc" })).answer).toHaveProperty("deny");
    expect((await ask(guards, "write", { path: ".bashrc", content: "x" })).answer).toHaveProperty("deny");
  });

  it("that changes a protected file is stopped by paths alone, and what only loses something is not", async () => {
    const guards = paths({}, place());
    expect((await ask(guards, "bash", { command: "echo x >> ~/.bashrc" })).answer).toHaveProperty("deny");
    expect((await ask(guards, "bash", { command: "rm notes.txt" })).answer).toBeUndefined();
  });
});

describe("is alive and final whatever a person has set", () => {
  it.each([
    { commands: { allow: ["rm *"] } },
    { paths: { allow: ["~/.bashrc"] } },
    { commands: { level: "note" }, paths: { allow: ["~/.ssh/**", ".git/**"] } },
  ])("%j", async (settings) => {
    const runtime = createRuntime({ dialects: [], home });
    const session = await runtime.open({ scene: { sessionId: "1", cwd: project } });
    for (const one of commands({}, { ...place(), settings: settings as never })) session.on(one);
    expect(await session.prove()).toMatchObject({ asked: 2, alive: 2, dead: [] });
    await runtime.close();
  });

  it("an allowed pattern opens what would be asked, and nothing that is refused", async () => {
    const guards = commands({ allow: ["rm *"] }, place());
    expect((await ask(guards, "bash", { command: "rm notes.txt" })).answer).toBeUndefined();
    const { answer } = await ask(guards, "bash", { command: "rm -rf notes.txt ~" });
    expect(answer.deny).toMatch(/A person can run it in a terminal\.$/);
  });

  it("a home in a folder for temporary files is still a home", async () => {
    for (const path of ["~/.bashrc", "~/.ssh/authorized_keys"])
      expect((await ask(paths({}, place()), "bash", { command: `echo x >> ${path}` })).answer).toHaveProperty("deny");
  });
});

it("a search of more files than can be looked at is asked about where a setting forbids some", async () => {
  const guards = commands({}, { ...place(), settings: { paths: { noRead: ["private/**"] } } });
  mkdirSync(join(project, "many"));
  for (let at = 0; at < 5_200; at++) writeFileSync(join(project, "many", `${at}`), "");
  expect((await ask(guards, "grep", { pattern: "x", path: "sub" })).answer).toBeUndefined();
  expect((await ask(guards, "grep", { pattern: "x" })).answer.ask).toMatch(/^Not searched\. The folder has too many/);
});
