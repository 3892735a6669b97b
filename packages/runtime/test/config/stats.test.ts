import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimName } from "../../../ground/src/store/owner.ts";
import {
  compactStats,
  type HookStats,
  readHostStats,
  readStats,
  resetStats,
  writeStats,
} from "../../src/config/stats.ts";
import { knownError, StatsKeeper } from "../../src/config/stats-keeper.ts";
import type { Hook } from "../../src/hook/hook.ts";
import { HookMetrics } from "../../src/hook/metrics.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { ManualClock } from "../laws/clock.ts";
import { Project } from "./kit.ts";
import { runProgram } from "./processes.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-stats-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function stats(id: string, runs: number, more: Partial<HookStats> = {}): HookStats {
  return {
    id,
    dialect: "pi",
    tier: "user",
    source: "/a.ts:1",
    event: "tool_call",
    runs,
    ok: runs,
    failed: 0,
    timedOut: 0,
    failedOpen: 0,
    skipped: 0,
    blocked: 0,
    asks: 0,
    edits: 0,
    totalMs: runs * 2,
    recent: Array(runs).fill(2),
    ...more,
  };
}

/** A name of a process that is no more. */
const dead = (n: number): string => `999999999.1.${n}`;

describe("adding up", () => {
  test("the same hook of several processes is one line, another one is another", () => {
    writeStats(folder, dead(1), [stats("a", 3), stats("b", 1)]);
    writeStats(folder, dead(2), [stats("a", 4, { failed: 2, lastError: "exit code 1", recent: [9] })]);
    expect(readStats(folder)).toEqual([
      stats("a", 7, { failed: 2, lastError: "exit code 1", recent: [2, 2, 2, 9] }),
      stats("b", 1),
    ]);
  });

  test("a process that writes again replaces what it wrote", () => {
    writeStats(folder, dead(1), [stats("a", 3)]);
    writeStats(folder, dead(1), [stats("a", 5)]);
    expect(readStats(folder)).toEqual([stats("a", 5)]);
  });

  test("a damaged file costs itself, and files are private", () => {
    writeStats(folder, dead(1), [stats("a", 3)]);
    writeFileSync(join(folder, `${dead(2)}.json`), "{", { mode: 0o600 });
    expect(readStats(folder)).toEqual([stats("a", 3)]);
    expect(statSync(join(folder, `${dead(1)}.json`)).mode & 0o777).toBe(0o600);
  });
});

