import { createInterface } from "node:readline";
import { importPeer } from "../peer.ts";
import { conversation, type HandlerName, handlers } from "./conversation.ts";

/**
 * Shows a conversation to a handler with immer's `produce`, or copies it with `structuredClone`. Arguments: which of
 * the two, the handler, immer's version. For each line with a number, does this that many times and answers with
 * nanoseconds. Each runs in its own process: immer's handlers run on proxies, which would slow down the others, and
 * garbage of `structuredClone` would be collected in another subject's time.
 */
interface Immer {
  produce<T>(base: T, recipe: (draft: T) => unknown): T;
  freeze<T>(value: T, deep: boolean): T;
}

const [how = "", name = "", version = ""] = process.argv.slice(2);
const once = how === "immer" ? await producing() : cloning();

for await (const count of createInterface(process.stdin)) {
  const started = process.hrtime.bigint();
  for (let left = Number(count); left > 0; left--) once();
  process.stdout.write(`${process.hrtime.bigint() - started}\n`);
}

async function producing(): Promise<() => unknown> {
  const { produce, freeze } = await importPeer<Immer>("immer", version, "dist/immer.mjs");
  const handler = handlers[name as HandlerName];
  // Results of earlier calls are frozen, as immer does by default.
  const base = freeze({ messages: conversation(), systemPrompt: "" }, true);
  return () => produce(base, handler);
}

function cloning(): () => unknown {
  const messages = conversation();
  return () => structuredClone(messages);
}
