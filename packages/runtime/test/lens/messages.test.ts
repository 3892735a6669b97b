import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../../src/catalog/message.ts";
import { callLens } from "../../src/lens/call.ts";
import { type FlatMessage, flatten, newMessages, orphansOf, putMessages } from "../../src/lens/messages.ts";
import { NO_RESULT, pairUp } from "../../src/lens/pairs.ts";

const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "sig" } as const;
const usage = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const user = (text: string, withImage = false): UserMessage => ({
  role: "user",
  content: withImage ? [{ type: "text", text }, image] : text,
  timestamp: 1,
});
const assistant = (text: string, ...ids: string[]): AssistantMessage => ({
  role: "assistant",
  content: [
    thinking,
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...ids.map((id) => ({ type: "toolCall" as const, id, name: "bash", arguments: { command: `run ${id}` } })),
  ],
  api: "api",
  provider: "provider",
  model: "model",
  usage,
  stopReason: ids.length > 0 ? "toolUse" : "stop",
  timestamp: 2,
});
const result = (id: string, text: string): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "bash",
  content: [{ type: "text", text }, image],
  details: { exitCode: 0 },
  isError: false,
  timestamp: 3,
});
const hidden: Message = {
  role: "bashExecution",
  command: "ls",
  output: "",
  cancelled: false,
  truncated: false,
  excludeFromContext: true,
  timestamp: 4,
};
const summary: Message = { role: "compactionSummary", summary: "before", tokensBefore: 9, timestamp: 0 };
const note: Message = { role: "custom", customType: "note", content: "note", display: true, timestamp: 5 };

const words = fc.constantFrom("a", "b", "hello", "two\nlines", "");

/** Histories as an agent makes them: every call has its result behind it, ids are never used twice. */
const history: fc.Arbitrary<Message[]> = fc
  .array(fc.record({ kind: fc.nat(5), text: words, calls: fc.nat(3), extra: fc.boolean() }), { maxLength: 8 })
  .map((turns) => {
    let id = 0;
    return turns.flatMap(({ kind, text, calls, extra }): Message[] => {
      if (kind === 0) return [user(text, extra)];
      if (kind === 1) return [note];
      if (kind === 2) return [summary];
      if (kind === 3) return [hidden];
      const ids = Array.from({ length: calls }, () => `c${id++}`);
      return [assistant(text, ...ids), ...ids.map((one) => result(one, `${text} ${one}`))];
    });
  });

type Change = { readonly kind: number; readonly at: number; readonly text: string };
const changes = fc.array(fc.record({ kind: fc.nat(4), at: fc.nat(30), text: fc.constantFrom("new", "other", "a") }), {
  maxLength: 4,
});

function change(flat: readonly FlatMessage[], { kind, at, text }: Change): readonly FlatMessage[] {
  const n = flat.length === 0 ? 0 : at % flat.length;
  const one = flat[n];
  if (one === undefined || kind === 0) return flat.toSpliced(n, 0, { role: "user", content: text });
  if (kind === 1) return flat.toSpliced(n, 1);
  if (kind === 2) return one.tool_calls === undefined ? flat.with(n, { ...one, content: text }) : flat;
  if (kind === 3) return flat.toSpliced(n, 0, { role: "assistant", content: text });
  return flat.toSpliced(n, 1).toSpliced(at % flat.length, 0, one);
}

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe("laws of the messages lens", () => {
  it("an echo is no edit and keeps the list's identity", () => {
    fc.assert(
      fc.property(history, (original) => {
        expect(putMessages(parsed(flatten(original)), original)).toBe(original);
      }),
    );
  });

  it("what was put is what is seen, with calls and results paired", () => {
    fc.assert(
      fc.property(history, changes, (original, edits) => {
        const given = edits.reduce<readonly FlatMessage[]>(change, flatten(original));
        const shown = flatten(putMessages(parsed([...given]), original));
        expect(shown).toEqual(pairUp(given).messages);
      }),
      { numRuns: 500 },
    );
  });

  it("messages that were not changed are the same objects, and hidden ones stay", () => {
    fc.assert(
      fc.property(history, fc.nat(30), (original, at) => {
        const given = flatten(original);
        const edited = change(given, { kind: 0, at, text: "inserted" });
        const put = putMessages(parsed([...edited]), original);
        const torn = original.filter((message) => !put.includes(message));
        for (const message of torn) expect(message.role).toBe("assistant");
        expect(torn.length).toBeLessThanOrEqual(1);
        expect(put.filter((message) => message === hidden).length).toBe(original.filter((m) => m === hidden).length);
      }),
    );
  });

  it("an edited message keeps everything that flat messages do not show", () => {
    fc.assert(
      fc.property(history, fc.nat(30), (original, at) => {
        const given = flatten(original);
        fc.pre(given.length > 0);
        const edited = change(given, { kind: 2, at, text: "edited" });
        const put = putMessages(parsed([...edited]), original);
        expect(put.length).toBe(original.length);
        const others = (messages: readonly Message[]): unknown[] =>
          messages.flatMap((message) =>
            "content" in message && Array.isArray(message.content)
              ? (message.content as { type: string }[]).filter((block) => block.type !== "text")
              : [],
          );
        expect(others(put)).toEqual(others(original));
      }),
    );
  });

  it("puts the same list twice to the same effect", () => {
    fc.assert(
      fc.property(history, changes, (original, edits) => {
        const given = edits.reduce<readonly FlatMessage[]>(change, flatten(original));
        const once = putMessages(given, original);
        expect(putMessages(flatten(once), once)).toBe(once);
      }),
    );
  });
});

