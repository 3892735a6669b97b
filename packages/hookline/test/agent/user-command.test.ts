import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { readUserCommand } from "../../src/agent/user-command.ts";
import { sentTo, startBench } from "./bench.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.each([
  ["!ls -l", { kind: "shell", text: "ls -l", excludeFromContext: false }],
  ["!! ls", { kind: "shell", text: "ls", excludeFromContext: true }],
  ["$ 1 + 1 ", { kind: "python", text: "1 + 1", excludeFromContext: false }],
  ["$$\nx", { kind: "python", text: "x", excludeFromContext: true }],
  ["$HOME is not set", undefined],
  ["$$HOME", undefined],
  ["!", undefined],
  ["$$ ", undefined],
  ["hello!", undefined],
])("%j is read as %j", (typed, expected) => {
  expect(readUserCommand(typed)).toEqual(expected);
});

test("a command is run, shown and stored; with a doubled sign it stays out of the conversation", async () => {
  const { agent, server, events } = await startBench({ replies: [{ text: "ok" }] });
  await agent.prompt("!echo out; echo err >&2; exit 3");
  await agent.prompt("!!echo hidden");
  await agent.prompt("Well?");
  const shown = events.flatMap((event) => (event.type === "command_output" ? [event.text] : []));
  expect(shown).toEqual(["out\nerr\n", "hidden\n"]);
  expect(sentTo(server, 0).slice(1)).toEqual([
    "user: Ran `echo out; echo err >&2; exit 3`\n```\nout\nerr\n\n```\n\nCommand exited with code 3",
    "user: Well?",
  ]);
});

test("a hook runs the command elsewhere, gives its result, or forbids it", async () => {
  const { agent, hooks } = await startBench({ replies: [] });
  const operations = {
    exec: async (command: string, _cwd: string, { onData }: { onData: (data: Buffer) => void }) => {
      onData(Buffer.from(`elsewhere: ${command}`));
      return { exitCode: 7 };
    },
  };
  const undo = hooks.on("shell.user", () => ({ operations }));
  const command = { kind: "shell", text: "ls", excludeFromContext: false } as const;
  expect(await agent.userCommands.execute(agent, command)).toMatchObject({ output: "elsewhere: ls", exitCode: 7 });
  undo();
  hooks.on("shell.user", ({ command: text }) =>
    text === "rm" ? { cancel: "not here" } : { result: { output: "known", cancelled: false, truncated: false } },
  );
  expect(await agent.userCommands.execute(agent, command)).toMatchObject({ output: "known" });
  expect(await agent.prompt("!rm")).toEqual({ kind: "failed", error: "The command was not run: not here" });
});

test("a command that is aborted is stored as cancelled", async () => {
  const { agent, events } = await startBench({ replies: [] });
  const running = agent.userCommands.execute(agent, {
    kind: "shell",
    text: "echo begun; sleep 60",
    excludeFromContext: false,
  });
  await expect.poll(() => events.some((event) => event.type === "bash_execution_update")).toBe(true);
  agent.userCommands.abort();
  expect(await running).toMatchObject({ output: "begun\n", cancelled: true });
});

test.skipIf(!hasPython && process.env["CI"] === undefined)("Python shows the value of a final expression", async () => {
  const { agent, events } = await startBench({ replies: [] });
  await agent.prompt("$ x = 6\nprint('six')\nx * 7");
  await agent.prompt("$ 1 / 0");
  const shown = events.flatMap((event) => (event.type === "command_output" ? [event.text] : []));
  expect(shown[0]).toBe("six\n42\n");
  expect(shown[1]).toMatch(/ZeroDivisionError/);
});
