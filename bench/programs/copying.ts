import { createInterface } from "node:readline";
import { importPeer } from "../peer.ts";
import { conversation, type HandlerName, handlers } from "./conversation.ts";

/**
 * Shows a conversation to a handler by immer's `produce`, or copies it by `structuredClone`. Its arguments: which of
 * the two, the handler, immer's version. For each line with a number it does so as often and answers with nanoseconds.
 * Each is a process of its own: immer's handlers run on proxies, after which they would be slower for everybody else,
 * and what `structuredClone` leaves behind would be collected in somebody else's time.
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
  // What earlier calls gave is frozen, as it is unless one turns that off.
  const base = freeze({ messages: conversation(), systemPrompt: "" }, true);
  return () => produce(base, handler);
}

function cloning(): () => unknown {
  const messages = conversation();
  return () => structuredClone(messages);
}
