import type { Fields } from "@hookline/ground";
import type { CallArgs, CallLens } from "./call.ts";
import {
  type CallBlock,
  type FlatCall,
  type FlatMessage,
  type FlatPart,
  FRAMES,
  frameOf,
  isCall,
  type WholeMessage,
} from "./flat.ts";
import { type Block, type BlockContent, putText } from "./text.ts";

/** One flat message of the result: made from a part of an original message, unchanged or edited, or new. */
export type Piece =
  | { readonly source: FlatPart; readonly flat: FlatMessage; readonly edited: boolean }
  | { readonly fresh: FlatMessage; readonly invented: boolean };

type FromSource = Extract<Piece, { source: FlatPart }>;

/** Makes full messages from flat ones, keeping everything in the originals that flat messages do not show. */
export class Rebuilder<M extends WholeMessage> {
  readonly #original: readonly M[];
  readonly #calls: CallLens;
  /** The host's name of the tool for each call id, for new tool results. */
  readonly #tools = new Map<string, string>();
  readonly #used = new Set<number>();
  readonly #out: M[] = [];
  /** The index of the first original that `#flush` has not passed yet. */
  #hidden = 0;
  readonly #keepHidden: boolean;

  constructor(original: readonly M[], calls: CallLens, wanted: readonly FlatMessage[], keepHidden = true) {
    this.#original = original;
    this.#calls = calls;
    this.#keepHidden = keepHidden;
    for (const flat of wanted)
      for (const call of flat.tool_calls ?? []) this.#tools.set(call.id, calls.tool(call.name));
  }

  build(pieces: readonly Piece[]): readonly M[] {
    for (let n = 0; n < pieces.length; n++) {
      const piece = pieces[n] as Piece;
      const next = pieces[n + 1];
      if ("fresh" in piece) {
        const both = next !== undefined && "fresh" in next && joins(piece.fresh, next.fresh);
        this.#out.push(this.#fresh(piece, both ? next.fresh.tool_calls : undefined));
        if (both) n += 1;
        continue;
      }
      const { at, part } = piece.source;
      this.#flush(at);
      const half =
        part === "text" && next !== undefined && "source" in next && next.source.at === at ? next : undefined;
      this.#out.push(this.#again(piece, half));
      if (half !== undefined) n += 1;
    }
    this.#flush(this.#original.length);
    return this.#out;
  }

  /** Outputs the originals before index `to` that `flatten` leaves out, so that they keep their place. */
  #flush(to: number): void {
    if (!this.#keepHidden) return;
    for (; this.#hidden < to; this.#hidden++) {
      const message = this.#original[this.#hidden] as M;
      if (!isShown(message)) this.#out.push(message);
    }
  }

