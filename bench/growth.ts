import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { buildRuntime } from "../scripts/build.ts";
import { NO_HOME } from "../scripts/no-home.ts";
import { median } from "./case.ts";
import { piLane } from "./cases/dispatch.ts";
import { withRecording, withResult, withSessions, withTools } from "./growth-inputs.ts";
import { type Emitter, hookableEmitter, PI, piEmitter, tapableEmitter } from "./programs/emitters.ts";
import { COMMANDS, hookedProject } from "./programs/hooked-project.ts";

/** The growth of a cost with a size, such as the number of hooks, for hookline and its peers. */
interface Grown {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly points: readonly { readonly x: number; readonly values: Readonly<Record<string, number>> }[];
}

/** One curve, with its name. */
export interface Curve extends Grown {
  readonly id: string;
}

const ROUNDS = 40;
const COMMAND_RUNS = 3;
/** The quantile of all rounds' times that is used: near the time without other load on the machine. */
const SHARE = 0.2;
/** The number of hooks of each session, if there are many. */
const HOOKS = 10;
const event = { turnIndex: 0, timestamp: 0 };

/** Each subject's time per unit of work in many short rounds; all take turns, so that drift affects them equally. */
async function sideBySide(
  works: Readonly<Record<string, (n: number) => Promise<void> | void>>,
  n: number,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      const started = process.hrtime.bigint();
      await work(n);
      if (round >= 0) times[name]?.push(Number(process.hrtime.bigint() - started) / n);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, taken]) => [name, round3(quick(taken))]));
}

function quick(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * SHARE)] as number;
}

function round3(value: number): number {
  return Number(value.toPrecision(3));
}

async function observed(count: number, name: string): Promise<HookSession> {
  return piLane((on) => {
    for (let i = 0; i < count; i++) on(name, async () => undefined);
  });
}

async function hooks(): Promise<Grown> {
  const points = [];
  for (const x of [0, 1, 10, 100, 1000]) {
    const ours = await observed(x, "turn_start");
    const others = await Promise.all([piEmitter(x), hookableEmitter(x), tapableEmitter(x)]);
    const bare = Array.from({ length: x }, () => async (_: object) => undefined);
    const values = await sideBySide(
      {
        hookline: async (n) => {
          for (let i = 0; i < n; i++) await ours.emit("turn.start", event);
        },
        ...Object.fromEntries(others.map((other) => [other.name, (n: number) => other.run(n, event)])),
        "a bare loop": async (n) => {
          for (let i = 0; i < n; i++) for (const handler of bare) await handler(event);
        },
      },
      Math.ceil(5000 / (x + 1)),
    );
    points.push({ x, values });
  }
  return { title: "One event, asynchronous hooks in pi's lane", x: "hooks", y: "ns per event", points };
}

async function messages(): Promise<Grown> {
  const points = [];
  for (const x of [100, 1000, 10_000, 100_000]) {
    const list = Array.from({ length: x }, (_, i) => ({
      role: "user",
      content: [{ type: "text", text: `${i} `.padEnd(270, "abcdefgh ") }],
      timestamp: i,
    }));
    const payload = { messages: list as never, systemPrompt: "" };
    const session = await piLane((on) => on("context", () => undefined));
    let seen = 0;
    const values = await sideBySide(
      {
        hookline: async (n) => {
          for (let i = 0; i < n; i++) await session.emit("model.context", payload);
        },
        "structuredClone, as pi": (n) => {
          for (let i = 0; i < n; i++) seen += structuredClone(list).length;
          if (seen === 0) throw new Error("nothing was copied");
        },
      },
      Math.max(1, Math.floor(2000 / x)),
    );
    points.push({ x, values });
  }
  return {
    title: "A conversation shown to a hook that may edit it in place",
    x: "messages",
    y: "ns per request",
    points,
  };
}

