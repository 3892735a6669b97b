import { readdirSync, readlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { createDirectLauncher } from "../../src/transport/process/direct.ts";
import { createPipeSource } from "../../src/transport/process/pipes.ts";
import { clock } from "./clock.ts";
import { type Bench, bench, call, onStarted, own, PATHS, processesWith, read, runIdOf, token, until } from "./kit.ts";

const runId = runIdOf("helper");

describe("the spawn helper", () => {
  let now: Bench;
  afterEach(() => now.transport.close());

  it("is the parent of the processes", async () => {
    now = bench({ path: "helper", runId: runId("parent") });
    const report = await now.transport.run(call("echo $PPID"));
    expect([Number(report.stdout)]).toEqual(own("helper", runId("parent")));
  });

  it("runs outside the host's session, and is gone when the transport is closed", async () => {
    now = bench({ path: "helper", runId: runId("gone") });
    await now.transport.run(call("true"));
    const [pid] = own("helper", runId("gone"));
    expect(read(`/proc/${pid}/stat`)).toContain(`(hookline-spawn) `);
    expect(read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ")[3]).toBe(String(pid));
    await now.transport.close();
    await until(() => own("helper", runId("gone")).length === 0 && own("pipes", runId("gone")).length === 0);
  });

  it("is not missed when it dies between two calls", async () => {
    now = bench({ path: "helper", runId: runId("between") });
    await now.transport.run(call("true"));
    for (const pid of own("helper", runId("between"))) process.kill(pid, "SIGKILL");
    await until(() => now.diagnostics.length > 0);
    for (let time = 0; time < 3; time++) {
      expect(await now.transport.run(call("echo fine"))).toMatchObject({ status: "exited", stdout: "fine\n" });
    }
    expect(now.diagnostics).toMatchObject([{ code: "START_FAILED", message: /helper is not used any more/ }]);
  });

  it("takes no running process with it unseen: the call fails as the engine's fault, and nothing is left", async () => {
    now = bench({ path: "helper", runId: runId("within") });
    const mark = token();
    // Only when the host has heard of it: the process may run before the helper could tell.
    const started = Promise.withResolvers<void>();
    const onData = onStarted(started.resolve);
    const run = now.transport.run(call(`echo started; sleep 86400 ${mark}`, { onData }));
    await started.promise;
    await until(() => processesWith(mark).length > 1);
    for (const pid of own("helper", runId("within"))) process.kill(pid, "SIGKILL");
    expect(await run).toMatchObject({ status: "not-started", startError: { code: "EAGAIN" } });
    expect(processesWith(mark)).toEqual([]);
  });

  it("runs a call once, by the host, when it dies before it has answered", async () => {
    now = bench({ path: "helper", runId: runId("silent") });
    await now.transport.run(call("true"));
    const [pid = 0] = own("helper", runId("silent"));
    process.kill(pid, "SIGSTOP");
    const run = now.transport.run(call("echo $PPID"));
    process.kill(pid, "SIGKILL");
    expect(await run).toMatchObject({ status: "exited", stdout: `${process.pid}\n` });
    expect(now.diagnostics).toHaveLength(1);
  });

  it("is not started by `spawn`", async () => {
    now = bench({ path: "spawn", runId: runId("spawn") });
    expect((await now.transport.run(call("echo $PPID"))).stdout).toBe(`${process.pid}\n`);
    expect(own("helper", runId("spawn"))).toEqual([]);
  });
});

describe("real pipes", () => {
  it("come back when the shell that makes them is killed", async () => {
    const now = bench({ path: "spawn", runId: runId("shell") });
    for (let time = 0; time < 3; time++) {
      const report = await now.transport.run(call("cat /dev/stdin", { stdin: "by name" }));
      expect(report.stdout).toBe("by name");
      for (const pid of own("pipes", runId("shell"))) process.kill(pid, "SIGKILL");
    }
    expect(now.diagnostics).toEqual([]);
    await now.transport.close();
  });
});

describe("without real pipes", () => {
  it("processes are connected by sockets", async () => {
    const launch = createDirectLauncher({ take: async () => undefined, close() {} });
    const env = { PATH: process.env["PATH"] ?? "" };
    const running = await launch({
      file: "sh",
      args: ["-c", "cat; echo e >&2; exit 3"],
      cwd: "/",
      env,
      stdin: "pipe",
      isGuest: false,
    });
    if ("code" in running) throw new Error(running.message);
    running.stdin?.end("heard");
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) running[name].read((chunk) => (said[name] += Buffer.from(chunk)));
    await Promise.all([running.stdout.ended, running.stderr.ended]);
    expect([said.stdout, said.stderr, await running.exited]).toEqual(["heard", "e\n", { code: 3, signal: null }]);
  });

  it("shells that make none are asked twice, then no more", async () => {
    const none: string[] = [];
    const pipes = createPipeSource(clock, "no-pipes", () => none.push("told"), "echo; read _");
    for (let time = 0; time < 3; time++) expect(await pipes.take(3)).toBeUndefined();
    expect(none).toEqual(["told"]);
    pipes.close();
  });
});

describe.each(PATHS)("a long run (%s)", (path) => {
  it("keeps no descriptor, no listener and no dead child", async () => {
    const now = bench({ path });
    const round = async (count: number): Promise<void> => {
      await Promise.all(
        Array.from({ length: count }, (_, index) =>
          now.transport.run(
            index % 4 === 0 ? call({ file: "no-such-program", args: [] }) : call("cat", { stdin: "x" }),
          ),
        ),
      );
    };
    const descriptors = (): string[] =>
      readdirSync("/proc/self/fd").flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)];
        } catch {
          return [];
        }
      });
    await round(40);
    const before = descriptors().length;
    const listeners = process.listenerCount("exit");
    await round(400);
    expect(descriptors().length).toBeLessThanOrEqual(before + 14);
    expect(process.listenerCount("exit")).toBe(listeners);
    const children = readdirSync("/proc")
      .map((name) => read(`/proc/${name}/stat`).split(") ")[1]?.split(" ") ?? [])
      .filter(([state, parent]) => state === "Z" && parent === String(process.pid));
    expect(children).toEqual([]);
    await now.transport.close();
  });
});
