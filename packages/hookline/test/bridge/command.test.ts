import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { allowedEnvironment, allowedNames } from "../../src/bridge/environment.ts";
import { HOSTS } from "../../src/bridge/hosts/index.ts";
import { commandOf } from "../../src/bridge/install/command.ts";
import { Desk } from "./at-desk.ts";
import { hasRecordings, recordingsOf } from "./recordings.ts";

describe("the command of an entry", () => {
  for (const [name, load] of Object.entries(HOSTS))
    it(`refuses in the words of ${name} where its client is gone, and says nothing where nobody decides`, async () => {
      using desk = new Desk();
      const host = await load();
      const adapter = await host.adapter();
      if (adapter.command !== undefined) return;
      const at = { home: desk.home, hooklineHome: desk.at("~/.hookline"), cwd: desk.project, env: {} };
      for (const scope of ["user", "project"] as const)
        for (const [event, { guard, refusal }] of Object.entries(host.events)) {
          const command = commandOf(host, event, scope, at, adapter.folder);
          const env = { HOME: desk.home, PATH: process.env["PATH"] ?? "" };
          const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
            cwd: desk.project,
            env,
            encoding: "utf8",
          });
          const wanted = refusal("hookline is not reachable (its client is not installed)");
          expect([event, status, stdout, stderr]).toEqual([event, wanted.exit, wanted.stdout, wanted.stderr]);
          expect([event, stdout !== ""]).toEqual([event, guard]);
        }
    });
});

describe.skipIf(!hasRecordings)("of a host's recorded environment", () => {
  it.each(["codex", "gemini", "qwen", "copilot"])("no key of a model reaches a hook of %s", async (name) => {
    const host = await HOSTS[name]?.();
    const recorded = recordingsOf(name).flatMap(({ hookCalls = [] }) =>
      hookCalls.flatMap(({ env }) => (env === undefined ? [] : [env])),
    );
    expect(recorded.length).toBeGreaterThan(0);
    for (const env of recorded) {
      const passed = allowedEnvironment(env, allowedNames(host ?? { environment: [] }));
      expect(Object.values(passed)).not.toContain("$SECRET");
      expect(Object.keys(passed).filter((key) => /KEY|TOKEN|SECRET/.test(key))).toEqual([]);
    }
  });
});
