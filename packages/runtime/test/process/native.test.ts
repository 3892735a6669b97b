import { spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { loadLibc } from "../../src/transport/process/libc.ts";
import { bench, call, fixturePath, pipeMakers, read, runIdOf, token } from "./kit.ts";

const runId = runIdOf("native");

describe("the system's own way to start a process", () => {
  it.each(["native", "auto"] as const)("takes no process besides those that are started (%s)", async (path) => {
    await using now = bench({ path, runId: runId(path) });
    for (let time = 0; time < 20; time++) {
      const report = await now.transport.run(call("echo $PPID; cat /dev/stdin", { stdin: "x" }));
      expect(report.stdout).toBe(`${process.pid}\nx`);
    }
    expect(pipeMakers(runId(path))).toEqual([]);
    expect(now.diagnostics).toEqual([]);
  });

  it("leaves a process with the host's own input to Node, and makes its pipes", async () => {
    await using now = bench({ path: "native", runId: runId("inherit") });
    const report = await now.transport.run(call("readlink /proc/self/fd/0 /proc/self/fd/1", { stdin: "inherit" }));
    expect(report.stdout.split("\n")).toEqual([readlinkSync("/proc/self/fd/0"), expect.stringMatching(/^pipe:/), ""]);
    expect(pipeMakers(runId("inherit"))).toEqual([]);
  });

  it("listens to signals only while a process runs", async () => {
    await using now = bench({ path: "native" });
    const before = process.listenerCount("SIGCHLD");
    const during: number[] = [];
    // They end once they have been heard.
    const onData = (chunk: Uint8Array): void => {
      during.push(process.listenerCount("SIGCHLD"));
      process.kill(Number(Buffer.from(chunk)), "SIGKILL");
    };
    await Promise.all([
      now.transport.run(call(`echo $$; exec sleep 86400 ${token()}`, { onData })),
      now.transport.run(call(`echo $$; exec sleep 86400 ${token()}`, { onData })),
      now.transport.run(call({ file: "no-such-program", args: [] })),
    ]);
    expect(during).toEqual([before + 1, before + 1]);
    expect(process.listenerCount("SIGCHLD")).toBe(before);
  });

  it("hears of an exit although somebody has removed its listener", async () => {
    await using now = bench({ path: "native" });
    const line = "trap 'exit 3' TERM; echo $$; exec >&- 2>&-; while :; do sleep 0.05; done";
    const ready = Promise.withResolvers<number>();
    const onReady = (chunk: Uint8Array): void => ready.resolve(Number(Buffer.from(chunk)));
    const run = now.transport.run(call(line, { onData: onReady }));
    const running = await ready.promise;
    process.removeAllListeners("SIGCHLD");
    process.kill(running, "SIGTERM");
    expect(await run).toMatchObject({ status: "exited", exitCode: 3 });
    const heard = Promise.withResolvers<number>();
    const onData = (chunk: Uint8Array): void => {
      heard.resolve(process.listenerCount("SIGCHLD"));
      process.kill(Number(Buffer.from(chunk)), "SIGTERM");
    };
    const next = now.transport.run(call("trap 'exit 4' TERM; echo $$; while :; do sleep 0.05; done", { onData }));
    expect(await heard.promise).toBe(1);
    expect(await next).toMatchObject({ status: "exited", exitCode: 4 });
  });

  it("leaves the children of others to them", async () => {
    const other = spawn("sh", ["-c", "exit 5"]);
    const running = spawn("sleep", ["86400", token()]);
    const exit = new Promise((resolve) => other.once("exit", resolve));
    // Busy until the other has ended, so that nobody can have collected it.
    while (!read(`/proc/${other.pid}/stat`).includes(") Z "));
    expect(loadLibc().wait(running.pid ?? 0)).toBeUndefined();
    expect(await exit).toBe(5);
    running.kill("SIGKILL");
  });

  it("does not take a process for a success that somebody else has collected", async () => {
    await using now = bench({ path: "native" });
    const { wait } = loadLibc();
    // Busy, so that the host hears of the exit only when it is too late.
    const onData = (chunk: Uint8Array): void => {
      const pid = Number(Buffer.from(chunk));
      process.kill(pid, "SIGKILL");
      while (wait(pid) === undefined);
    };
    const report = await now.transport.run(call(`echo $$; exec sleep 86400 ${token()}`, { onData }));
    expect(report).toMatchObject({ status: "not-started", startError: { code: "EAGAIN" } });
    expect(report).not.toHaveProperty("exitCode");
  });

  it("is left to Node in a worker, which gets no signals, and says so", async () => {
    const worker = new Worker(fixturePath("worker.ts"), { env: { PATH: process.env["PATH"] } });
    const said = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    expect(said).toMatchObject({
      report: { status: "exited", exitCode: 3, stdout: "fine\n" },
      diagnostics: [{ code: "START_FAILED", message: /only the main thread/ }],
    });
  });

  it("gives back every structure that it takes from the library", async () => {
    await using now = bench({ path: "native" });
    const held = (): number => Number(/^VmData:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
    const round = async (): Promise<void> => {
      for (let time = 0; time < 200; time++) await now.transport.run(call({ file: "/bin/true", args: [] }));
    };
    await round();
    const before = held();
    await round();
    expect(held() - before).toBeLessThan(16 * 1024);
  });
});
