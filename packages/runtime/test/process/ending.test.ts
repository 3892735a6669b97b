import { type ChildProcess, spawn } from "node:child_process";
import { getEventListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { readProcess } from "../../src/transport/process/proc.ts";
import { endTree } from "../../src/transport/process/tree.ts";
import { clock } from "./clock.ts";
import { alarm, bench, call, fixture, folder, onStarted, PATHS, processesWith, read, token, until } from "./kit.ts";

const SHAPES = [
  "ignore-term.sh",
  "fork-wide.sh",
  "nested.sh",
  "background.sh",
  "stopped.sh",
  "closed-stdout.sh",
  "set-apart.sh",
  "double-fork.sh",
];

// Together: most of the time is waiting.
describe.concurrent.each(PATHS)("how a process ends (%s)", (path) => {
  it.for(SHAPES)("leaves nothing behind when the time is over: %s", async (name, { expect }) => {
    const mark = token();
    const limit = alarm(3000);
    await using now = bench({ path, clock: limit });
    const onData = onStarted(limit.ring);
    const report = await now.transport.run(call(fixture(name, mark), { timeoutMs: 3000, onData }));
    expect(report).toMatchObject({ status: "timed-out", stdout: "started\n", survivors: [] });
    expect(processesWith(mark)).toEqual([]);
    expect(now.diagnostics).toEqual([]);
  });

  it.for(SHAPES)("leaves nothing behind when it is aborted: %s", async (name, { expect }) => {
    const mark = token();
    await using now = bench({ path });
    const abort = new AbortController();
    const onData = onStarted(() => abort.abort());
    const report = await now.transport.run(call(fixture(name, mark), { signal: abort.signal, onData }));
    expect(report).toMatchObject({ status: "aborted", survivors: [] });
    expect(processesWith(mark)).toEqual([]);
  });

  it("gives a process that catches SIGTERM the time to say goodbye", async ({ expect }) => {
    const limit = alarm(1500);
    // The time for it never runs out: how long it takes says nothing.
    await using now = bench({ path, clock: { ...limit, now: () => 0 } });
    const onData = onStarted(limit.ring);
    const report = await now.transport.run(call(fixture("die-politely.sh", token()), { timeoutMs: 1500, onData }));
    expect(report).toMatchObject({ status: "timed-out", exitCode: 7, stdout: "started\n" });
    expect(report.stderr).toContain("goodbye\n");
  });

  it("wakes a stopped process, so that it can say goodbye too", async ({ expect }) => {
    const limit = alarm(1500);
    await using now = bench({ path, clock: { ...limit, now: () => 0 } });
    const command = "trap 'echo goodbye; exit 7' TERM; echo $$; kill -STOP $$; sleep 86400";
    const isStopped = (pid: number): boolean => read(`/proc/${pid}/stat`).includes(") T ");
    const onData = (chunk: Uint8Array): void =>
      void until(() => isStopped(Number(Buffer.from(chunk)))).then(limit.ring);
    const report = await now.transport.run(call(command, { timeoutMs: 1500, onData }));
    expect(report).toMatchObject({ status: "timed-out", exitCode: 7, stdout: `${report.pid}\ngoodbye\n` });
  });

  it("kills a process that ignores SIGTERM", async ({ expect }) => {
    const limit = alarm(1500);
    await using now = bench({ path, clock: limit });
    const onData = onStarted(limit.ring);
    const report = await now.transport.run(call(fixture("ignore-term.sh", token()), { timeoutMs: 1500, onData }));
    expect(report).toMatchObject({ status: "timed-out", signal: "SIGKILL" });
  });

  it("does not wait for a descendant that keeps the pipes open", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    const report = await now.transport.run(call(fixture("hold-pipe.sh", mark)));
    expect(report).toMatchObject({ status: "exited", exitCode: 0, stdout: "{}\n" });
    // Until it has become `sleep`, it is still the shell.
    await until(() => processesWith(mark).some((pid) => read(`/proc/${pid}/cmdline`).startsWith("sleep\0")));
    expect(processesWith(mark)).toHaveLength(1);
    await now.transport.close();
    expect(processesWith(mark)).toEqual([]);
    const [told] = now.diagnostics.filter(({ code }) => code === "PROGRAM_ENDED");
    expect(told?.message).toBe(
      `Programs that ${call("").label} started, and that were still running at the end, were ended: sleep`,
    );
  });

  it("leaves a background process alone that has cleared the marker", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    await now.transport.run(call(`env -u HOOKLINE_RUN_ID setsid sleep 86400 ${mark} >/dev/null 2>&1 &`));
    const isClear = (environment: string): boolean => environment !== "" && !environment.includes("HOOKLINE_RUN_ID=");
    await until(() => processesWith(mark).some((pid) => isClear(read(`/proc/${pid}/environ`))));
    await now.transport.close();
    const left = processesWith(mark);
    expect(left).toHaveLength(1);
    expect(now.diagnostics).toEqual([]);
    for (const pid of left) process.kill(pid, "SIGKILL");
  });

  it("ends what a nested run has marked as its own", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    const inner = `HOOKLINE_RUN_ID="$HOOKLINE_RUN_ID/inner.1" setsid sleep 86400 ${mark} >/dev/null 2>&1 &`;
    const report = await now.transport.run(call(`( ${inner} ); sleep 0.2; sleep 86400`, { timeoutMs: 600 }));
    expect(report.status).toBe("timed-out");
    expect(processesWith(mark)).toEqual([]);
  });

  it("leaves the other calls of the run alone when it ends one", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    const other = now.transport.run(call(`sleep 1 ${mark}; echo fine`));
    await now.transport.run(call("sleep 86400", { timeoutMs: 100 }));
    expect(await other).toMatchObject({ status: "exited", stdout: "fine\n" });
  });

  it("reports an exit code", async ({ expect }) => {
    await using now = bench({ path });
    const report = await now.transport.run(call("exit 3"));
    expect(report).toMatchObject({ status: "exited", exitCode: 3 });
    expect(report).not.toHaveProperty("signal");
  });

  it("reports the signal that a process died of", async ({ expect }) => {
    await using now = bench({ path });
    const report = await now.transport.run(call("kill -SEGV $$"));
    expect(report).toMatchObject({ status: "signalled", signal: "SIGSEGV" });
    expect(report).not.toHaveProperty("exitCode");
  });

  it("starts nothing for a signal that has fired before", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    const report = await now.transport.run(call(`sleep 86400 ${mark}`, { signal: AbortSignal.abort() }));
    expect(report.status).toBe("aborted");
    expect(report).not.toHaveProperty("pid");
  });

  it("leaves no listener on the signal", async ({ expect }) => {
    await using now = bench({ path });
    const { signal } = new AbortController();
    await now.transport.run(call("true", { signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends everything that runs, and sends away what waits, when it is closed", async ({ expect }) => {
    const mark = token();
    await using now = bench({ path, concurrency: 4 });
    const runs = Array.from({ length: 8 }, () => now.transport.run(call(fixture("ignore-term.sh", mark))));
    await until(() => processesWith(mark).length === 8);
    await now.transport.close();
    const reports = await Promise.all(runs);
    expect(reports.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "aborted"));
    expect(reports.filter(({ pid }) => pid !== undefined)).toHaveLength(4);
    expect(processesWith(mark)).toEqual([]);
    expect((await now.transport.run(call("true"))).status).toBe("aborted");
  });

  it("ends a process that was being started while the transport was closed", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    const run = now.transport.run(call(`sleep 86400 ${mark}`));
    await now.transport.close();
    expect((await run).status).toBe("aborted");
    expect(processesWith(mark)).toEqual([]);
  });
});

