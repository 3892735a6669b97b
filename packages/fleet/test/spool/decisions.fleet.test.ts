import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { enrolledKeys } from "../../src/audit/keys.ts";
import { storedIn } from "../../src/audit/read.ts";
import { Verifier } from "../../src/audit/verify.ts";
import { busOf } from "../../src/link/bus.ts";
import { fleetFolder, writeMembership } from "../../src/place/joined.ts";
import { readSeen, seenOf } from "../../src/policy/seen.ts";
import { policyPlace } from "../../src/policy/take.ts";
import { Backlog } from "../../src/presence/backlog.ts";
import { type Deciding, deciding } from "../support/deciding.ts";
import { hasNats, RULE, TestFleet } from "../support/fleet.ts";

const program = join(import.meta.dirname, "../support/deciding-program.ts");

describe.skipIf(!hasNats)("the decisions of agents", () => {
  let fleet: TestFleet;
  beforeAll(async () => {
    fleet = await TestFleet.start();
  });
  afterAll(() => fleet.stop());

  const bundle = () => fleet.bundle([], {});
  /** Reads the stream of a machine as an auditor: every line, and what is wrong. */
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
    await agent.closeSent();
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
    await agent.closeSent();
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
    await next.closeSent();
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
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    await expect.poll(() => said.split("\n").length).toBeGreaterThan(20);
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
    const decided = Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
    const next = await deciding(home);
    await next.call("ls");
    await next.closeSent();
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
    await next.closeSent();
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
    await next.closeSent();
    expect((await arrived("m7")).writers).toBe(1);
    expect((await arrived("m6")).writers).toBe(0);
  });

  test("that cannot be spooled are reported once, and refused only if the bundle requires them", async () => {
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

  describe("of an agent that follows a channel", () => {
    const home = async (machine: string): Promise<string> => {
      const folder = join(fleet.place, `home-${machine}`);
      await fleet.creds(machine, "agent");
      writeMembership(folder, fleet.joined(machine, machine), fleet.text(machine));
      return folder;
    };
    const publish = (channel: string, audit: object) => fleet.publish(fleet.source([], {}, { audit }), channel);
    const prompt = ({ session }: Deciding) => session.emit("prompt.before", { text: "go on" });
    /** Publishes a version and waits until the agent of this home has it, ready for the next prompt. */
    const roll = async (channel: string, home: string, audit: object): Promise<void> => {
      const { digest } = await publish(channel, audit);
      const { seen } = policyPlace(fleetFolder(home));
      await expect.poll(() => seenOf(readSeen(seen), channel)?.current).toBe(digest);
    };

    test("have payloads from the prompt on with which a version says so, and no sooner", async () => {
      const folder = await home("m11");
      await publish("m11", { level: "decisions", required: false });
      const agent = await deciding(folder, {}, { follows: true });
      await prompt(agent);
      await agent.session.emit("agent.start", {});
      await agent.call("ls before");
      await roll("m11", folder, { level: "payloads", required: false });
      await agent.call("ls meanwhile");
      // A text that has waited enters the run that is under way.
      await prompt(agent);
      await agent.call("ls within");
      await agent.session.emit("agent.end", { messages: [], aborted: false });
      await prompt(agent);
      await agent.call("ls after");
      await roll("m11", folder, { level: "decisions", required: false });
      await agent.call("ls still");
      await prompt(agent);
      await agent.call("ls again");
      await agent.closeSent();
      const { lines, faults, writers } = await arrived("m11");
      expect([faults, writers, agent.lost]).toEqual([[], 3, []]);
      expect(lines.match(/ls [a-z]+/g)).toEqual(["ls after", "ls still"]);
      expect(lines.match(/"event":"tool.before"/g)).toHaveLength(6);
      expect(lines.match(/"end":true/g)).toHaveLength(3);
    });

    test("are required from the prompt on with which a version says so, and no longer than that", async () => {
      const folder = await home("m12");
      await publish("m12", { level: "decisions", required: false });
      const agent = await deciding(folder, { mostBytes: 10 }, { follows: true });
      expect(await agent.call("ls")).toBeUndefined();
      await agent.session.emit("agent.start", {});
      await roll("m12", folder, { level: "decisions", required: true });
      await prompt(agent);
      expect(await agent.call("ls")).toBeUndefined();
      await agent.session.emit("agent.end", { messages: [], aborted: false });
      await prompt(agent);
      expect(await agent.call("ls")).toMatch(/cannot be recorded: fleet acme: audit not possible/);
      await roll("m12", folder, { level: "decisions", required: false });
      expect(await agent.call("ls")).toMatch(/audit not possible/);
      await prompt(agent);
      expect(await agent.call("ls")).toBeUndefined();
      await agent.close();
    });

    test("have payloads in the first run of a machine whose first version says so", async () => {
      const folder = await home("m13");
      await publish("m13", { level: "payloads", required: false });
      const agent = await deciding(folder, {}, { follows: true });
      await agent.call("ls at-once");
      await agent.closeSent();
      expect((await arrived("m13")).lines).toContain("ls at-once");
    });
  });

  test("leave no file where nothing was decided", async () => {
    const home = await fleet.home("m10", fleet.bundle([RULE]));
    await (await deciding(home)).close();
    expect(readdirSync(fleetFolder(home))).not.toContain("spool");
    expect(readFileSync(join(fleetFolder(home), "fleet.json"), "utf8")).toContain("m10");
  });
});
