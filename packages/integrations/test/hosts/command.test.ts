import { spawnSync } from "node:child_process";
import { chmodSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, test } from "vitest";
import { allowedEnvironment, allowedNames } from "../../../bridge/src/host/environment.ts";
import type { BridgeHost } from "../../../bridge/src/host/host.ts";
import { commandOf } from "../../../bridge/src/install/command.ts";
import { Place } from "../../../bridge/test/support/place.ts";
import { HOSTS } from "../../src/hosts.ts";
import { hasRecordings, recordingsOf } from "./recordings.ts";

describe("the command of an entry", () => {
  for (const [name, load] of Object.entries(HOSTS))
    it(`refuses in the words of ${name} where its client is gone, and says nothing where nobody decides`, async () => {
      using place = new Place();
      const host = await load();
      const adapter = await host.adapter();
      if (adapter.command !== undefined) return;
      const at = { home: place.home, hooklineHome: place.at("~/.hookline"), cwd: place.project, env: {} };
      for (const scope of ["user", "project"] as const)
        for (const [event, { guard, refusal }] of Object.entries(host.events)) {
          const command = commandOf(host, event, scope, at, adapter.folder);
          const env = { HOME: place.home, PATH: process.env["PATH"] ?? "" };
          const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
            cwd: place.project,
            env,
            encoding: "utf8",
          });
          const wanted = refusal("hookline is not reachable (its client is not installed)");
          expect([event, status, stdout, stderr]).toEqual([event, wanted.exit, wanted.stdout, wanted.stderr]);
          expect([event, stdout !== ""]).toEqual([event, guard]);
        }
    });
});

test.each(Object.keys(HOSTS))(
  "an entry of %s asks about the session's folder, wherever its command is started",
  async (name) => {
    using place = new Place();
    const host = (await HOSTS[name]?.()) as BridgeHost;
    const { folder } = await host.adapter();
    if (folder === undefined) return;
    chmodSync(place.write("~/.hookline/bin/hookline-hook", "#!/bin/sh\npwd\n"), 0o755);
    const at = { home: place.home, hooklineHome: place.at("~/.hookline"), cwd: place.project, env: {} };
    const [event = ""] = Object.keys(host.events);
    const elsewhere = dirname(place.write("below/it", ""));
    const asked = (env: object): string => {
      const command = commandOf(host, event, "user", at, folder);
      const { PATH } = process.env;
      return spawnSync("sh", ["-c", command], {
        cwd: elsewhere,
        env: { PATH, ...env },
        encoding: "utf8",
      }).stdout.trim();
    };
    expect(realpathSync(asked({ [folder]: place.project }))).toBe(realpathSync(place.project));
    expect(realpathSync(asked({}))).toBe(realpathSync(elsewhere));
  },
);

test("Claude Code and Cursor start hooks in other folders than the session's", async () => {
  const folders = Object.values(HOSTS).map(async (load) => {
    const { name, adapter } = await load();
    return [name, (await adapter()).folder] as const;
  });
  const known = (await Promise.all(folders)).filter(([, folder]) => folder !== undefined);
  expect(Object.fromEntries(known)).toEqual({ claude: "CLAUDE_PROJECT_DIR", cursor: "CURSOR_PROJECT_DIR" });
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
