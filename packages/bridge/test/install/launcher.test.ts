import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientOf, clientSays, placeLauncher, refreshLauncher } from "../../src/install/launcher.ts";
import { rig } from "../fixtures/rig.ts";

/** A home, and a file that stands for a native client. */
function home(): { readonly hooklineHome: string; readonly client: string; read(path: string): string } {
  const top = mkdtempSync(join(tmpdir(), "hookline-launcher-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [hooklineHome, client] = [join(top, "it's"), join(top, "client")];
  mkdirSync(hooklineHome);
  writeFileSync(client, "\u007fELF");
  return { hooklineHome, client, read: (path) => readFileSync(join(hooklineHome, path), "utf8") };
}

const program = ["/usr/bin/node", "/opt/hookline.js"];

test("the client and what it reads are put in place for their owner alone, and the command names them", () => {
  const { hooklineHome, client, read } = home();
  const env = { HOOKLINE_BRIDGE_CLIENT: client };
  const { path, isNative, command } = placeLauncher({ hooklineHome, host: rig, program, env });
  expect([isNative, read("bin/hookline-hook"), statSync(path).mode & 0o777]).toEqual([true, "\u007fELF", 0o700]);
  expect(read("bin/bridge/runtime")).toBe("/usr/bin/node\n/opt/hookline.js\n");
  expect(read("bin/bridge/environment-rig")).toMatch(/^PATH\n(?:.+\n)+RIG_\*\n$/);
  expect(read("bin/bridge/refusal-rig-Before")).toBe('0\0{"deny":"\u0001"}\0');
  expect(read("bin/bridge/refusal-rig-After")).toBe("0\0\0");
  const files = readdirSync(join(hooklineHome, "bin/bridge"));
  for (const file of files) expect(statSync(join(hooklineHome, "bin/bridge", file)).mode & 0o777).toBe(0o600);
  const quoted = `'${path.replace("'", "'\\''")}'`;
  expect(command("Before", { origin: "a b", deadlineMs: 5 })).toBe(
    `exec ${quoted} rig Before --origin 'a b' --deadline 5`,
  );
  expect(command("End", { origin: "u", deadlineMs: 5 })).toBe(
    `exec ${quoted} rig End --origin u --deadline 5 --detach`,
  );
});

test("the client for Node is one file that imports nothing but node:fs and node:net", () => {
  const { hooklineHome, read } = home();
  const { path } = placeLauncher({ hooklineHome, host: rig, program: [process.execPath, "/absent.js"], env: {} });
  const text = read("bin/bridge/client.cjs");
  expect([...text.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, from]) => from)).toEqual([
    "node:fs",
    "node:net",
    // Loaded where a daemon must be started.
    "node:child_process",
  ]);
  const words = ["rig", "Before", "--origin", "a  b", "--deadline", "5", "--detach"];
  const told = (given: readonly string[]) => spawnSync(path, given, { encoding: "utf8", input: "{}" });
  expect(told(words)).toMatchObject({ status: 0, stdout: expect.stringContaining("hookline is not reachable") });
  for (const wrong of [["rig"], ["../rig", "Before"], [...words, "--other"], ["rig", "Before", "--deadline", "x"]])
    expect(told(wrong)).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("usage:") });
});

test("where there is no native client Node answers, until there is one", () => {
  const { hooklineHome, client, read } = home();
  const parts = { hooklineHome, host: rig, program };
  expect(clientOf(hooklineHome)).toBeUndefined();
  expect(placeLauncher({ ...parts, env: {} }).isNative).toBe(false);
  expect(clientOf(hooklineHome)).toBe("Node");
  expect(clientSays("Node")).toMatch(/^Node answers, and takes about \d+ times as long as the native client/);
  expect(read("bin/hookline-hook")).toMatch(
    /^#!\/bin\/sh\nexec \/usr\/bin\/node '.+\/bin\/bridge\/client.cjs' '.+' "\$@"\n$/,
  );
  placeLauncher({ ...parts, env: { HOOKLINE_BRIDGE_CLIENT: client } });
  expect(placeLauncher({ ...parts, env: {} }).isNative).toBe(true);
  expect(read("bin/hookline-hook")).toBe("\u007fELF");
  expect(clientOf(hooklineHome)).toBe("native");
});

test("a daemon brings the files of its own installation up to date, and leaves those of another alone", async () => {
  const { hooklineHome, client, read } = home();
  const hosts = { rig: async () => rig, other: async () => ({ ...rig, name: "other" }) };
  placeLauncher({ hooklineHome, host: rig, program, env: { HOOKLINE_BRIDGE_CLIENT: client } });
  const file = join(hooklineHome, "bin/bridge/refusal-rig-Before");
  const whole = readFileSync(file, "utf8");
  expect(whole).toContain("\u0001");
  writeFileSync(file, "of an earlier version");
  await refreshLauncher({ hooklineHome, program: ["/tmp/other"], env: {} }, hosts);
  expect(readFileSync(file, "utf8")).toBe("of an earlier version");
  await refreshLauncher({ hooklineHome, program, env: {} }, hosts);
  expect(readFileSync(file, "utf8")).toBe(whole);
  expect(read("bin/hookline-hook")).toBe("\u007fELF");
  expect(readdirSync(join(hooklineHome, "bin/bridge")).some((name) => name.includes("other"))).toBe(false);
});
