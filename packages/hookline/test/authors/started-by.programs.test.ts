import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";

const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
const approve = `'${process.execPath}' '${bin}' trust approve --yes`;

let place: Workplace;

beforeEach(() => {
  place = new Workplace();
  place.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
});

afterEach(() => place.remove());

const approvals = (): number => {
  const path = join(place.home, ".hookline/trust.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).entries.length : 0;
};

/** Has a scripted model run a shell script of the project, which says in `said` what became of its attempt. */
async function attempt(script: string): Promise<string> {
  place.write("attempt.sh", script);
  const call = { name: "bash", arguments: { command: "sh attempt.sh" } };
  const replies = place.write("~/script.json", JSON.stringify({ replies: [{ toolCalls: [call] }, { text: "Done." }] }));
  const { code, err } = await place.run(["--script", replies, "-p", "go"]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return readFileSync(join(place.project, "said"), "utf8");
}

describe("in a program that a session has started, nothing is approved", () => {
  test.each([
    ["as it is", approve],
    ["without the variable", `env -u HOOKLINE_RUN_ID ${approve}`],
    ["without any variable", `env -i HOME="$HOME" ${approve}`],
    ["in place of the shell, without any variable", `exec env -i HOME="$HOME" ${approve}`],
    ["below more than a thousand shells", 'env -i HOME="$HOME" PATH="$PATH" sh deep.sh 1030'],
    ["by a program that takes the variable out of its own", `exec '${process.execPath}' other.cjs`],
  ])("%s", async (_name, command) => {
    place.write(
      "other.cjs",
      `delete process.env.HOOKLINE_RUN_ID;\nprocess.exitCode = require("node:child_process").spawnSync("sh", ["-c", ${JSON.stringify(approve)}], { stdio: "inherit" }).status;\n`,
    );
    place.write("deep.sh", `[ $1 != 0 ] || exec ${approve}\nsh deep.sh $(($1 - 1)); exit $?\n`);
    expect(await attempt(`(${command}) > said 2>&1; echo "ended with $?" >> said\n`)).toMatch(
      /^Only a person may approve, and this command was started by .*\nended with 1\n$/,
    );
    expect(approvals()).toBe(0);
  });

  test.runIf(process.platform === "linux")("by one that has lost its parents and its variables", async () => {
    const orphan = `until [ "$(ps -o ppid= -p $$ | tr -d ' ')" != "$1" ]; do sleep 0.05; done; ${approve} > said 2>&1; touch over`;
    place.write("orphan.sh", `${orphan}\n`);
    const said = await attempt(
      `sh -c 'env -i HOME="$HOME" PATH="$PATH" setsid nohup sh orphan.sh $$ > /dev/null 2>&1 &'\nuntil [ -e over ]; do sleep 0.05; done\n`,
    );
    expect(said).toMatch(
      /^An agent is running in .* \(process \d+\)\. Use \/trust on its screen, or end it first\.\n$/,
    );
    expect(approvals()).toBe(0);
  });

  test("by a hook that is fired by hand", async () => {
    const command = `env -i HOME="$HOME" ${approve} > '${place.project}/said' 2>&1; true`;
    place.write("~/.jdata/agent/hooks.yaml", `stop:\n  - command: ${JSON.stringify(command)}\n`);
    await place.run(["hooks", "fire", "jcli:stop"], { stdin: "{}" });
    expect(readFileSync(join(place.project, "said"), "utf8")).toMatch(/was started by /);
    expect(approvals()).toBe(0);
  });

  test("by a hook of a program that uses the library", async () => {
    const runtime = fileURLToPath(new URL("../../../runtime/src/index.ts", import.meta.url));
    const dialects = fileURLToPath(new URL("../../../integrations/src/index.ts", import.meta.url));
    const command = `exec env -i HOME="$HOME" ${approve} > '${place.project}/said' 2>&1`;
    place.write("~/.jdata/agent/hooks.yaml", `stop:\n  - command: ${JSON.stringify(command)}\n`);
    const host = place.write(
      "host.ts",
      `import { createRuntime } from ${JSON.stringify(runtime)};
import { dialects } from ${JSON.stringify(dialects)};
const runtime = createRuntime({ dialects });
const session = await runtime.open({ scene: { sessionId: "s", cwd: process.cwd() } });
await session.emit("agent.stop", {});
await runtime.close();
`,
    );
    const child = spawn(process.execPath, ["--conditions=hookline-source", host], {
      cwd: place.project,
      env: { ...CHILD_ENV, HOME: place.home },
      stdio: ["ignore", "ignore", "inherit"],
    });
    expect(await new Promise((done) => child.on("close", done))).toBe(0);
    expect(readFileSync(join(place.project, "said"), "utf8")).toMatch(/was started by hookline \(process \d+\)/);
    expect(approvals()).toBe(0);
  });

  test("nor is a list of packages agreed to there", async () => {
    place.write(".pi/settings.json", JSON.stringify({ packages: ["npm:some-package@1.0.0"] }));
    const fetch = approve.replace("trust approve", "packages fetch");
    expect(await attempt(`env -i HOME="$HOME" ${fetch} > said 2>&1\n`)).toMatch(
      /nobody has approved that list\. .*was started by /,
    );
    expect(approvals()).toBe(0);
  });

  test("nor is an approval taken back there, which would take a guard away", async () => {
    await place.run(["trust", "approve", "--yes"]);
    expect(approvals()).toBe(1);
    const revoke = approve.replace("approve --yes", "revoke");
    expect(await attempt(`env -i HOME="$HOME" ${revoke} > said 2>&1\n`)).toMatch(/was started by /);
    expect(approvals()).toBe(1);
  });

  test.each([
    ["leave", "has a machine join or leave a fleet"],
    ["join nats://127.0.0.1:1 --creds x --root y", "has a machine join or leave a fleet"],
    ["approvals approve 0123456789abcdef", "answers for the fleet"],
  ])("nor is the fleet left, joined or answered for: %s", async (action, what) => {
    const fleet = approve.replace("trust approve --yes", `fleet ${action}`);
    expect(await attempt(`env -i HOME="$HOME" ${fleet} > said 2>&1\n`)).toContain(
      `only a person ${what}, and this command was started by `,
    );
  });
});

test("while an agent is at work in a project, other shells approve nothing there, and elsewhere they do", async () => {
  const script = place.write("~/script.json", JSON.stringify({ replies: [{ text: "Fine." }] }));
  const agent = spawn(process.execPath, [bin, "--mode", "rpc", "--no-session", "--script", script], {
    cwd: place.project,
    env: { ...CHILD_ENV, HOME: place.home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  agent.stdin.write('{"id":"1","type":"get_state"}\n');
  await new Promise((seen) => agent.stdout.once("data", seen));
  const refused = await place.run(["trust", "approve", "--yes"]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`(process ${agent.pid})`)]);
  expect((await place.run(["--cwd", join(place.project, ".jcli"), "trust", "approve", "--yes"])).code).toBe(1);
  place.write("~/other/.jcli/hooks.yaml", "stop:\n  - command: cat\n");
  expect((await place.run(["--cwd", join(place.home, "other"), "trust", "approve", "--yes"])).code).toBe(0);
  agent.stdin.end();
  await new Promise((ended) => agent.on("close", ended));
  expect((await place.run(["trust", "approve", "--yes"])).code).toBe(0);
  expect(approvals()).toBe(2);
});
