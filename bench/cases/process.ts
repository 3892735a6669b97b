import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chibi, claude, jcli } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import type { BenchCase, Measured } from "../case.ts";
import { median, timedAsync } from "../case.ts";
import { importPeer } from "../peer.ts";
import { type Asked, startAsked } from "../programs/asked.ts";
import { startFloor } from "../programs/floor.ts";
import { BARE_COMMAND, COMMAND, PAYLOAD } from "../programs/hook.ts";

const spawner = join(import.meta.dirname, "../programs/spawner.ts");
const LARGE_MIB = "1024";
const LARGE_PEER = "Node spawn at 1 GiB";
/** The longest time for which a hook may block the event loop of a large host. */
const BLOCK_NS = 500_000;

function host(how: "hookline" | "node", mib = "0", command = COMMAND): Asked {
  return startAsked(process.execPath, [spawner, how, command, mib]);
}

/** Measures the time that a host takes for hooks, or the time for which its event loop is blocked. */
function asked(of: Asked, what: "time" | "block"): Measured {
  return async (n) => Number(await of.ask(`${what} ${n}`)) * (what === "block" ? n : 1);
}

function floorOf(floor: Asked | undefined, width: number): { floor?: Measured } {
  if (floor === undefined) return {};
  return { floor: async (n) => Number(await floor.ask(`${n / width} ${width}`)) };
}

async function closeAll(all: readonly (Asked | undefined)[]): Promise<void> {
  for (const one of all) await one?.close();
}

type Execa = (file: string, args: string[], options: object) => Promise<{ stdout: string }>;

async function runByExeca(): Promise<Measured> {
  const { execa } = await importPeer<{ execa: Execa }>("execa", "9.6.1");
  return timedAsync(async (n) => {
    for (let i = 0; i < n; i++) {
      const { stdout } = await execa("sh", ["-c", COMMAND], { input: PAYLOAD });
      if (stdout !== "{}") throw new Error(`the hook said ${stdout}`);
    }
  });
}

const OBSERVERS = 10;