describe.each(PATHS)("what cannot be ended (%s)", (path) => {
  it("names the processes that it could not end", async ({ expect }) => {
    await using now = bench({ path });
    const mark = token();
    const kill = process.kill.bind(process);
    // Stands for a process of another user, or one that hangs in the kernel.
    const deaf = vi.spyOn(process, "kill").mockImplementation((pid, name) => (name === 0 ? kill(pid, 0) : true));
    const report = await now.transport.run(call({ file: "sleep", args: ["86400", mark] }, { timeoutMs: 200 }));
    deaf.mockRestore();
    expect(report).toMatchObject({ status: "timed-out", survivors: [report.pid] });
    expect(now.diagnostics).toMatchObject([
      { code: "SURVIVORS", message: expect.stringContaining(String(report.pid)) },
    ]);
    await now.transport.close();
    expect(processesWith(mark)).toEqual([]);
  });
});

/** The environments of a trial's processes. */
const shown = (mark: string): string[] => processesWith(mark).map((pid) => read(`/proc/${pid}/environ`));

/** True when one process of a trial is left, and it shows no environment. */
const isBlank = (mark: string): boolean => {
  const [first, second] = shown(mark);
  return first === "" && second === undefined;
};

/** A clock whose short timers fire when the promise settles that `wait` gives, if it gives one. */
function waiting(base: Clock, wait: () => Promise<void> | undefined): Clock {
  return {
    ...base,
    timer(ms, fire) {
      const held = ms < 1000 ? wait() : undefined;
      if (held === undefined) return base.timer(ms, fire);
      void held.then(fire);
      return { cancel: () => {}, hold: () => {} };
    },
  };
}

