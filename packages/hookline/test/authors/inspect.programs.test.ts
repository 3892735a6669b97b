import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeBlocks } from "../../../../scripts/code-blocks.ts";
import type { Sources } from "../../src/inspect/api.ts";
import { Reader, root } from "./reader.ts";

const PAGE = "docs/guide/inspect.md";
const MARK = "run by packages/hookline/test/authors/inspect.programs.test.ts";

test("what the guide says serves a page, serves one until it is interrupted", async () => {
  const blocks = codeBlocks(readFileSync(join(root, PAGE), "utf8")).filter(({ mark }) => mark === MARK);
  const commands = blocks.flatMap(({ text }) => text.trimEnd().split("\n"));
  expect(commands.length).toBeGreaterThan(3);
  const reader = new Reader();
  try {
    // The page's own steps record the session that it shows.
    await reader.follow(PAGE);
    for (const command of commands) {
      const { open, sources } = await served(reader, command);
      const opened = sources.find(({ id }) => id === open);
      // Without a name it is the list, else the one that was named.
      if (command === "hookline inspect") expect([open, sources.length]).toEqual([undefined, 1]);
      else expect([command, opened?.kind]).toEqual([command, command.includes("trace") ? "trace" : "recording"]);
    }
  } finally {
    reader.remove();
  }
});

/** Starts a command that serves, asks it what it shows, and interrupts it. */
async function served(reader: Reader, command: string): Promise<Sources> {
  const child = reader.start(`exec ${command}`);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  try {
    await expect.poll(() => said || child.exitCode, { message: command }).toContain("Ctrl+C ends the inspector");
    const [, port, token] = /http:\/\/127\.0\.0\.1:(\d+)\/#t=([\w-]+)/.exec(said) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    const sources = (await (await fetch(`http://127.0.0.1:${port}/api/sources`, { headers })).json()) as Sources;
    child.kill("SIGINT");
    expect([await ended, said]).toEqual([0, said]);
    return sources;
  } finally {
    child.kill("SIGKILL");
  }
}
