import { expect, test } from "vitest";
import { foldable } from "../../src/compact/fold.ts";
import { assistant, ids, result, sessionOf, user } from "./talk.ts";

const long = "é".repeat(801);

test("long results fold, the newest ten and those of exempt tools stay", () => {
  const calls = Array.from({ length: 13 }, (_, index) => `c${index}`);
  const store = sessionOf([
    user("go"),
    ...calls.flatMap((id, index) => [assistant("", [id]), result(id, long, index === 1 ? "todo" : "read")]),
  ]);
  expect(foldable(store.buildSessionProjection())).toEqual([
    { entryId: ids(store)[2], content: "[Previous: used read]" },
    { entryId: ids(store)[6], content: "[Previous: used read]" },
  ]);
});

test("results of 800 characters or fewer stay, however many bytes they are", () => {
  const store = sessionOf([
    assistant("", ["a"]),
    result("a", "é".repeat(800)),
    assistant("", ["b"]),
    result("b", long),
  ]);
  expect(foldable(store.buildSessionProjection(), 0)).toHaveLength(1);
});

test("what has been folded is not folded again", () => {
  const store = sessionOf([assistant("", ["a"]), result("a", long)]);
  const [folding] = foldable(store.buildSessionProjection(), 0);
  store.appendContextEdit(folding?.entryId ?? "", { content: folding?.content ?? "" });
  expect(foldable(store.buildSessionProjection(), 0)).toEqual([]);
});
