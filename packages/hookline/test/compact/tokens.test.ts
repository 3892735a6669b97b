import { expect, test } from "vitest";
import { COMPACTION_DEFAULTS, limitsFor } from "../../src/compact/settings.ts";
import { contextSize, tokensOf } from "../../src/compact/tokens.ts";
import { assistant, result, sessionOf, user } from "./talk.ts";

test.each([
  [user("12345678"), 2],
  [user("123456789"), 3],
  [assistant("abcd", ["c1"]), 7],
  [result("c1", "x".repeat(400)), 100],
  [{ ...result("c1", ""), content: [{ type: "image" as const, data: "", mimeType: "image/png" }] }, 1200],
])("%j takes %i tokens", (message, tokens) => {
  expect(tokensOf(message)).toBe(tokens);
});

test("the provider's count stands for everything up to its reply, the rest is estimated", () => {
  const store = sessionOf([user("x".repeat(4000)), assistant("ok", [], 700), user("y".repeat(40))]);
  expect(contextSize(store.buildSessionProjection(), () => 99)).toEqual({ tokens: 710, measured: 700 });
});

test("without a count, and after an edit or a compaction, all is estimated", () => {
  const plain = sessionOf([user("x".repeat(400)), assistant("okay")]);
  expect(contextSize(plain.buildSessionProjection(), () => 50)).toEqual({ tokens: 151, measured: 0 });

  const edited = sessionOf([user("x".repeat(400)), assistant("ok", [], 700)]);
  const [first = ""] = edited.getEntries().map(({ id }) => id);
  edited.appendContextEdit(first, { content: "xxxx" });
  expect(contextSize(edited.buildSessionProjection())).toEqual({ tokens: 2, measured: 0 });

  const compacted = sessionOf([user("old"), assistant("ok", [], 700)]);
  compacted.appendCompaction("sum!", compacted.getLeafId(), 700);
  expect(contextSize(compacted.buildSessionProjection())).toEqual({ tokens: 2, measured: 0 });
  compacted.appendMessage(user("next") as never);
  compacted.appendMessage(assistant("new", [], 90));
  expect(contextSize(compacted.buildSessionProjection())).toEqual({ tokens: 90, measured: 90 });
});

test("a failed reply counts nothing", () => {
  const failed = { ...assistant("", [], 900), stopReason: "error" as const };
  expect(contextSize(sessionOf([user("abcd"), failed]).buildSessionProjection())).toEqual({ tokens: 1, measured: 0 });
});

test("limits follow from window and settings; a small window is used by half", () => {
  expect(limitsFor(COMPACTION_DEFAULTS, 200_000)).toEqual({ compactOver: 183_616, foldOver: 110_169, keep: 20_000 });
  expect(limitsFor(COMPACTION_DEFAULTS, 8000)).toEqual({ compactOver: 4000, foldOver: 2400, keep: 2000 });
  expect(limitsFor({ ...COMPACTION_DEFAULTS, threshold: 50_000 }, 200_000).compactOver).toBe(50_000);
  expect(limitsFor({ ...COMPACTION_DEFAULTS, threshold: 500_000 }, 200_000).compactOver).toBe(200_000);
});
