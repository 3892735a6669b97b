import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { NO_HOME } from "../scripts/no-home.ts";
import type { Claim, Finding } from "./claim.ts";
import { type Slope, slope } from "./soak/slope.ts";

const HANDLERS = 10;
const STEPS = 10;
const WARM_UP = 300_000;
/** The most bytes that an event may leave on the heap (guarantees R61). */
const MOST = 0.5;
/** The planted leak keeps some bytes once in this many events. */
const LEAK_EVERY = 10;

/** Opens a session with an observer, a guard that is answered, and a transform that edits in place. */
async function open(leak: unknown[] | undefined): Promise<HookSession> {
  const session = await createHookRuntime({ home: NO_HOME }).open({ scene: { sessionId: "memory", cwd: "/" } });
  let seen = 0;
  for (let i = 0; i < HANDLERS; i++) {
    session.on("turn.start", i % 2 === 0 ? () => void (seen += 1) : async () => void (seen += 1));
    session.on("tool.before", ({ args }) => (i === 0 ? { args: { ...args, seen: 1 } } : undefined));
    session.on("tool.after", async () => (i === 0 ? { additionalContext: "noted" } : undefined));
  }
  if (leak !== undefined) {
    session.on("turn.start", () => {
      if (seen++ % LEAK_EVERY === 0) leak.push({});
    });
  }
  return session;
}

async function emit(session: HookSession, times: number): Promise<void> {
  const call = { toolCallId: "c", tool: "bash", args: { command: "ls" } };
  const content = [{ type: "text" as const, text: "fine" }];
  for (let i = 0; i < times; i++) {
    switch (i % 3) {
      case 0:
        await session.emit("turn.start", { turnIndex: i, timestamp: i });
        break;
      case 1:
        await session.emit("tool.before", call);
        break;
      default:
        await session.emit("tool.after", { ...call, content, details: undefined, isError: false, blocked: false });
    }
  }
}

/**
 * Measures the bytes that each event leaves on the heap once everything is compiled: the slope over forced collections.
 */
async function bytesPerEvent(events: number, leak?: unknown[]): Promise<Slope> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const session = await open(leak);
  const points: [number, number][] = [];
  await emit(session, WARM_UP);
  for (let step = 0; step <= STEPS; step++) {
    if (step > 0) await emit(session, events / STEPS);
    collect();
    collect();
    points.push([step * (events / STEPS), process.memoryUsage().heapUsed]);
  }
  await session.close();
  return slope(points);
}

function told({ perUnit, within }: Slope): string {
  return `${perUnit.toFixed(3)} ± ${within.toFixed(3)}`;
}

/** The claim: no event leaves anything behind. A planted leak must be detected in the same way. */
export const claim: Claim = {
  name: "memory",
  says: `an event with ${HANDLERS} handlers leaves less than ${MOST} bytes on the heap`,
  async run(size): Promise<Finding> {
    const events = size === "full" ? 1_000_000 : 200_000;
    const left = await bytesPerEvent(events);
    const kept: unknown[] = [];
    const planted = await bytesPerEvent(events, kept);
    const blind = planted.perUnit - planted.within < MOST;
    return {
      n: events,
      violations: Number(left.perUnit - left.within >= MOST) + Number(blind),
      notes: [
        `${told(left)} bytes an event over ${events} events; with a planted leak ${told(planted)}`,
        ...(blind ? [`the planted leak of ${kept.length} objects was not seen`] : []),
      ],
    };
  },
};