describe("flatten", () => {
  it("shows an assistant message with text and calls as two, without its thinking", () => {
    expect(flatten([user("hi", true), assistant("I look", "c1"), result("c1", "out")])).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "I look" },
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "bash", arguments: '{"command":"run c1"}' }] },
      { role: "tool", content: "out", tool_call_id: "c1" },
    ]);
  });

  it("shows summaries, notes and commands as the model is told of them, and excluded commands not at all", () => {
    const ran = { ...hidden, excludeFromContext: false, output: "a.txt", exitCode: 2 } as Message;
    const branch: Message = { role: "branchSummary", summary: "went wrong", fromId: "x", timestamp: 0 };
    expect(flatten([summary, branch, note, ran, hidden]).map(({ content }) => content)).toEqual([
      "The conversation history before this point was compacted into the following summary:\n\n<summary>\nbefore\n</summary>",
      "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nwent wrong</summary>",
      "note",
      "Ran `ls`\n```\na.txt\n```\n\nCommand exited with code 2",
    ]);
  });

  it("spells tools as the dialect does, both ways", () => {
    const calls = callLens({ bash: { name: "Bash", args: { command: "cmd" } } });
    const original = [assistant("", "c1"), result("c1", "out")];
    const flat = flatten(original, calls);
    expect(flat[0]?.tool_calls).toEqual([{ id: "c1", name: "Bash", arguments: '{"cmd":"run c1"}' }]);
    expect(putMessages(flat, original, calls)).toBe(original);
    const call = { id: "c1", name: "Bash", arguments: '{"cmd":"ls"}' };
    const [edited] = putMessages([{ role: "assistant", tool_calls: [call] }, flat[1] as FlatMessage], original, calls);
    expect((edited as AssistantMessage).content).toEqual([
      thinking,
      { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
    ]);
  });
});

