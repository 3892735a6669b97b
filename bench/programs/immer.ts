import { createInterface } from "node:readline";
import { importPeer } from "../peer.ts";
import { conversation, type HandlerName, handlers } from "./conversation.ts";

/**
 * Shows a conversation to a handler by immer's `produce`. Its arguments: the handler and immer's version. For each line
 * with a number it does so as often and answers with nanoseconds. It is a process of its own because the handlers run
 * on proxies here, after which they would be slower for everybody else.
 */
interface Immer {
  produce<T>(base: T, recipe: (draft: T) => unknown): T;
  freeze<T>(value: T, deep: boolean): T;
}

const [name = "", version = ""] = process.argv.slice(2);
const handler = handlers[name as HandlerName];
const { produce, freeze } = await importPeer<Immer>("immer", version, "dist/immer.mjs");
// What earlier calls gave is frozen, as it is unless one turns that off.
const base = freeze({ messages: conversation(), systemPrompt: "" }, true);

for await (const count of createInterface(process.stdin)) {
  const started = process.hrtime.bigint();
  for (let left = Number(count); left > 0; left--) produce(base, handler);
  process.stdout.write(`${process.hrtime.bigint() - started}\n`);
}
