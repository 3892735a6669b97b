import { describe, expect, test } from "vitest";
import { ask } from "../drive.ts";
import type { Talk } from "../observe.ts";
import { expectBeside } from "./beside.ts";
import { peer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

/** Says something and waits until the agent has nothing left to do. */
async function say(talk: Talk, message: string): Promise<void> {
  talk.send({ type: "prompt", message });
  await talk.next((line) => line.type === "agent_end");
  while ((await ask(talk, { type: "get_state" })).data.isStreaming) await new Promise((next) => setTimeout(next, 20));
}

/** Runs a command of the extension, and waits until an event has been told once more. */
async function command(talk: Talk, text: string, event: string): Promise<void> {
  const count = (): number => talk.events().filter((line) => line.event.type === event).length;
  const before = count();
  talk.send({ type: "prompt", message: text });
  await talk.until(() => count() > before);
  while ((await ask(talk, { type: "get_state" })).data.isStreaming) await new Promise((next) => setTimeout(next, 20));
}

/** Commands that control the session. */
const control = (pi: any): void => {
  const first = (ctx: any, role: string): string =>
    ctx.sessionManager.getEntries().find((entry: any) => entry.message?.role === role).id;
  let file: string | undefined;
  const add = (name: string, run: (ctx: any) => Promise<unknown>): void =>
    pi.registerCommand(name, {
      description: name,
      handler: async (_: string, ctx: any) => note(name, await run(ctx)),
    });
  pi.on("before_agent_start", (_: any, ctx: any) => {
    file ??= ctx.sessionManager.getSessionFile();
  });
  add("go-anew", (ctx) => ctx.newSession());
  add("go-branch", (ctx) => ctx.branch(first(ctx, "user")));
  add("go-move", (ctx) => ctx.navigateTree(first(ctx, "assistant")));
  add("go-back", (ctx) => ctx.switchSession(file));
};

const compaction = { compaction: { keepRecentTokens: 1 } };
/** Long enough to be summarised, and without the repetitions that omp takes for a loop. */
const long = { text: Array.from({ length: 60 }, (_, i) => (i * 7919).toString(36)).join(" ") };

describe.skipIf("absent" in peer)("sessions beside oh-my-pi's own", () => {
  test("a new session, and back to the first", async () => {
    await expectBeside(
      {
        mode: "rpc",
        extension: control,
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          await say(talk, "one");
          await command(talk, "/go-anew", "session_switch");
          await say(talk, "two");
          await command(talk, "/go-back", "session_switch");
          await say(talk, "three");
        },
      },
      ["endOfThisRun", "levelAfterSwitch"],
    );
  });

  test("a branch before the first prompt, and a move in the tree", async () => {
    await expectBeside(
      {
        mode: "rpc",
        extension: control,
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          await say(talk, "one");
          await say(talk, "two");
          await command(talk, "/go-move", "session_tree");
          await say(talk, "three");
          await command(talk, "/go-branch", "session_branch");
          await say(talk, "four");
        },
      },
      ["endOfThisRun"],
    );
  });

  test("a hook prevents leaving the session", async () => {
    await expectBeside({
      mode: "rpc",
      extension: (pi: any) => {
        pi.on("session_before_switch", () => ({ cancel: true }));
        pi.on("session_before_switch", () => note("not reached"));
      },
      replies: () => ({ text: "ok" }),
      async drive(talk) {
        await say(talk, "one");
        expect((await ask(talk, { type: "new_session" })).data).toEqual({ cancelled: true });
      },
    });
  });

  test.each(["summarised by the model", "given by a hook", "refused by a hook"])("a compaction %s", async (how) => {
    const answers: Record<string, (pi: any) => void> = {
      "summarised by the model": (pi) =>
        pi.on("session.compacting", () => ({ context: ["keep this"], preserveData: { kept: 1 } })),
      "given by a hook": (pi) =>
        pi.on("session_before_compact", ({ preparation: { firstKeptEntryId } }: any) => ({
          compaction: { summary: "mine", firstKeptEntryId, tokensBefore: 1, details: { own: true } },
        })),
      "refused by a hook": (pi) => pi.on("session_before_compact", () => ({ cancel: true })),
    };
    await expectBeside(
      {
        mode: "rpc",
        settings: compaction,
        extension: answers[how] as (pi: any) => void,
        replies: () => long,
        async drive(talk) {
          await say(talk, "one");
          await say(talk, "two");
          const { success } = await ask(talk, { type: "compact" });
          expect(success).toBe(how !== "refused by a hook");
          await say(talk, "three");
        },
      },
      ["endOfThisRun", ...(how === "refused by a hook" ? [] : ["compactionForm"])],
    );
  });

  test("an abort while a reply comes in", async () => {
    await expectBeside(
      {
        mode: "rpc",
        replies: [{ text: "never", fault: "stall" }, { text: "ok" }],
        async drive(talk) {
          talk.send({ type: "prompt", message: "hello" });
          await talk.next((line) => line.type === "message_update");
          await ask(talk, { type: "abort" });
          await talk.until(() => talk.events().some((line) => line.event.type === "agent_end"));
          await say(talk, "again");
        },
      },
      ["endOfThisRun", "abortedReply"],
    );
  });
});
