import { describe, expect, test } from "vitest";
import { openWith, type TestFactory } from "./kit.ts";

const command = { command: "ls", excludeFromContext: true, cwd: "/project" };
const result = { output: "custom output", exitCode: 0, cancelled: false, truncated: false };
const on =
  (handler: (event: any) => unknown): TestFactory =>
  (pi) =>
    pi.on("user_bash", handler);

interface Operations {
  exec(command: string, cwd: string, options: object): Promise<{ exitCode: number | null }>;
}

async function operationsOf(answer: unknown): Promise<Operations> {
  await using opened = await openWith([on(() => answer)]);
  const outcome = await opened.session.emit("shell.user", command);
  return outcome.answer.operations as Operations;
}

describe("user_bash", () => {
  test("the event has command, excludeFromContext and cwd [pi.user-bash.2]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on((event) => void seen.push(event))]);
    expect((await opened.session.emit("shell.user", command)).answer).toEqual({});
    expect(seen).toEqual([{ type: "user_bash", ...command }]);
  });

  test("a result replaces the command, and the first one counts [pi.user-bash.4]", async () => {
    const asked: string[] = [];
    await using opened = await openWith([
      on(() => void asked.push("A")),
      on(() => ({ result })),
      on(() => void asked.push("C")),
    ]);
    expect((await opened.session.emit("shell.user", command)).answer).toEqual({ result });
    expect(asked).toEqual(["A"]);
  });

  test("the seed's `execute(cmd)` runs the command behind `exec` [pi.user-bash.3]", async () => {
    const asked: unknown[] = [];
    const operations = await operationsOf({
      operations: { execute: (...args: unknown[]) => (asked.push(args[0]) > 0 ? "out" : "") },
    });
    const chunks: Uint8Array[] = [];
    const status = await operations.exec("ls", "/project", { onData: (chunk: Uint8Array) => chunks.push(chunk) });
    expect(asked).toEqual(["ls"]);
    expect(status).toEqual({ exitCode: 0 });
    expect(Buffer.concat(chunks).toString()).toBe("out");
  });

  test.each([
    [{ stdout: "a", stderr: "b", exitCode: 3 }, "a\nb", 3],
    [{ output: "a", code: 4 }, "a", 4],
    [{ exitCode: null }, "", null],
    [undefined, "", 0],
  ])("what `execute` gives is read as output and code: %j", async (given, output, exitCode) => {
    const operations = await operationsOf({ operations: { execute: async () => given } });
    let text = "";
    const status = await operations.exec("ls", "/", { onData: (chunk: Uint8Array) => (text += Buffer.from(chunk)) });
    expect({ text, status }).toEqual({ text: output, status: { exitCode } });
  });

  test("pi's own operations run as members of the object that was given", async () => {
    const own = {
      calls: 0,
      async exec() {
        this.calls += 1;
        return { exitCode: 7 };
      },
    };
    const given = (await operationsOf({ operations: own })) as typeof own;
    expect(await given.exec()).toEqual({ exitCode: 7 });
    expect(own.calls).toBe(1);
  });

  test.each([
    { operations: {} },
    { result: { exitCode: 0 } },
    { operations: { exec: () => {} }, result },
    { output: "x" },
    "text",
  ])("an answer of another shape keeps the command from running: %j", async (raw) => {
    await using opened = await openWith([on(() => raw)]);
    const { answer } = await opened.session.emit("shell.user", command);
    expect(answer.cancel).toMatch(/^Invalid user_bash handler result: return undefined for local execution/);
    expect(opened.codes()).toEqual(["HOOK_BAD_ANSWER"]);
  });

  test("a handler that throws keeps the command from running, with its message", async () => {
    await using opened = await openWith([
      on(() => {
        throw new Error("no connection");
      }),
    ]);
    expect((await opened.session.emit("shell.user", command)).answer).toEqual({ cancel: "no connection" });
  });
});
