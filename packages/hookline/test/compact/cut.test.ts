import type { Message } from "@hookline/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findCut } from "../../src/compact/cut.ts";
import { prepareCompaction } from "../../src/compact/prepare.ts";
import { COMPACTION_DEFAULTS } from "../../src/compact/settings.ts";
import { assistant, result, sessionOf, user } from "./talk.ts";

const k = "x".repeat(4000);
const about = { tokensBefore: 1, settings: COMPACTION_DEFAULTS };

test("the newest tokens stay, from the message that reaches the limit on", () => {
  const { entries } = sessionOf([user(k), assistant(k), user(k), assistant(k)]).buildSessionProjection();
  expect(findCut(entries, 0, 1500)).toEqual({ first: 2 });
  expect(findCut(entries, 0, 500)).toEqual({ first: 3, turn: 2 });
  expect(findCut(entries, 0, 100_000)).toEqual({ first: 0 });
});

test("results that are over the limit by themselves stay with their call", () => {
  const { entries } = sessionOf([user("go"), assistant("", ["a"]), result("a", k + k)]).buildSessionProjection();
  expect(findCut(entries, 0, 100)).toEqual({ first: 1, turn: 0 });
});

test("entries without messages before the cut go with what is kept", () => {
  const store = sessionOf([user(k), assistant(k)]);
  store.appendModelChange("p", "m");
  store.appendMessage(user(k) as never);
  const { entries } = store.buildSessionProjection();
  expect(findCut(entries, 0, 900)).toEqual({ first: 2 });
});

test("there is nothing to cut where there are no messages, or only results", () => {
  expect(findCut([], 0, 1)).toBeUndefined();
  expect(findCut(sessionOf([result("a", k)]).buildSessionProjection().entries, 0, 1)).toBeUndefined();
});

/** A conversation of whole turns: each call has its result right behind it. */
const conversation = fc
  .array(
    fc.oneof(
      fc.nat(400).map((length) => [user("u".repeat(length + 1))]),
      fc.nat(400).map((length) => [assistant("a".repeat(length + 1))]),
      fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(3000)).map(([calls, length]) => {
        const names = Array.from({ length: calls }, (_, index) => `c${index}`);
        return [assistant("", names), ...names.map((name) => result(name, "r".repeat(length)))];
      }),
    ),
    { maxLength: 40 },
  )
  .map((turns) => turns.flat() as Message[]);

test("no cut ever divides a call from its result, and nothing is lost between the parts", () => {
  fc.assert(
    fc.property(conversation, fc.nat(5000), (messages, keep) => {
      const projection = sessionOf(messages).buildSessionProjection();
      const preparation = prepareCompaction(projection, { ...about, keep });
      if (preparation === undefined) return;
      const { messagesToSummarize, turnPrefixMessages, recentMessages } = preparation;
      expect([...messagesToSummarize, ...turnPrefixMessages, ...recentMessages]).toEqual(messages);
      for (const part of [[...messagesToSummarize, ...turnPrefixMessages], recentMessages]) {
        let open = 0;
        for (const message of part) {
          if (message.role === "toolResult") {
            open -= 1;
            expect(open).toBeGreaterThanOrEqual(0);
          } else if (message.role === "assistant") {
            expect(open).toBe(0);
            open = message.content.filter(({ type }) => type === "toolCall").length;
          }
        }
        expect(open).toBe(0);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a preparation names the files, the previous summary and what the cut divides", () => {
  const store = sessionOf([user("old"), assistant("", ["seen"]), result("seen", k), user("new"), assistant(k)]);
  store.appendCompaction("so far", store.getEntries()[3]?.id ?? "", 10, { readFiles: ["was.txt"], modifiedFiles: [] });
  store.appendMessage(user(k) as never);
  store.appendMessage(assistant(k, ["next"]));
  store.appendMessage(result("next", "r"));
  const preparation = prepareCompaction(store.buildSessionProjection(), { ...about, keep: 100 });
  expect(preparation).toMatchObject({ previousSummary: "so far", isSplitTurn: true });
  expect(preparation?.turnPrefixMessages.map(({ role }) => role)).toEqual(["user"]);
  expect(preparation?.messagesToSummarize.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect([...(preparation?.fileOps.read ?? [])]).toEqual(["was.txt"]);
});
