import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  alarm,
  type Bench,
  bench,
  call,
  fixture,
  folder,
  onStarted,
  PATHS,
  processesWith,
  token,
  until,
} from "./kit.ts";

describe.each(PATHS)("starting a process (%s)", (path) => {
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

  it("looks a program up in the path that it is given, as seen from its directory", async () => {
    mkdirSync(join(home.path, "bin"));
    mkdirSync(join(home.path, "closed/tool"), { recursive: true });
    program("bin/tool", "#!/bin/sh\necho found $0\n");
    program("tool", "#!/bin/sh\necho here $0\n");
    const found = async (PATH: string): Promise<string | undefined> => {
      const report = await now.transport.run(call({ file: "tool", args: [] }, { cwd: home.path, env: { PATH } }));
      return report.startError?.code ?? report.stdout.trim();
    };
    expect(await found(`/no/such/folder:${home.path}/bin:/bin`)).toBe(`found ${home.path}/bin/tool`);
    expect(await found("bin:/bin")).toBe("found bin/tool");
    expect(await found(":/bin")).toBe("here tool");
    expect(await found("closed:bin")).toBe("found bin/tool");
    expect(await found("closed")).toBe("EACCES");
    expect(await found("closed:/no/such/folder")).toBe("EACCES");
    expect(await found("/no/such/folder:/dev/null")).toBe("ENOTDIR");
    expect(await found("/dev/null:/no/such/folder")).toBe("ENOENT");
  });

  it("finds the system's programs where no path is given", async () => {
    await using now = bench({ path, env: {} });
    const report = await now.transport.run(call({ file: "echo", args: ["found"] }));
    expect(report).toMatchObject({ status: "exited", stdout: "found\n" });
  });

  it("runs a program by its name in its directory", async () => {
    program("tool", "#!/bin/sh\necho $0 $1\n");
    const report = await now.transport.run(call({ file: "./tool", args: ["x"] }, { cwd: home.path }));
    expect(report.stdout).toBe("./tool x\n");
  });

  it("has the shell run a text without a first line", async () => {
    const file = program("words", "echo $0 $1\n");
    expect((await now.transport.run(call({ file, args: ["x"] }))).stdout).toBe(`${file} x\n`);
    const env = { PATH: `${home.path}:/bin:/usr/bin` };
    expect((await now.transport.run(call({ file: "words", args: ["y"] }, { env }))).stdout).toBe(`${file} y\n`);
  });

  it("says the same about a file that is not a program", async () => {
    const file = program("broken", "\x7fELF\x02\x01\x01 and no more");
    const report = await now.transport.run(call({ file, args: [] }));
    expect(report.exitCode ?? report.startError?.code).toBe(127);
  });

  it("starts every process alike: in a session of its own, with its pipes and no more, with no signal ignored", async () => {
    // Another one's pipes are open in the host meanwhile.
    const abort = new AbortController();
    const other = now.transport.run(call(`sleep 86400 ${token()}`, { stdin: "x", signal: abort.signal }));
    const unnumbered = (link: string): string => link.replace(/\d+/, "");
    const linksIn = (text: string): string[] => Array.from(text.matchAll(/-> (.*)/g), ([, link = ""]) => link);
    // Descriptors that the host has inherited are there with either way of starting; the last is that of the listed
    // folder.
    const list = ["-l", "/proc/self/fd"];
    const given = linksIn(spawnSync("ls", list, { encoding: "utf8" }).stdout).slice(3);
    for (const [stdin, input] of [
      ["x", "pipe:[]"],
      [undefined, "/dev/null"],
    ] as const) {
      const about = { ...(stdin !== undefined && { stdin }), cwd: home.path };
      const report = await now.transport.run(
        call({ file: "cat", args: ["/proc/self/stat", "/proc/self/status"] }, about),
      );
      const [, , group, session] = report.stdout.split(") ")[1]?.split(" ") ?? [];
      expect([Number(group), Number(session)]).toEqual([report.pid, report.pid]);
      expect(report.stdout).toContain("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
      const links = linksIn((await now.transport.run(call({ file: "ls", args: list }, about))).stdout);
      expect(links.slice(0, 3).map(unnumbered)).toEqual([input, "pipe:[]", "pipe:[]"]);
      expect(links.slice(3).map(unnumbered)).toEqual(given.map(unnumbered));
    }
    abort.abort();
    await other;
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

  it("continues after every failure", async () => {
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
          call(`echo + >> ${log}; echo ${index}; until [ -e ${log}-${index} ]; do sleep 0.01; done; echo - >> ${log}`, {
            onData: () => {
              order.push(index);
              // Both that run have been heard, and may end.
              if (order.length % 2 === 0) for (const heard of order) writeFileSync(`${log}-${heard}`, "");
            },
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
    const limit = alarm(1500);
    let passed = 0;
    const clock = { ...limit, now: () => limit.now() + passed };
    await using now = bench({ path, clock, concurrency: 1 });
    const ready = Promise.withResolvers<number>();
    const onData = (chunk: Uint8Array): void => ready.resolve(Number(Buffer.from(chunk)));
    const first = now.transport.run(call("trap 'exit 3' TERM; echo $$; while :; do sleep 0.05; done", { onData }));
    const started = onStarted(limit.ring);
    const waiting = ["sleep 0.5; echo fine", fixture("ignore-term.sh", token())].map((command) =>
      now.transport.run(call(command, { timeoutMs: 1500, onData: started })),
    );
    const running = await ready.promise;
    // The time of those that wait would be over, had it begun.
    passed = 2000;
    limit.ring();
    process.kill(running, "SIGTERM");
    expect((await first).exitCode).toBe(3);
    const reports = await Promise.all(waiting);
    expect(reports.map(({ status }) => status)).toEqual(["exited", "timed-out"]);
    expect(Math.min(...reports.map(({ queueMs }) => queueMs))).toBeGreaterThan(1500);
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
    "refuses limits that are invalid: %o",
    async (limits) => {
      await expect(now.transport.run(call("true", limits))).rejects.toMatchObject({ code: "INVALID_OPTION" });
    },
  );

  it("refuses a run id that is not a name", () => {
    expect(() => bench({ runId: "../run" })).toThrow("runId is not made of");
  });

  it("hands over the input of the host itself", async () => {
    const report = await now.transport.run(call("readlink /proc/self/fd/0", { stdin: "inherit" }));
    expect(report.stdout.trim()).toBe(readlinkSync("/proc/self/fd/0"));
  });

  it.each([
    ["in the host's session where it gets the terminal, with its input all the same", true],
    ["in a session of its own everywhere else", undefined],
  ])("runs a process %s", async (_, terminal) => {
    const session = (pid: number | string): string =>
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[3] ?? "";
    const report = await now.transport.run(
      call("cat; cat /proc/$$/stat", { stdin: "in\n", ...(terminal && { terminal }) }),
    );
    const [input, stat = ""] = report.stdout.split("\n");
    expect(input).toBe("in");
    expect(stat.split(") ")[1]?.split(" ")[3] === session(process.pid)).toBe(terminal === true);
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
