import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeBlocks } from "../../../../scripts/code-blocks.ts";
import { hasNats } from "../../../fleet/test/support/fleet.ts";
import { missingLine } from "../authors/steps.ts";

const root = join(import.meta.dirname, "../../../..");
const [page = "", next = ""] = ["fleet.md", "run-a-fleet.md"].map((name) =>
  readFileSync(join(root, `docs/guide/${name}`), "utf8"),
);
const own = [page, next].flatMap(codeBlocks).filter(({ mark }) => mark?.endsWith("fleet-guide.fleet.test.ts") === true);
const commands = own.filter(({ language }) => language === "sh").map(({ text }) => text);
const outputs = own.filter(({ language }) => language === "text").map(({ text }) => text.trimEnd().split("\n"));
const [
  dev = "",
  status = "",
  push = "",
  audit = "",
  pushAgain = "",
  leave = "",
  enroll = "",
  revoke = "",
  rotate = "",
  all = "",
] = commands;
const [joined = [], answers = [], refused = [], decided = [], away = [], present = []] = outputs;

test("the first page explains at most ten words, uses no others of the fleet, and has no hash to copy", () => {
  const words = [...page.slice(page.indexOf("## The words")).matchAll(/^\| (\w+) \|/gm)].map(([, word]) => word);
  const rows = words.slice(1, words.indexOf("field"));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.length).toBeLessThanOrEqual(10);
  const prose = page.replaceAll(/```[\s\S]*?```|`[^`]*`/g, "");
  const others = /\b(?:bundles?|pins?|pinned|spool|bucket|stream|presence|digest|rollout|quorum|policy|envelope)\b/gi;
  expect(prose.match(others)).toBeNull();
  expect(page + next).not.toMatch(/SHA256|[0-9a-f]{64}/);
});

describe.skipIf(!hasNats)("the guide to a fleet, followed as it stands", () => {
  const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
  const env = { ...process.env, HOME: join(place, "home"), PATH: `${join(place, "bin")}:${process.env["PATH"]}` };
  let server: ChildProcess;
  let joinLine = "";

  /** Runs the commands and returns their output on both streams. */
  const run = (text: string): { readonly said: string; readonly code: number | null } => {
    const {
      stdout,
      stderr,
      status: code,
    } = spawnSync("sh", ["-c", text], { cwd: join(place, "work"), env, encoding: "utf8" });
    return { said: stdout + stderr, code };
  };

  beforeAll(async () => {
    for (const folder of ["home", "bin", "work"]) mkdirSync(join(place, folder));
    symlinkSync(join(root, "packages/hookline/bin/hookline.js"), join(place, "bin/hookline"));
    symlinkSync(process.execPath, join(place, "bin/node"));
    // Port 4222 may be somebody else's here.
    server = spawn("sh", ["-c", `exec ${dev.trim()} --port 0`], {
      cwd: join(place, "work"),
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const hear = (text: Buffer): void => {
        said += text.toString();
        joinLine = /^ +(hookline fleet join .*)$/m.exec(said)?.[1] ?? "";
        if (said.includes("Ctrl+C ends")) resolve();
      };
      server.stdout?.on("data", hear);
      server.stderr?.on("data", hear);
      server.once("exit", () => reject(new Error(said)));
    });
  });
  afterAll(async () => {
    // Ctrl+C and SIGTERM end its nats-server too; SIGKILL would leave that running.
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    }
    rmSync(place, { recursive: true, force: true });
  });

  test("a first remote refusal, by its words alone", async () => {
    expect(joinLine).not.toMatch(/[0-9a-f]{64}/);
    expect(missingLine(joined, run(joinLine).said)).toBeUndefined();
    expect(missingLine(answers, run(status).said)).toBeUndefined();
    const pushed = run(push);
    expect(missingLine(refused, pushed.said), pushed.said).toBeUndefined();
    const log = run(audit);
    expect(missingLine(decided, log.said), log.said).toBeUndefined();
    // No flag leaves the fleet's guards out.
    expect(run(push.replace("hookline ", "hookline --no-hooks ")).said).toContain("pushing is for people");
    const [, url = ""] = /join (\S+) /.exec(joinLine) ?? [];
    const listed = run(all.replace("nats://127.0.0.1:4222", url));
    expect(missingLine(present, listed.said), listed.said).toBeUndefined();
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGINT");
    expect(await ended).toBe(0);
    const again = run(pushAgain);
    expect(missingLine(away, again.said), again.said).toBeUndefined();
    expect(run("hookline fleet status").code).toBe(1);
    expect(run(leave).code).toBe(0);
    expect(run(pushAgain).said).not.toContain("refused");
  });

  test("a fleet of one's own, and a lost laptop", () => {
    expect(run(enroll).code).toBe(0);
    const configuration = ["server.conf", "trust.conf"]
      .map((name) => readFileSync(join(place, "work/acme", name), "utf8"))
      .join("");
    expect(configuration).not.toMatch(/authorization|no_auth_user|\baccounts\b/);
    expect(readFileSync(join(place, "work/laptop-7.creds"), "utf8")).toContain('"role":"agent"');
    const before = readFileSync(join(place, "work/acme/trust.conf"), "utf8");
    expect(run(revoke)).toMatchObject({ code: 0, said: expect.stringContaining("laptop-7 is revoked") });
    expect(readFileSync(join(place, "work/acme/trust.conf"), "utf8")).not.toBe(before);
    const { code, said } = run(rotate);
    expect([code, said]).toEqual([0, expect.stringContaining("work/acme/policy/1/root.json")]);
    expect(said).not.toMatch(/[0-9a-f]{64}/);
    expect(run("hookline fleet enroll laptop-7 --role boss --dir acme").code).toBe(2);
    expect(run("hookline fleet enroll Laptop --role agent --dir acme").code).toBe(1);
  });

  test("a project makes no run part of a fleet", () => {
    mkdirSync(join(place, "work/.hookline/fleet"), { recursive: true });
    const text = JSON.stringify({
      v: 1,
      url: "nats://127.0.0.1:1",
      fleet: "evil",
      machine: "m",
      channel: "stable",
      root: "0".repeat(64),
    });
    writeFileSync(join(place, "work/.hookline/fleet/fleet.json"), text);
    expect(run("hookline hooks list --json").said).not.toContain("evil");
  });

  test("a run whose fleet cannot be read ends before its first request, and says why", () => {
    const script = "~/.hookline/fleet-dev/push.yaml";
    const url = run(`HOOKLINE_FLEET_URL=nats://127.0.0.1:1 hookline --script ${script} -p "push it"`);
    expect(url).toMatchObject({ code: 1, said: expect.stringContaining("HOOKLINE_FLEET_CREDS is not") });
    const all = `HOOKLINE_FLEET_URL=nats://127.0.0.1:1 HOOKLINE_FLEET_CREDS=$HOME/.hookline/fleet-dev/dev-agent.creds HOOKLINE_FLEET_ROOT=${"0".repeat(64)}`;
    const bundle = run(`${all} hookline --script ${script} -p "push it"`);
    expect(bundle.code, bundle.said).toBe(1);
    expect(bundle.said).toContain("fleet dev");
  });
});