/** Opens a session with ten plugins that observe the same event, independently of each other. */
async function observers(): Promise<{ emit(): Promise<unknown>; close(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const folder = join(home, ".chibi/plugins");
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < OBSERVERS; i++) {
    const path = join(folder, `observer-${i}`);
    const schema = JSON.stringify({ name: `observer_${i}`, description: "watches", hooks: ["post_tool"] });
    writeFileSync(path, `#!/bin/sh\n[ "$1" = --schema ] && echo '${schema}' && exit\n${COMMAND}\n`);
    chmodSync(path, 0o755);
  }
  const runtime = createHookRuntime({ dialects: [chibi], home, env: { PATH: process.env["PATH"] } });
  const session = await runtime.open({ scene: { sessionId: "bench", cwd: home } });
  if (session.hooks().length !== OBSERVERS) throw new Error("the observers were not loaded");
  const done = { toolCallId: "c", tool: "bash", args: { command: "ls" }, result: "fine", cached: false };
  return {
    emit: async () => session.emit("tool.done", done),
    async close() {
      await runtime.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts ten programs at once with Node's `spawn`. */
async function tenByNode(n: number): Promise<void> {
  for (let i = 0; i < n; i += OBSERVERS) await Promise.all(Array.from({ length: OBSERVERS }, () => oneByNode()));
}

function oneByNode(shell = "sh"): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, ["-c", COMMAND], { detached: true });
    child.stdout.resume();
    child.stdin.on("error", () => {}).end(PAYLOAD);
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

function oneHook(name: string, command: string, budget: BenchCase["budget"]): BenchCase {
  return {
    name,
    unit: "hook",
    budget,
    n: 60,
    rounds: 15,
    async open() {
      const floor = startFloor(command, PAYLOAD);
      const [ours, peer] = [host("hookline", "0", command), host("node", "0", command)];
      return {
        ours: asked(ours, "time"),
        peers: [{ name: "Node spawn", measured: asked(peer, "time"), budget: 0.8 }],
        ...floorOf(floor, 1),
        close: () => closeAll([ours, peer, floor]),
      };
    },
  };
}

/**
 * The place of the guard's configuration: a person's own j-cli file, the same beside a slow hook in shadow, a project's
 * j-cli file, or Claude Code's settings.
 */
type Guarded = "own" | "with shadow" | "project" | "claude";

/** Opens a session with a guard that is a process; returns the median time of its calls. */
async function openGuarded(how: Guarded) {
  const home = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const cwd = join(home, "project");
  const slow = join(home, ".jdata/agent/hooks/slow/HOOK.yaml");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const yaml = `pre_tool_execution:\n  - command: ${JSON.stringify(COMMAND)}\n`;
  const hook = { type: "command", command: COMMAND };
  mkdirSync(join(cwd, ".git"), { recursive: true });
  if (how === "claude")
    write(join(home, ".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
  else write(how === "project" ? join(cwd, ".jcli/hooks.yaml") : join(home, ".jdata/agent/hooks.yaml"), yaml);
  if (how === "with shadow")
    write(slow, `events: [pre_tool_execution]\ncommand: ${JSON.stringify(`sleep 1; ${COMMAND}`)}\n`);
  const runtime = createHookRuntime({ dialects: [jcli, claude], home, env: { PATH: process.env["PATH"] } });
  const session = await runtime.open({
    scene: { sessionId: "bench", cwd },
    settings: how === "with shadow" ? { shadow: [slow] } : {},
    // The hook is approved, and its files are checked again before and after each call.
    consent: { allows: (_, print) => ({ verdict: "approved", ...print() }) },
  });
  if (session.hooks().length !== (how === "with shadow" ? 2 : 1)) throw new Error("the guards were not loaded");
  const call = { toolCallId: "c", tool: "bash", args: { command: "ls" } };
  const p50: Measured = async (n) => {
    const times: number[] = [];
    for (let i = 0; i < n; i++) {
      const started = process.hrtime.bigint();
      await session.emit("tool.before", call);
      times.push(Number(process.hrtime.bigint() - started));
    }
    return median(times) * n;
  };
  return {
    p50,
    async close() {
      await runtime.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Measures a call with one guard, next to the same guard in another configuration. */
function guardedCall(name: string, how: Guarded, peer: { readonly name: string; readonly budget: number }): BenchCase {
  return {
    name,
    unit: "dispatch, the median",
    budget: {},
    n: 100,
    rounds: 15,
    async open() {
      const [ours, other] = [await openGuarded(how), await openGuarded("own")];
      return {
        ours: ours.p50,
        peers: [{ ...peer, measured: other.p50 }],
        close: async () => void (await Promise.all([ours.close(), other.close()])),
      };
    },
  };
}

export const cases: readonly BenchCase[] = [
  guardedCall("process-hook-shadow", "with shadow", { name: "without the hook in shadow", budget: 1.05 }),
  guardedCall("process-hook-project", "project", { name: "the same hook of a person", budget: 1.5 }),
  {
    // Claude Code's commands are bash's, so Node starts bash too.
    name: "process-hook-claude",
    unit: "dispatch, the median",
    budget: {},
    n: 100,
    rounds: 15,
    async open() {
      const ours = await openGuarded("claude");
      const bash: Measured = timedAsync(async (n) => {
        for (let i = 0; i < n; i++) await oneByNode("bash");
      });
      return { ours: ours.p50, peers: [{ name: "Node spawn", measured: bash, budget: 0.8 }], close: ours.close };
    },
  },
  oneHook("process-hook", COMMAND, { toFloor: 1.6 }),
  // Starting Node costs far more than the hook itself, so the floor only shows that cost.
  oneHook("process-hook-bare", BARE_COMMAND, {}),
  {
    name: "process-hook-execa",
    unit: "hook",
    budget: {},
    n: 60,
    rounds: 9,
    async open() {
      const ours = host("hookline");
      return {
        ours: asked(ours, "time"),
        peers: [{ name: "execa 9.6.1", measured: await runByExeca(), budget: 1 }],
        close: () => closeAll([ours]),
      };
    },
  },
  {
    // The floor is the same host without the large heap.
    name: "process-large",
    unit: "hook",
    budget: { toFloor: 1.3 },
    n: 40,
    rounds: 11,
    async open() {
      const [ours, peer, small] = [host("hookline", LARGE_MIB), host("node", LARGE_MIB), host("hookline")];
      return {
        ours: asked(ours, "time"),
        peers: [{ name: LARGE_PEER, measured: asked(peer, "time"), budget: 0.5 }],
        floor: asked(small, "time"),
        close: () => closeAll([ours, peer, small]),
      };
    },
  },
  {
    // The floor is the limit itself.
    name: "process-large-block",
    unit: "hook (event loop blocked)",
    budget: { toFloor: 1 },
    n: 40,
    rounds: 11,
    async open() {
      const [ours, peer] = [host("hookline", LARGE_MIB), host("node", LARGE_MIB)];
      return {
        ours: asked(ours, "block"),
        peers: [{ name: LARGE_PEER, measured: asked(peer, "block"), budget: 0.1 }],
        floor: (n) => BLOCK_NS * n,
        close: () => closeAll([ours, peer]),
      };
    },
  },
  {
    name: "process-observers-10",
    unit: "hook",
    budget: { toFloor: 1.75 },
    n: 100,
    rounds: 11,
    async open() {
      const floor = startFloor(COMMAND, PAYLOAD);
      const stage = await observers();
      return {
        ours: timedAsync(async (n) => {
          for (let i = 0; i < n; i += OBSERVERS) await stage.emit();
        }),
        peers: [{ name: "Node spawn, ten at once", measured: timedAsync(tenByNode), budget: 1.1 }],
        ...floorOf(floor, OBSERVERS),
        async close() {
          await stage.close();
          await closeAll([floor]);
        },
      };
    },
  },
];
