import { expect, test } from "vitest";
import { decidersOf, writersOf } from "../../src/hook/author.ts";

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

const allows = { source: "/p/settings.json:9", answer: { ruling: { decision: "allow", reason: "fine" } } };

test.each([
  [
    "a guard that has failed, whatever others answered after it",
    '"tool.before" was refused because hook "g" (/p/g.ts:2) could not judge it: broke',
    { source: "/p/g.ts:2" },
  ],
  [
    "the hook whose reason has the same digest",
    { type: "string", chars: 4, digest: "d034b0e7" },
    { source: "/p/g.ts:2", answer: { ruling: { decision: "deny", reason: { chars: 4, digest: "d034b0e7" } } } },
  ],
])("the decision is that of %s", (_, reason, decider) => {
  expect(decidersOf({ reason }, [decider, allows])).toEqual(["/p/g.ts:2"]);
});
