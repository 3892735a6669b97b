import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FIXTURE, until } from "../mcp/kit.ts";
import { Sitting } from "../support/sitting.ts";
import { LARGE } from "../support/terminal.ts";

const agent = (name: string, text: string, ...fields: readonly string[]): string =>
  ["---", `name: ${name}`, `description: Does ${text}`, ...fields, "---", `You do ${text}.`, ""].join("\n");

const call = (name: string, args: object): object => ({ toolCalls: [{ name, arguments: args }] });
const task = (type: string, prompt: string): object =>
  call("task", { subagent_type: type, description: `let ${type} do it`, prompt });

const AGENTS = {
  "~/.hookline/agents/worker.md": agent("worker", "the work"),
  "~/.hookline/agents/writer.md": agent("writer", "the writing", "tools: write"),
};

/** One guard of the person's, which refuses what would publish or write, whoever's tool does it. */
const GUARD = {
  "~/.jdata/agent/hooks.yaml": `pre_tool_execution:
  - command: 'grep -q -e "git push" -e secret.txt && echo ''{"action":"stop","retry_feedback":"guarded"}'' || echo ''{}'''
`,
};

/** Times are what they are on this machine. */
const timeless = (screen: string): string =>
  screen.replace(/· \d+ s\b/g, "· N s").replace(/Kept in [\s\S]*?\.jsonl/, "Kept in FILE");

describe("sub-agents on the screen", () => {
  test("one guard refuses a server's tool, a sub-agent's bash and a sub-agent's sub-agent's write", async () => {
    await using sitting = await Sitting.start({
      size: LARGE,
      files: { ...AGENTS, ...GUARD },
      prepare: (place) => {
        const server = { command: process.execPath, args: [FIXTURE], env: { CALLS: join(place.top, "calls") } };
        place.write("~/.hookline/mcp.json", JSON.stringify({ mcpServers: { one: server } }));
      },
      replies: [
        call("mcp__one__echo", { text: "git push" }),
        task("worker", "Publish it"),
        call("bash", { command: "touch pushed && git push" }),
        call("mcp__one__notify", {}),
        task("writer", "Write it down"),
        call("write", { path: "secret.txt", content: "x" }),
        { text: "The writer could not write." },
        { text: "The worker could do neither." },
        { text: "Nothing was done." },
      ],
    });
    // On a screen no request waits for a server that starts; its own prompts do.
    await until(() => existsSync(join(sitting.top, "calls")));
    sitting.say("/one:greet Ann");
    await sitting.terminal.until(/Nothing was done/);
    expect(["pushed", "secret.txt"].map((name) => existsSync(join(sitting.project, name)))).toEqual([false, false]);
    // The server ran what the sub-agent was allowed, and nothing else.
    expect(readFileSync(join(sitting.top, "calls"), "utf8")).toBe("notify\n");
    expect(await sitting.screen()).toMatch(/mcp__one__echo[\s\S]*Tool call stopped by hook.*guarded/);
    sitting.say("/agents");
    await sitting.terminal.until(/0 at work, 2 ended/);
    expect(timeless(await sitting.screen())).toMatchSnapshot("list");
    sitting.terminal.press("enter");
    await sitting.terminal.until(/git push/);
    expect(await sitting.screen()).toMatch(
      /● bash {"command":"touch pushed && git push"}\s+Tool call stopped by hook.*guarded/,
    );
    sitting.terminal.press("escape", "down", "enter");
    await sitting.terminal.until(/secret\.txt/);
    expect(timeless(await sitting.screen())).toMatchSnapshot("the sub-agent's sub-agent");
    sitting.terminal.press("escape", "escape");
  });

  test("each that works has a line, which goes when it ends", async () => {
    await using sitting = await Sitting.start({
      files: AGENTS,
      replies: [
        task("worker", "Wait"),
        call("bash", { command: "while ! test -e go; do sleep 0.05; done" }),
        { text: "Waited." },
        { text: "All done." },
      ],
    });
    sitting.say("Go");
    await sitting.terminal.until(/⤷ worker: let worker do it · bash while/);
    sitting.terminal.press("alt+a");
    await sitting.terminal.until(/1 at work, 0 ended/);
    sitting.terminal.press("enter");
    await sitting.terminal.until(/» Wait/);
    sitting.terminal.press("escape", "escape");
    sitting.write("go", "");
    await sitting.terminal.until(/All done\./);
    expect(await sitting.screen()).not.toContain("⤷");
  });
});
