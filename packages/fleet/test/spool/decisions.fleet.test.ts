import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enrolledKeys } from "../../src/audit/keys.ts";
import { storedIn } from "../../src/audit/read.ts";
import { Verifier } from "../../src/audit/verify.ts";
import { busOf } from "../../src/link/bus.ts";
import { fleetFolder } from "../../src/place/joined.ts";
import { Backlog } from "../../src/presence/backlog.ts";
import { deciding } from "../support/deciding.ts";
import { hasNats, RULE, TestFleet } from "../support/fleet.ts";

const program = join(import.meta.dirname, "../support/deciding-program.ts");

describe.skipIf(!hasNats)("the decisions of agents", () => {
  let fleet: TestFleet;
  beforeAll(async () => {
    fleet = await TestFleet.start();
  });
  afterAll(() => fleet.stop());

  const bundle = () => fleet.bundle([], {});
  /** What the stream has of a machine, as an auditor reads it: every line, and what is wrong. */
  const arrived = async (machine: string) => {
    const auditor = await fleet.creds("auditor-1", "auditor");
    const connection = await fleet.connect(auditor);
    const verifier = new Verifier("acme", enrolledKeys(auditor));
    const writers = new Map<string, string>();
    for await (const stored of storedIn(await busOf(connection), "acme")) {
      const batch = verifier.take(stored);
      if (batch?.seal.machine === machine)
        writers.set(batch.seal.writer, `${writers.get(batch.seal.writer) ?? ""}${batch.content}`);
    }
    await connection.close();
    return { lines: [...writers.values()].join(""), faults: verifier.faults, writers: writers.size };
  };
  const spoolOf = (home: string): string => join(fleetFolder(home), "spool");
  const waiting = (home: string) => new Backlog(spoolOf(home)).at(Date.now())?.batches;

  test("arrive in the stream, signed, without payloads", async () => {
    const home = await fleet.home("m1", bundle());
    const agent = await deciding(home);
    expect(await agent.call("ls the-secret")).toBeUndefined();
    expect(await agent.call("no")).toBe("it begins with no");
    await agent.close();
    const { lines, faults } = await arrived("m1");
    expect(faults).toEqual([]);
    expect(lines).toContain('"level":"log"');
    expect(lines).toContain('"decision":"deny"');
    expect(lines).toContain('"payload":{"tool":"bash"}');
    expect(lines).not.toContain("the-secret");
    expect(lines).toContain('"end":true');
    expect(agent.lost).toEqual([]);
    expect(waiting(home)).toBe(0);
  });

  test("have payloads if the bundle says so", async () => {
    const audited = fleet.bundle([], {}, { audit: { level: "payloads", required: false } });
    const home = await fleet.home("m2", audited);
    const agent = await deciding(home);
    await agent.call("ls the-payload");
    await agent.close();
    expect((await arrived("m2")).lines).toContain("ls the-payload");
  });

  test("wait in the spool while the server is away, and calls wait for nothing", async () => {
    const home = await fleet.home("m3", bundle());
    await fleet.killServer();
    const agent = await deciding(home);
    expect(await agent.call("no")).toBe("it begins with no");
    await agent.close();
    expect(waiting(home)).toBeGreaterThan(0);
    expect(agent.lost).toEqual([]);
    await fleet.startServer();
    const next = await deciding(home);
    await next.call("ls");
    await next.close();
    const { faults, writers } = await arrived("m3");
    expect([faults, writers]).toEqual([[], 2]);
    expect(waiting(home)).toBe(0);
  });

  test("of a process that was killed are sent by the next one", async () => {
    const home = await fleet.home("m4", bundle());
    const child = spawn(
      process.execPath,
      ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning", program, home],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    await expect.poll(() => said.split("\n").length, { timeout: 20_000 }).toBeGreaterThan(20);
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
    const decided = Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
    const next = await deciding(home);
    await next.call("ls");
    await next.close();
    const { lines, faults } = await arrived("m4");
    expect(faults).toEqual([]);
    expect(lines).toContain(`"n":${decided},`);
  });

  test("of a machine that was enrolled again keep their signatures", async () => {
    const home = await fleet.home("m5", bundle());
    await fleet.killServer();
    const agent = await deciding(home);
    await agent.call("no");
    await agent.close();
    await fleet.authority.revoke("m5");
    writeFileSync(join(fleetFolder(home), "creds"), await fleet.authority.enroll("m5", "agent"));
    await fleet.startServer();
    const next = await deciding(home);
    await next.call("no");
    await next.close();
    const { faults, writers } = await arrived("m5");
    expect([faults, writers]).toEqual([[], 2]);
  });

  test("that were made for another fleet stay where they are", async () => {
    const home = await fleet.home("m6", bundle());
    await fleet.killServer();
    const agent = await deciding(home);
    await agent.call("no");
    await agent.close();
    await fleet.startServer();
    const other = await fleet.home("m7", bundle());
    mkdirSync(spoolOf(other), { recursive: true });
    cpSync(spoolOf(home), spoolOf(other), { recursive: true });
    const next = await deciding(other);
    await next.call("ls");
    await next.close();
    expect((await arrived("m7")).writers).toBe(1);
    expect((await arrived("m6")).writers).toBe(0);
  });

  test("that cannot be spooled are told once, and refused only if the bundle requires them", async () => {
    const free = await deciding(await fleet.home("m8", bundle()), { mostBytes: 10 });
    expect(await free.call("ls")).toBeUndefined();
    expect(await free.call("ls")).toBeUndefined();
    await free.close();
    expect(free.lost).toEqual([expect.stringMatching(/^fleet acme: audit not possible: the spool .* is full/)]);

    const required = fleet.bundle([], {}, { audit: { level: "decisions", required: true } });
    const home = await fleet.home("m9", required);
    const full = await deciding(home, { mostBytes: 10 });
    expect(await full.call("ls")).toMatch(/cannot be recorded: fleet acme: audit not possible/);
    await full.close();
    const wide = await deciding(home);
    expect(await wide.call("ls")).toBeUndefined();
    await wide.close();
    writeFileSync(join(fleetFolder(home), "elsewhere"), "");
    const blocked = await deciding(home, { folder: join(fleetFolder(home), "elsewhere") });
    expect(await blocked.call("ls")).toMatch(/audit not possible/);
    await blocked.close();
  });

  test("leave no file where nothing was decided", async () => {
    const home = await fleet.home("m10", fleet.bundle([RULE]));
    await (await deciding(home)).close();
    expect(readdirSync(fleetFolder(home))).not.toContain("spool");
    expect(readFileSync(join(fleetFolder(home), "fleet.json"), "utf8")).toContain("m10");
  });
});
