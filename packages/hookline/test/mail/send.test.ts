import { expect, test } from "vitest";
import type { Letter } from "../../src/mail/letter.ts";
import { letterBlock, readLetter } from "../../src/mail/letter.ts";
import { type Post, send } from "../../src/mail/send.ts";
import { validateArguments } from "../../src/tool/schema.ts";
import { createSendMessageTool } from "../../src/tool/send-message.ts";

interface Recorded extends Post {
  readonly letters: Letter[];
  readonly events: [string, unknown][];
}

/** A post whose hooks answer so. */
function post(answer: object = {}, failure?: string): Recorded {
  const letters: Letter[] = [];
  const events: [string, unknown][] = [];
  return {
    from: "me",
    letters,
    events,
    deliver: async (letter) => {
      if (failure !== undefined) throw new Error(failure);
      letters.push(letter);
    },
    emit: async (event, payload) => {
      events.push([event, payload]);
      return { answer: event === "mail.before" ? answer : {} } as never;
    },
  };
}

test("a letter that nobody claims goes into the inbox, and the hooks hear the result in the model's words", async () => {
  const at = post();
  const result = "Message delivered to 'you' via local inbox";
  expect(await send(at, { to: "you", content: "hi" })).toEqual({ text: result, delivered: true });
  expect(at.letters).toMatchObject([{ from: "me", to: "you", content: "hi" }]);
  expect(at.events).toEqual([
    ["mail.before", { from: "me", to: "you", content: "hi" }],
    ["mail.after", { from: "me", to: "you", content: "hi", result }],
  ]);
});

test("a claimed letter reaches no inbox and says which way it went", async () => {
  const at = post({ delivered: true, via: "pigeon" });
  expect((await send(at, { to: "xmpp:a@b", content: "hi" })).text).toBe("Message delivered to 'xmpp:a@b' via pigeon");
  expect(at.letters).toEqual([]);
  expect(at.events.at(-1)?.[1]).toMatchObject({ result: "Message delivered to 'xmpp:a@b' via pigeon" });
});

test("the sender that a letter names takes the context's place", async () => {
  const at = post();
  await send(at, { to: "you", content: "hi", from: "someone" });
  expect(at.letters[0]?.from).toBe("someone");
});

test.each([
  [{ to: "", content: "x" }, "Error: 'to' field is required"],
  [{ to: "you", content: "" }, "Error: 'content' field is required"],
])("what is missing in %j is named, and no hook is asked", async (about, text) => {
  const at = post();
  expect(await send(at, about)).toEqual({ text, delivered: false });
  expect(at.events).toEqual([]);
});

test("a delivery that fails is told to the model and to the hooks", async () => {
  const at = post({}, "the disk is full");
  const text = "Error delivering message: the disk is full";
  expect(await send(at, { to: "you", content: "hi" })).toEqual({ text, delivered: false });
  expect(at.events.at(-1)).toEqual(["mail.after", { from: "me", to: "you", content: "hi", result: text }]);
});

test("the tool answers a call that leaves fields out in chibi's words", async () => {
  const tool = createSendMessageTool(() => post());
  const args = validateArguments(tool as never, tool.prepareArguments?.({ to: "you" }));
  const result = await tool.execute("1", args as never, undefined, undefined, undefined);
  expect(result).toMatchObject({ content: [{ text: "Error: 'content' field is required" }], isError: true });
});

test("letters stand in one block before the prompt", () => {
  expect(
    letterBlock([
      { from: "a", content: "one" },
      { from: "b", content: "two" },
    ]),
  ).toBe("--- INBOX MESSAGES ---\n[From: a] one\n[From: b] two\n--- END INBOX ---\n\n");
});

test("only sender and text are needed of a line", () => {
  expect(readLetter('{"from":"a","content":"b","extra":1}')).toEqual({ from: "a", content: "b" });
  expect(readLetter('{"from":"a"}')).toBeUndefined();
  expect(readLetter("nonsense")).toBeUndefined();
});
