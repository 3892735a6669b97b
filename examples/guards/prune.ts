// Takes old results out of long requests, all in one step, so that the provider's cache is lost once.
import { guard } from "@hookline/runtime/guard";

/** Tokens at which results are taken out, and how many of the newest stay. A token is counted as four characters. */
const AT = 120_000;
const KEEP = 20_000;
/** Shorter results are not worth a line. */
const SHORTEST = 200;

type Message = { readonly role: string; readonly toolCallId?: string; readonly isError?: boolean };
type Call = { readonly type: string; readonly id?: string; readonly name?: string; readonly arguments?: object };

/** The results that were taken out, by the ids of their calls. They stay out, so that requests begin with the same bytes. */
const gone = new Map<string, string>();
let next = AT;
const tokens = (value: unknown): number => JSON.stringify(value).length / 4;

/** Says what a call was, so that the model can make it again. */
function lineFor(id: string, messages: readonly Message[]): string {
  const calls = messages.flatMap((one) =>
    "content" in one && Array.isArray(one.content) ? (one.content as Call[]) : [],
  );
  const call = calls.find((one) => one.type === "toolCall" && one.id === id);
  return `[An old result, taken out. To see it again: ${call?.name} ${JSON.stringify(call?.arguments).slice(0, 500)}]`;
}

function without<M extends Message>(messages: readonly M[]): readonly M[] {
  return messages.map((one) => {
    const text = one.role === "toolResult" ? gone.get(one.toolCallId ?? "") : undefined;
    return text === undefined ? one : { ...one, content: [{ type: "text", text }], details: undefined };
  });
}

export default guard({
  name: "prune",
  on: "model.context",
  run({ messages }) {
    let left = without(messages);
    if (tokens(left) > next) {
      let kept = 0;
      const lastTurns = messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : [])).at(-2) ?? 0;
      for (const [at, one] of [...left.entries()].reverse()) {
        kept += tokens(one);
        const isOld = kept > KEEP && at < lastTurns && one.role === "toolResult";
        if (!isOld || one.isError || tokens(one) * 4 < SHORTEST || gone.has(one.toolCallId)) continue;
        gone.set(one.toolCallId, lineFor(one.toolCallId, messages));
      }
      left = without(messages);
      next = Math.max(AT, tokens(left) * 1.5);
    }
    return gone.size === 0 ? undefined : { messages: left };
  },
  cases: [{ payload: { messages: [], systemPrompt: "" }, expect: "none" }],
});
