import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { createHookRuntime, recorderOf } from "@hookline/runtime/session";
import { busOf } from "../../packages/fleet/src/link/bus.ts";
import { CountedLink } from "../../packages/fleet/src/link/counted.ts";
import { addTo } from "../../packages/fleet/src/link/stream.ts";
import { membership, writeMembership } from "../../packages/fleet/src/place/joined.ts";
import { openDecisions } from "../../packages/fleet/src/spool/decisions.ts";
import { hasNats, TestFleet } from "../../packages/fleet/test/support/fleet.ts";
import { systemFiles } from "../../packages/ground/src/file/system-files.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";
import { type BenchCase, median } from "../case.ts";

const programs = join(import.meta.dirname, "../programs");
const missing = (): string | undefined => (hasNats ? undefined : "nats-server is not installed");
/** Stands in for a bundle's digest in a subject that belongs to no bundle. */
const BARE = "0".repeat(16);

/** Returns how long some work takes, in nanoseconds. */
async function took(work: () => unknown): Promise<number> {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started);
}

/** Returns the median duration of `n` runs. */
async function medianOf(n: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < n; i++) times.push(await took(work));
  return median(times);
}

/** Starts a fleet with an agent in this process and a worker in another, which also answers plain messages. */
async function withWorker() {
  const fleet = await TestFleet.start();
  const bundle = fleet.bundle();
  const creds = join(fleet.place, "worker.creds");
  await fleet.creds("worker-1", "worker");
  writeFileSync(creds, fleet.text("worker-1"), { mode: 0o600 });
  const bare = fleet.names.ask(BARE, "echo");
  const root = join(fleet.authority.folder, "policy/1/root.json");
  const about = [fleet.url, creds, dirname(bundle.folder), bundle.manifest.channel, root, bare];
  const args = ["--conditions=hookline-source", join(programs, "fleet-worker.ts"), ...about];
  const worker = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await Promise.race([
    once(worker.stdout, "data"),
    once(worker, "exit").then(([code]) => Promise.reject(new Error(`the worker ended with ${code}`))),
  ]);
  const agent = await fleet.agent("laptop-1", bundle);
  const connection = await fleet.connect(await fleet.creds("laptop-2", "agent"));
  // As large as a question with its token.
  const message = Buffer.alloc(1200, "x");
  return {
    async ask() {
      const { decision, reason } = await agent.call("ls");
      if (decision !== undefined) throw new Error(reason);
    },
    bare: () => connection.request(bare, message, { timeout: 5000 }),
    async close() {
      worker.kill("SIGKILL");
      await fleet.stop();
    },
  };
}

/**
 * Measures a question to a remote guard, next to a plain request and reply of the same size, through the same server to
 * the same process.
 */
const ask: BenchCase = {
  name: "fleet-ask",
  unit: "tool call that a worker judges (median)",
  budget: { toFloor: 3 },
  n: 500,
  rounds: 11,
  missing,
  async open() {
    const { ask, bare, close } = await withWorker();
    return {
      ours: async (n) => n * (await medianOf(n, ask)),
      floor: async (n) => n * (await medianOf(n, bare)),
      close,
    };
  },
};

const AT_ONCE = 16;

const many: BenchCase = {
  name: `fleet-ask-${AT_ONCE}`,
  unit: `tool call that one worker judges, of ${AT_ONCE} at once`,
  budget: {},
  n: 2000,
  rounds: 7,
  missing,
  async open() {
    const { ask, close } = await withWorker();
    const one = async (n: number): Promise<void> => {
      for (let i = 0; i < n; i++) await ask();
    };
    return { ours: (n) => took(() => Promise.all(Array.from({ length: AT_ONCE }, () => one(n / AT_ONCE)))), close };
  },
};

const WRITERS = 64;
/** The size of about ten decisions with their seal. */
const BATCH = { bytes: 4000 } as const;

/**
 * Measures what a server with one replica on this disk accepts from writers that each wait for their acknowledgement.
 */
const stream: BenchCase = {
  name: "fleet-batches",
  unit: `batch of ${BATCH.bytes} bytes in the stream, from ${WRITERS} writers at once`,
  budget: {},
  n: 6400,
  rounds: 7,
  missing,
  async open() {
    const fleet = await TestFleet.start();
    const connection = await fleet.connect(await fleet.creds("laptop-1", "agent"));
    const bus = await busOf(connection);
    const data = Buffer.alloc(BATCH.bytes, "x");
    let round = 0;
    return {
      async ours(n) {
        round += 1;
        const writer = async (which: number): Promise<void> => {
          const subject = fleet.names.decisions("laptop-1", `w${round}-${which}`);
          for (let i = 0, after = 0; i < n / WRITERS; i++) {
            const seq = await addTo(bus, { subject, data, after, headers: { "Nats-Msg-Id": `${subject}:${i}` } });
            if (seq === "other") throw new Error("somebody else writes");
            after = seq;
          }
        };
        return took(() => Promise.all(Array.from({ length: WRITERS }, (_, which) => writer(which))));
      },
      close: () => fleet.stop(),
    };
  },
};

const AGENTS = 1000;

const heap: BenchCase = {
  name: "fleet-agents",
  unit: `agent, of ${AGENTS} in a process`,
  counts: "KB of heap",
  budget: { maxCount: 40 },
  n: 1,
  rounds: 3,
  missing,
  async open() {
    const fleet = await TestFleet.start();
    const home = await fleet.home("laptop-1", fleet.bundle());
    const args = ["--conditions=hookline-source", join(programs, "fleet-agents.ts"), home, `${AGENTS}`];
    return {
      async ours(n) {
        const { stdout } = await promisify(execFile)(process.execPath, args);
        return (Number(stdout) / 1000) * n;
      },
      close: () => fleet.stop(),
    };
  },
};

