import { setImmediate as turn } from "node:timers/promises";
import { pi } from "@hookline/runtime/dialects";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import type { Claim } from "./claim.ts";
import { SCENE } from "./stage/events.ts";
import { findingOf, type Tally } from "./stage/experiment.ts";
import { placeModules } from "./stage/modules.ts";

/** Uses of a context or an API object that an extension has kept. */
const USES = [
  "ctx.ui.notify('late', 'info')",
  "ctx.ui.setStatus('k', 'late')",
  "ctx.ui.confirm('t', 'm')",
  "ctx.ui.select('t', ['a'])",
  "ctx.abort()",
  "ctx.shutdown()",
  "ctx.isIdle()",
  "ctx.compact({})",
  "ctx.getContextUsage()",
  "ctx.getSystemPrompt()",
  "ctx.sessionManager.getEntries?.()",
  "ctx.modelRegistry.find('p', 'm')",
  "ctx.model",
  "ctx.hasPendingMessages()",
  "pi.sendMessage({ customType: 'x', content: 'late', display: true })",
  "pi.sendUserMessage('late')",
  "pi.appendEntry('x', { late: true })",
  "pi.setSessionName('late')",
  "pi.setLabel('e', 'late')",
  "pi.setActiveTools(['bash'])",
  "pi.getSessionName()",
  "pi.on('turn_start', () => {})",
];

/** Moments after the session at which code of published extensions uses leftovers of it. */
const MOMENTS: Readonly<Record<string, string>> = {
  timer: "setTimeout(use, 5)",
  promise: "shared.gone.then(use)",
  listener: "shared.bus.addEventListener('late', use)",
};

const TRANSITIONS: Readonly<Record<string, (session: HookSession, close: () => Promise<void>) => Promise<unknown>>> = {
  reload: (session) => session.load(),
  renewal: (session) => session.renew(["pi"]),
  close: (session) => session.close(),
  "end of the host": (_, close) => close(),
};

interface Shared {
  readonly gone: Promise<void>;
  readonly bus: EventTarget;
  used: number;
}

async function trial(use: string, moment: string, transition: string): Promise<string | undefined> {
  const done = Promise.withResolvers<void>();
  const shared: Shared = { gone: done.promise, bus: new EventTarget(), used: 0 };
  (globalThis as { proveStale?: Shared }).proveStale = shared;
  const body = `const use = () => { shared.used += 1; const value = ${use}; void value; }; ${MOMENTS[moment]};`;
  const handler = `pi.on("agent_start", (_: unknown, ctx: any) => { if (shared.used < 0) return; ${body} });`;
  using modules = placeModules({
    stale: `const shared = (globalThis as any).proveStale;\nexport default (pi: any) => { ${handler} };\n`,
  });
  const told: string[] = [];
  const reached: string[] = [];
  let isOver = false;
  // Records every request to an agent on behalf of the old session after its end.
  const recorder: object = new Proxy(() => {}, {
    get: (_, key) => (key === "then" || typeof key === "symbol" ? undefined : recorder),
    apply: () => void (isOver && reached.push(use)),
  });
  const services = {
    agent: recorder,
    control: recorder,
    models: recorder,
    tools: recorder,
    session: recorder,
    ui: recorder,
    mode: "tui",
  };
  const runtime = createHookRuntime({ dialects: [pi], home: modules.home, env: {} });
  const session = await runtime.open({
    scene: SCENE,
    services: services as never,
    onDiagnostic: ({ code }) => told.push(code),
  });
  await session.emit("agent.start", {});
  const strays = await straysOf(async () => {
    // Calls of the host itself during the transition are not the extension's.
    await TRANSITIONS[transition]?.(session, () => runtime.close());
    isOver = true;
    done.resolve();
    shared.bus.dispatchEvent(new Event("late"));
    await new Promise((resolve) => setTimeout(resolve, 8));
  });
  await runtime.close();
  const what = `${use} by a ${moment} after a ${transition}`;
  if (shared.used === 0) return `${what} was never made`;
  if (strays.length > 0) return `${what} throws: ${String(strays[0])}`;
  if (told.includes("HOOK_LATE_ERROR")) return `${what} throws`;
  return reached.length > 0 ? `${what} reached the host` : undefined;
}

async function capturedContexts(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  let turn = 0;
  for (const transition of Object.keys(TRANSITIONS)) {
    for (const moment of Object.keys(MOMENTS)) {
      for (const use of USES) if (full || turn++ % 4 === 0) tally.trial(await trial(use, moment, transition));
    }
  }
  const sizes = [USES, Object.keys(TRANSITIONS), Object.keys(MOMENTS)].map(({ length }) => length);
  tally.figure(`${sizes[0]} uses, ${sizes[1]} ends of a session, ${sizes[2]} moments`);
}

export const claim: Claim = {
  name: "stale",
  says: "what an extension keeps from an ended session is inert: nothing throws and nothing happens (R38)",
  run: (size) => findingOf([{ id: "R38", run: capturedContexts }], size),
};

/** Uncaught errors while the work ran, and in the turns after it. */
async function straysOf(work: () => Promise<void>): Promise<readonly unknown[]> {
  const strays: unknown[] = [];
  const note = (error: unknown): void => void strays.push(error);
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  try {
    await work();
    for (let i = 0; i < 5; i++) await turn();
  } finally {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  }
  return strays;
}
