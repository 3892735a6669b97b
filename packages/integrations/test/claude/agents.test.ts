import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import type { Opened, Setting } from "../opened.ts";
import { bash, opened } from "./kit.ts";

const FILE = "project/.claude/agents/reviewer.md";

type Hooks = Readonly<Record<string, readonly string[]>>;

/** An agent with commands as hooks in its fields. */
function agent(hooks: Hooks, more: readonly string[] = [], name = "reviewer"): string {
  const groups = Object.entries(hooks).flatMap(([event, commands]) => [
    `  ${event}:`,
    ...commands.flatMap((command) => [
      "    - matcher: never-heard-of|Bash",
      "      hooks:",
      "        - type: command",
      `          command: ${JSON.stringify(command)}`,
      ...more.map((line) => `          ${line}`),
    ]),
  ]);
  return ["---", `name: ${name}`, "description: Reviews", "hooks:", ...groups, "---", "Review.", ""].join("\n");
}

/** A session with sub-agents: by id the file that each works by. */
async function withAgents(files: Readonly<Record<string, string>>, setting: Setting = {}) {
  const works = new Map<string, string>();
  const ends = new Map<string, AbortController>();
  const hooks = await opened(files, {
    ...setting,
    services: {
      agents: {
        messages: () => [],
        file: (id) => works.get(id),
        ended: (id) => ends.get(id)?.signal,
      },
    },
  });
  const start = (id: string, path: string, agentType = "reviewer") => {
    works.set(id, join(hooks.root, path));
    ends.set(id, new AbortController());
    const { root } = hooks;
    return hooks.session.within({ sessionId: "s1", cwd: join(root, "project"), agentId: id, agentType, depth: 1 });
  };
  return Object.assign(hooks, { start, end: (id: string) => ends.get(id)?.abort() });
}

const reason = async (asked: Pick<Opened["session"], "emit">): Promise<unknown> =>
  (await asked.emit("tool.before", bash("ls"))).answer.reason;

const done = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false };

describe("hooks of an agent", () => {
  test("run for the sub-agents that work by its file, and for no others [claude.agent.3]", async () => {
    await using hooks = await withAgents({
      [FILE]: agent({ PreToolUse: ["echo reviewed >&2; exit 2"] }),
      "home/.claude/agents/reviewer.md": agent({ PreToolUse: ["echo mine >&2; exit 2"] }),
    });
    const [theirs, mine] = [hooks.start("a1", FILE), hooks.start("a2", "home/.claude/agents/reviewer.md")];
    const other = hooks.start("a3", "project/.claude/agents/other.md", "other");
    expect(await reason(hooks.session)).toBeUndefined();
    expect(await reason(other)).toBeUndefined();
    expect(await Promise.all([reason(theirs), reason(mine)])).toEqual(["reviewed", "mine"]);
    expect(hooks.session.report.sources.map(({ state, line, filter }) => ({ state, line, filter }))).toEqual([
      { state: "runs", line: 8, filter: "tool_name: never-heard-of or Bash and in the agent reviewer" },
      { state: "runs", line: 8, filter: "tool_name: never-heard-of or Bash and in the agent reviewer" },
    ]);
  });

  test("on Stop run when the agent ends, and may send its reply back [claude.case.091]", async () => {
    const file = "project/.hookline/agents/reviewer.md";
    await using hooks = await withAgents({ [file]: agent({ Stop: ["cat > stopped; echo again >&2; exit 2"] }) });
    const child = hooks.start("a1", file);
    await hooks.session.emit("agent.stop", done);
    expect(existsSync(join(hooks.root, "project/stopped"))).toBe(false);
    expect((await child.emit("agent.done", done)).answer.feedback).toEqual(["again"]);
    const told = JSON.parse(readFileSync(join(hooks.root, "project/stopped"), "utf8"));
    expect(told).toMatchObject({ hook_event_name: "SubagentStop", agent_id: "a1", agent_type: "reviewer" });
    expect(hooks.session.report.sources).toMatchObject([{ events: ["SubagentStop"], filter: "in the agent reviewer" }]);
  });

  test("on what only the main agent does are named as ones that never run", async () => {
    await using hooks = await withAgents({ [FILE]: agent({ SessionEnd: ["touch ran"], SubagentStart: ["true"] }) });
    expect(hooks.session.report.sources.map(({ state, reason: why }) => [state, why])).toEqual([
      [
        "unreachable",
        "an agent's hooks are asked only about that agent's own events, and SessionEnd is not one of them",
      ],
      ["runs", undefined],
    ]);
  });

  test("in the background end with their own sub-agent [claude.agent.4]", async () => {
    await using hooks = await withAgents({ [FILE]: agent({ PreToolUse: ["sleep 1000"] }, ["async: true"]) });
    const [one, two] = [hooks.start("a1", FILE), hooks.start("a2", FILE)];
    await Promise.all([reason(one), reason(two)]);
    expect(hooks.session.background.list()).toHaveLength(2);
    const over = new Promise<void>((resolve) => void hooks.session.background.listen(resolve));
    hooks.end("a1");
    await over;
    expect(hooks.session.background.list()).toHaveLength(1);
    expect(hooks.codes()).toEqual(["BACKGROUND_ENDED"]);
    hooks.end("a2");
  });

  test("of a project need consent", async () => {
    await using hooks = await withAgents(
      { [FILE]: agent({ PreToolUse: ["echo reviewed >&2; exit 2"] }) },
      { consent: trustNothing },
    );
    expect(hooks.session.report.sources.map(({ state }) => state)).toEqual(["untrusted"]);
    expect(await reason(hooks.start("a1", FILE))).toBeUndefined();
  });

  test("that must run, and do not, refuse each call of every agent", async () => {
    const required = { required: ["~/.claude/agents/reviewer.md"] };
    const files = { "home/.claude/agents/reviewer.md": agent({ PreToolUse: ["exit 0"] }) };
    await using fine = await withAgents(files, { settings: required });
    expect(await reason(fine.start("a1", "home/.claude/agents/reviewer.md"))).toBeUndefined();
    await using gone = await withAgents({}, { settings: required });
    for (const asked of [gone.session, gone.start("a1", FILE)])
      expect(await reason(asked)).toContain("~/.claude/agents/reviewer.md");
  });
});
