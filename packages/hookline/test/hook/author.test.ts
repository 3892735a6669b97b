import { expect, test } from "vitest";
import { writersOf } from "../../src/hook/author.ts";

const skips = {
  place: "/p/.jcli/hooks.yaml:2",
  answer: { action: "skip", retry_feedback: "Move it to trash/.\nAsk first." },
};
const blocks = { place: "/p/.pi/extensions/guard.ts:4", answer: { block: true, reason: "no rm" } };

test.each([
  ["a text of a hook alone", "no rm", ["/p/.pi/extensions/guard.ts:4"]],
  [
    "behind words of the dialect",
    "Tool call skipped by hook: Move it to trash/.\nAsk first.",
    ["/p/.jcli/hooks.yaml:2"],
  ],
  [
    "the texts of two hooks",
    "Move it to trash/.\nAsk first.\nno rm",
    ["/p/.jcli/hooks.yaml:2", "/p/.pi/extensions/guard.ts:4"],
  ],
  ["a part of a hook's lines", "Tool call skipped by hook: Move it to trash/.", []],
  ["a text that only ends in the same words", "There is no rm", []],
  ["a text of no hook", "Nobody could be asked.", []],
])("%s is the text of the hooks that wrote it", (_, text, places) => {
  expect(writersOf(text, [skips, blocks])).toEqual(places);
});
