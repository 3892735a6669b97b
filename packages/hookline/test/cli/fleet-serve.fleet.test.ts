import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";

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

  test("a worker serves what it has joined with, and only a worker may", async () => {
    const bundle = fleet.bundle();
    const join = (machine: string, root = bundle.digest) =>
      run(
        machine,
        "fleet",
        "join",
        fleet.url,
        "--creds",
        `${machine}.creds`,
        "--bundle",
        bundle.folder,
        "--root",
        root,
      );
    expect(join("laptop-7", "0".repeat(64))).toMatchObject({ code: 1, said: expect.stringContaining("not 0000") });
    expect(join("worker-1").said).toContain("hookline fleet serve");
    expect(join("laptop-7").said).toContain("What leaves this machine: tool, args.");
    expect(run("laptop-7", "fleet", "serve")).toMatchObject({
      code: 1,
      said: expect.stringContaining("only a worker"),
    });
    const worker = spawn(process.execPath, [program, "fleet", "serve", "--json"], {
      cwd: fleet.place,
      env: environment("worker-1"),
    });
    const [line] = (await once(worker.stdout, "data")) as [Buffer];
    expect(JSON.parse(line.toString())).toMatchObject({
      v: 1,
      fleet: "acme",
      worker: "worker-1",
      bundle: bundle.digest,
    });
    const status = run("laptop-7", "fleet", "status", "--json");
    expect(status.code, status.said).toBe(0);
    expect(JSON.parse(status.said)).toMatchObject({
      v: 1,
      fleet: "acme",
      machine: "laptop-7",
      connected: true,
      channel: "stable",
      bundle: { version: 1, digest: bundle.digest },
      worker: "worker-1",
      remote: ["extensions/guard.ts"],
      lastErrors: [],
    });
    const pushed = run("laptop-7", "--json", "--script", "push.yaml", "-p", "push it");
    expect(pushed.said).toContain("pushing is for people");
    worker.kill("SIGTERM");
    expect(await once(worker, "exit")).toEqual([0, null]);
    expect(run("laptop-7", "--json", "--script", "push.yaml", "-p", "push it").said).toContain("no worker");
    // Another fleet's folder, a wrong word and a machine of another role are told apart.
    expect(
      run(
        "laptop-7",
        "fleet",
        "join",
        "http://x",
        "--creds",
        "laptop-7.creds",
        "--bundle",
        "x",
        "--root",
        bundle.digest,
      ).code,
    ).toBe(1);
    expect(run("laptop-7", "fleet", "join").code).toBe(2);
    expect(run("worker-1", "--script", "push.yaml", "-p", "push it")).toMatchObject({
      code: 1,
      said: expect.stringContaining("only an agent may ask"),
    });
  });
});
