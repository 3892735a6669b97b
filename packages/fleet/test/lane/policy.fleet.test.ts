import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { asAdministrator } from "../../src/command/connected.ts";
import type { Serving } from "../../src/command/serve.ts";
import { Policy } from "../../src/lane/policy.ts";
import { busOf } from "../../src/link/bus.ts";
import { CountedLink } from "../../src/link/counted.ts";
import type { Link } from "../../src/link/link.ts";
import { membership, writeMembership } from "../../src/place/joined.ts";
import { KEYS, readKey, writeKey } from "../../src/store/buckets.ts";
import { Door } from "../support/door.ts";
import { type AgentSession, GUARD, hasNats, RULE, TestFleet } from "../support/fleet.ts";
import { VERSION } from "../support/worker.ts";

/** A guard that refuses pushes in these words. */
const guard = (words: string): string => GUARD.replace("pushing is for people", words);
const LOCAL = { file: "extensions/local.ts", where: "agent" } as const;
/** Refuses removals in these words, in the agent itself. */
const local = (words: string): string => `export default (pi) => {
  pi.on("tool_call", (event) => {
    if (/^rm /.test(event.input.command)) return { block: true, reason: ${JSON.stringify(words)} };
    event.input.command += " # seen";
  });
};
`;

/** Writes results. */
const AFTER = `export default (pi) => pi.on("tool_result", () => ({ content: [{ type: "text", text: "seen" }] }));\n`;

