import { describe, expect, test } from "vitest";
import { CODES } from "../../src/error/codes.ts";
import { diagnose } from "../../src/error/diagnostic.ts";
import { HooklineError, messageOf } from "../../src/error/error.ts";
import { nearest } from "../../src/error/nearest.ts";

describe("the table of codes", () => {
  test.each(Object.entries(CODES))("%s says what happened and what to do", (_, row) => {
    expect(row.message.length).toBeGreaterThan(10);
    // `{remedy}` is filled in where the problem is found.
    expect(row.hint === "{remedy}" || row.hint.length > 10).toBe(true);
    expect(row.message).not.toMatch(/\.$/);
    expect(row.hint).toMatch(/[.?]$|\}$/);
  });

  test("a message is filled from its details, and a gap stays visible", () => {
    expect(diagnose("HOOK_TIMED_OUT", { hook: "h", place: "/a:3", event: "stop" }).message).toBe(
      'Hook "h" (/a:3) timed out on stop after {timeoutMs} ms',
    );
  });
});

describe("what is thrown", () => {
  test("an error is recognised across copies of the package", () => {
    const error = new HooklineError("UNKNOWN_EVENT", { event: "tool.befor", guess: 'Did you mean "tool.before"? ' });
    expect(HooklineError.isInstance(error)).toBe(true);
    expect(HooklineError.isInstance(new Error("x"))).toBe(false);
    expect(error.message).toBe('There is no event "tool.befor"');
    expect(error.hint).toContain('"tool.before"');
  });

  test.each([
    [new Error("boom"), "boom"],
    ["text", "text"],
    [undefined, "undefined"],
    [{ message: 5 }, "5"],
  ])("the text of %o is %s", (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });

  test("something with a hostile getter has a text as well", () => {
    const hostile = Object.defineProperty({}, "message", {
      get() {
        throw new Error("hostile");
      },
    });
    expect(messageOf(hostile)).toBe("it threw a value that cannot be shown");
  });
});

test.each([
  ["pre_tool_excution", ["pre_tool_execution", "post_tool_execution"], "pre_tool_execution"],
  ["TOOL.BEFORE", ["tool.after", "tool.before"], "tool.before"],
  ["x", [], undefined],
  ["no_such_event", ["model_select", "tool_call", "session_start"], undefined],
  ["unknown_future_event", ["auto_retry_end", "turn_end"], undefined],
])("the nearest to %s is found", (word, candidates, best) => {
  expect(nearest(word, candidates)).toBe(best);
});