describe("putMessages", () => {
  const original = [
    user("one", true),
    assistant("look", "c1", "c2"),
    result("c1", "r1"),
    result("c2", "r2"),
    user("two"),
  ];
  const flat = flatten(original);

  it("edits a text in place and keeps the image beside it", () => {
    const put = putMessages(flat.with(0, { role: "user", content: "ONE" }), original);
    expect(put[0]).toEqual({ ...original[0], content: [{ type: "text", text: "ONE" }, image] });
    expect(put.slice(1).every((message, i) => message === original[i + 1])).toBe(true);
  });

  it("edits one half of a message that flat messages split", () => {
    const put = putMessages(flat.with(1, { role: "assistant", content: "looked" }), original);
    expect(put.length).toBe(5);
    expect((put[1] as AssistantMessage).content.map((block) => block.type)).toEqual([
      "thinking",
      "text",
      "toolCall",
      "toolCall",
    ]);
  });

  it("keeps the calls of a message whose text is removed", () => {
    const put = putMessages(flat.toSpliced(1, 1), original);
    expect((put[1] as AssistantMessage).content.map((block) => block.type)).toEqual([
      "thinking",
      "toolCall",
      "toolCall",
    ]);
  });

  it("finds an edited tool result by its call id among other changes", () => {
    const given = flat
      .toSpliced(0, 1)
      .map((message) => (message.tool_call_id === "c2" ? { ...message, content: "short" } : message))
      .toSpliced(3, 0, { role: "user", content: "extra" });
    const put = putMessages(given, original);
    expect(put.find((message) => message.role === "toolResult" && message.toolCallId === "c2")).toEqual({
      ...original[3],
      content: [{ type: "text", text: "short" }, image],
    });
  });

  it("gives back the original object of a message that was moved", () => {
    const put = putMessages([flat.at(-1) as FlatMessage, ...flat.slice(0, -1)], original);
    expect(put[0]).toBe(original[4]);
    expect(put[1]).toBe(original[0]);
  });

  it("drops a result without its call and gives a call without result one that says so", () => {
    expect(flatten(putMessages(flat.toSpliced(2, 1), original)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
    const put = putMessages(flat.toSpliced(4, 1), original);
    expect(put[3]).toMatchObject({
      role: "toolResult",
      toolCallId: "c2",
      toolName: "bash",
      isError: true,
      content: [{ type: "text", text: NO_RESULT }],
    });
    expect(orphansOf(flat.toSpliced(2, 1))).toEqual(["c1", "c2"]);
  });

  it("brings a result back to its call when another message was put between them", () => {
    const put = putMessages(flat.toSpliced(4, 0, { role: "user", content: "between" }), original);
    expect(put.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "toolResult", "user", "user"]);
    expect(put[3]).toBe(original[3]);
  });

  it("keeps the calls of two turns with the same id apart", () => {
    const twice = [assistant("", "c"), result("c", "1"), user("next"), assistant("", "c"), result("c", "2")];
    const put = putMessages(flatten(twice).toSpliced(1, 1), twice);
    expect(flatten(put).map(({ content }) => content)).toEqual(["", NO_RESULT, "next", "", "2"]);
    expect(put.at(-1)).toBe(twice.at(-1));
  });

  it("makes a list of only new messages", () => {
    const put = putMessages(
      [
        { role: "system", content: "s" },
        { role: "assistant", content: "t", tool_calls: [] },
      ],
      original,
    );
    expect(put).toEqual([
      { role: "user", content: "s", timestamp: 1 },
      {
        role: "assistant",
        content: [{ type: "text", text: "t" }],
        api: "api",
        provider: "provider",
        model: "model",
        usage: expect.objectContaining({ totalTokens: 0 }),
        stopReason: "stop",
        timestamp: 1,
      },
    ]);
  });

  it("takes a summary's new text out of its frame, and makes a rewritten one a user message", () => {
    const [shown] = flatten([summary]) as [FlatMessage];
    const inside = { ...shown, content: shown.content.replace("\nbefore\n", "\nafter\n") };
    expect(putMessages([inside], [summary])).toEqual([{ ...summary, summary: "after" }]);
    expect(putMessages([{ role: "user", content: "x" }], [summary])).toEqual([
      { role: "user", content: "x", timestamp: 0 },
    ]);
  });

  it("keeps the old arguments of a call whose new ones are not JSON", () => {
    const call = { id: "c1", name: "bash", arguments: "not json" };
    const put = putMessages(
      [
        { role: "assistant", tool_calls: [call] },
        { role: "tool", content: "r1", tool_call_id: "c1" },
      ],
      original,
    );
    expect((put[0] as AssistantMessage).content.find((block) => block.type === "toolCall")).toMatchObject({
      arguments: { command: "run c1" },
    });
  });

  it("aligns ten thousand messages with a few edits", () => {
    const long = Array.from({ length: 10_000 }, (_, n) => (n % 2 === 0 ? user(`u${n}`) : assistant(`a${n}`)));
    const given = flatten(long).with(5000, { role: "user", content: "changed" }).toSpliced(20, 1);
    const put = putMessages(given, long);
    expect(put.length).toBe(9999);
    expect(put.filter((message) => !long.includes(message as never)).length).toBe(1);
  });
});

describe("newMessages", () => {
  it("makes messages of flat ones beside a conversation", () => {
    expect(newMessages([{ role: "user", content: "note" }], [user("hi"), assistant("ok")])).toEqual([
      { role: "user", content: "note", timestamp: 2 },
    ]);
  });

  it("joins a new text and the new calls behind it into one message", () => {
    const made = newMessages(
      [
        { role: "assistant", content: "look", tool_calls: [{ id: "n1", name: "bash", arguments: '{"command":"ls"}' }] },
        { role: "tool", content: "out", tool_call_id: "n1" },
      ],
      [],
    ) as readonly Message[];
    expect(made.map(({ role }) => role)).toEqual(["assistant", "toolResult"]);
    expect(made[1]).toMatchObject({ toolCallId: "n1", toolName: "bash", isError: false });
  });
});

describe("a damaged history", () => {
  const damaged = [
    { role: "user", timestamp: 1 },
    { role: "assistant", content: null, timestamp: 2 },
    { role: "constructor", timestamp: 3 },
    { role: "toolResult", toolCallId: "c", content: 5, timestamp: 4 },
  ];

  it("is shown as far as it says something, and echoed as it is", () => {
    expect(flatten(damaged)).toEqual([
      { role: "user", content: "" },
      { role: "assistant", content: "" },
      { role: "tool", content: "", tool_call_id: "c" },
    ]);
    expect(putMessages(flatten(damaged), damaged)).toBe(damaged);
  });

  it("keeps what an edit elsewhere does not concern", () => {
    const put = putMessages([...flatten(damaged).slice(0, 2), { role: "user", content: "new" }], damaged);
    expect(put.slice(0, 2)).toEqual(damaged.slice(0, 2));
    expect(put.slice(2)).toEqual([{ role: "user", content: "new", timestamp: 2 }, damaged[2]]);
  });
});
