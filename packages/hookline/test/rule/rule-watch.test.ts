import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../../src/provider/provider.ts";
import { readScopes } from "../../src/rule/find.ts";
import type { ReadyRule, Rule } from "../../src/rule/rule.ts";
import { RuleWatch } from "../../src/rule/watch.ts";

const always = { interruptMode: "always" } as const;

function ready(name: string, pattern: RegExp, scope: readonly string[] = [], more: Partial<Rule> = {}): ReadyRule {
  const rule: Rule = { name, path: `${name}.md`, content: name, tier: "user", ...more };
  return { rule, patterns: [pattern], scopes: readScopes(scope, more.globs).scopes };
}

/** A piece of a part of a reply; a tool's part is a call of `write`. */
function piece(kind: "text" | "thinking" | "toolcall", delta: string): StreamEvent {
  const block =
    kind === "toolcall" ? { type: "toolCall", id: "call_1", name: "write", arguments: {} } : { type: "text", text: "" };
  return { type: `${kind}_delta`, contentIndex: 0, delta, partial: { content: [block] } as never };
}

describe("scopes", () => {
  test.each([
    [[], ["text", "tool"]],
    [["text"], ["text"]],
    [
      ["thinking", "toolcall"],
      ["thinking", "tool"],
    ],
    [["tool:edit"], ["tool"]],
    [["nonsense"], []],
  ])("%j is %j", (tokens, parts) => {
    expect(readScopes(tokens).scopes.map(({ part }) => part)).toEqual(parts);
  });

  test("an invalid scope is named", () => {
    expect(readScopes(["text", "prose"]).unknown).toEqual(["prose"]);
  });

  test("globs limit every tool scope without its own globs", () => {
    const { scopes } = readScopes(["tool:write(*.md)", "tool:edit", "text"], ["*.ts", "src/**"]);
    expect(scopes.map(({ part, fits }) => [part, fits?.("a.ts"), fits?.("a.md")])).toEqual([
      ["tool", false, true],
      ["tool", true, false],
      ["tool", false, false],
      ["text", undefined, undefined],
    ]);
  });
});

describe("a watch over one reply", () => {
  test("a match over several pieces is found once", () => {
    const watch = new RuleWatch([ready("foo", /foo/)], always);
    expect(watch.see(piece("text", "f"))).toBeUndefined();
    expect(watch.see(piece("text", "oo"))).toMatchObject({ part: "text", interrupts: true });
    expect(watch.see(piece("text", " foo"))).toBeUndefined();
  });

  test("an expression that takes too long is ended, reported once and affects no other rule", () => {
    const slow = ready("slow", /(a+)+$/);
    const told: string[] = [];
    const watch = new RuleWatch([slow, ready("quick", /!$/)], always, ({ name }) => told.push(name));
    const hit = watch.see(piece("text", `${"a".repeat(60)}!`));
    expect(hit?.rules.map(({ name }) => name)).toEqual(["quick"]);
    expect(told).toEqual(["slow"]);
    // Nor is it tried with the next reply.
    const next = new RuleWatch([slow], always, ({ name }) => told.push(name));
    expect(next.see(piece("text", `${"a".repeat(60)}!`))).toBeUndefined();
    expect(told).toEqual(["slow"]);
  });

  test("each part is only checked by the rules for it", () => {
    const watch = new RuleWatch(
      [ready("text", /x/, ["text"]), ready("thinking", /x/, ["thinking"]), ready("edit", /x/, ["tool:edit"])],
      always,
    );
    expect(watch.see(piece("thinking", "x"))?.rules.map(({ name }) => name)).toEqual(["thinking"]);
    expect(watch.see(piece("toolcall", "x"))).toBeUndefined();
  });

  test("a file's rule waits until the path is known", () => {
    const watch = new RuleWatch([ready("ts", /any/, ["tool"], { globs: ["*.ts"] })], always);
    expect(watch.see(piece("toolcall", '{"content":"any",'))).toBeUndefined();
    expect(watch.see(piece("toolcall", '"path":"src/a.ts"}'))).toMatchObject({ toolCallId: "call_1" });
  });

  test.each([
    ["always", "text", true],
    ["never", "text", false],
    ["prose-only", "text", true],
    ["prose-only", "toolcall", false],
    ["tool-only", "thinking", false],
    ["tool-only", "toolcall", true],
  ] as const)("%s at %s interrupts: %j", (interruptMode, kind, expected) => {
    const watch = new RuleWatch([ready("x", /x/, ["text", "thinking", "tool"], { interruptMode })], always);
    expect(watch.see(piece(kind, "x"))?.interrupts).toBe(expected);
  });

  test("only the end of a long reply is checked, and a match there is found", () => {
    const watch = new RuleWatch([ready("end", /needle$/)], always);
    for (let index = 0; index < 200; index++) expect(watch.see(piece("text", "hay ".repeat(100)))).toBeUndefined();
    expect(watch.see(piece("text", "needle"))).toBeDefined();
  });
});
