import { didYouMean, nearest } from "@hookline/ground";
import type { Fits } from "@hookline/runtime/engine";
import {
  type Alternative,
  type Finding,
  isOffered,
  type Offer,
  type Reach,
  reachOf,
  serverToolName,
} from "@hookline/runtime/engine";
import { claudeTools } from "../tools.ts";
import { nameOf } from "./calls.ts";
import { readExpression } from "./expression.ts";
import { EXACT, mistakes, namesIn } from "./matcher.ts";

/** Makes a test for tools. A tool passes if `test` accepts any of its names: Claude Code's name for it, or an alias. */
export function byName(test: (name: string) => boolean): Fits {
  return (tool, aliases) => [nameOf(tool), ...aliases].some(test);
}

/** The part of a parsed rule that decides which tools it can match. */
interface NamedRule {
  readonly text: string;
  isFor(name: string): boolean;
}

/** Reports whether any call of an offered tool can match a handler's matcher and rule. */
export function toolReach(matcher: string | undefined, rule: NamedRule | undefined, offer: Offer | undefined): Reach {
  if (offer === undefined) {
    const never = mistakes(matcher).filter((one) => one.never);
    return {
      state: never.length > 0 ? "none" : "some",
      findings: never.map(({ problem, remedy }) => ({ about: matcher as string, problem, remedy })),
    };
  }
  const [wrong] = mistakes(matcher).filter(({ isRule }) => isRule === true);
  if (wrong !== undefined) return { state: "none", findings: [{ about: matcher as string, ...wrong }] };
  const own = alternativesOf(matcher);
  const named = rule === undefined ? [] : [ruleAlternative(rule, `if: "${rule.text}"`)];
  const [first, second] = [own, named].map((some) => (some.length === 0 ? undefined : reachOf(some, offer)));
  const all = [first, second].filter((one) => one !== undefined);
  const findings = all.flatMap((one) => one.findings);
  const worst = (["none", "unknown"] as const).find((state) => all.some((one) => one.state === state)) ?? "some";
  if (worst !== "some" || rule === undefined || first === undefined) return { state: worst, findings };
  const both = (...names: Parameters<Fits>): boolean =>
    named.some(({ fits }) => fits(...names)) && own.some(({ fits }) => fits(...names));
  if (isOffered(both, offer)) return { state: "some", findings };
  const tools = namesHere(offer).filter(rule.isFor);
  const apart = {
    about: rule.text,
    problem: `matcher "${matcher}" and if: "${rule.text}" never match the same call`,
    remedy: `Write "matcher": "${tools.join("|")}".`,
  };
  return { state: "none", findings: [...findings, apart] };
}

/** Describes a permission rule for the check whether any tool can match it. `part` is its place in the file. */
export function ruleAlternative({ text, isFor }: NamedRule, part: string): Alternative {
  const [tool = ""] = /^[^\s(]+/.exec(text) ?? [];
  return {
    text: `^${tool}`,
    isPattern: true,
    fits: byName((name) => isFor(name)),
    dead: (offer) => ({ about: text, ...deadName(tool, part, offer) }),
  };
}

/** Splits the matcher of a tool event into its names and patterns; none if it matches every tool or cannot be read. */
function alternativesOf(text: string | undefined): readonly Alternative[] {
  if (text === undefined || text === "" || text === "*") return [];
  const isPattern = !EXACT.tool.test(text);
  const parts = isPattern ? choicesOf(text) : namesIn(text, "tool");
  return parts.flatMap((part): Alternative[] => {
    const read = isPattern ? readExpression(part) : { test: (name: string) => name === part };
    if ("problem" in read) return [];
    const told = parts.length === 1 ? `matcher "${text}"` : `"${part}" in matcher "${text}"`;
    const dead = (offer: Offer): Finding => ({ about: part, ...deadName(part, told, offer) });
    return [{ text: part, isPattern, fits: byName((name) => read.test(name)), dead }];
  });
}

/** Splits an expression at its top-level `|`: `A|B` and `^(A|B)$` have two choices. Other groups are not split. */
function choicesOf(text: string): readonly string[] {
  const [, start = "", inner, end = ""] = /^(\^?)\((?:\?:)?([^()[\]\\]*)\)(\$?)$/.exec(text) ?? [];
  if (inner !== undefined) return inner.split("|").map((part) => `${start}${part}${end}`);
  return /[()[\]\\]/.test(text) ? [text] : text.split("|");
}

function namesHere({ tools }: Offer): readonly string[] {
  return [...new Set(tools.map(({ tool }) => nameOf(tool)))];
}

/** Describes what is wrong with a name that matches no offered tool. */
function deadName(name: string, part: string, offer: Offer): Omit<Finding, "about"> {
  const bare = name.replaceAll(/^\^|\$$/g, "");
  const here = namesHere(offer);
  const server = /^mcp__([\w-]*?[^_\W])(?:__|$)/.exec(bare)?.[1];
  if (server !== undefined) {
    const servers = offer.servers.map((one) => serverToolName(one, "").slice(0, -2));
    const isHere = servers.includes(`mcp__${server}`);
    if (bare === `mcp__${server}` && isHere)
      return { problem: `${part} matches no tool: it names a whole server`, remedy: `Write "mcp__${server}__.*".` };
    const near = nearest(bare, isHere ? here : servers);
    return {
      problem: `${part} matches no tool: ${isHere ? `the server "${server}" has none of this name` : `no server "${server}" is configured`}`,
      remedy: didYouMean(near).trim() || "`hookline mcp list` shows the servers and their tools.",
    };
  }
  const isCase = here.some((one) => one !== bare && one.toLowerCase() === bare.toLowerCase());
  return {
    problem: `${part} matches no tool ${isCase ? "here: matchers are case-sensitive" : "of this agent"}`,
    remedy:
      didYouMean(nearestHere(bare, here)).trim() ||
      `It has ${here.filter((one) => !one.startsWith("mcp__")).join(", ")}.`,
  };
}

/** Returns the offered tool that corresponds to a tool of Claude Code, or else the one with the nearest name. */
function nearestHere(name: string, here: readonly string[]): string | undefined {
  const entry = Object.hasOwn(claudeTools.tools, name) ? claudeTools.tools[name] : undefined;
  const twin = entry?.tool === undefined ? undefined : nameOf(entry.tool);
  if (twin !== undefined && here.includes(twin)) return twin;
  const near = nearest(name, here);
  if (near !== undefined || entry === undefined || entry.kind === "other") return near;
  const alike = here.filter((one) => claudeTools.tools[one]?.kind === entry.kind);
  return alike.find((one) => name.includes(one)) ?? alike[0];
}
