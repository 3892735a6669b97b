import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeMembership } from "../../src/place/joined.ts";
import { Cluster } from "../support/cluster.ts";
import { type AgentSession, hasNats, RULE, TestFleet } from "../support/fleet.ts";
import { notedIn, notingGuard } from "../support/noting.ts";
import { serveBundle } from "../support/worker.ts";

const MISSED = /^fleet acme could not ask extensions\/guard\.ts: \S/;
const WAIT = { timeout: 60_000 } as const;

/** An agent that asks without end until it is told to stop, and what came of its calls. */
class Asking {
  readonly agent: AgentSession;
  readonly #name: string;
  readonly #ended: Promise<void>;
  #isStopped = false;
  /** Rounds in which both calls were judged. */
  judged = 0;
  /** Calls that were refused because no worker could be asked. */
  missed = 0;
  readonly ran: string[] = [];
  readonly wrong: string[] = [];

  constructor(agent: AgentSession, name: string) {
    this.agent = agent;
    this.#name = name;
    this.#ended = this.#ask();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
    await this.agent.close();
  }

  async #ask(): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      const [listed, pushed] = [`ls ${this.#name}-${n}`, `git push ${this.#name}-${n}`] as const;
      const outcomes = await Promise.all([listed, pushed].map((command) => this.agent.call(command)));
      const missed = outcomes.filter(({ reason }) => MISSED.test(reason)).length;
      const [ls, push] = outcomes;
      if (ls?.decision !== "deny") this.ran.push(listed);
      else if (!MISSED.test(ls.reason)) this.wrong.push(`${listed}: ${ls.reason}`);
      if (push?.reason !== "pushing is for people" && !MISSED.test(push?.reason ?? ""))
        this.wrong.push(`${pushed}: ${push?.reason}`);
      this.missed += missed;
      if (missed === 0) this.judged += 1;
      // Calls that are refused at once would starve everything else in this loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe.skipIf(!hasNats)("a cluster of three servers, of which one is killed while agents ask", () => {
  let fleet: TestFleet;
  let cluster: Cluster;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    fleet = await TestFleet.start();
    const folder = fleet.authority.folder;
    cluster = await Cluster.start(folder, () => `include "trust.conf"`);
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await cluster?.[Symbol.asyncDispose]();
    await fleet?.stop();
  });

  test("no call runs unjudged, and those of the other servers are judged on", async () => {
    const notes = join(fleet.place, "judged");
    writeFileSync(notes, "");
    const bundle = fleet.bundle([{ ...RULE, idempotent: true }], { [RULE.file]: notingGuard(notes) });
    const urls = cluster.hosts.map((host) => `nats://${host}`);
    for (const [i, url] of urls.slice(0, 2).entries())
      closing.push(await serveBundle({ creds: await fleet.creds(`worker-${i}`, "worker"), url, bundle }));
    const agents: Asking[] = [];
    for (const [i, url] of urls.entries()) {
      const name = `laptop-${i}`;
      const home = await fleet.home(name, bundle);
      writeMembership(home, { ...fleet.joined(name), url }, fleet.text(name));
      const asking = new Asking(await fleet.session(home, { connectMs: 200, deadlineMs: 1000 }), name);
      closing.unshift(() => asking.stop());
      agents.push(asking);
    }
    const [first, ...others] = agents as [Asking, ...Asking[]];
    /** Resolves when each of them has had so many more rounds judged. */
    const judgedOn = async (some: readonly Asking[], rounds = 20): Promise<void> => {
      const before = some.map(({ judged }) => judged);
      await expect.poll(() => some.every(({ judged }, i) => judged >= (before[i] ?? 0) + rounds), WAIT).toBe(true);
    };
    await judgedOn(agents);
    const missed = first.missed;
    await cluster.kill(0);
    await judgedOn(others);
    await expect.poll(() => first.missed, WAIT).toBeGreaterThan(missed);
    await cluster.startServer(0);
    await judgedOn(agents);
    for (const close of closing.splice(0, agents.length)) await close();
    const known = notedIn(notes);
    for (const { ran, wrong } of agents) {
      expect(wrong).toEqual([]);
      expect(ran.filter((command) => !known.has(command))).toEqual([]);
      expect(ran.length).toBeGreaterThanOrEqual(20);
    }
  });
});
