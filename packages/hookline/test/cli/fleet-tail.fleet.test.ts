import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Deciding, deciding } from "../../../fleet/test/support/deciding.ts";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";

const program = join(import.meta.dirname, "../../bin/hookline.js");

describe.skipIf(!hasNats)("hookline fleet audit tail, as a program", () => {
  let fleet: TestFleet;
  let agent: Deciding;

  beforeAll(async () => {
    fleet = await TestFleet.start();
    await fleet.creds("auditor-1", "auditor");
    agent = await deciding(await fleet.home("m1", fleet.bundle([], {})));
    await agent.call("ls");
    await agent.sent();
  });
  afterAll(async () => {
    await agent.close();
    await fleet.stop();
  });

  /** Starts it, and waits for the first line. */
  const started = async () => {
    const child = spawn(process.execPath, [program, "fleet", "audit", "tail"], {
      cwd: fleet.place,
      env: {
        ...process.env,
        HOME: fleet.place,
        HOOKLINE_FLEET_URL: fleet.url,
        HOOKLINE_FLEET_CREDS: fleet.text("auditor-1"),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [text] = (await once(child.stdout, "data")) as [Buffer];
    expect(text.toString()).toContain("tool.before");
    return child;
  };

  test("ends with 0 when it is interrupted", async () => {
    const child = await started();
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("ends with 0 when nobody reads its output any more", async () => {
    const child = await started();
    const exit = once(child, "exit");
    child.stdout.destroy();
    // Only a write shows that the pipe is closed.
    await agent.call("ls again");
    expect(await exit).toEqual([0, null]);
  });
});
