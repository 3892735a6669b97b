import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MatcherKind, mistakes, readMatcher } from "../../src/claude/hooks/matcher.ts";

function fits(text: string | undefined, subject: string, kind: MatcherKind = "tool"): boolean {
  const matcher = readMatcher(text, kind);
  if (!matcher.ok) throw new Error(matcher.problem);
  return matcher.test(subject);
}

describe("matchers", () => {
  it.each<[string, string | undefined, string, boolean]>([
    ["absent: everything", undefined, "Bash", true],
    ["empty: everything", "", "Bash", true],
    ["a star: everything", "*", "Bash", true],
    ["001 a name", "Bash", "Bash", true],
    ["003 case counts", "bash", "Bash", false],
    ["005 a list with comma and blank", "Edit, Write", "Write", true],
    ["a list with bars and blanks", " Edit | Write ", "Edit", true],
    ["a name is no beginning", "Bash", "BashOutput", false],
    ["a name is no part", "Edit", "NotebookEdit", false],
    ["007 an anchored expression", "^Edit$", "NotebookEdit", false],
    ["an expression is looked for anywhere", "Edit.*", "NotebookEdit", true],
    ["009 a server's name is an exact name", "mcp__memory", "mcp__memory__create", false],
    ["a server's tools by an expression", "mcp__memory__.*", "mcp__memory__create", true],
    ["011 a hyphen belongs to names [claude.case.011]", "code-reviewer", "senior-code-reviewer", false],
    ["015 a list of sources", "startup|clear|compact", "resume", false],
    ["015 and one that is in it", "startup|clear|compact", "clear", true],
    ["an empty part of a list stands for nothing", "Edit|", "", false],
    ["a permission rule is an expression like any other", "Bash(git commit:*)", "Bash", false],
    ["a choice in an expression", "^(Bash|Edit)$", "Edit", true],
    ["all but one", "^(?!Read$).*", "Read", false],
    ["all but one: another", "^(?!Read$).*", "Grep", true],
  ])("%s", (_, text, subject, expected) => {
    expect(fits(text, subject)).toBe(expected);
  });

  it.each<[string, string, string, boolean]>([
    ["bars make a list", "rate_limit|overloaded", "overloaded", true],
    ["a comma is part of an expression", "a,b", "xa,by", true],
    ["and separates no names", "a,b", "a", false],
    ["a hyphen is part of an expression", "rate-limit", "my-rate-limits", true],
    ["a blank is part of an expression", "a b", "xa bx", true],
  ])("of FileChanged and StopFailure: %s", (_, text, subject, expected) => {
    expect(fits(text, subject, "exact")).toBe(expected);
  });

  it.each(["(", "*Edit", "[", "a{2,1}", "(?<n>a)(?<n>b)"])("013 refuses %s, which is no expression", (text) => {
    expect(readMatcher(text, "tool")).toMatchObject({ ok: false, problem: expect.stringContaining(`"${text}"`) });
  });

  it.each([" ", "|", " , "])("refuses a list without names: %j", (text) => {
    expect(readMatcher(text, "tool")).toMatchObject({ ok: false, problem: expect.stringContaining("names nothing") });
  });

  it.each([
    "(a+)+$",
    "(a|a)*$",
    "(a*)*b",
    "(.*a){20}",
    "(?:a|ab|b)+c",
    "(a?){50}a",
    "((ab)*)*c",
    "(?=(a+))\\1b",
    "a*a*a*a*a*a*b$",
    "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?b$",
    "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b",
    "(?<x>a+)+",
    "(?:[a]+)+$",
    "(a{1,9}){1,9}b",
    "(\\w+\\s?)*$",
  ])("refuses %s, which could keep the agent busy", (text) => {
    expect(readMatcher(text, "tool")).toMatchObject({ ok: false, remedy: expect.stringMatching(/\.$/) });
  });

  it.each([
    "mcp__.*",
    "mcp__.*__write.*",
    "^(mcp__github__.*|mcp__gitlab__.*|Bash|Edit)$",
    "Edit|Write|mcp__.*__(write|edit)_.*",
    "^[A-Z][a-z]+$",
    "(foo){3}",
    "(?:ab)+",
    "a\\.b[^\\]]+",
    "(?i:bash)|x",
    ".*",
    "^.*$",
  ])("takes %s", (text) => {
    expect(readMatcher(text, "tool")).toMatchObject({ ok: true });
  });

  it("takes a subject that is too long to be tried for one that fits", () => {
    expect(fits("^x.*y$", "a".repeat(2_000))).toBe(true);
    expect(fits("^x.*y$", "a".repeat(100))).toBe(false);
  });

  it("reads every text, and whatever it takes answers for every subject", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      ".",
      "*",
      "+",
      "?",
      "(",
      ")",
      "(?:",
      "|",
      "[ab]",
      "[^a]",
      "{2,}",
      "{3}",
      "\\w",
      "^",
      "$",
      "\\1",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), fc.nat(300), (pieces, length) => {
        const matcher = readMatcher(pieces.join(""), "tool");
        if (!matcher.ok) expect(matcher.remedy).not.toBe("");
        else expect(typeof matcher.test("a".repeat(length))).toBe("boolean");
      }),
      { numRuns: 2_000 },
    );
  });

  it("agrees with RegExp on every expression that it takes", () => {
    const piece = fc.constantFrom("a", "b", ".", ".*", "b+", "(ab)?", "[ab]", "^", "$", "|", "\\w");
    const subject = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), subject, (pieces, text) => {
        const source = `${pieces.join("")}(?:)`;
        const matcher = readMatcher(source, "tool");
        if (matcher.ok) expect(matcher.test(text)).toBe(new RegExp(source).test(text));
      }),
    );
  });
});

describe("mistakes in matchers", () => {
  it.each<[string, string, boolean, string, string]>([
    ["48 a permission rule", "Bash(git commit:*)", true, "permission rule", '"if": "Bash(git commit:*)"'],
    ["another case", "bash", true, "matchers are case-sensitive", 'Did you mean "Bash"?'],
    ["another case in a list", "Edit|write", false, "matchers are case-sensitive", 'Did you mean "Write"?'],
    ["a whole server", "mcp__memory", true, "whole server", "mcp__memory__.*"],
    ["a whole server with its separator", "mcp__memory__", true, "whole server", "mcp__memory__.*"],
    ["a slip", "Bsah", false, "no tool of Claude Code", 'Did you mean "Bash"?'],
    ["an expression without a tool", "^bash$", false, "matches no tool", 'Did you mean "Bash"?'],
  ])("%s", (_, text, never, problem, remedy) => {
    const [mistake, ...more] = mistakes(text);
    expect(more).toEqual([]);
    expect(mistake).toMatchObject({
      never,
      problem: expect.stringContaining(problem),
      remedy: expect.stringContaining(remedy),
    });
  });

  it.each([
    "Bash",
    "*",
    "",
    undefined,
    "Edit|Write",
    "mcp__.*",
    "mcp__memory__create",
    "^Notebook",
    "deploy_site",
    ".*",
  ])("says nothing about %s", (text) => {
    expect(mistakes(text)).toEqual([]);
  });

  it("knows the tools that are there besides", () => {
    expect(mistakes("bash_env", ["bash_env"])).toEqual([]);
    expect(mistakes("agent", ["agent"])).toEqual([]);
  });
});
