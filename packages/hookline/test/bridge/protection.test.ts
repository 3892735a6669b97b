import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allowedEnvironment, allowedNames } from "../../../bridge/src/host/environment.ts";
import { temporaryFolder } from "../../../bridge/test/support/temporary.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { protectionOf } from "../../src/bridge/protection.ts";

const top = temporaryFolder();
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Further files by which an agent's hooks are left out or others are loaded. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  copilot: [join(top, "home/.copilot/config.json")],
  gemini: [join(top, "home/.gemini/trustedFolders.json")],
  opencode: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
  qwen: [join(top, "home/.qwen/trustedFolders.json"), join(top, "moved-QWEN_HOME/trustedFolders.json")],
};

/** No hook lies anywhere: what is protected here, is so by the host. */
const NO_HOOKS = { reach: { places: [], wouldReach: () => false } } as never;

describe("the files that have an agent ask hookline", () => {
  it.each(Object.keys(HOSTS))("are kept from the tools of %s, wherever its variables put them", async (name) => {
    const host = await (HOSTS[name] as () => Promise<import("../../../bridge/src/host/host.ts").BridgeHost>)();
    const adapter = await host.adapter();
    const place = { cwd: join(top, "project"), home: join(top, "home"), hooklineHome: join(top, "hookline") };
    const read = new Set<string>();
    const moved = (variable: string): string => join(top, `moved-${variable}`);
    const get = (_: object, variable: string): string => {
      read.add(variable);
      return moved(variable);
    };
    const everywhere = { ...place, env: new Proxy({}, { get }) };
    const paths = (["user", "project"] as const).flatMap((scope) => [
      adapter.path(scope, { ...place, env: {} }),
      adapter.path(scope, everywhere),
    ]);
    const given = Object.fromEntries([...read].map((variable) => [variable, moved(variable)]));
    const env = allowedEnvironment(given, allowedNames(host));
    expect(env).toEqual(given);
    const protect = protectionOf(host, place as never, NO_HOOKS, env);
    for (const path of paths) expect(protect("write", { path })).toContain("decides which hooks run");
    for (const path of OTHERS[name] ?? []) expect(protect("write", { path })).toContain("decides which hooks run");
    expect(protect("read", { path: paths[0] })).toBeUndefined();
    expect(protect("write", { path: join(place.cwd, "src/main.ts") })).toBeUndefined();
  });

  it.each(["docs/../settings.json", "./docs/../settings.json", `${top}/linked/docs/../settings.json`])(
    "are kept from a tool that goes up from where a link leads: %s",
    async (path) => {
      const host = await (HOSTS["codex"] as () => Promise<import("../../../bridge/src/host/host.ts").BridgeHost>)();
      const place = { cwd: join(top, "linked"), home: join(top, "home"), hooklineHome: join(top, "hookline") };
      for (const folder of [place.cwd, join(place.hooklineHome, "docs")]) mkdirSync(folder, { recursive: true });
      rmSync(join(place.cwd, "docs"), { force: true });
      symlinkSync(join(place.hooklineHome, "docs"), join(place.cwd, "docs"));
      const protect = protectionOf(host, place as never, NO_HOOKS, {});
      const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`;
      expect(protect("apply_patch", { input: patch })).toContain("decides which hooks run");
      expect(protect("write", { path: "docs/../../linked/a.ts" })).toBeUndefined();
    },
  );
});
