import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import type { Desk } from "../../../fleet/src/approval/desk.ts";
import { hasNats, RULE, TestFleet } from "../../../fleet/test/support/fleet.ts";
import { Sitting, type SittingOptions } from "../support/sitting.ts";

const program = join(import.meta.dirname, "../../bin/hookline.js");
const ASK = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason: "sure?" },
});
const HOOK = { matcher: "Bash", hooks: [{ type: "command", command: `echo '${ASK}'` }] };
/** Longer than any test waits. */
const LONG_MS = 60_000;
const REPLIES = [{ toolCalls: [{ name: "bash", arguments: { command: "touch ran" } }] }, { text: "That is all." }];

describe.skipIf(!hasNats)("a question of a hook, answered by a person of the fleet", () => {
  let fleet: TestFleet;
  let desk: Desk;
  /** The home of a machine that has joined. */
  let joined: string;

  beforeAll(async () => {
    fleet = await TestFleet.start();
    // Its hook is not what these tests are about: without a worker it is left out.
    const bundle = fleet.bundle([{ ...RULE, events: ["prompt.before"], needs: ["text"], onFailure: "open" }]);
    joined = await fleet.home("laptop-1", bundle);
    desk = await fleet.desk(await fleet.creds("boss", "approver"));
  });
  afterAll(() => fleet.stop());

  const options = (): SittingOptions => ({
    replies: REPLIES,
    args: ["--dialects", "claude"],
    files: {
      "~/.claude/settings.json": JSON.stringify({ hooks: { PreToolUse: [HOOK] } }),
      "~/.hookline/settings.json": JSON.stringify({ fleet: { approvals: true } }),
    },
    prepare: ({ home }) => cpSync(join(joined, "fleet"), join(home, ".hookline/fleet"), { recursive: true }),
  });
  const question = async () => {
    await expect.poll(() => desk.open().length).toBe(1);
    const [asked] = desk.open();
    if (asked === undefined) throw new Error("nothing is open");
    return asked;
  };

  test.each(["allow", "deny"] as const)("on the screen: %s from elsewhere closes the question here", async (answer) => {
    await using sitting = await Sitting.start(options());
    const { terminal } = sitting;
    terminal.type("go\r");
    await terminal.until(/Run bash\?/);
    const asked = await question();
    expect(asked).toMatchObject({ tool: "bash", args: { command: "touch ran" }, reason: "sure?" });
    expect(asked.hooks).toEqual([expect.stringContaining("settings.json")]);
    expect(await desk.answer(asked.id, { answer, reason: "the boss says no" }, LONG_MS)).toMatchObject({
      state: "taken",
    });
    await terminal.until(/That is all\./);
    expect(existsSync(join(sitting.project, "ran"))).toBe(answer === "allow");
    expect(terminal.text()).not.toContain("Run bash?");
  });

  test("on the screen: the person here may answer first, and the fleet is told", async () => {
    await using sitting = await Sitting.start(options());
    const { terminal } = sitting;
    terminal.type("go\r");
    await terminal.until(/Run bash\?/);
    const asked = await question();
    terminal.type("\r");
    await terminal.until(/That is all\./);
    const settled = await desk.wait(asked.id, (one) => one.settled !== undefined, LONG_MS);
    expect(settled?.settled).toEqual({ by: "(here)" });
    expect(await desk.answer(asked.id, { answer: "deny" })).toMatchObject({ state: "other" });
    expect(existsSync(join(sitting.project, "ran"))).toBe(true);
  });

  test.each(["allow", "deny"] as const)("without a person: %s in print mode", async (answer) => {
    await using sitting = await Sitting.start(options());
    const child = spawn(
      process.execPath,
      [program, "--script", join(sitting.home, "script.json"), "--dialects", "claude", "-p", "go"],
      {
        cwd: sitting.project,
        env: {
          ...CHILD_ENV,
          HOME: sitting.home,
          HOOKLINE_HOME: join(sitting.home, ".hookline"),
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
    const ended = once(child, "close");
    const tooSoon = ended.then(() => Promise.reject(new Error(`it ended without a question: ${said}`)));
    const asked = await Promise.race([question(), tooSoon]);
    expect(asked.machine).toBe("laptop-1");
    await desk.answer(asked.id, { answer, reason: "the boss says no" }, LONG_MS);
    expect(await ended, said).toEqual([0, null]);
    expect(said).toContain(`hookline fleet approvals approve ${asked.id}`);
    expect(existsSync(join(sitting.project, "ran"))).toBe(answer === "allow");
  });
});
