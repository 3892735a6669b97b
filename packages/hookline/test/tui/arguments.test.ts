import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { Sitting } from "../support/sitting.ts";

test("/theme and /thinking take a name, and a command that takes none says so", async () => {
  await using sitting = await Sitting.start();
  const { terminal } = sitting;
  sitting.say("/theme light");
  await terminal.until((screen) => !screen.includes("/theme light"));
  sitting.say("/theme ligth");
  expect(await terminal.until("There is no theme")).toContain('Did you mean "light"?');
  const settings = JSON.parse(readFileSync(join(sitting.home, ".hookline/settings.json"), "utf8"));
  expect(settings.theme).toBe("light");
  sitting.say("/thinking high");
  await terminal.until("• high");
  await sitting.idle();
  sitting.say("/settings theme");
  await terminal.until("/settings takes no arguments");
});

test("a model that is chosen by its name is reported once", async () => {
  const models = ["one", "two"].map((id) => ({ id, contextWindow: 8000, maxTokens: 1000 }));
  const near = { baseUrl: "http://127.0.0.1:9", api: "openai-completions", apiKey: "none", models };
  await using sitting = await Sitting.start({
    files: { "~/.hookline/models.json": JSON.stringify({ providers: { near } }) },
  });
  sitting.say("/model near/two");
  expect(await sitting.terminal.until("Model: near/two")).not.toContain("The model is");
});

test("a model that cannot be had is told before anybody is asked about hooks", async () => {
  await using sitting = await Sitting.start({
    files: { ".jcli/hooks.yaml": "stop:\n  - command: cat\n" },
    isEarly: true,
  });
  await sitting.terminal.until("This project wants to run");
  let err = "";
  const io = { env: { HOME: sitting.home }, cwd: sitting.project, stdinIsTerminal: true, stdoutIsTerminal: true };
  const code = await run(["--api", "openai-completions"], {
    ...io,
    out: () => {},
    err: (text: string) => void (err += text),
    readStdin: async () => "",
    terminal: () => {
      throw new Error("the screen was opened");
    },
  } as never);
  expect([code, err]).toEqual([2, expect.stringContaining("Add --base-url URL.")]);
});
