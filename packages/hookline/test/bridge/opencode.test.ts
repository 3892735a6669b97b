import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Desk } from "./at-desk.ts";

describe("bridge install opencode", () => {
  it("puts beside the plugin what OpenCode would fetch at its first start, once, and says so where it cannot", async () => {
    using desk = new Desk();
    const folder = join(desk.top, "bin");
    mkdirSync(folder);
    const npm = (script: string): void => {
      writeFileSync(join(folder, "npm"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, "npm"), 0o755);
    };
    npm("echo 'npm error no network' >&2; exit 1");
    const failed = await desk.run("bridge", "install", "opencode", "--yes");
    expect(failed.code).toBe(0);
    expect(failed.err).toContain("no network");
    expect(failed.err).toContain("Start OpenCode once with a network");
    const at = "~/.config/opencode/";
    expect(desk.read(`${at}plugin/hookline-bridge.js`)).toContain("HooklineBridge");
    npm(`while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/@opencode-ai/plugin"
echo '{}' > "$2/node_modules/@opencode-ai/plugin/package.json"
echo "{\\"dependencies\\":{\\"@opencode-ai/plugin\\":\\"x\\"},\\"asked\\":\\"$3\\"}" > "$2/package.json"
echo '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"x"}}}}' > "$2/package-lock.json"`);
    const mended = await desk.run("bridge", "install", "opencode", "--yes");
    expect(mended.out).toContain("npm puts it there now");
    expect(desk.read(`${at}package.json`)).toContain("@opencode-ai/plugin@1.18.33");
    npm("exit 1");
    const again = JSON.parse((await desk.run("bridge", "install", "opencode", "--yes", "--json")).out);
    expect(again).toMatchObject({ files: [{ action: "none" }] });
    expect(again.needs).toBeUndefined();
    // Another plugin wants something that is not there: OpenCode would fetch again.
    desk.write(`${at}package.json`, '{"dependencies":{"@opencode-ai/plugin":"x","other":"1"}}');
    const wanting = JSON.parse((await desk.run("bridge", "install", "opencode", "--yes", "--json")).out);
    expect(wanting.needs).toMatchObject({ provided: false });
    expect((await desk.run("bridge", "remove", "opencode", "--yes")).code).toBe(0);
    expect(desk.read(`${at}plugin/hookline-bridge.js`)).toBeUndefined();
  });

  it("asks nothing and writes nothing without a yes, the package included", async () => {
    using desk = new Desk();
    const folder = join(desk.top, "bin");
    mkdirSync(folder);
    writeFileSync(join(folder, "npm"), `#!/bin/sh\ntouch ${desk.top}/asked\n`);
    chmodSync(join(folder, "npm"), 0o755);
    desk.answers = ["n"];
    expect((await desk.run("bridge", "install", "opencode", "--scope", "project")).code).toBe(1);
    expect(desk.read(".opencode/plugin/hookline-bridge.js")).toBeUndefined();
    expect(desk.read("../asked")).toBeUndefined();
  });
});
