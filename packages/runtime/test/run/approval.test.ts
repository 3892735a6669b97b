import { describe, expect, test } from "vitest";
import type { Tier } from "../../../ground/src/error/diagnostic.ts";
import { mayAllow } from "../../src/run/attributed.ts";
import { dialectOf, openWith } from "../laws/session.ts";

const call = { toolCallId: "1", tool: "bash", args: { command: "ls" } };

type Said = readonly [lane: "a" | "b" | "library", tier: Tier, answer: object | (() => never)];

/** Returns the hook that is named for the outcome when these hooks answer, in the order of registration. */
async function namedFor(event: "tool.before" | "approval.requested", answers: readonly Said[]) {
  const { session, runtime } = await openWith({
    dialects: [dialectOf("a", event, () => {}), dialectOf("b", event, () => {})],
  });
  for (const [index, [lane, tier, answer]] of answers.entries()) {
    const run = typeof answer === "function" ? (answer as () => never) : () => answer;
    if (lane === "library") session.on(event, run as never);
    else session.attach(lane, { path: `/${lane}${index}`, tier }).instance.on({ event, run });
  }
  const outcome = await session.emit(event, call);
  await runtime.close();
  return { decision: outcome.answer.decision, by: outcome.by };
}

describe("an outcome names whose hooks it comes from", () => {
  test("if a call needs approval: those that ask, and no others", async () => {
    const ask = { decision: "ask" };
    expect(
      await namedFor("tool.before", [
        ["a", "user", ask],
        ["a", "project", { decision: "allow" }],
        ["a", "project", ask],
        ["a", "user", ask],
        ["b", "project", {}],
        ["library", "builtin", { ...ask, reason: "sure?" }],
      ]),
    ).toEqual({
      decision: "ask",
      by: [
        { lane: "a", tier: "user" },
        { lane: "a", tier: "project" },
        { lane: "library", tier: "builtin" },
      ],
    });
  });

  test("none if the outcome is another one", async () => {
    expect(
      await namedFor("tool.before", [
        ["a", "user", { decision: "ask" }],
        ["b", "user", { decision: "deny" }],
      ]),
    ).toEqual({
      decision: "deny",
      by: undefined,
    });
    expect(await namedFor("tool.before", [["a", "user", { decision: "allow" }]])).toMatchObject({ by: undefined });
  });

  test("those that allow, if an approval is asked for; a failed hook does not", async () => {
    const fails = (): never => {
      throw new Error("broken");
    };
    expect(
      await namedFor("approval.requested", [
        ["a", "project", { decision: "allow" }],
        ["b", "user", fails],
      ]),
    ).toEqual({ decision: "allow", by: [{ lane: "a", tier: "project" }] });
  });
});

describe("an approval may be answered", () => {
  const of = (text: string) =>
    text === ""
      ? []
      : text.split(" ").map((one) => {
          const [lane = "", tier = ""] = one.split(":");
          return { lane, tier };
        });
  test.each([
    // Columns: who allows, who asks, whether that counts.
    ["claude:user", "claude:user", true],
    ["claude:user", "claude:project", true],
    ["claude:managed", "claude:user claude:project", true],
    ["library:builtin", "library:builtin", true],
    ["claude:project", "claude:project", true],
    ["claude:project", "claude:user", false],
    ["claude:user", "claude:managed", false],
    ["claude:project", "claude:user claude:project", false],
    ["claude:project claude:user", "claude:user claude:project", true],
    ["claude:user", "pi:project", false],
    ["claude:user", "claude:user pi:project", false],
    ["claude:user pi:user", "claude:user pi:project", true],
    ["library:builtin", "claude:project", false],
    ["jcli:project", "jcli:session", false],
    ["jcli:session", "jcli:project", false],
    ["claude:unknown", "claude:unknown", false],
    ["claude:user", "claude:unknown", false],
    ["claude:user", "", false],
    ["", "claude:user", false],
  ])("by %s for %s: %s", (allowedBy, askedBy, counts) => {
    expect(mayAllow(of(allowedBy), of(askedBy))).toBe(counts);
  });
});
