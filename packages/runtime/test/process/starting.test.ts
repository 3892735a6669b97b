import { chmodSync, closeSync, openSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, bench, call, folder, processesWith, token, until } from "./kit.ts";

describe.each(["spawn", "helper"] as const)("starting a process (%s)", (path) => {
  let now: Bench;
  let home: ReturnType<typeof folder>;
  beforeEach(() => {
    now = bench({ path });
    home = folder();
  });
  afterEach(async () => {
    await now.transport.close();
    home.remove();
  });

  function program(name: string, text: string, mode = 0o755): string {
    const file = join(home.path, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  it("tells apart what the system calls ENOENT", async () => {
    const interpreter = program("odd", "#!/no/such/interpreter\n");
    const messages = [];
    for (const one of [
      call({ file: "no-such-program", args: [] }),
      call({ file: "/no/such/program", args: [] }),
      call({ file: interpreter, args: [] }),
      call("true", { cwd: "/no/such/folder" }),
    ]) {
      const { status, startError } = await now.transport.run(one);
      expect(status).toBe("not-started");
      expect(startError?.code).toBe("ENOENT");
      messages.push(startError?.message);
    }
    expect(messages).toEqual([
      "The program no-such-program is not in PATH",
      "The program /no/such/program does not exist",
      `The program ${interpreter} was not started: the interpreter that its first line names does not exist`,
      "The working directory /no/such/folder does not exist",
    ]);
  });

  it("names a working directory that is a file", async () => {
    const cwd = program("file", "");
    const { startError } = await now.transport.run(call("true", { cwd }));
    expect(startError).toEqual({ code: "ENOTDIR", message: `The working directory ${cwd} is not a directory` });
  });

  it("names a program that may not be executed", async () => {
    const file = program("plain", "#!/bin/sh\n", 0o644);
    const { startError } = await now.transport.run(call({ file, args: [] }));
    expect(startError).toEqual({ code: "EACCES", message: `The program ${file} may not be executed` });
  });

  it.each([
    ["one long variable", { LONG: "x".repeat(131_072) }],
    [
      "many variables",
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`V${index}`, "x".repeat(130_000)])),
    ],
  ])("reports what is too large for the system: %s", async (_, env) => {
    const { status, startError } = await now.transport.run(call("true", { env }));
    expect(status).toBe("not-started");
    expect(startError?.code).toBe("E2BIG");
    expect(startError?.message).not.toContain("xxx");
  });

  it("passes the longest variable that the system takes", async () => {
    const env = { CHIBI_HOOK_DATA: "x".repeat(131_055) };
    const report = await now.transport.run(call({ file: "printenv", args: ["CHIBI_HOOK_DATA"] }, { env }));
    expect(report.stdout).toHaveLength(131_056);
  });

  it("reports a NUL character, and not the text that it is in", async () => {
    const { startError } = await now.transport.run(call({ file: "echo", args: ["secret\0"] }));
    expect(startError?.code).toBe("ERR_INVALID_ARG_VALUE");
    expect(startError?.message).not.toContain("secret");
  });

  it("waits for a program that is still being written", async () => {
    const file = program("busy", "#!/bin/sh\necho ready\n");
    const writer = openSync(file, "r+");
    setTimeout(() => closeSync(writer), 60);
    const report = await now.transport.run(call({ file, args: [] }));
    expect(report).toMatchObject({ status: "exited", stdout: "ready\n" });
  });

  it("gives up on a program that goes on being written", async () => {
    const file = program("busy", "#!/bin/sh\n");
    const writer = openSync(file, "r+");
    const { status, startError } = await now.transport.run(call({ file, args: [] }));
    closeSync(writer);
    expect([status, startError?.code]).toEqual(["not-started", "ETXTBSY"]);
  });

  it("goes on after every failure", async () => {
    await now.transport.run(call({ file: "no-such-program", args: [] }));
    expect((await now.transport.run(call("echo fine"))).stdout).toBe("fine\n");
  });

  it("runs no more at once than it may, in the order of the calls", async () => {
    await using now = bench({ path, concurrency: 2 });
    const order: number[] = [];
    const log = join(home.path, "log");
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        now.transport.run(
          call(`echo + >> ${log}; echo ${index}; sleep 0.05; echo - >> ${log}`, {
            onData: () => void order.push(index),
          }),
        ),
      ),
    );
    let running = 0;
    const widest = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .reduce((most, line) => Math.max(most, (running += line === "+" ? 1 : -1)), 0);
    expect(widest).toBeLessThanOrEqual(2);
    expect(order.map((index) => Math.floor(index / 2)).every((pair, at, all) => pair >= (all[at - 2] ?? 0))).toBe(true);
  });

  it("counts the time from the start, not from the call", async () => {
    await using now = bench({ path, concurrency: 4 });
    const reports = await Promise.all(
      Array.from({ length: 40 }, () => now.transport.run(call("sleep 0.2", { timeoutMs: 1500 }))),
    );
    expect(new Set(reports.map(({ status }) => status))).toEqual(new Set(["exited"]));
    expect(Math.max(...reports.map(({ queueMs }) => queueMs))).toBeGreaterThan(1500);
  });

  it("takes a waiting call out of the queue when it is aborted", async () => {
    await using now = bench({ path, concurrency: 1 });
    const mark = token();
    const abort = new AbortController();
    const first = now.transport.run(call(`sleep 86400 ${mark}`, { signal: abort.signal }));
    const gone = new AbortController();
    const second = now.transport.run(call("echo second", { signal: gone.signal }));
    const third = now.transport.run(call("echo third"));
    await until(() => processesWith(mark).length > 0);
    gone.abort();
    expect((await second).status).toBe("aborted");
    abort.abort();
    expect((await first).status).toBe("aborted");
    expect((await third).stdout).toBe("third\n");
  });

  it.each([0, -1, Number.NaN, Number.NEGATIVE_INFINITY])("refuses %f as a time", async (timeoutMs) => {
    await expect(now.transport.run(call("true", { timeoutMs }))).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each([2 ** 31, 99_999_999_000, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    "clamps %f ms and says so once",
    async (timeoutMs) => {
      for (let time = 0; time < 2; time++) {
        expect((await now.transport.run(call("sleep 0.1", { timeoutMs }))).status).toBe("exited");
      }
      expect(now.diagnostics).toMatchObject([{ code: "LIMIT_CLAMPED" }]);
    },
  );

  it("is not hurt by a listener for diagnostics that throws", async () => {
    const onDiagnostic = (): never => {
      throw new Error("the listener is broken");
    };
    await using now = bench({ path, onDiagnostic });
    expect((await now.transport.run(call("echo fine", { timeoutMs: 2 ** 31 }))).stdout).toBe("fine\n");
  });

  it("rounds a fraction of a millisecond up", async () => {
    expect((await now.transport.run(call("sleep 86400", { timeoutMs: 0.2 }))).status).toBe("timed-out");
  });

  it.each([{ maxStdoutBytes: -1 }, { maxStderrBytes: Number.NaN }])(
    "refuses limits that are none: %o",
    async (limits) => {
      await expect(now.transport.run(call("true", limits))).rejects.toMatchObject({ code: "INVALID_OPTION" });
    },
  );

  it("refuses a run id that is no name", () => {
    expect(() => bench({ runId: "../run" })).toThrow("runId is not made of");
  });

  it("hands over the input of the host itself", async () => {
    const report = await now.transport.run(call("readlink /proc/self/fd/0", { stdin: "inherit" }));
    expect(report.stdout.trim()).toBe(readlinkSync("/proc/self/fd/0"));
  });

  it("ends a process with the host's own input, and its descendants, and nobody else", async () => {
    const mark = token();
    const report = await now.transport.run(
      call(`sleep 86400 ${mark} & setsid sleep 86400 ${mark} & sleep 86400 ${mark}`, {
        stdin: "inherit",
        timeoutMs: 500,
      }),
    );
    expect(report).toMatchObject({ status: "timed-out", survivors: [] });
    expect(processesWith(mark)).toEqual([]);
  });
});
