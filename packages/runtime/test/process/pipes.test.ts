import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createDirectLauncher } from "../../src/transport/process/direct.ts";
import { createPipeSource } from "../../src/transport/process/pipes.ts";
import { clock } from "./clock.ts";
import { bench, call, PATHS, pipeMakers, read, runIdOf, until } from "./kit.ts";

const runId = runIdOf("pipes");

describe("real pipes", () => {
  it("are made by one shell, which is gone when the transport is closed", async () => {
    const now = bench({ path: "spawn", runId: runId("gone") });
    for (let time = 0; time < 3; time++)
      expect((await now.transport.run(call("echo $PPID"))).stdout).toBe(`${process.pid}\n`);
    expect(pipeMakers(runId("gone"))).toHaveLength(1);
    await now.transport.close();
    await until(() => pipeMakers(runId("gone")).length === 0);
  });

  it("come back when the shell that makes them is killed", async () => {
    const now = bench({ path: "spawn", runId: runId("shell") });
    for (let time = 0; time < 3; time++) {
      const report = await now.transport.run(call("cat /dev/stdin", { stdin: "by name" }));
      expect(report.stdout).toBe("by name");
      for (const pid of pipeMakers(runId("shell"))) process.kill(pid, "SIGKILL");
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
