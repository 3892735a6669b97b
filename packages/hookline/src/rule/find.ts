import { basename } from "node:path";
import { diagnose, messageOf } from "@hookline/ground";
import type { Diagnostic } from "@hookline/runtime";
import { type MarkdownFile, markdownIn, type ResourcePlace, readMarkdown } from "../prompt/markdown-files.ts";
import { globMatcher } from "../tool/glob.ts";
import type { InterruptMode, ReadyRule, Rule, Scope } from "./rule.ts";

const INTERRUPT_MODES: readonly InterruptMode[] = ["never", "prose-only", "tool-only", "always"];
const INLINE_FLAGS = /^\(\?([imsu]+)\)/;

/** Reads stream rules from several places. Of two with one name, the first is used. Broken ones are reported. */
export async function findRules(
  places: readonly ResourcePlace[],
  disabled: readonly string[],
  report: (diagnostic: Diagnostic) => void,
): Promise<ReadyRule[]> {
  const found = new Map<string, ReadyRule>();
  for (const place of places) {
    for (const path of markdownIn(place, report)) {
      const file = await readMarkdown({ ...place, path }, report);
      const ready = file && readRule(file, report);
      if (ready === undefined || found.has(ready.rule.name) || disabled.includes(ready.rule.name)) continue;
      found.set(ready.rule.name, ready);
    }
  }
  return [...found.values()];
}

/** Returns the rules whose text is part of every system prompt. */
export function standingRules(rules: readonly ReadyRule[]): Rule[] {
  return rules.flatMap(({ rule }) => (rule.alwaysApply ? [rule] : []));
}

function readRule(file: MarkdownFile, report: (diagnostic: Diagnostic) => void): ReadyRule | undefined {
  const { fields, path, tier } = file;
  const lint = (problem: string, remedy: string): void =>
    report(diagnose("LINT", { path, line: 1, problem, remedy }, { source: { path, tier } }));
  if (fields["enabled"] === false) return undefined;
  const astCondition = textsOf(fields["astCondition"]);
  const globs = [...textsOf(fields["globs"])];
  const patterns: RegExp[] = [];
  const condition = textsOf(fields["condition"] ?? fields["ttsr_trigger"] ?? fields["ttsrTrigger"]);
  for (const source of condition) {
    const read = readCondition(source);
    if ("glob" in read) {
      globs.push(read.glob);
      patterns.push(/(?:)/);
    } else if ("pattern" in read) patterns.push(read.pattern);
    else {
      lint(
        `its condition "${source}" is not a regular expression: ${read.problem}`,
        "Correct it; the rule is not used.",
      );
      return undefined;
    }
  }
  const { description, question } = fields;
  if (astCondition.length > 0) {
    const alone = condition.length === 0 && question === undefined;
    const problem = `its astCondition needs ast-grep, which hookline does not have${alone ? "" : "; its other conditions apply"}`;
    const remedy = "Use condition with a regular expression, or question.";
    const told = { path, line: 1, problem, remedy };
    report(diagnose(alone ? "UNSUPPORTED" : "LINT", told, { source: { path, tier } }));
  }
  const { scopes, unknown } = readScopes(textsOf(fields["scope"]), globs);
  for (const token of unknown) lint(`"${token}" is not a scope`, "Use text, thinking, tool or tool:NAME(GLOB).");
  const mode = INTERRUPT_MODES.find((one) => one === fields["interruptMode"]);
  if (mode === undefined && fields["interruptMode"] !== undefined)
    lint("its interruptMode is unknown", `Use one of ${INTERRUPT_MODES.join(", ")}.`);
  const rule: Rule = {
    name: typeof fields["name"] === "string" ? fields["name"] : basename(path, ".md"),
    path,
    content: file.body.trim(),
    ...(typeof description === "string" && { description }),
    ...(condition.length > 0 && { condition }),
    ...(astCondition.length > 0 && { astCondition }),
    ...(typeof question === "string" && question !== "" && { question }),
    ...(fields["scope"] !== undefined && { scope: textsOf(fields["scope"]) }),
    ...(globs.length > 0 && { globs }),
    ...(fields["alwaysApply"] === true && { alwaysApply: true }),
    ...(mode !== undefined && { interruptMode: mode }),
    tier,
  };
  return { rule, patterns, scopes };
}

type Condition = { readonly pattern: RegExp } | { readonly glob: string } | { readonly problem: string };

/** Parses a regular expression with leading flags. An invalid one that looks like file names becomes a path pattern. */
function readCondition(source: string): Condition {
  const flags = INLINE_FLAGS.exec(source);
  try {
    return { pattern: new RegExp(source.slice(flags?.[0].length ?? 0), flags?.[1]) };
  } catch (thrown) {
    return /^[\w./*?{},-]*\*[\w./*?{},-]*$/.test(source) ? { glob: source } : { problem: messageOf(thrown) };
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

const TOOL = /^tool(?:call)?(?::([^()]*))?(?:\((.*)\))?$/;
const ANYWHERE: readonly Scope[] = [{ part: "text" }, { part: "tool" }];

/** Parses scopes such as `text` or `tool:edit(*.ts)`; default: text and all tools. `unknown` has the invalid ones. */
export function readScopes(
  tokens: readonly string[],
  globs: readonly string[] = [],
): { readonly scopes: readonly Scope[]; readonly unknown: readonly string[] } {
  const scopes: Scope[] = [];
  const unknown: string[] = [];
  for (const token of tokens) {
    const [, tool, glob] = TOOL.exec(token) ?? [];
    if (token === "text" || token === "thinking") scopes.push({ part: token });
    else if (TOOL.test(token)) scopes.push({ part: "tool", ...named(tool), ...inFiles(glob) });
    else unknown.push(token);
  }
  const chosen = scopes.length > 0 || unknown.length > 0 ? scopes : ANYWHERE;
  if (globs.length === 0) return { scopes: chosen, unknown };
  const limited = chosen.flatMap((scope): Scope[] =>
    scope.part === "tool" && scope.fits === undefined ? globs.map((glob) => ({ ...scope, ...inFiles(glob) })) : [scope],
  );
  return { scopes: limited, unknown };
}

function named(tool: string | undefined): { readonly tool?: string } {
  return tool === undefined || tool === "" || tool === "*" ? {} : { tool };
}

function inFiles(glob: string | undefined): Pick<Scope, "fits"> {
  return glob === undefined || glob === "" ? {} : { fits: globMatcher(glob, { anywhere: true }) };
}
