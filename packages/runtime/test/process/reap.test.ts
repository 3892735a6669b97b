import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessCommand, ProcessReport } from "../../src/port/process.ts";
import { readProcess } from "../../src/transport/process/proc.ts";
import { endRun, reapOrphans } from "../../src/transport/process/reap.ts";
import { clock } from "./clock.ts";
import { bench, call, fixture, fixturePath, folder, PATHS, processesWith, read, token, until } from "./kit.ts";

interface HostOptions {
  readonly path: (typeof PATHS)[number];
  readonly runId: string;
  readonly stateDir: string;
  readonly command: ProcessCommand;
  readonly count: number;
  readonly refused?: string;
}

function startHost(options: HostOptions, wrapper: readonly string[] = []): ChildProcess {
  const [file = "", ...args] = [...wrapper, process.execPath, fixturePath("host.ts"), JSON.stringify(options)];
  const env = { PATH: process.env["PATH"] };
  return spawn(file, args, { stdio: ["ignore", "pipe", "inherit"], env });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("close", () => resolve());
  });
}

/** Unique on the machine: whoever runs the same test beside this one must not end its processes. */
const runId = (name: string): string => `reap-${process.pid}-${name}`;

/** Lists the marked processes, without those that a host has forked and that still show the host's environment. */
const marked = (mark: string): number[] =>
  processesWith(mark).filter((pid) => read(`/proc/${pid}/environ`).includes("HOOKLINE_RUN_ID="));

const wait = (mark: string): ProcessCommand => ({ file: "sleep", args: ["86400", mark] });

it("the end of a run tells of what its calls have left, and not of the shell that makes pipes", async () => {
  const id = runId("own");
  const left = ["1", "pipes"].map((segment) =>
    spawn("sleep", ["86400"], { env: { PATH: process.env["PATH"], HOOKLINE_RUN_ID: `${id}.${segment}` } }),
  );
  await until(() => left.every(({ pid }) => read(`/proc/${pid}/environ`).includes(id)));
  const told: unknown[] = [];
  expect(await endRun(id, 0, clock, (...about) => told.push(about))).toEqual([]);
  expect(told).toEqual([["sleep", 1]]);
  await Promise.all(left.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).map(ended));
});

