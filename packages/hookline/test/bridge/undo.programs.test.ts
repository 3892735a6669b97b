import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runProgram } from "./support/program.ts";
import { Rigged } from "./support/rigged.ts";

/** A call of Codex, as its hooks are told of it before and after it runs. */
function payload(event: string, id: string, command: string, session = "s"): string {
  return JSON.stringify({
    session_id: session,
    turn_id: "t",
    transcript_path: null,
    cwd: "/",
    hook_event_name: event,
    model: "m",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: id,
    ...(event === "PostToolUse" && { tool_response: "done" }),
  });
}

test("behind the bridge a call of another agent has a checkpoint, its loss is told, and it is undone", async () => {
  const at = new Rigged("");
  onTestFinished(() => at.close());
  at.write("~/.hookline/guards/undo.ts", 'import { undo } from "@hookline/guards";\nexport default undo();\n');
  mkdirSync(join(at.project, "notes"));
  for (const name of ["one", "two"]) writeFileSync(join(at.project, "notes", name), name);
  const tell = (event: string, id: string, command: string) =>
    runProgram(at, ["bridge", "call", "codex", event], payload(event, id, command));
  await tell("PreToolUse", "1", "ls notes");
  expect((await runProgram(at, ["undo", "--list"], "")).out).toMatch(/^No checkpoints yet/);
  const command = "rm -r notes";
  expect((await tell("PreToolUse", "2", command)).out).not.toContain("deny");
  execFileSync("sh", ["-c", command], { cwd: at.project });
  expect((await tell("PostToolUse", "2", command)).out).toContain(
    "Deleted 2 files: notes/one, notes/two. `hookline undo 1` brings it back.",
  );
  const { code, out } = await runProgram(at, ["undo", "--yes"], "");
  expect([code, out]).toEqual([0, expect.stringContaining("Back at checkpoint 1")]);
  expect(["one", "two"].map((name) => readFileSync(join(at.project, "notes", name), "utf8"))).toEqual(["one", "two"]);
});

test("two sessions of one project in one daemon each ask about their own checkpoints", async () => {
  const at = new Rigged("");
  onTestFinished(() => at.close());
  for (const name of ["commands", "undo"])
    at.write(
      `~/.hookline/guards/${name}.ts`,
      `import { ${name} } from "@hookline/guards";\nexport default ${name}();\n`,
    );
  at.write("notes.txt", "mine\n");
  const verdict = async (session: string): Promise<string> => {
    const { out } = await runProgram(
      at,
      ["bridge", "call", "codex", "PreToolUse"],
      payload("PreToolUse", session, "rm notes.txt", session),
    );
    return /"permissionDecision":"(\w+)"/.exec(out)?.[1] ?? "passes";
  };
  expect(await verdict("first")).toBe("passes");
  const { pid } = at;
  at.write("~/.hookline/settings.json", '{ "guards": { "undo": { "exclude": ["notes.txt"] } } }');
  expect(await verdict("second")).toBe("deny");
  expect(await verdict("first")).toBe("passes");
  expect(await verdict("second")).toBe("deny");
  expect(at.pid).toBe(pid);
});