async function sessions(): Promise<Grown> {
  const points = [];
  for (const x of [1, 10, 100, 1000]) {
    const runtime = createHookRuntime({ home: NO_HOME });
    const open = (i: number): Promise<HookSession> => runtime.open({ scene: { sessionId: `s${i}`, cwd: "/" } });
    const all = await Promise.all(Array.from({ length: x }, (_, i) => open(i)));
    for (const session of all) for (let i = 0; i < HOOKS; i++) session.on("turn.start", async () => undefined);
    const pis = await Promise.all(all.map(() => piEmitter(HOOKS)));
    const values = await sideBySide(
      {
        hookline: async (n) => {
          for (let i = 0; i < n; i++) await (all[i % x] as HookSession).emit("turn.start", event);
        },
        [PI]: async (n) => {
          for (let i = 0; i < n; i++) await (pis[i % x] as Emitter).emit(event);
        },
      },
      2000,
    );
    await runtime.close();
    points.push({ x, values });
  }
  return { title: "Sessions in one process, ten hooks each", x: "sessions", y: "ns per event", points };
}

const holder = join(import.meta.dirname, "programs/session-holder.ts");

/**
 * Returns the peak memory of a separate process of the built code with this many open sessions; the median of some
 * runs.
 */
function held(how: string, x: number): number {
  const args = [holder, how, String(x), String(HOOKS)];
  const runs = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, args, { encoding: "utf8" })));
  return round3(median(runs) / 1e6);
}

async function memory(): Promise<Grown> {
  await buildRuntime();
  const points = [1, 10, 100, 1000].map((x) => {
    const values = { hookline: held("hookline", x), [PI]: held("pi", x) };
    return { x, values };
  });
  return {
    title: "A process with so many sessions, ten hooks each",
    x: "sessions",
    y: "MB at most",
    points,
  };
}

async function tokens(): Promise<Grown> {
  const points = [];
  const message = { role: "assistant", content: [{ type: "text", text: "token" }], timestamp: 0 } as never;
  const update = { message, event: { type: "text_delta", contentIndex: 0, delta: "token", partial: message } as never };
  for (const x of [0, 1, 10, 100]) {
    const ours = await observed(x, "message_update");
    const pi = await piEmitter(x, "message_update");
    const perToken = await sideBySide(
      {
        hookline: async (n) => {
          for (let i = 0; i < n; i++) await ours.emit("message.update", update);
        },
        [PI]: (n) => pi.run(n, { message, assistantMessageEvent: update.event }),
      },
      Math.ceil(5000 / (x + 1)),
    );
    const values = Object.fromEntries(Object.entries(perToken).map(([name, ns]) => [name, round3(1e9 / ns)]));
    points.push({ x, values });
  }
  return { title: "Tokens through `message.update`", x: "hooks", y: "tokens per second", points };
}

/** Commands in a project with so many hooks, a fifth in each dialect: the quickest of a few runs. */
async function commands(): Promise<Grown> {
  const points = [];
  for (const x of [0, 250, 500, 1000]) {
    const project = await hookedProject(x);
    const values: Record<string, number> = {};
    for (const [name, args] of Object.entries(COMMANDS)) {
      const runs = Array.from({ length: COMMAND_RUNS }, () => project.run(args));
      values[name] = round3(Math.min(...runs) / 1e6);
    }
    project.remove();
    points.push({ x, values });
  }
  return { title: "A command in a project with hooks", x: "hooks", y: "ms", points };
}

/** The ms of commands with inputs of these sizes. */
async function sized(
  title: string,
  x: string,
  sizes: readonly number[],
  measure: (size: number) => Promise<Record<string, number>>,
): Promise<Grown> {
  const points = [];
  for (const size of sizes) {
    const values = Object.entries(await measure(size)).map(([name, ms]) => [name, round3(ms)]);
    points.push({ x: size, values: Object.fromEntries(values) });
  }
  return { title, x, y: "ms", points };
}

/** Measures each curve, by its name. */
export const CURVES: Readonly<Record<string, () => Promise<Grown>>> = {
  hooks,
  messages,
  sessions,
  memory,
  tokens,
  commands,
  tools: () => sized("Runs with the tools of an MCP server", "tools", [0, 50, 100, 200, 400], withTools),
  stored: () => sized("Stored sessions of a project", "sessions", [250, 500, 1000, 2000], withSessions),
  recordings: () => sized("A recording, or a session, that is read whole", "MB", [25, 50, 100], withRecording),
  results: () => sized("A run with a large result of a tool", "MB", [6, 12, 25, 50], withResult),
};
