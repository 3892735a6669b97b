import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chibi, jcli } from "@hookline/runtime/dialects";
import type { Dialect, ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import { createHookRuntime } from "@hookline/runtime/session";
import { ENGINE_START_CODES, type ProcessCommand } from "../../packages/runtime/src/port/process.ts";
import { call } from "../../packages/runtime/test/process/programs.ts";
import { ALL, type Experiment } from "./experiment.ts";
import { each, type Folder, folder, ground, repeat, runId } from "./ground.ts";

const KIB = 1024;

interface Refusal {
  readonly what: string;
  readonly code: string;
  readonly command: ProcessCommand | string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function refusals(home: Folder): Refusal[] {
  const program = (name: string, text: string, mode: number): string => {
    const path = join(home.path, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const file = (path: string): ProcessCommand => ({ file: path, args: [] });
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`V${i}`, "x".repeat(127 * KIB)]));
  return [
    { what: "no program", code: "ENOENT", command: file("no-such-program") },
    { what: "no interpreter", code: "ENOENT", command: file(program("odd", "#!/no/such/interpreter\n", 0o755)) },
    { what: "cwd gone", code: "ENOENT", command: "true", cwd: join(home.path, "gone") },
    { what: "cwd a file", code: "ENOTDIR", command: "true", cwd: program("plain", "", 0o644) },
    { what: "not executable", code: "EACCES", command: file(program("data", "#!/bin/sh\n", 0o644)) },
    { what: "still written", code: "ETXTBSY", command: file(program("busy", "#!/bin/sh\n", 0o755)) },
    { what: "long command", code: "E2BIG", command: `true ${"x".repeat(128 * KIB)}` },
    { what: "long variable", code: "E2BIG", command: "true", env: { LONG: "x".repeat(128 * KIB) } },
    {
      what: "NUL in an argument",
      code: "ERR_INVALID_ARG_VALUE",
      command: { file: "true", args: ["a\0b"] },
    },
    { what: "NUL in a variable", code: "ERR_INVALID_ARG_VALUE", command: "true", env: { ODD: "a\0b" } },
    { what: "many variables", code: "E2BIG", command: "true", env: many },
  ];
}

/** R11: whatever keeps a program from starting is reported with its code, and the host continues. */
const startFailuresAreFailures: Experiment = {
  id: "R11",
  paths: ALL,
  async run(tally, { path, full }) {
    using home = folder();
    const all = refusals(home);
    const writer = openSync(join(home.path, "busy"), "r+");
    await using here = ground(path);
    await each(repeat(all, full ? 20 : 2), 4, async ({ what, code, command, ...rest }) => {
      const { status, startError } = await here.transport.run(call(command, rest));
      const fine = status === "not-started" && startError?.code === code;
      tally.trial(fine ? undefined : `${what}: ${status} ${startError?.code ?? ""}`);
      const next = await here.transport.run(call("echo fine"));
      tally.trial(next.stdout === "fine\n" ? undefined : `after "${what}" nothing could be started`);
    });
    closeSync(writer);
    tally.figure(`${all.length} ways to fail`);
    tally.skip("ENOEXEC: the system's own `execvp` hands such a file to sh");
  },
};

/** R11: a guard that could not be started refuses, in both dialects with programs. */
const guardsClose: Experiment = {
  id: "R11, guards",
  paths: [],
  async run(tally) {
    for (const code of ENGINE_START_CODES) {
      const jcliFiles = { ".jdata/agent/hooks.yaml": "pre_tool_execution:\n  - command: guard\n" };
      tally.trial(await refuses(jcli, jcliFiles, code));
      const schema = '{"name":"t","description":"d","hooks":["pre_tool"]}';
      tally.trial(await refuses(chibi, { ".chibi/plugins/t": schema }, code));
    }
    tally.figure(`${ENGINE_START_CODES.length} codes in jcli (on_error: skip) and chibi`);
  },
};

async function refuses(
  dialect: Dialect,
  files: Readonly<Record<string, string>>,
  code: string,
): Promise<string | undefined> {
  using home = folder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home.path, name, ".."), { recursive: true });
    writeFileSync(join(home.path, name), text, { mode: 0o755 });
  }
  const rest = { stdoutValid: true, stderr: "", survivors: [], queueMs: 0, runMs: 0 };
  const process: ProcessTransport = {
    async run({ command }): Promise<ProcessReport> {
      if ("args" in command && command.args[0] === "--schema")
        return { ...rest, status: "exited", exitCode: 0, stdout: Object.values(files)[0] ?? "" };
      return { ...rest, status: "not-started", stdout: "", startError: { code, message: "it was not started" } };
    },
    open: () => Promise.reject(new Error("no process is kept here")),
    close: async () => {},
  };
  const runtime = createHookRuntime({ dialects: [dialect], home: home.path, env: {}, transports: { process } });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home.path } });
  const { answer } = await session.emit("tool.before", { toolCallId: "c", tool: "bash", args: { command: "ls" } });
  await runtime.close();
  return answer.decision === "deny" ? undefined : `${dialect.id}: ${code} let the call pass`;
}

/** R12: a long run accumulates no descriptor, dead child, listener or file. */
const nothingLeaks: Experiment = {
  id: "R12",
  paths: ALL,
  async run(tally, { path, full }) {
    using home = folder();
    using temp = folder();
    const before = { fds: descriptors(), listeners: listeners() };
    const env = { PATH: process.env["PATH"], TMPDIR: temp.path };
    const here = ground(path, { env, stateDir: home.path, runId: runId("long") });
    const runs = full ? 10_000 : 400;
    await each(repeat([0], runs), 16, async () => {
      const { stdout } = await here.transport.run(call("cat", { stdin: "x" }));
      tally.trial(stdout === "x" ? undefined : "a run failed");
    });
    const dead = zombies();
    await here[Symbol.asyncDispose]();
    const grown = descriptors() - before.fds;
    const files = [...readdirSync(temp.path), ...readdirSync(join(home.path, "runs"))];
    const left = listeners() - before.listeners;
    tally.figure(
      `descriptors ${grown >= 0 ? "+" : ""}${grown}, ${dead} zombies, ${files.length} files, ${left} listeners`,
    );
    if (grown > 5 || dead > 0 || files.length > 0 || left > 0) tally.trial(`${runs} runs left something behind`);
  },
};

function listeners(): number {
  return process.listenerCount("exit") + process.listenerCount("SIGCHLD");
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Returns the number of this process's children that have ended but were not reaped. */
function zombies(): number {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const [state, parent] = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
      return state === "Z" && parent === String(process.pid);
    } catch {
      return false;
    }
  }).length;
}

/** R13: waiting for a slot does not count as hook time. */
const queueIsFair: Experiment = {
  id: "R13",
  paths: ALL,
  async run(tally, { path, full }) {
    await using here = ground(path);
    const queueMs: number[] = [];
    const hooks = Array.from({ length: 20 * (full ? 64 : 16) }, () =>
      here.transport.run(call("sleep 0.05", { timeoutMs: 1000 })),
    );
    for (const report of await Promise.all(hooks)) {
      queueMs.push(report.queueMs);
      tally.trial(report.status === "exited" ? undefined : `a hook was reported as ${report.status}`);
    }
    const late = queueMs.filter((ms) => ms > 1000).length;
    tally.figure(
      `${late} waited longer than their own limit of 1000 ms, the longest ${Math.round(Math.max(...queueMs))} ms`,
    );
  },
};

export const starting: readonly Experiment[] = [startFailuresAreFailures, guardsClose, nothingLeaks, queueIsFair];
