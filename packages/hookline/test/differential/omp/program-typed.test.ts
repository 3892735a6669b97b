import { describe, test } from "vitest";
import type { Talk } from "../observe.ts";
import { expectBeside } from "./beside.ts";
import { peer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

/** How often an event has been told so far. */
const count = (talk: Talk, type: string): number => talk.events().filter(({ event }) => event.type === type).length;

/** Types a line when the screen is at rest, and waits until something has been told of it. */
async function line(talk: Talk, text: string, isTold: () => boolean): Promise<void> {
  await talk.until(() => count(talk, "session_start") > 0);
  await talk.quiet(1000);
  await talk.write(text);
  await talk.quiet(200);
  talk.type("\r");
  await talk.until(isTold);
}

/** Whether the case's extension has noted this first. */
const isNoted = (talk: Talk, value: string): boolean => talk.notes().some(([first]) => first === value);

/** Leaves, once the screen is at rest. */
async function leave(talk: Talk): Promise<void> {
  await talk.quiet(1000);
  talk.type("\u0004");
  await new Promise((done) => talk.child.once("close", done));
}

/** omp asks a newcomer for keys. */
const settled = { "~/.omp/agent/config.yml": JSON.stringify({ startup: { setupWizard: false }, setupVersion: 2 }) };

describe.skipIf("absent" in peer)("what a person types beside oh-my-pi's own", () => {
  test("a text, changed and taken over", async () => {
    await expectBeside({
      mode: "terminal",
      files: settled,
      extension: (pi: any) => {
        pi.on("input", ({ text, source }: any) => {
          note("first", text, source);
          return text === "take" ? { handled: true } : { text: `${text}-A` };
        });
        pi.on("input", ({ text }: any) => note("second", text));
      },
      replies: [{ text: "one" }],
      async drive(talk) {
        await line(talk, "hello", () => count(talk, "agent_end") > 0);
        await line(talk, "take", () => talk.notes().some(([, text]) => text === "take"));
        await leave(talk);
      },
    });
  });

  test("commands of the shell and of Python: run, and answered by a hook", async () => {
    await expectBeside(
      {
        mode: "terminal",
        files: settled,
        extension: (pi: any) => {
          pi.on("input", ({ text, source }: any) => note("input", text, source));
          pi.on("user_bash", ({ command, excludeFromContext }: any) => {
            note(command, excludeFromContext);
            return command === "given"
              ? { result: { output: "by a hook", exitCode: 4, cancelled: false, truncated: false } }
              : undefined;
          });
          pi.on("user_python", ({ code, excludeFromContext }: any) => {
            note(code, excludeFromContext);
            return { result: { output: "by a hook", exitCode: 0, cancelled: false, truncated: false } };
          });
        },
        replies: [{ text: "one" }],
        async drive(talk) {
          for (const [typed, noted] of [
            ["!echo out", "echo out"],
            ["!!echo quiet", "echo quiet"],
            ["!given", "given"],
            ["$ print(1)", "print(1)"],
          ] as const)
            await line(talk, typed, () => isNoted(talk, noted));
          await line(talk, "hello", () => count(talk, "agent_end") > 0);
          await leave(talk);
        },
      },
      ["commandsAreNoInput", "formOfCommands", "endOfThisRun"],
    );
  });
});