const CALLS = 10;

/**
 * Measures how much longer a turn of ten calls takes if its decisions are spooled and sent than if they are dropped.
 */
const spool: BenchCase = {
  name: "fleet-spool",
  unit: `turn of ${CALLS} calls, more than without a fleet (median)`,
  counts: "ms",
  budget: { maxCount: 0.1 },
  n: 300,
  rounds: 9,
  missing,
  async open() {
    const fleet = await TestFleet.start();
    const home = await fleet.home("laptop-1", fleet.bundle([], {}));
    const member = membership(home, {});
    if (member === undefined) throw new Error("it has not joined");
    const lost = (problem: string): never => {
      throw new Error(problem);
    };
    const link = new CountedLink({ url: member.url, creds: member.creds, clock: systemClock });
    const decisions = openDecisions({ membership: member, link, lost });
    const nowhere = {
      level: decisions.logged.level,
      stable: true,
      place: () => 0,
      write() {},
      flush: async () => {},
    } as const;
    const session = async (isSpooled: boolean) => {
      const recorder = recorderOf({
        level: decisions.logged.level,
        required: false,
        to: (name) => (isSpooled ? decisions.to(name) : nowhere),
        env: {},
        files: systemFiles,
        clock: systemClock,
        lost,
      });
      const runtime = createHookRuntime({ dialects: [], home, hooklineHome: home, etc: home, clock: systemClock });
      const opened = await runtime.open({ scene: { sessionId: "s1", cwd: home }, recorder });
      opened.on("tool.before", function guard() {});
      let calls = 0;
      return {
        async turn() {
          for (let i = 0; i < CALLS; i++)
            await opened.emit("tool.before", { toolCallId: `c${++calls}`, tool: "bash", args: { command: "ls" } });
        },
        async close() {
          await runtime.close();
          await recorder.close();
        },
      };
    };
    const [spooled, bare] = [await session(true), await session(false)];
    return {
      async ours(n) {
        const more: number[] = [];
        for (let i = 0; i < n; i++) {
          const [without, withIt] = [await took(bare.turn), await took(spooled.turn)];
          more.push(withIt - without);
        }
        return (median(more) / 1e6) * n;
      },
      async close() {
        for (const one of [spooled, bare]) await one.close();
        await decisions.close();
        await fleet.stop();
      },
    };
  },
};

const HOOKS = 50;
/** The time after which the fifty hooks of a published version are certainly loaded, in ms. */
const LOADING_MS = 1000;

/**
 * Measures how much longer the prompt takes at which a version with fifty hooks comes into use. It is compared with a
 * prompt within a run, when no version is swapped; the floor is a call of the hooks. All three are measured equally
 * soon after such a version was loaded, so that the processor's caches are equally cold. The peer is a call that is
 * repeated.
 */
const swap: BenchCase = {
  name: "fleet-swap",
  unit: `prompt at which ${HOOKS} hooks are swapped, more than one at which they wait`,
  budget: { toFloor: 1 },
  n: 1,
  rounds: 15,
  missing,
  async open() {
    const fleet = await TestFleet.start();
    let version = 0;
    const publish = async (): Promise<void> => {
      version += 1;
      const rules = Array.from({ length: HOOKS }, (_, i) => ({ file: `extensions/h${i}.ts`, where: "agent" }));
      const text = `export default (pi) => pi.on("tool_call", () => {});\n// ${version}\n`;
      await fleet.publish(fleet.source(rules, Object.fromEntries(rules.map(({ file }) => [file, text]))));
    };
    await publish();
    const home = mkdtempSync(join(fleet.place, "home-"));
    await fleet.creds("laptop-1", "agent");
    writeMembership(home, fleet.joined("laptop-1"), fleet.text("laptop-1"));
    const agent = await fleet.session(home);
    const prompt = () => agent.session.emit("prompt.before", { text: "hello" });
    const call = async (): Promise<void> => {
      const { decision, reason } = await agent.call("ls");
      if (decision !== undefined) throw new Error(reason);
    };
    /** Times work as the first after a version was loaded. The work must take the version into use, or must not. */
    const first = async (isTaken: boolean, work: () => unknown): Promise<number> => {
      await publish();
      await wait(LOADING_MS);
      const ns = await took(work);
      if ((agent.version() === version) !== isTaken)
        throw new Error(`version ${version} was ${isTaken ? "not " : ""}taken: ${agent.problems.join("; ")}`);
      return ns;
    };
    /** Times work in the same way but within a run, in which no version is taken into use. */
    const firstInRun = async (work: () => unknown): Promise<number> => {
      await agent.session.emit("agent.start", {});
      const ns = await first(false, work);
      await agent.session.emit("agent.end", { messages: [], aborted: false });
      return ns;
    };
    return {
      async ours() {
        const waiting = await firstInRun(prompt);
        return Math.max(0, (await first(true, prompt)) - waiting);
      },
      floor: () => firstInRun(call),
      peers: [{ name: "a repeated call", measured: () => medianOf(200, call) }],
      close: () => fleet.stop(),
    };
  },
};

export const cases: readonly BenchCase[] = [ask, many, heap, spool, stream, swap];
