import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { GUARD, hasNats, RULE, TestFleet } from "../../../fleet/test/support/fleet.ts";

const program = join(import.meta.dirname, "../../bin/hookline.js");

describe.skipIf(!hasNats)("a fleet of two machines, by its commands", () => {
  let fleet: TestFleet;

  beforeAll(async () => {
    fleet = await TestFleet.start();
    await fleet.creds("worker-1", "worker");
    await fleet.creds("laptop-7", "agent");
    for (const name of ["worker-1", "laptop-7"]) {
      mkdirSync(join(fleet.place, name));
      writeFileSync(join(fleet.place, `${name}.creds`), fleet.text(name), { mode: 0o600 });
    }
    writeFileSync(
      join(fleet.place, "push.yaml"),
      "replies:\n  - toolCalls: [{ name: bash, arguments: { command: git push } }]\n  - text: done\n",
    );
  });
  afterAll(() => fleet.stop());

  const environment = (machine: string): NodeJS.ProcessEnv => ({ ...process.env, HOME: join(fleet.place, machine) });
  const run = (machine: string, ...args: string[]): { readonly said: string; readonly code: number | null } => {
    const {
      stdout,
      stderr,
      status: code,
    } = spawnSync(process.execPath, [program, ...args], {
      cwd: fleet.place,
      env: environment(machine),
      encoding: "utf8",
      input: "",
    });
    return { said: stdout + stderr, code };
  };

  test("both follow a channel whose root they have pinned, and only a worker may serve", async () => {
    const { digest } = await fleet.publish(fleet.source());
    const join = (machine: string, root = fleet.pin) =>
      run(machine, "fleet", "join", fleet.url, "--creds", `${machine}.creds`, "--root", root);
    expect(join("laptop-7", "0".repeat(64))).toMatchObject({ code: 1, said: expect.stringContaining("no root 0000") });
    expect(join("worker-1").said).toContain("hookline fleet serve");
    const joined = join("laptop-7").said;
    expect(joined).toContain("It follows stable, now at version 1.");
    expect(joined).toContain("What leaves this machine: tool, args.");
    expect(run("laptop-7", "fleet", "serve")).toMatchObject({
      code: 1,
      said: expect.stringContaining("only a worker"),
    });
    const worker = spawn(process.execPath, [program, "fleet", "serve", "--json"], {
      cwd: fleet.place,
      env: environment("worker-1"),
    });
    onTestFinished(() => void worker.kill("SIGKILL"));
    const [line] = (await once(worker.stdout, "data")) as [Buffer];
    expect(JSON.parse(line.toString())).toMatchObject({
      v: 1,
      fleet: "acme",
      worker: "worker-1",
      channel: "stable",
      version: 1,
      bundle: digest,
    });
    const status = run("laptop-7", "fleet", "status", "--json");
    expect(status.code, status.said).toBe(0);
    expect(JSON.parse(status.said)).toMatchObject({
      v: 1,
      fleet: "acme",
      machine: "laptop-7",
      connected: true,
      channel: "stable",
      bundle: { version: 1, digest },
      stale: null,
      worker: "worker-1",
      remote: ["extensions/guard.ts"],
      lastErrors: [],
    });
    const push = (): string => run("laptop-7", "--json", "--script", "push.yaml", "-p", "push it").said;
    expect(push()).toContain("pushing is for people");
    // A version that is published while the worker runs is served, and taken by the next run.
    await fleet.publish(fleet.source([RULE], { [RULE.file]: GUARD.replace("pushing is for people", "nobody pushes") }));
    await expect.poll(push).toContain("nobody pushes");
    const listed = run("laptop-7", "hooks", "list", "--verbose").said;
    expect(listed).toContain("version 2 of stable");
    worker.kill("SIGTERM");
    expect(await once(worker, "exit")).toEqual([0, null]);
    expect(push()).toContain("no worker");
    // A wrong word and a machine of another role are told apart.
    expect(run("laptop-7", "fleet", "join", "http://x", "--creds", "laptop-7.creds", "--root", fleet.pin).code).toBe(1);
    expect(run("laptop-7", "fleet", "join").code).toBe(2);
    expect(run("worker-1", "--script", "push.yaml", "-p", "push it")).toMatchObject({
      code: 1,
      said: expect.stringContaining("only an agent may ask"),
    });
  });

  test("a machine of CI takes the policy from the server at its start, and keeps it", () => {
    const env = {
      HOME: join(fleet.place, "ci"),
      HOOKLINE_FLEET_URL: fleet.url,
      HOOKLINE_FLEET_CREDS: fleet.text("laptop-7"),
      HOOKLINE_FLEET_ROOT: fleet.pin,
    };
    mkdirSync(env.HOME);
    const list = (more: object) =>
      spawnSync(process.execPath, [program, "hooks", "list", "--verbose"], {
        cwd: fleet.place,
        env: { ...process.env, ...env, ...more },
        encoding: "utf8",
      }).stdout;
    expect(list({})).toContain("version 2 of stable");
    // The files on disk are enough for the next start.
    expect(list({ HOOKLINE_FLEET_URL: "nats://127.0.0.1:1" })).toContain("version 2 of stable");
    expect(list({ HOOKLINE_FLEET_ROOT: "0".repeat(64) })).toContain("no root 0000");
  });
});