describe.skipIf(!hasNats)("an agent that follows a channel", () => {
  let fleet: TestFleet;
  let count = 0;
  let channel: string;
  let worker: Serving;

  beforeAll(async () => {
    fleet = await TestFleet.start();
  });
  afterAll(() => fleet.stop());

  /** Publishes guards to a channel of this test's own. */
  const publish = (words: string, more: object = {}) =>
    fleet.publish(
      fleet.source(
        [RULE, LOCAL],
        { [RULE.file]: guard(`${words} in a worker`), [LOCAL.file]: local(`${words} here`) },
        more,
      ),
      channel,
    );
  const begin = async (): Promise<AgentSession> => {
    channel = `c-${++count}`;
    await publish("one");
    worker = await fleet.channelWorker("worker-1", channel);
    return fleet.session(await home());
  };
  const home = async (): Promise<string> => {
    const folder = join(fleet.place, `home-${channel}`);
    await fleet.creds("laptop-1", "agent");
    writeMembership(folder, fleet.joined("laptop-1", channel), fleet.text("laptop-1"));
    return folder;
  };
  const prompt = (agent: AgentSession) => agent.session.emit("prompt.before", { text: "hello" });
  const reasons = async (agent: AgentSession) => [
    (await agent.call("rm x")).reason,
    (await agent.call("git push")).reason,
  ];
  const said = (words: string) => [`${words} here`, `${words} in a worker`];
  /** Resolves when the agent has loaded what the worker serves by now. */
  const loaded = (home: string, versions: number) =>
    expect.poll(() => readdirSync(join(home, "fleet/bundles")).length).toBe(versions);

  /** Resolves when prompts are judged in these words; the look of each minute comes too late for that. */
  const becomes = (agent: AgentSession, words: string) =>
    expect
      .poll(
        async () => {
          await prompt(agent);
          return reasons(agent);
        },
        { timeout: 20_000 },
      )
      .toEqual(said(words));

  test("swaps in a new version when a prompt begins, and never during a run", async () => {
    const agent = await begin();
    expect(await reasons(agent)).toEqual(said("one"));
    await agent.session.emit("agent.start", {});
    await publish("two");
    await loaded(agent.home, 2);
    expect(await reasons(agent)).toEqual(said("one"));
    // A text that has waited enters the run that is under way.
    await prompt(agent);
    expect(await reasons(agent)).toEqual(said("one"));
    await agent.session.emit("agent.end", { messages: [], aborted: false });
    expect(await reasons(agent)).toEqual(said("one"));
    await becomes(agent, "two");
    expect(agent.problems.filter((problem) => problem.startsWith("Fleet"))).toEqual([]);
    // An agent that is one version behind still gets answers.
    expect(worker.versions().map(({ version }) => version)).toEqual([2, 1]);
    await agent.close();
    await worker.close();
  });

  test("judges the first prompt of a session by the version that was published before it", async () => {
    const first = await begin();
    expect(await reasons(first)).toEqual(said("one"));
    await first.close();
    await publish("two");
    await expect.poll(() => worker.versions().map(({ version }) => version)).toEqual([2, 1]);
    const second = await fleet.session(first.home);
    await prompt(second);
    expect(await reasons(second)).toEqual(said("two"));
    await second.close();
    await worker.close();
  });

  test("asks a worker about the calls of the tools that are named, and no others", async () => {
    channel = `c-${++count}`;
    await fleet.publish(fleet.source([{ ...RULE, tools: ["bash"] }], { [RULE.file]: guard("no") }), channel);
    const agent = await fleet.session(await home());
    await prompt(agent);
    // No worker is there, so what is asked is refused.
    const call = async (tool: string) =>
      (await agent.session.emit("tool.before", { tool, args: {}, toolCallId: "1" })).answer?.decision;
    expect([await call("bash"), await call("read")]).toEqual(["deny", undefined]);
    await agent.close();
  });

  test("keeps the hooks that a new version has too, and registers what it has not", async () => {
    const agent = await begin();
    const hooks = () =>
      agent.session.hooks().flatMap(({ lane, hook }) => (hook.event === "tool.before" ? [{ lane, hook }] : []));
    const first = hooks();
    expect(first.map(({ lane }) => lane)).toEqual(["fleet-local", "fleet-local", "fleet"]);
    await publish("two");
    await becomes(agent, "two");
    expect(hooks().map(({ hook }) => hook)).toEqual(first.map(({ hook }) => hook));
    // The local hooks are gone, the remote one lets calls pass when nobody answers, and an event is new.
    const after = { file: "extensions/after.ts", where: "agent", may: ["edit"] } as const;
    const open = { ...RULE, onFailure: "open" } as const;
    const texts = { [open.file]: guard("three in a worker"), [after.file]: AFTER };
    await fleet.publish(fleet.source([open, after], texts), channel);
    const swapped = async () => {
      await prompt(agent);
      return reasons(agent);
    };
    await expect.poll(swapped).toEqual(["", "three in a worker"]);
    const failing = () => hooks().map(({ lane, hook: { onError } }) => [lane, onError]);
    const fixed = ["fleet-local", undefined];
    expect(failing()).toEqual([fixed, ["fleet", "skip"]]);
    const result = { toolCallId: "c", tool: "bash", args: {}, content: [], isError: false, blocked: false };
    const { answer } = await agent.session.emit("tool.after", result as never);
    expect(answer).toMatchObject({ content: [{ type: "text", text: "seen" }] });
    await worker.close();
    expect(await reasons(agent)).toEqual(["", ""]);
    await agent.close();
  });

  test("closes the hooks of a version that is not used any more", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = mkdtempSync(join(fleet.place, "tmp-"));
    const folders = () => readdirSync(process.env["TMPDIR"] as string).length;
    try {
      const agent = await begin();
      expect(folders()).toBe(2);
      await publish("two");
      await becomes(agent, "two");
      // The worker serves both versions; the agent has one.
      await expect.poll(folders).toBe(3);
      await publish("three");
      await becomes(agent, "three");
      await agent.close();
      await expect.poll(folders).toBe(3);
      await worker.close();
      await expect.poll(folders).toBe(0);
    } finally {
      process.env["TMPDIR"] = before;
      if (before === undefined) delete process.env["TMPDIR"];
    }
  });

  test("takes what was published while it and its worker were cut off, as soon as they are back", async () => {
    channel = `c-${++count}`;
    await publish("one");
    const door = await Door.to(fleet.port);
    const cutOff = await fleet.channelWorker("worker-1", channel, { url: door.url });
    const folder = await home();
    writeMembership(folder, { ...fleet.joined("laptop-1", channel), url: door.url }, fleet.text("laptop-1"));
    const agent = await fleet.session(folder);
    expect(await reasons(agent)).toEqual(said("one"));
    // It has heard of nothing after its first look, which is before this one.
    await publish("two");
    await becomes(agent, "two");
    door.shut();
    await publish("three");
    door.open();
    await becomes(agent, "three");
    await agent.close();
    await cutOff.close();
    await door.close();
  });

  test("takes the next version at once after an older one was put back by whoever has the server", async () => {
    const agent = await begin();
    await publish("two");
    await becomes(agent, "two");
    await asAdministrator(fleet.authority, fleet.url, async (connection) => {
      const bus = await busOf(connection);
      const read = (key: string) => readKey(bus, "acme", { bucket: "policy", key });
      const newest = { bucket: "policy", key: KEYS.channel(channel) } as const;
      const [old, now] = [await read(KEYS.version(channel, 1)), await read(newest.key)];
      await writeKey(bus, "acme", { ...newest, data: old?.data ?? Buffer.of(), after: now?.seq ?? 0 });
      await bus.tell(fleet.names.policy(channel));
    });
    await expect.poll(() => agent.problems.join("\n")).toMatch(/has the version 1, and 2 was seen before/);
    await publish("three");
    await becomes(agent, "three");
    expect(worker.versions().map(({ version }) => version)).toEqual([3, 2, 1]);
    await agent.close();
    await worker.close();
  });

  test("does not connect once its only session has ended", async () => {
    const agent = await begin();
    await agent.close();
    const member = membership(agent.home, {});
    if (member === undefined) throw new Error("it has not joined");
    const taken: Link[] = [];
    class WatchedLink extends CountedLink {
      override take(): ReturnType<CountedLink["take"]> {
        const held = super.take();
        taken.push(held.link);
        return held;
      }
    }
    const link = new WatchedLink({ url: fleet.url, creds: member.creds, clock: systemClock });
    const policy = new Policy({ membership: member, clock: systemClock, version: VERSION, link });
    const leave = policy.add({ prepare: () => Promise.reject(new Error("nothing new")), tell: () => {} });
    leave();
    policy.begin();
    expect(taken).toEqual([]);
    await worker.close();
  });

  test("has the bundle's local hooks asked first, with what `may` lists and nothing else", async () => {
    const agent = await begin();
    const seen: string[] = [];
    agent.session.on("tool.before", ({ args }) => void seen.push(String(args["command"])));
    const { outcome } = await agent.call("ls");
    expect(seen).toEqual(["ls"]);
    expect(outcome.edits).toEqual([]);
    expect(agent.problems).toContainEqual(expect.stringContaining("does not list it"));
    const lanes = agent.session.hooks().map(({ lane }) => lane);
    expect([lanes[0], lanes.indexOf("fleet") > lanes.lastIndexOf("fleet-local")]).toEqual(["fleet-local", true]);
    await agent.close();
    await worker.close();
  });

  test("judges a call that is under way while versions change by the new one, however that fails", async () => {
    const go = join(fleet.place, "go.txt");
    const slow = `import { existsSync } from "node:fs";
export default (pi) => pi.on("tool_call", async () => {
  while (!existsSync(${JSON.stringify(go)})) await new Promise((end) => setTimeout(end, 10));
});
`;
    channel = `c-${++count}`;
    await fleet.publish(
      fleet.source([RULE, LOCAL], { [RULE.file]: guard("one in a worker"), [LOCAL.file]: slow }),
      channel,
    );
    worker = await fleet.channelWorker("worker-1", channel);
    const agent = await fleet.session(await home());
    const call = agent.call("git push");
    const open = { ...RULE, onFailure: "open" } as const;
    await fleet.publish(fleet.source([open], { [open.file]: guard("two in a worker") }), channel);
    const swapped = async () => {
      await prompt(agent);
      return agent.version();
    };
    await expect.poll(swapped).toBe(2);
    writeFileSync(go, "");
    expect((await call).reason).toBe("two in a worker");
    await agent.close();
    await worker.close();
  });

  test.each([
    ["in the agent alone", [LOCAL], ["only here", ""]],
    ["in workers alone", [RULE], ["", "only in a worker"]],
    ["nowhere", [], ["", ""]],
  ])("counts as loaded where its hooks run %s", async (_, rules, expected) => {
    channel = `c-${++count}`;
    const texts = { [RULE.file]: guard("only in a worker"), [LOCAL.file]: local("only here") };
    const files = Object.fromEntries(rules.map(({ file }) => [file, texts[file] as string]));
    await fleet.publish(fleet.source(rules, files), channel);
    worker = await fleet.channelWorker("worker-1", channel);
    const agent = await fleet.session(await home());
    expect(agent.session.missing()).toEqual([]);
    expect(await reasons(agent)).toEqual(expected);
    await agent.close();
    await worker.close();
  });

  test("starts without the server with the last good version, and refuses where none was ever taken", async () => {
    const agent = await begin();
    await agent.close();
    await worker.close();
    const kept = await home();
    await fleet.killServer();
    try {
      const again = await fleet.session(kept, { connectMs: 100 });
      expect((await again.call("rm x")).reason).toBe("one here");
      expect((await again.call("git push")).reason).toContain("not connected");
      expect(again.session.missing()).toEqual([]);
      await again.close();
      rmSync(join(kept, "fleet/seen.json"));
      const never = await fleet.session(kept);
      const { reason } = await never.call("ls");
      expect(reason).toContain("fleet acme must run, but does not");
      expect(reason).toContain("the server cannot be reached");
      await never.close();
    } finally {
      await fleet.startServer();
    }
  });

  test("takes a bundle that was changed on its disk from the server again", async () => {
    const agent = await begin();
    await agent.close();
    const folder = await home();
    const [digest = ""] = readdirSync(join(folder, "fleet/bundles"));
    appendFileSync(join(folder, "fleet/bundles", digest, "files", LOCAL.file), "// changed\n");
    const again = await fleet.session(folder);
    expect(await reasons(again)).toEqual(said("one"));
    await again.close();
    await worker.close();
  });

  test("keeps the version before one that does not load, and says why", async () => {
    const agent = await begin();
    expect(await reasons(agent)).toEqual(said("one"));
    await fleet.publish(fleet.source([LOCAL], { [LOCAL.file]: "throw new Error('no');\n" }), channel);
    await expect.poll(() => agent.problems.join("\n")).toMatch(/Fleet acme: version 2 of c-\d+ cannot be loaded/);
    await prompt(agent);
    expect(await reasons(agent)).toEqual(said("one"));
    await agent.close();
    await worker.close();
  });

  test("refuses guarded calls where its policy is stale and says that it must", async () => {
    channel = `c-${++count}`;
    await publish("one", { onStale: "refuse", rollout: { maxMs: 0 } });
    worker = await fleet.channelWorker("worker-1", channel);
    const agent = await fleet.session(await home());
    expect(await reasons(agent)).toEqual(said("one"));
    await worker.close();
    // Nobody serves the next one.
    await publish("two", { onStale: "refuse", rollout: { maxMs: 0 } });
    await expect.poll(async () => (await agent.call("ls")).reason).toContain("stale policy (no worker");
    await agent.close();
  });

  test("serves agents of the newest three versions, after a restart too", async () => {
    const agent = await begin();
    await agent.close();
    for (const words of ["two", "three", "four"]) await publish(words);
    await expect.poll(() => worker.versions().map(({ version }) => version)).toEqual([4, 3, 2]);
    await worker.close();
    const again = await fleet.channelWorker("worker-1", channel);
    expect(again.versions().map(({ version }) => version)).toEqual([4, 3, 2]);
    await again.close();
  });
});