describe("by project and day", () => {
  const rows = [
    stats("a", 1, { project: "/p", day: "2026-03-01" }),
    stats("a", 2, { project: "/p", day: "2026-03-02" }),
    stats("a", 4, { project: "/q", day: "2026-03-02" }),
    stats("a", 8),
  ];
  const runs = (...given: Parameters<typeof readStats> extends [string, ...infer R] ? R : never): number =>
    readStats(folder, ...given)[0]?.runs ?? 0;

  test("counters are kept apart, and those of files without a day are only in the total", () => {
    writeStats(folder, dead(1), rows);
    expect(runs()).toBe(15);
    expect(runs({ project: "/p" })).toBe(3);
    expect(runs({ since: "2026-03-02" })).toBe(6);
    expect(runs({ project: "/p", until: "2026-03-01" })).toBe(1);
    expect(runs({ project: "/r" })).toBe(0);
  });

  test("a reset forgets one project, or everything, whichever file it is in", () => {
    writeStats(folder, dead(1), rows);
    writeStats(folder, claimName(), [stats("a", 16, { project: "/p", day: "2026-03-02" })]);
    expect(resetStats(folder, { project: "/p" })).toBe(1);
    expect(runs()).toBe(12);
    expect(resetStats(folder, { project: "/p" })).toBe(0);
    expect(resetStats(folder)).toBe(1);
    expect(readStats(folder)).toEqual([]);
  });

  test("counters of other agents are kept apart, and are in the total", () => {
    const codex = stats("a", 16, { project: "/p", day: "2026-03-01", host: "codex" });
    const gemini = stats("a", 32, { project: "/q", day: "2026-03-01", host: "gemini" });
    writeStats(folder, dead(1), [...rows, codex, gemini]);
    expect(runs()).toBe(63);
    expect(runs({ host: "codex" })).toBe(16);
    expect(runs({ host: "codex", project: "/q" })).toBe(0);
    // Entries without an agent belong to hookline's own sessions.
    expect(runs({ host: "hookline" })).toBe(15);
    expect(readStats(folder)[0]).not.toHaveProperty("host");
    expect(readHostStats(folder).map(({ host, runs }) => [host, runs])).toEqual([
      ["codex", 16],
      ["gemini", 32],
    ]);
    expect(resetStats(folder, { host: "codex" })).toBe(1);
    expect([runs({ host: "codex" }), runs()]).toEqual([0, 47]);
  });

  test("a session that runs begins again after a reset, and on a new day counts apart", () => {
    const clock = new ManualClock();
    const metrics = new HookMetrics();
    const hook = {
      id: "a",
      event: "e",
      source: { path: "/a", tier: "user" },
      instance: { lane: "pi" },
      metrics,
    } as unknown as Hook;
    const keeper = new StatsKeeper({ folder, project: "/p", clock, hooks: () => [hook], report: () => {} });
    metrics.runs = 5;
    keeper.flush();
    resetStats(folder);
    metrics.runs = 7;
    keeper.flush();
    expect(runs()).toBe(0);
    metrics.runs = 8;
    keeper.flush();
    expect(runs({ project: "/p" })).toBe(1);
    const [today] = readStats(folder);
    expect(today).not.toHaveProperty("day");
    clock.advance(30 * 3_600_000);
    metrics.runs = 10;
    keeper.close();
    expect(runs()).toBe(3);
  });

  test("an idle session looks at its counters ever less often, until an event begins or ends", async () => {
    const clock = new ManualClock();
    const home = join(folder, "home");
    const runtime = createHookRuntime({ dialects: [], home, env: {}, clock });
    const session = await runtime.open({ scene: { sessionId: "s", cwd: folder }, stats: true });
    let ending = Promise.withResolvers<void>();
    session.on("agent.end", () => ending.promise);
    const ask = () => session.emit("agent.end", { messages: [] });
    const ok = () => readStats(join(home, ".hookline/stats"))[0]?.ok ?? 0;
    const idle = () => {
      const { made } = clock;
      clock.advance(10 * 60_000);
      expect(clock.made - made).toBeLessThan(30);
    };
    idle();
    ending.resolve();
    await ask();
    clock.advance(5_000);
    expect(ok()).toBe(1);
    idle();
    ending = Promise.withResolvers();
    const asking = ask();
    idle();
    ending.resolve();
    await asking;
    clock.advance(5_000);
    expect(ok()).toBe(2);
    idle();
    resetStats(join(home, ".hookline/stats"));
    await ask();
    clock.advance(5_000);
    expect(ok()).toBe(1);
    await runtime.close();
    expect(clock.timers).toBe(0);
  });

  test("however often a session reloads, it keeps as many run times of a hook as of one that was never reloaded", () => {
    const clock = new ManualClock();
    const keeper = new StatsKeeper({ folder, project: "/p", clock, hooks: () => [], report: () => {} });
    for (let reload = 1; reload <= 10; reload++) {
      const metrics = Object.assign(new HookMetrics(), { runs: 50, ok: 50 });
      for (let run = 0; run < 50; run++) metrics.add(reload, true);
      const about = { id: "a", event: "e", source: { path: "/a", tier: "user" }, instance: { lane: "pi" } };
      keeper.keep([{ ...about, metrics } as unknown as Hook]);
    }
    keeper.close();
    const recent = [...Array(14).fill(9), ...Array(50).fill(10)];
    expect(readStats(folder)).toMatchObject([{ id: "a", runs: 500, recent }]);
  });
});

