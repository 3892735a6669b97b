import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { Sitting } from "../support/sitting.ts";

const BODY = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
const REPLIES = [
  { error: { status: 529, message: BODY } },
  { error: { status: 500, message: "internal" } },
  { text: "third time lucky" },
];

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.write("~/.hookline/settings.json", '{ "retry": { "baseDelayMs": 100, "maxRetries": 2 } }');
  place.write("script.json", JSON.stringify({ replies: REPLIES }));
});
afterEach(() => place.remove());

test("in print mode each retry is one line on stderr, with the reason, the wait and the attempt", async () => {
  const ran = await place.run(["--script", "script.json", "-p", "go"]);
  expect(ran).toMatchObject({ code: 0, out: "third time lucky\n" });
  expect(ran.err.trimEnd().split("\n")).toEqual([
    "The provider failed: 529 Overloaded. Trying again in 0.1 s (retry 1 of 2).",
    "The provider failed: 500 internal. Trying again in 0.2 s (retry 2 of 2).",
  ]);
});

test("in JSON mode each retry is an event with the provider's words, and stderr is empty", async () => {
  const ran = await place.run(["--script", "script.json", "--mode", "json", "-p", "go"]);
  expect(ran.err).toBe("");
  const events = ran.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type.startsWith("auto_retry"));
  expect(events).toMatchObject([
    { type: "auto_retry_start", attempt: 1, maxAttempts: 2, delayMs: 100, errorMessage: expect.stringContaining(BODY) },
    { type: "auto_retry_start", attempt: 2, maxAttempts: 2, delayMs: 200 },
    { type: "auto_retry_end", success: true, attempt: 2 },
  ]);
});

test("on a screen each retry is a line below its reason, and a final error is shown once", async () => {
  await using sitting = await Sitting.start({
    files: { "~/.hookline/settings.json": '{ "retry": { "baseDelayMs": 60000, "maxRetries": 2 } }' },
    replies: REPLIES,
  });
  const { terminal } = sitting;
  sitting.say("go");
  expect(await terminal.until("(retry 1 of 2)")).toMatch(
    /Error: 529 Overloaded\s+! Trying again in 60 s \(retry 1 of 2\)/,
  );
  terminal.press("escape");
  await terminal.until((screen) => !screen.includes("Esc gives up"));
  await terminal.settled();
  expect(terminal.text().match(/Overloaded/g)).toHaveLength(1);
});
