import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { approveEverything } from "../../../runtime/src/consent/consent.ts";
import { createHookRuntime, type HookRuntime } from "../../../runtime/src/session/runtime.ts";
import type { HookSession } from "../../../runtime/src/session/session.ts";
import { pi } from "../../src/pi/hooks/index.ts";

/** Keeps everything that could mix: a variable of the module, a kept context, a tool, a command, a flag, the bus. */
const EXTENSION = `
import { setTimeout as sleep } from "node:timers/promises";
let calls = 0;
let kept;
export default function (pi) {
  pi.registerFlag("mine", { type: "string", default: "none" });
  pi.registerTool({
    name: "where", description: "", parameters: { type: "object", properties: {} },
    execute: async (id, params, signal, onUpdate, ctx) => {
      await sleep(Number(params.ms));
      return { content: [{ type: "text", text: [ctx.cwd, calls, pi.getFlag("mine")].join(" ") }], details: {} };
    },
  });
  pi.registerCommand("tell", { handler: async (args, ctx) => {
    await sleep(1);
    pi.appendEntry("told", args);
    kept.ui.notify(args + " in " + ctx.cwd, "info");
    pi.events.emit("channel", args);
  } });
  pi.events.on("channel", (data) => pi.appendEntry("heard", data));
  pi.on("session_start", (event, ctx) => { kept = ctx; });
  pi.on("input", async (event, ctx) => {
    const mine = ++calls;
    await sleep(event.text.length % 4);
    return { action: "transform", text: [event.text, mine, ctx.cwd, ctx.sessionManager.getSessionId()].join(" ") };
  });
}
`;

interface Member {
  readonly id: string;
  readonly cwd: string;
  readonly session: HookSession;
  readonly entries: [string, unknown][];
  readonly notes: string[];
}

const top = mkdtempSync(join(tmpdir(), "hookline-three-"));
let runtime: HookRuntime;
let members: Member[];

beforeAll(async () => {
  const home = join(top, "home");
  const file = join(home, ".pi/agent/extensions/own.ts");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, EXTENSION);
  runtime = createHookRuntime({ dialects: [pi], home, env: {}, consent: approveEverything });
  members = await Promise.all(["a", "b", "c"].map((id) => open(id)));
});

afterAll(async () => {
  await runtime.close();
  rmSync(top, { recursive: true, force: true });
});

async function open(id: string): Promise<Member> {
  const cwd = join(top, id);
  mkdirSync(cwd);
  const entries: [string, unknown][] = [];
  const notes: string[] = [];
  const nothing = (): void => {};
  const session = await runtime.open({
    scene: { sessionId: id, cwd },
    services: {
      mode: "rpc",
      ui: { notify: (text) => void notes.push(text) },
      flag: () => `flag of ${id}`,
      sessionManager: { getSessionId: () => id },
      conversation: {
        sendMessage: nothing,
        sendUserMessage: nothing,
        appendEntry: (type, data) => void entries.push([type, data]),
        setSessionName: nothing,
        getSessionName: () => undefined,
        setLabel: nothing,
      },
    },
  });
  await session.emit("session.start", { reason: "startup" });
  return { id, cwd, session, entries, notes };
}

test("events of three sessions at once each meet their own module, context and session", async () => {
  const rounds = Array.from({ length: 40 }, (_, n) => n);
  await Promise.all(
    members.map(async ({ id, cwd, session }) => {
      for (const n of rounds) {
        const { answer } = await session.emit("input", { text: `${id}${n}`, source: "interactive" });
        expect(answer.text).toBe(`${id}${n} ${n + 1} ${cwd} ${id}`);
      }
    }),
  );
});

test("a tool that runs in all of them answers each with its own folder, state and flag", async () => {
  const answers = await Promise.all(
    members.map(async ({ session }, n) => {
      const tool = session.contributions.all<any>("tool").get("where")?.value;
      return (await tool.execute("t1", { ms: 6 - 2 * n }, undefined, undefined)).content[0].text;
    }),
  );
  expect(answers).toEqual(members.map(({ id, cwd }) => `${cwd} 40 flag of ${id}`));
});

test("what a command keeps, shows and sends over the bus stays in its session", async () => {
  await Promise.all(
    members.map(({ id, session }) => session.contributions.all<any>("command").get("tell")?.value.handler(`by ${id}`)),
  );
  for (const { id, cwd, entries, notes } of members) {
    expect(notes).toEqual([`by ${id} in ${cwd}`]);
    expect(entries).toEqual([
      ["told", `by ${id}`],
      ["heard", `by ${id}`],
    ]);
  }
});

test("the end of one leaves the others as they are", async () => {
  const [first, ...others] = members as [Member, ...Member[]];
  const running = others.map(({ session }) => session.emit("input", { text: "still", source: "interactive" }));
  await first.session.close();
  for (const [at, { answer }] of (await Promise.all(running)).entries())
    expect(answer.text).toBe(`still 41 ${others[at]?.cwd} ${others[at]?.id}`);
  await sleep(1);
  const again = await others[0]?.session.emit("input", { text: "again", source: "interactive" });
  expect(again?.answer.text).toContain("again 42");
  const gone = () => first.session.emit("input", { text: "gone", source: "interactive" });
  expect(gone).toThrow("Session a is closed");
});