describe("putting together", () => {
  test("many files of ended processes become one, and no count is lost; those of living ones stay", () => {
    for (let n = 0; n < 40; n++) writeStats(folder, dead(n), [stats("a", 1), stats(`b${n}`, 2)]);
    writeStats(folder, claimName(), [stats("a", 100)]);
    const before = readStats(folder);
    compactStats(folder);
    expect(readdirSync(folder)).toHaveLength(2);
    const after = readStats(folder);
    const total = (all: readonly HookStats[]): number => all.reduce((sum, one) => sum + one.runs, 0);
    expect(total(after)).toBe(total(before));
    expect(after.find(({ id }) => id === "a")?.runs).toBe(140);
  });

  test("files that were counted but not yet removed when the power went are not counted twice", () => {
    for (let n = 0; n < 40; n++) writeStats(folder, dead(n), [stats("a", 1)]);
    const left = join(folder, `${dead(7)}.json`);
    const kept = readFileSync(left);
    compactStats(folder);
    writeFileSync(left, kept, { mode: 0o600 });
    expect(readStats(folder)).toMatchObject([{ id: "a", runs: 40 }]);
    for (let n = 50; n < 90; n++) writeStats(folder, dead(n), [stats("a", 1)]);
    compactStats(folder);
    expect(readStats(folder)).toMatchObject([{ id: "a", runs: 80 }]);
  });

  test("processes that write and put together at once lose nothing", async () => {
    const program = (from: number): string => `
      const { compactStats, writeStats } = await import("config/stats.ts");
      for (let n = ${from}; n < ${from + 20}; n++) {
        const hook = { id: "a", dialect: "pi", tier: "user", source: "s", event: "e", runs: 1, ok: 1, failed: 0,
          timedOut: 0, failedOpen: 0, skipped: 0, blocked: 0, edits: 0, totalMs: 1, recent: [1] };
        writeStats(${JSON.stringify(folder)}, "999999999.1." + n, [hook]);
        compactStats(${JSON.stringify(folder)});
      }
    `;
    const codes = await Promise.all([0, 100, 200, 300].map((from) => runProgram(program(from))));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(readStats(folder)).toMatchObject([{ id: "a", runs: 80 }]);
  });
});

describe("what reaches the disk", () => {
  test.each([
    ["only failures", { failed: 1, failedOpen: 1 }],
    ["only refusals", { blocked: 1 }],
    ["only filter misses", { skipped: 1 }],
  ])("a hook that never ran has its line where it has %s", (_, counts) => {
    const hook = {
      id: "a",
      event: "e",
      source: { path: "/a", tier: "user", dialect: "jcli" },
      instance: { lane: "jcli" },
      metrics: Object.assign(new HookMetrics(), counts),
    } as unknown as Hook;
    const idle = { ...hook, id: "b", metrics: new HookMetrics() };
    const keeper = new StatsKeeper({
      folder,
      project: "/p",
      clock: new ManualClock(),
      hooks: () => [hook, idle],
      report: () => {},
    });
    keeper.close();
    expect(readStats(folder)).toMatchObject([{ id: "a", runs: 0, ...counts }]);
  });

  test("a session's counters, at its end and after a reload, without a word of a payload", async () => {
    const project = new Project();
    try {
      project.write(
        "~/.jdata/agent/hooks.yaml",
        "pre_send_message:\n  - command: 'echo canary-7 >&2; exit 3'\n  - command: \"true\"\n",
      );
      project.write(
        "~/.pi/agent/extensions/a.ts",
        'export default (pi) => pi.on("input", (e) => { throw new Error(e.text); });\n',
      );
      const opened = await project.open();
      const session = await opened.runtime.open({ scene: { sessionId: "s", cwd: project.cwd }, stats: true });
      const ask = async (): Promise<void> => {
        await session.emit("prompt.before", { text: "canary-8" });
        await session.emit("input", { text: "canary-9", source: "interactive" });
      };
      await ask();
      await session.load();
      await ask();
      await opened.runtime.close();
      const path = join(project.home, ".hookline/stats");
      const lines = readStats(path).map(({ event, runs, failed, ok, lastError }) => ({
        event,
        runs,
        failed,
        ok,
        lastError,
      }));
      expect(lines).toEqual([
        { event: "pre_send_message", runs: 2, failed: 2, ok: 0, lastError: "exit code 3" },
        { event: "pre_send_message", runs: 2, failed: 0, ok: 2, lastError: undefined },
        { event: "input", runs: 2, failed: 2, ok: 0, lastError: "it threw; `--verbose` shows the text" },
      ]);
      const text = readdirSync(path)
        .map((name) => readFileSync(join(path, name), "utf8"))
        .join();
      expect(text).not.toMatch(/canary/);
    } finally {
      project.remove();
    }
  });

  test.each([
    ["no answer within 100 ms", true],
    ["exit code 1", true],
    ["Cannot read properties of undefined (reading 'x')", true],
    ["pi.onn is not a function", true],
    ["ENOENT: no such file, open '/home/me/secret'", false],
    ["Unexpected token 's', \"secret\" is not valid JSON", false],
  ])("of the error %j is kept what cannot hold a payload", (message, kept) => {
    expect(knownError(message) === message).toBe(kept);
  });

  test.each([
    "The program /opt/canary is not in PATH",
    "The working directory /canary does not exist",
    "sh was not started: this process has too many files open (EMFILE)",
  ])("of %j is kept that the hook was not started", (message) => {
    expect(knownError(message)).toBe("it was not started");
  });
});