  /**
   * Returns an original message with its edits. `calls` is the flat message with its tool calls, if that directly
   * follows the one with its text.
   */
  #again(piece: FromSource, calls: FromSource | undefined): M {
    const { at, part } = piece.source;
    const message = this.#original[at] as M;
    if (part === "whole") return piece.edited ? this.#retold(message, piece.flat.content) : message;
    const given = (message as M & Fields)["content"];
    const content: readonly Block[] = Array.isArray(given) ? given : [];
    const first = !this.#used.has(at);
    this.#used.add(at);
    const text = part === "text" ? piece : undefined;
    const called = part === "calls" ? piece : calls;
    let blocks: readonly Block[] = content;
    if (text === undefined) blocks = without(blocks, (block) => block.type === "text");
    else if (text.edited) blocks = putText(text.flat.content, blocks);
    if (called === undefined) blocks = without(blocks, isCall);
    else if (called.edited) blocks = this.#recalled(blocks, called.flat.tool_calls ?? []);
    // If a hook separated a message's text from its tool calls, only the first part keeps blocks such as thinking.
    if (!first) blocks = blocks.filter((block) => block.type === "text" || isCall(block));
    return blocks === content ? message : { ...message, content: blocks };
  }

  #retold(message: M, text: string): M {
    const fields = message as M & Fields;
    if (fields["content"] !== undefined)
      return { ...message, content: putText(text, fields["content"] as BlockContent) };
    const frame = frameOf(message.role);
    const whole = frame !== undefined && text.startsWith(frame.before) && text.endsWith(frame.after);
    if (whole && text.length >= frame.before.length + frame.after.length)
      return { ...message, summary: text.slice(frame.before.length, text.length - frame.after.length) };
    return { role: "user", content: text, timestamp: fields["timestamp"] } as unknown as M;
  }

  /** Replaces the tool calls among the blocks, in order; further calls are added, and missing ones removed. */
  #recalled(blocks: readonly Block[], given: readonly FlatCall[]): readonly Block[] {
    const before = new Map<string, CallBlock>();
    for (const block of blocks) if (isCall(block)) before.set(block.id, block);
    const made = given.map((call) => this.#call(call, before.get(call.id)));
    const out: Block[] = [];
    let nth = 0;
    for (const block of blocks) {
      if (!isCall(block)) out.push(block);
      else if (nth < made.length) out.push(made[nth++] as CallBlock);
    }
    out.push(...made.slice(nth));
    return out.length === blocks.length && out.every((block, i) => block === blocks[i]) ? blocks : out;
  }

  #call(call: FlatCall, before: CallBlock | undefined): CallBlock {
    const name =
      before !== undefined && this.#calls.name(before.name) === call.name ? before.name : this.#calls.tool(call.name);
    const old: CallArgs = before?.arguments ?? {};
    const put = this.#calls.putText(name, call.arguments, old);
    const args = put.ok ? put.args : old;
    if (before !== undefined && before.name === name && before.arguments === args) return before;
    return { ...before, type: "toolCall", id: call.id, name, arguments: args };
  }

  #fresh(
    { fresh, invented }: { readonly fresh: FlatMessage; readonly invented: boolean },
    calls = fresh.tool_calls,
  ): M {
    const timestamp = this.#timestamp();
    const text = fresh.content === "" ? [] : [{ type: "text", text: fresh.content }];
    const made: Record<string, () => object> = {
      assistant: () => ({
        role: "assistant",
        content: [...text, ...(calls ?? []).map((call) => this.#call(call, undefined))],
        ...this.#voice(),
        stopReason: calls === undefined ? "stop" : "toolUse",
        timestamp,
      }),
      tool: () => ({
        role: "toolResult",
        toolCallId: fresh.tool_call_id ?? "",
        toolName: this.#tools.get(fresh.tool_call_id ?? "") ?? "unknown",
        content: [{ type: "text", text: fresh.content }],
        isError: invented,
        timestamp,
      }),
    };
    return (made[fresh.role]?.() ?? { role: "user", content: fresh.content, timestamp }) as M;
  }

  /** Returns fields for a new assistant message: API, provider and model of the last one, and a usage of zero. */
  #voice(): Fields {
    const last = this.#original.findLast(({ role }) => role === "assistant") as (M & Fields) | undefined;
    return {
      api: last?.["api"] ?? "hook",
      provider: last?.["provider"] ?? "hook",
      model: last?.["model"] ?? "hook",
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
    };
  }

  /** Returns the time of the message before, or else of the first message, because this lens has no clock. */
  #timestamp(): unknown {
    const beside = (this.#out.at(-1) ?? this.#original.at(this.#keepHidden ? 0 : -1)) as (M & Fields) | undefined;
    return beside?.["timestamp"] ?? 0;
  }
}

const SHOWN = new Set(["user", "custom", "assistant", "toolResult", ...Object.keys(FRAMES)]);

function isShown(message: WholeMessage): boolean {
  if (message.role === "bashExecution") return (message as WholeMessage & Fields)["excludeFromContext"] !== true;
  return SHOWN.has(message.role);
}

function joins(text: FlatMessage, calls: FlatMessage): boolean {
  const said = text.role === "assistant" && text.tool_calls === undefined && text.content !== "";
  return said && calls.role === "assistant" && calls.tool_calls !== undefined;
}

function without(blocks: readonly Block[], which: (block: Block) => boolean): readonly Block[] {
  return blocks.some(which) ? blocks.filter((block) => !which(block)) : blocks;
}
