import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Desk } from "../authors/desk.ts";
import { runAgent } from "../support/running.ts";

const HOOKS = `pre_send_message:
  - command: 'echo "{}"'
`;

function desk(): Desk {
  const made = new Desk();
  made.write(".jcli/hooks.yaml", HOOKS);
  made.write(".pi/extensions/quiet.ts", "export default function (pi) { pi.on('input', () => {}); }\n");
  return made;
}

describe("/trust without a screen", () => {
  test("lists what waits, and of a path only that", async () => {
    await using running = await runAgent(desk());
    const { agent } = running.assembled;
    await agent.prompt("/trust");
    await agent.prompt("/trust list .jcli");
    const [all = "", some = ""] = running.shown;
    expect(all.split("\n").map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ["state", "dialect"],
      ["pending", "jcli"],
      ["pending", "pi"],
    ]);
    expect(some.split("\n")).toHaveLength(2);
  });

  test("approves nothing where nobody can be asked: a prompt may be somebody else's text", async () => {
    const place = desk();
    await using running = await runAgent(place);
    expect(await running.assembled.agent.prompt("/trust approve")).toEqual({
      kind: "failed",
      error: expect.stringContaining(
        "Nobody can be asked here. End this run, then run `hookline trust approve` in your own shell.",
      ),
    });
    expect(existsSync(join(place.hooklineHome, "trust.json"))).toBe(false);
  });

  test("with a person it shows each text, takes the answer for each, and what was approved runs", async () => {
    const asked: string[] = [];
    const ui = {
      confirm: async (title: string, message: string) => {
        asked.push(`${title}\n${message}`);
        return title.includes("hooks.yaml");
      },
    };
    await using running = await runAgent(desk(), { ui });
    const { agent, hooks } = running.assembled;
    expect(hooks.report.summary.runs).toBe(0);
    await agent.prompt("/trust approve");
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('echo \\"{}\\"');
    expect(running.shown.at(-1)).toMatch(/^approved: .*hooks\.yaml:2$/);
    expect(hooks.report.summary.runs).toBe(1);
    await agent.prompt("/trust approve .jcli");
    expect(running.shown.at(-1)).toBe("All of it is approved already.");
    await agent.prompt("/trust revoke");
    expect(running.shown.at(-1)).toMatch(/^no longer approved: /);
    expect(hooks.report.summary.runs).toBe(0);
    await agent.prompt("/trust revoke");
    expect(running.shown.at(-1)).toBe("There was no approval to revoke.");
  });

  test("a no approves nothing, and an unknown answer is reported", async () => {
    await using running = await runAgent(desk(), { ui: { confirm: async () => false } });
    const { agent } = running.assembled;
    await agent.prompt("/trust approve");
    expect(running.shown.at(-1)).toBe("Nothing was approved.");
    expect(await agent.prompt("/trust everything")).toMatchObject({ kind: "failed", error: /no \/trust everything/ });
  });

  test.each([
    ["a run that trusts by its command line", { args: ["--trust-project"] }, "--trust-project or --frozen"],
    ["an agent that a hook has started", { env: { HOOKLINE_RUN_ID: "r1" } }, "Only a person may approve"],
  ])("%s approves nothing", async (_name, options, says) => {
    await using running = await runAgent(desk(), { ...options, ui: { confirm: async () => true } });
    const result: any = await running.assembled.agent.prompt("/trust approve");
    expect(result.error).toContain(says);
  });
});

test("nothing to approve is said", async () => {
  await using running = await runAgent(new Desk());
  await running.assembled.agent.prompt("/trust");
  expect(running.shown.at(-1)).toContain("There is nothing to approve in");
});
