import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chibi, jcli } from "@hookline/runtime/dialects";
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
/** The longest that a hook may block the event loop of a large host. */
const BLOCK_NS = 500_000;

function host(how: "hookline" | "node", mib = "0", command = COMMAND): Asked {
  return startAsked(process.execPath, [spawner, how, command, mib]);
}

/** The time that a host takes, or the time for which its event loop is blocked. */
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

/** Ten plugins that are told of the same event, independently of each other. */
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

/** Ten at once, started by Node. */
async function tenByNode(n: number): Promise<void> {
  for (let i = 0; i < n; i += OBSERVERS) await Promise.all(Array.from({ length: OBSERVERS }, oneByNode));
}

function oneByNode(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", COMMAND], { detached: true });
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
        peers: [{ name: "Node spawn", measured: asked(peer, "time"), budget: 1.1 }],
        ...floorOf(floor, 1),
        close: () => closeAll([ours, peer, floor]),
      };
    },
  };
}

/** A session with a guard that is a process, and optionally a slow one in shadow beside it. */
async function openGuarded(withShadow: boolean) {
  const home = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const folder = join(home, ".jdata", "agent");
  mkdirSync(folder, { recursive: true });
  const guard = join(folder, "hooks.yaml");
  const slow = join(folder, "hooks", "slow", "HOOK.yaml");
  writeFileSync(guard, `pre_tool_execution:\n  - command: ${JSON.stringify(COMMAND)}\n`);
  mkdirSync(join(folder, "hooks", "slow"), { recursive: true });
  if (withShadow)
    writeFileSync(slow, `events: [pre_tool_execution]\ncommand: ${JSON.stringify(`sleep 1; ${COMMAND}`)}\n`);
  const runtime = createHookRuntime({ dialects: [jcli], home, env: { PATH: process.env["PATH"] } });
  const session = await runtime.open({ scene: { sessionId: "bench", cwd: home }, settings: { shadow: [slow] } });
  if (session.hooks().length !== (withShadow ? 2 : 1)) throw new Error("the guards were not loaded");
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

export const cases: readonly BenchCase[] = [
  {
    name: "process-hook-shadow",
    unit: "dispatch, the median",
    budget: {},
    n: 100,
    rounds: 15,
    async open() {
      const [ours, without] = [await openGuarded(true), await openGuarded(false)];
      return {
        ours: ours.p50,
        peers: [{ name: "without the hook in shadow", measured: without.p50, budget: 1.05 }],
        close: async () => void (await Promise.all([ours.close(), without.close()])),
      };
    },
  },
  oneHook("process-hook", COMMAND, { toFloor: 1.6 }),
  // Starting it costs far more than what it does, so the floor only shows how large Node is.
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
    // The floor is the same host without the gigabyte.
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
    // The floor is the budget.
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
