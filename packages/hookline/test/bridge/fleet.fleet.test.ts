import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { buildClient } from "../../../../scripts/bridge-client.ts";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { beginPause, endPause } from "../../../bridge/src/daemon/pause.ts";
import { temporaryFolder } from "../../../bridge/test/support/temporary.ts";
import { hasNats } from "../../../fleet/test/support/fleet.ts";
import { isAlive } from "../../../ground/src/store/owner.ts";
import { Rigged } from "./support/rigged.ts";

const folder = temporaryFolder();
const client = buildClient(folder) ?? "";
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = join(import.meta.dirname, "../../bin/hookline.js");

/** The folder in which `hookline fleet dev` runs, and the variables with which a run belongs to it. */
interface DevFleet {
  readonly env: Readonly<Record<string, string>>;
  /** Ends its server and its worker. */
  end(): Promise<void>;
}

async function devFleet(at: Rigged): Promise<DevFleet> {
  const env = { ...CHILD_ENV, HOME: join(at.top, "admin") };
  const child = spawn(process.execPath, ["--conditions=hookline-source", program, "fleet", "dev", "--port", "0"], {
    cwd: at.top,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  onTestFinished(end);
  let joining: RegExpExecArray | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    joining ??= /fleet join (\S+) --creds (\S+) --root (\S+)/.exec(line);
    if (line.includes("Ctrl+C ends")) break;
  }
  const [, url = "", creds = "", root = ""] = joining ?? [];
  return { env: { HOOKLINE_FLEET_URL: url, HOOKLINE_FLEET_CREDS: creds, HOOKLINE_FLEET_ROOT: root }, end };
}

describe.skipIf(client === "" || !hasNats)("a host whose environment makes it part of a fleet", () => {
  test("gets the refusals of the fleet's hooks, in sessions that have the variables, also while the fleet is away", async () => {
    const at = new Rigged(client);
    onTestFinished(() => at.close());
    const { env, end } = await devFleet(at);
    const ask = (session: string, command: string, more = env): Promise<unknown> =>
      at.ask("Before", { session, args: { command } }, { env: more });
    expect(await ask("member", "git push")).toEqual({ deny: expect.stringContaining("pushing is for people") });
    expect(await ask("member", "git status")).toEqual({});
    expect(await ask("stranger", "git push", {})).toEqual({});
    // A pause opens what is the person's, not the fleet's.
    at.write(
      "~/.pi/agent/extensions/own.ts",
      'export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "my own" })); };',
    );
    expect(await ask("own", "git status")).toEqual({ deny: "my own" });
    beginPause(at.hooklineHome, 5, "a test");
    expect(await ask("own", "git status")).not.toHaveProperty("deny");
    expect(await ask("own", "git push")).toHaveProperty("deny", expect.stringContaining("pushing is for people"));
    expect(await ask("member", "git push")).toHaveProperty("deny", expect.stringContaining("pushing is for people"));
    expect(await ask("own", "hookline bridge pause 5")).toHaveProperty("deny");
    await end();
    expect(await ask("own", "git status")).toHaveProperty("deny", expect.stringContaining("fleet dev could not ask"));
    expect(endPause(at.hooklineHome)).toBe(true);
    rmSync(join(at.home, ".pi"), { recursive: true });
    const away = { deny: expect.stringContaining("fleet dev could not ask extensions/no-push.ts") };
    expect(await ask("member", "git status")).toEqual(away);
    // A session that begins then gets the bundle from the disk.
    expect(await ask("late", "git status")).toEqual(away);
  });

  test("is noticed by the sessions that ran before: join and leave end the bridge's daemons", async () => {
    const at = new Rigged(client);
    onTestFinished(() => at.close());
    const { env, end } = await devFleet(at);
    const fleet = (...words: readonly string[]): Promise<number | null> => {
      const child = spawn(process.execPath, [program, "fleet", ...words], {
        cwd: at.top,
        env: { ...CHILD_ENV, HOME: at.home },
        stdio: ["ignore", "ignore", "inherit"],
      });
      return once(child, "close").then(([code]) => code as number | null);
    };
    // Below a shell, so that this process is not noted as an agent, below which nobody joins a fleet.
    const push = (): unknown => {
      const call = `'${join(at.hooklineHome, "bin/hookline-hook")}' rig Before; exit $?`;
      const input = JSON.stringify({ session: "s", args: { command: "git push" } });
      const shellEnv = { ...CHILD_ENV, HOME: at.home };
      return JSON.parse(execFileSync("sh", ["-c", call], { cwd: at.project, env: shellEnv, input, encoding: "utf8" }));
    };
    expect(push()).toEqual({});
    const first = at.pid;
    const { HOOKLINE_FLEET_URL: url = "", HOOKLINE_FLEET_CREDS: creds = "", HOOKLINE_FLEET_ROOT: root = "" } = env;
    expect(await fleet("join", url, "--creds", creds, "--root", root)).toBe(0);
    await expect.poll(() => isAlive(String(first))).toBe(false);
    expect(push()).toEqual({ deny: expect.stringContaining("pushing is for people") });
    expect(await fleet("leave")).toBe(0);
    expect(push()).toEqual({});
    await end();
  });
});
