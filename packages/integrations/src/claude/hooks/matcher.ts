import { didYouMean, nearest } from "@hookline/ground";
import { readExpression } from "./expression.ts";
import { otherwiseWritten, TOOL_NAMES } from "./names.ts";

/**
 * Says which characters a list of exact names may contain: `tool` for most events, the narrower `exact` for FileChanged
 * and StopFailure.
 */
export type MatcherKind = "tool" | "exact";

/** A parsed matcher, or the reason why its entry cannot be used. */
export type Matcher =
  | {
      readonly ok: true;
      /** Whether the matcher matches an event's subject, such as the tool, source or reason. */
      readonly test: (subject: string) => boolean;
      /** Describes the matcher in words, for reports. */
      readonly describe: string;
    }
  | (Mistake & { readonly ok: false });

/** A mistake in a settings file, and how to fix it. */
export interface Mistake {
  readonly problem: string;
  readonly remedy: string;
}

/** Matches a matcher that is a list of exact names. */
export const EXACT: Readonly<Record<MatcherKind, RegExp>> = { tool: /^[A-Za-z0-9_\- ,|]+$/, exact: /^[A-Za-z0-9_|]+$/ };
const SEPARATORS: Readonly<Record<MatcherKind, RegExp>> = { tool: /[|,]/, exact: /\|/ };

/**
 * Parses a matcher. An absent or empty matcher and `*` match everything. A matcher of plain characters is a list of
 * exact names; any other is a regular expression that may match anywhere in the subject. Case matters.
 *
 * An expression that could take very long is refused here. A subject that is too long to be tested counts as a match.
 * Source: code.claude.com/docs/en/hooks, "Matcher patterns".
 */
export function readMatcher(text: string | undefined, kind: MatcherKind): Matcher {
  if (text === undefined || text === "" || text === "*") return { ok: true, test: () => true, describe: "everything" };
  if (EXACT[kind].test(text)) {
    const names = namesIn(text, kind);
    if (names.length === 0)
      return {
        ok: false,
        problem: `matcher "${text}" names nothing`,
        remedy: 'Leave it out, or write "*", to match everything.',
      };
    const set = new Set(names);
    return { ok: true, test: (subject) => set.has(subject), describe: names.join(" or ") };
  }
  const read = readExpression(text);
  if ("problem" in read) return { ok: false, problem: `matcher "${text}" ${read.problem}`, remedy: read.remedy };
  return {
    ok: true,
    test: (subject) => subject.length > read.longest || read.test(subject),
    describe: `/${text}/`,
  };
}

/** A likely mistake in a matcher. */
export interface MatcherMistake extends Mistake {
  /** Whether the mistake keeps the handler from ever running. */
  readonly never: boolean;
  /** Whether the matcher is written as a permission rule, which matches no tool. */
  readonly isRule?: true;
}

const RULE = /^([A-Za-z]\w*)\((.*)\)$/s;

/**
 * Finds likely mistakes in the valid matcher of a tool event. `tools` are tools that exist besides Claude Code's own.
 */
export function mistakes(text: string | undefined, tools: readonly string[] = []): MatcherMistake[] {
  if (text === undefined || text === "" || text === "*") return [];
  const [, tool, pattern] = RULE.exec(text) ?? [];
  if (tool !== undefined && !/[|^$]|\.\*/.test(pattern ?? ""))
    return [
      {
        never: true,
        isRule: true,
        problem: `matcher "${text}" never matches: it is a permission rule, and a matcher is compared with the name of the tool alone`,
        remedy: `Write "matcher": "${otherwiseWritten(tool) ?? tool}", and give the handler "if": "${text}".`,
      },
    ];
  const known = [...TOOL_NAMES, ...tools];
  return EXACT.tool.test(text) ? ofNames(namesIn(text, "tool"), text, known) : ofExpression(text, known);
}

function ofNames(names: readonly string[], text: string, known: readonly string[]): MatcherMistake[] {
  return names.flatMap((name): MatcherMistake[] => {
    if (known.includes(name)) return [];
    const part = names.length === 1 ? `matcher "${text}"` : `"${name}" in matcher "${text}"`;
    const never = names.length === 1;
    if (/^mcp__/.test(name)) {
      if (/^mcp__.+__./.test(name)) return [];
      const server = name.replace(/_+$/, "");
      return [{ never, problem: `${part} matches no tool: it names a whole server`, remedy: `Write "${server}__.*".` }];
    }
    const right = otherwiseWritten(name);
    if (right !== undefined)
      return [
        { never, problem: `${part} matches no tool: matchers are case-sensitive`, remedy: didYouMean(right).trim() },
      ];
    const near = nearest(name, known);
    if (near === undefined) return [];
    return [
      {
        never: false,
        problem: `${part} is no tool of Claude Code, so it matches only where an extension has a tool of that name`,
        remedy: didYouMean(near).trim(),
      },
    ];
  });
}

function ofExpression(text: string, known: readonly string[]): MatcherMistake[] {
  const matcher = readMatcher(text, "tool");
  if (!matcher.ok || text.includes("mcp") || known.some(matcher.test)) return [];
  const right = known.find((name) => matcher.test(name.toLowerCase()));
  const hint = right ?? nearest(text.replaceAll(/\W/g, ""), known);
  return [
    {
      never: false,
      problem: `matcher "${text}" is a regular expression that matches no tool of Claude Code${right === undefined ? "" : ": matchers are case-sensitive"}`,
      remedy: didYouMean(hint).trim() || "Write the names that Claude Code has for its tools.",
    },
  ];
}

/** Returns the names in a matcher that is a list of names. */
export function namesIn(text: string, kind: MatcherKind): string[] {
  return text
    .split(SEPARATORS[kind])
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
