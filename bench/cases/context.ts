import { join } from "node:path";
import type { HookSession } from "@hookline/runtime/session";
import { type BenchCase, fewer, type Measured, timed, timedAsync } from "../case.ts";
import { importPeer } from "../peer.ts";
import { type Asked, startAsked } from "../programs/asked.ts";
import { conversation, type HandlerName, handlers, type Message, pass } from "../programs/conversation.ts";
import { piLane } from "./dispatch.ts";

const IMMER = "11.2.10";
const copying = join(import.meta.dirname, "../programs/copying.ts");

const payloadOf = (messages: Message[]) => ({ messages: messages as never, systemPrompt: "" });

function start(how: "immer" | "structuredClone", name: HandlerName): Asked {
  return startAsked(process.execPath, [copying, how, name, IMMER]);
}

function asked(program: Asked): Measured {
  return async (times) => Number(await program.ask(String(times)));
}

/**
 * Measures a handler in pi's lane, whose answer is a promise; the immer peer runs the same handler without a promise.
 */
function context(name: HandlerName): BenchCase {
  const handler = handlers[name];
  return {
    name: `context-${name}`,
    unit: "event",
    budget: { maxBytes: 5_000_000 },
    n: 20,
    rounds: 15,
    async open() {
      const messages = conversation();
      const session: HookSession = await piLane((on) =>
        on("context", (async (shown: never) => handler(shown)) as never),
      );
      await importPeer("immer", IMMER);
      const [immer, clone] = [start("immer", name), start("structuredClone", name)];
      let seen = 0;
      return {
        ours: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await session.emit("model.context", payloadOf(messages));
        }),
        floor: timed((times) => {
          for (let i = 0; i < times; i++) seen += pass(messages);
        }),
        peers: [
          { name: "structuredClone", measured: asked(clone), budget: 1 / 15 },
          { name: `immer ${IMMER}`, measured: asked(immer) },
        ],
        once: () => session.emit("model.context", payloadOf(messages)),
        async close() {
          await Promise.all([immer.close(), clone.close()]);
          if (seen === 0) throw new Error("nothing was seen");
        },
      };
    },
  };
}

export const cases: readonly BenchCase[] = [
  {
    name: "context-none",
    unit: "event",
    budget: {},
    n: 100_000,
    rounds: 9,
    async open() {
      const payload = payloadOf(conversation());
      const session = await piLane(() => {});
      let seen = 0;
      const cloning = timed((times) => {
        for (let i = 0; i < times; i++) seen += structuredClone(payload.messages as Message[]).length;
      });
      return {
        ours: timed((times) => {
          for (let i = 0; i < times; i++) if (session.emit("model.context", payload) === undefined) seen += 1;
        }),
        peers: [{ name: "structuredClone", measured: fewer(1, cloning), budget: 1 / 100_000 }],
        close: async () => void seen,
      };
    },
  },
  context("read"),
  context("edited"),
  context("shortened"),
];
