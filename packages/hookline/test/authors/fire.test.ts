import { existsSync, readFileSync, rmSync } from "node:fs";
import { dialects } from "@hookline/runtime/dialects";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Desk } from "./desk.ts";

const lanes = dialects.flatMap(({ lanes: own }) => own);
const names = (id: string): string[] => lanes.find((lane) => lane.id === id)?.rows.map(({ name }) => name) ?? [];
/** A setting's variant of an event has a row of its own, under a name that no hook can listen to. */
const events = lanes.flatMap(({ id }) =>
  [...new Set(names(id))].filter((name) => !name.includes("(")).map((name) => [id, name] as const),
);

/** In each lane one hook that listens to every event of its table, and writes down which it has heard. */
let desk: Desk;
let heard: string;

beforeAll(() => {
  desk = new Desk();
  heard = desk.path("heard.txt");
  const note = (lane: string): string => `appendFileSync(${JSON.stringify(heard)}, "${lane} " + event.type + "\\n")`;
  const module = (lane: string): string =>
    `import { appendFileSync } from "node:fs";\nexport default (pi) => { for (const name of ${JSON.stringify(names(lane))}) pi.on(name, (event) => { ${note(lane)}; if (name === "project_trust") return { trusted: "undecided" }; }); };\n`;
  desk.write("~/.pi/agent/extensions/all.ts", module("pi"));
  desk.write("~/.omp/agent/extensions/all.ts", module("omp"));
  desk.write("~/.omp/agent/hooks/pre/all.ts", module("omp-hooks"));
  const yaml = names("jcli").map(
    (name) => `${name}:\n  - command: 'cat > /dev/null; echo "jcli $JCLI_HOOK_EVENT" >> "${heard}"'\n`,
  );
  desk.write("~/.jdata/agent/hooks.yaml", yaml.join(""));
  const groups = [...new Set(names("claude"))].map((name) => {
    const command = `cat > /dev/null; echo "claude ${name}" >> "${heard}"`;
    return [name, [{ hooks: [{ type: "command", command }] }]];
  });
  desk.write("~/.claude/settings.json", JSON.stringify({ hooks: Object.fromEntries(groups) }));
  const schema = JSON.stringify({ name: "all", description: "d", hooks: names("chibi") });
  desk.write(
    "~/.chibi/plugins/all",
    `#!/bin/sh\n[ "$1" = --schema ] && { echo '${schema}'; exit 0; }\necho "chibi $CHIBI_HOOK" >> "${heard}"\n`,
    "x",
  );
});

afterAll(() => desk.remove());

test("the tables have all events of the five dialects", () => {
  expect(lanes.map(({ id }) => id)).toEqual(["jcli", "chibi", "claude", "omp-hooks", "omp", "pi"]);
  expect(events.length).toBeGreaterThan(130);
});

test.each(events)("%s:%s goes there and back with the sample", async (lane, name) => {
  rmSync(heard, { force: true });
  const { json, code, err } = await desk.hookline([
    "hooks",
    "fire",
    `${lane}:${name}`,
    "--json",
    "--dialects",
    lane.split("-")[0] as string,
  ]);
  expect([code, err]).toEqual([0, ""]);
  expect(json).toMatchObject({ event: name, dialect: lane });
  expect(json.hooks.length).toBeGreaterThan(0);
  for (const hook of json.hooks) expect(hook, hook.problem).toMatchObject({ status: "no-answer" });
  expect(json.diagnostics).toEqual([]);
  expect(existsSync(heard) ? readFileSync(heard, "utf8") : "").toMatch(
    new RegExp(`^${lane} ${name.replace(".", "\\.")}$`, "m"),
  );
});

describe("what is shown to a person", () => {
  test("the fold is told step by step, in the order of the hooks", async () => {
    const alone = new Desk();
    try {
      alone.write(
        "~/.pi/agent/extensions/a.ts",
        'export default (pi) => pi.on("before_agent_start", (e) => ({ systemPrompt: e.systemPrompt + " A" }));\n',
      );
      alone.write(
        "~/.pi/agent/extensions/b.ts",
        'export default (pi) => pi.on("before_agent_start", (e) => ({ systemPrompt: e.systemPrompt + " B" }));\n',
      );
      const { json } = await alone.hookline(["hooks", "fire", "pi:before_agent_start", "--json"]);
      expect(
        json.fold.map(({ folded }: { folded: { systemPrompt: string } }) => folded.systemPrompt.slice(-4)),
      ).toEqual(["t. A", " A B"]);
      const { out } = await alone.hookline(["hooks", "fire", "pi:before_agent_start"]);
      expect(out).toMatch(/The fold, step by step:\n.*a\.ts.*\n.*agent\. A.*\n.*b\.ts.*\n.*agent\. A B/);
      expect(out).toMatch(/edit: .* changed systemPrompt from .* to /);
    } finally {
      alone.remove();
    }
  });

  test("--dry-run shows who would run and runs nobody", async () => {
    rmSync(heard, { force: true });
    const { json, code } = await desk.hookline(["hooks", "fire", "jcli:stop", "--dry-run", "--json"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ event: "jcli:stop", plan: [{ order: 1, dialect: "jcli" }] });
    expect(existsSync(heard)).toBe(false);
  });

  test("--times fires so often and tells the times", async () => {
    rmSync(heard, { force: true });
    const { json } = await desk.hookline(["hooks", "fire", "pi:input", "--times", "7", "--json"]);
    expect(json.timing).toEqual({
      times: 7,
      minMs: expect.any(Number),
      p50Ms: expect.any(Number),
      p95Ms: expect.any(Number),
      maxMs: expect.any(Number),
    });
    expect(readFileSync(heard, "utf8").trim().split("\n")).toHaveLength(7);
  });

  test("the payload may be a part; the sample fills in the rest", async () => {
    const file = desk.write("event.json", '{"toolName":"write"}');
    const { out } = await desk.hookline(["hooks", "fire", "pi:tool_call", "--payload", file]);
    expect(out).toContain('"toolName":"write"');
    expect(out).toContain('"toolCallId":"call_1"');
  });

  test("what a hook says reaches no terminal as a control sequence", async () => {
    const alone = new Desk();
    try {
      alone.write(
        "~/.jdata/agent/hooks.yaml",
        `stop:\n  - command: 'cat >/dev/null; printf "\\033[2Jgone\\r" >&2; printf "{\\"system_message\\":\\"a\\\\u001b[31mb\\"}"'\n`,
      );
      const { out } = await alone.hookline(["hooks", "fire", "jcli:stop"]);
      expect(out).toContain("gone");
      expect(out).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    } finally {
      alone.remove();
    }
  });
});