// One after the other: what shows no environment in one is seen in every other.
describe.each(PATHS)("what shows no environment (%s)", (path) => {
  let home: ReturnType<typeof folder>;
  let go: string;
  beforeEach(() => {
    home = folder();
    go = join(home.path, "go");
  });
  afterEach(() => home.remove());

  it("finds a daemon that shows no environment while it is being ended", async ({ expect }) => {
    const mark = token();
    const limit = alarm(1500);
    let waits = 0;
    const clock = waiting(limit, () => {
      waits++;
      // The look after the first wait shows the daemon and nothing else.
      if (waits === 1) return until(() => isBlank(mark));
      if (waits !== 2) return undefined;
      // It was seen, and nobody could know whose it is.
      writeFileSync(go, "");
      return until(() => shown(mark).join().includes("HOOKLINE_RUN_ID="));
    });
    await using now = bench({ path, clock });
    const onData = onStarted(limit.ring);
    const report = await now.transport.run(call(fixture("blank-first.sh", mark, go), { timeoutMs: 1500, onData }));
    expect(report).toMatchObject({ status: "timed-out", stdout: "started\n", survivors: [] });
    expect(processesWith(mark)).toEqual([]);
  });
});

it("gives each process its own time to show an environment", async ({ expect }) => {
  const [bare, late] = [token(), token()];
  const home = folder();
  const go = join(home.path, "go");
  const start = (file: string, args: string[]): ChildProcess => spawn(file, args, { env: {}, stdio: "ignore" });
  const first = start("sleep", ["86400", bare]);
  await until(() => isBlank(bare));
  const sinceTicks = readProcess(first.pid ?? 0)?.startTicks ?? 0;
  let waits = 0;
  const seen = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const slow = waiting(clock, () => {
    waits++;
    if (waits < 6) return undefined;
    if (waits > 6) {
      seen.resolve();
      return free.promise;
    }
    // The sixth wait is the last one for the process that was there before it.
    const turn = `until [ -e ${go} ]; do :; done; export HOOKLINE_RUN_ID=late.${late}; exec sleep 86400 ${late}`;
    start("/bin/sh", ["-c", turn, late]);
    return until(() => isBlank(late));
  });
  const nobodys = endTree({ accepts: () => false, sinceTicks }, 500, slow);
  await Promise.race([nobodys, seen.promise]);
  expect(isBlank(late)).toBe(true);
  const quick = waiting(clock, () => {
    writeFileSync(go, "");
    return until(() => !isBlank(late));
  });
  const accepts = (segment: string): boolean => segment === `late.${late}`;
  expect(await endTree({ accepts, sinceTicks }, 500, quick)).toEqual([]);
  expect(processesWith(late)).toEqual([]);
  free.resolve();
  expect(await nobodys).toEqual([]);
  first.kill("SIGKILL");
  home.remove();
});
