import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { devFleet } from "../../src/command/dev.ts";
import { hasNats } from "../support/fleet.ts";

describe.skipIf(!hasNats)("hookline fleet dev", () => {
  /** Starts the fleet of a home, and ends it once it runs; gives what it has printed. */
  const started = async (hooklineHome: string): Promise<Record<string, string>> => {
    const running = Promise.withResolvers<void>();
    let out = "";
    await devFleet(
      { words: [], flags: { port: "0", json: true } },
      {
        env: process.env,
        cwd: hooklineHome,
        hooklineHome,
        version: "0.0.0-test",
        out: (text) => {
          out += text;
          running.resolve();
        },
        err: () => {},
        ended: () => running.promise,
      },
    );
    return JSON.parse(out);
  };

  test("leaves machines that have joined in force when it is started again, and replaces creds that are not", async () => {
    const home = mkdtempSync(join(tmpdir(), "hookline-fleet-dev-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { creds = "" } = await started(home);
    const joined = readFileSync(creds, "utf8");
    await started(home);
    expect(readFileSync(creds, "utf8")).toBe(joined);
    writeFileSync(creds, "damaged");
    await started(home);
    expect(readFileSync(creds, "utf8")).toMatch(/BEGIN NATS USER JWT/);
    expect(readFileSync(creds, "utf8")).not.toBe(joined);
  });
});