describe("after the death of a host", () => {
  let home: ReturnType<typeof folder>;
  beforeEach(() => {
    home = folder();
  });
  afterEach(() => home.remove());

  it("the next start ends what a killed host has left", async () => {
    const mark = token();
    const options = {
      path: "spawn",
      runId: runId("dead"),
      stateDir: home.path,
      command: wait(mark),
      count: 20,
    } as const;
    const host = startHost(options);
    await until(() => marked(mark).length === 20);
    host.kill("SIGKILL");
    await ended(host);
    expect(processesWith(mark)).toHaveLength(20);
    expect(await reapOrphans(home.path, clock)).toEqual({ runs: [runId("dead")], ended: ["sleep"], survivors: [] });
    expect(processesWith(mark)).toEqual([]);
    expect(await reapOrphans(home.path, clock)).toEqual({ runs: [], ended: [], survivors: [] });
  });

  it("the next start ends what a killed host has left that nobody has collected", async () => {
    const mark = token();
    const options = {
      path: "spawn",
      runId: runId("zombie"),
      stateDir: home.path,
      command: wait(mark),
      count: 2,
    } as const;
    // The parent has become a program that collects no child, as the first process of many containers.
    const parent = startHost(options, ["sh", "-c", '"$@" & exec sleep 86400', "sh"]);
    try {
      await until(() => marked(mark).length === 2);
      const record = JSON.parse(read(join(home.path, "runs", `${runId("zombie")}.json`))) as { readonly pid: number };
      process.kill(record.pid, "SIGKILL");
      // Its first thread may end before the others, which still run.
      await until(() => readProcess(record.pid)?.zombie === true);
      expect(await reapOrphans(home.path, clock)).toEqual({ runs: [runId("zombie")], ended: ["sleep"], survivors: [] });
      expect(processesWith(mark)).toEqual([]);
    } finally {
      parent.kill("SIGKILL");
      await ended(parent);
    }
  });

  it("the next start finds those who have set themselves apart and ignore SIGTERM", async () => {
    const mark = token();
    const command = {
      shell: `setsid sh ${fixturePath("ignore-term.sh")} ${mark} >/dev/null 2>&1 & sleep 86400 ${mark}`,
    };
    const host = startHost({ path: "spawn", runId: runId("apart"), stateDir: home.path, command, count: 1 });
    await until(() => marked(mark).length >= 4);
    host.kill("SIGKILL");
    await ended(host);
    await reapOrphans(home.path, clock);
    expect(processesWith(mark)).toEqual([]);
  });

  it("a host that exits in the middle takes its groups along", async () => {
    const mark = token();
    const command = fixture("ignore-term.sh", mark);
    const options = {
      path: "spawn",
      runId: runId("exits"),
      stateDir: home.path,
      command,
      count: 5,
    } as const;
    const host = startHost(options);
    await until(() => marked(mark).length >= 10);
    host.kill("SIGTERM");
    await ended(host);
    await until(() => processesWith(mark).length === 0);
    expect(processesWith(mark)).toEqual([]);
  });

  it("the runs of a living host are left alone", async () => {
    const mark = token();
    const { transport } = bench({ path: "spawn", runId: runId("living"), stateDir: home.path });
    const run = transport.run(call(`sleep 86400 ${mark}`));
    await until(() => processesWith(mark).length > 0);
    expect(await reapOrphans(home.path, clock)).toEqual({ runs: [], ended: [], survivors: [] });
    expect(processesWith(mark)).not.toEqual([]);
    await transport.close();
    expect((await run).status).toBe("aborted");
  });

  it("a run whose id begins with a dead one's is left alone", async () => {
    const mark = token();
    const dead = startHost({
      path: "spawn",
      runId: runId("begin"),
      stateDir: home.path,
      command: wait(mark),
      count: 1,
    });
    await until(() => marked(mark).length === 1);
    const { transport } = bench({ path: "spawn", runId: runId("beginner") });
    const run = transport.run(call(wait(mark)));
    await until(() => marked(mark).length === 2);
    dead.kill("SIGKILL");
    await ended(dead);
    // It may be seen before it has become `sleep`, and again after that.
    const told = await reapOrphans(home.path, clock);
    expect({ ...told, ended: told.ended.at(-1) }).toEqual({ runs: [runId("begin")], ended: "sleep", survivors: [] });
    expect(processesWith(mark)).toHaveLength(1);
    await transport.close();
    expect((await run).status).toBe("aborted");
  });

  it("a host that closes leaves no record, one that runs a private one", async () => {
    const { transport } = bench({ path: "spawn", runId: runId("tidy"), stateDir: home.path });
    expect(readdirSync(home.path)).toEqual([]);
    await transport.run(call("true"));
    const file = join(home.path, "runs", `${runId("tidy")}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, "runs")).mode & 0o777).toBe(0o700);
    await transport.close();
    expect(readdirSync(join(home.path, "runs"))).toEqual([]);
  });

  describe("a record that is not a dead run of this machine", () => {
    let mark: string;
    let child: ChildProcess;
    let record: Record<string, unknown>;
    beforeEach(async () => {
      // A marked process and a record, as a killed host would leave them.
      mark = token();
      const env = { PATH: process.env["PATH"], HOOKLINE_RUN_ID: `${runId("other")}.1` };
      child = spawn("sleep", ["86400", mark], { stdio: "ignore", env });
      await until(() => processesWith(mark).length === 1);
      const { transport } = bench({ path: "spawn", runId: runId("model"), stateDir: home.path });
      await transport.run(call("true"));
      record = JSON.parse(readFileSync(join(home.path, "runs", `${runId("model")}.json`), "utf8"));
      await transport.close();
    });
    afterEach(() => child.kill("SIGKILL"));

    async function reapWith(changes: Record<string, unknown>): Promise<readonly string[]> {
      mkdirSync(join(home.path, "runs"), { recursive: true });
      writeFileSync(join(home.path, "runs", `${runId("other")}.json`), JSON.stringify({ ...record, ...changes }));
      return (await reapOrphans(home.path, clock)).runs;
    }

    it("stands for a dead run when only the start time differs: the pid was given out again", async () => {
      expect(await reapWith({ startTicks: 1 })).toEqual([runId("other")]);
      expect(processesWith(mark)).toEqual([]);
    });

    it.each([
      ["of another machine", { startTicks: 1, host: "elsewhere" }],
      ["of another container", { startTicks: 1, namespace: "pid:[1]" }],
      ["of a living host", {}],
      ["that is damaged", { pid: "x" }],
    ])("%s is left alone", async (_, changes) => {
      expect(await reapWith(changes)).toEqual([]);
      expect(processesWith(mark)).toHaveLength(1);
    });

    it("of an earlier boot is removed, and nothing is ended for it", async () => {
      expect(await reapWith({ boot: "earlier" })).toEqual([runId("other")]);
      expect(processesWith(mark)).toHaveLength(1);
      expect(readdirSync(join(home.path, "runs"))).toEqual([]);
    });
  });

  it("a state folder that cannot be written is reported, and the run continues", async () => {
    writeFileSync(join(home.path, "file"), "");
    const { transport, diagnostics } = bench({ path: "spawn", stateDir: join(home.path, "file") });
    expect((await transport.run(call("echo fine"))).stdout).toBe("fine\n");
    expect((await transport.run(call("echo fine"))).stdout).toBe("fine\n");
    expect(diagnostics).toMatchObject([{ code: "UNREADABLE", severity: "warning" }]);
    await transport.close();
  });
});

const works = (command: readonly string[]): boolean =>
  spawnSync(command[0] ?? "", [...command.slice(1), process.execPath, "-e", "0"], { stdio: "ignore" }).status === 0;
/** Another user: root has no limit of processes. */
const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
/** A shortage of a host: the code that it gets, and the command that it runs under. Threads count as processes too. */
const SHORTAGES: readonly (readonly [code: string, wrapper: readonly string[]])[] = [
  ["EMFILE", ["prlimit", "--nofile=70:70"]],
  ["EAGAIN", [...NOBODY, "prlimit", "--nproc=30:30"]],
];

describe.each(SHORTAGES.filter(([, wrapper]) => works(wrapper)))("a host that gets %s", (code, wrapper) => {
  it.each(PATHS)("reports it for what cannot be started, and lives (%s)", async (path) => {
    const home = folder();
    const told = folder();
    chmodSync(told.path, 0o777);
    const isRefused = join(told.path, "refused");
    // They run until there is one too many, however long that takes; a shell would need further processes.
    const waits = `import os, time\nwhile not os.path.exists(${JSON.stringify(isRefused)}): time.sleep(0.05)\nprint("done")`;
    const command = { file: "python3", args: ["-c", waits] };
    const options = { path, runId: runId("short"), stateDir: home.path, command, count: 40, refused: isRefused };
    const host = startHost(options, wrapper);
    let output = "";
    host.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    await ended(host);
    const reports: ProcessReport[] = JSON.parse(output.trim().split("\n").at(-1) ?? "");
    const refused = reports.filter(({ status }) => status === "not-started");
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ startError }) => startError?.code))).toEqual(new Set([code]));
    expect(reports.filter(({ status }) => status === "exited").map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: 40 - refused.length }, () => "done\n"),
    );
    home.remove();
    told.remove();
  });
});
