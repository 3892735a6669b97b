import { chooseFrom, didYouMean, nearest } from "@hookline/ground";
import type { CommandReader } from "@hookline/runtime/command";
import type { ToolIdentity } from "@hookline/runtime/engine";
import { type CommandPattern, commandPattern, type Doubt, type Holding, holdsFor, type RuleUse } from "./bash-rule.ts";
import type { Mistake } from "./matcher.ts";
import { type KnownTool, knownTool, otherwiseWritten, TOOL_NAMES } from "./names.ts";
import { PathRule, type RulePlace } from "./path-rule.ts";
import { hasFiles, namedIn, searchedBy } from "./subject.ts";
import { Wildcard } from "./wildcard.ts";

/** A call in Claude Code's words, and what is known of a tool that was named by others. */
export interface RuleCall {
  readonly tool_name: string;
  /** Further names of the tool, in another agent; what refuses or asks is compared with each. */
  readonly tool_aliases?: readonly string[];
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool?: ToolIdentity | undefined;
}

/** Parts that checking a call needs. */
export interface RuleWorld extends RulePlace {
  /** Whether a tool of the host leaves out files that rules deny. */
  leavesOut?(tool: string): boolean;
  /** Loaded where a rule `needsShell`; without it no command can be read. */
  readonly shell?: CommandReader | undefined;
  /** Whether a person can be asked about a call. Default false. */
  canAsk?(): boolean;
  /** Receives a rule that did not count because nobody could be asked whether it holds. */
  tell?(rule: string, file: { readonly path: string; readonly level: string }, doubt: Doubt): void;
}

/** One permission rule: `Tool`, `Tool(*)` or `Tool(pattern)`. */
export interface Rule {
  readonly text: string;
  /** Whether commands must be parsed to decide whether it matches. */
  readonly needsShell: boolean;
  /** Whether it is about a tool of this name. */
  isFor(name: string): boolean;
  /** The pattern of one about commands. */
  readonly command?: CommandPattern;
  /** The files that one keeps tools from reading: those that it denies, or has asked about. */
  readonly filesIn?: (place: RulePlace) => PathRule;
  /** Never throws. Unknown counts as a match, except for a rule that allows. */
  holds(call: RuleCall, world: RuleWorld): Holding;
}

/** A parsed rule, with what looks wrong with it; or why it cannot be used. */
export type RuleReading =
  | { readonly ok: true; readonly rule: Rule; readonly notes: readonly Mistake[] }
  | (Mistake & { readonly ok: false });

const LONGEST = 1_000;
const SHAPE = /^([^\s()]+)(?:\((.*)\))?$/s;
const PARAMETER = /^\s*([A-Za-z_]\w*)\s*:\s*(.*?)\s*$/s;

/**
 * Reads a permission rule. Source: code.claude.com/docs/en/permissions and, for the `if` of a handler, docs/en/hooks,
 * "Common fields".
 */
export function readRule(given: unknown, use: RuleUse): RuleReading {
  const read = readNamed(given, use);
  return read.ok && use !== "allow" ? { ...read, rule: forEveryName(read.rule) } : read;
}

/** A rule that refuses, asks or starts a hook: it holds if it does so for one of the tool's names. */
function forEveryName(one: Rule): Rule {
  return {
    ...one,
    holds({ tool_aliases = [], ...call }, world) {
      const others = tool_aliases.map((tool_name) => ({ tool_name, tool_input: call.tool_input }));
      const held = [call, ...others].map((named) => one.holds(named, world));
      return held.find((holding) => holding === "certain") ?? held.find((holding) => holding !== false) ?? false;
    },
  };
}

function readNamed(given: unknown, use: RuleUse): RuleReading {
  if (typeof given !== "string") return bad("is no text", 'Write rules as texts, such as "Bash(git push *)".');
  const text = given.trim();
  const [, tool, pattern] = SHAPE.exec(text) ?? [];
  if (tool === undefined)
    return bad("is no rule", 'Write "Tool" or "Tool(pattern)", with one pair of parentheses and nothing around it.');
  if (text.length > LONGEST) return bad(`is longer than ${LONGEST} characters`, "Shorten it.");
  const wrong = wrongName(tool, use);
  if (wrong !== undefined) return wrong;
  const notes = notesOf(tool, pattern, use);
  if (pattern === undefined || pattern.trim() === "*") return { ok: true, rule: bare(text, tool, use), notes };
  if (pattern.trim() === "")
    return bad("has nothing in its parentheses", `Write "${tool}" for every call of the tool.`);
  const read = withPattern({ text, tool, pattern, use });
  return "problem" in read ? { ok: false, ...read } : { ok: true, rule: read, notes };
}

function bad(problem: string, remedy: string): RuleReading & { ok: false } {
  return { ok: false, problem, remedy };
}

/** hookline's own names of tools, which calls do not have here. */
const OWN = /^(?:bash|read|write|edit|multiedit|grep|glob|find|ls|webfetch)$/;

function wrongName(tool: string, use: RuleUse): (RuleReading & { ok: false }) | undefined {
  const right = tool === "find" ? "Glob" : otherwiseWritten(tool);
  if (OWN.test(tool) && right !== undefined)
    return bad(`names no tool: "${tool}" is not how Claude Code writes it`, didYouMean(right).trim());
  if (use === "allow" && tool.includes("*") && !/^mcp__[^*]+?__/.test(tool))
    return bad("allows tools by a pattern without naming a server", 'Write the tool, or "mcp__SERVER__*".');
  return undefined;
}

function notesOf(tool: string, pattern: string | undefined, use: RuleUse): Mistake[] {
  const known = knownTool(tool);
  if (known === undefined) {
    if (/[_*]/.test(tool)) return [];
    const near = otherwiseWritten(tool) ?? nearest(tool, TOOL_NAMES);
    const remedy = near === undefined ? "Check the name." : didYouMean(near).trim();
    return [
      { problem: "names no tool of Claude Code, so it holds only where an extension has a tool of that name", remedy },
    ];
  }
  if (pattern === undefined || use === "if" || pattern.trim() === "*" || PARAMETER.test(pattern)) return [];
  if (!hasFiles(known) || tool === "Edit" || tool === "Read") return [];
  const wide = known.pattern === "writes" ? "Edit" : "Read";
  return [
    {
      problem: `has a path for ${tool}, which Claude Code never looks at; here it holds for ${tool} alone`,
      remedy: `Write "${wide}(${pattern})", which holds for every tool that ${known.pattern === "writes" ? "writes" : "reads"} files.`,
    },
  ];
}

/** A rule about every call of a tool. */
function bare(text: string, tool: string, use: RuleUse): Rule {
  const isFor = toolsOf(tool, use, { isBare: true });
  const isNamed = namesOf(tool, use, { isBare: true });
  return { text, needsShell: false, isFor: isNamed, holds: (call) => isFor(call) && "certain" };
}

/**
 * Which calls a rule is about. One that refuses or asks compares with every name of the tool, one that allows with the
 * offered name alone, and never holds for a tool of a project's server. `Edit` and `Read` stand for every tool that
 * writes or reads files, but not in an `if`.
 */
function toolsOf(tool: string, use: RuleUse, { isBare }: { readonly isBare: boolean }): (call: RuleCall) => boolean {
  const isFor = namesOf(tool, use, { isBare });
  return ({ tool_name, tool: named }) =>
    use === "allow" ? named?.tier !== "project" && isFor(tool_name) : (named?.names ?? [tool_name]).some(isFor);
}

function namesOf(tool: string, use: RuleUse, { isBare }: { readonly isBare: boolean }): (name: string) => boolean {
  if (use !== "if" && (tool === "Edit" || tool === "Read")) {
    const kind = tool === "Edit" ? "writes" : "reads";
    return (name) => {
      const pattern = knownTool(name)?.pattern;
      // A file that may not be read may not be overwritten either; Claude Code exempts notebooks.
      const isBoth = use === "deny" && tool === "Read" && !isBare && name !== "NotebookEdit" && pattern === "writes";
      return pattern === kind || isBoth;
    };
  }
  if (tool === "Agent" || tool === "Task") return (name) => name === "Agent" || name === "Task";
  const wildcard = new Wildcard(tool);
  const server = tool.startsWith("mcp__") ? `${tool}__` : undefined;
  return (name) => wildcard.matches(name) || (server !== undefined && name.startsWith(server));
}

interface Parts {
  readonly text: string;
  readonly tool: string;
  readonly pattern: string;
  readonly use: RuleUse;
}

function withPattern(parts: Parts): Rule | Mistake {
  const { text, tool, pattern, use } = parts;
  const known = knownTool(tool);
  const [, name = "", value = ""] = PARAMETER.exec(pattern) ?? [];
  if (known?.field !== undefined && name === known.field)
    return {
      problem: `names the parameter "${name}", which the pattern itself is about`,
      remedy: `Write "${tool}(${known.pattern === "domain" ? "domain:HOST" : value})".`,
    };
  const parameter = name !== "" && isParameter(known, name, value) ? byParameter(parts, name, value) : undefined;
  switch (known?.pattern) {
    case "command":
      return parameter ?? byCommand(parts);
    case "reads":
    case "writes":
      return parameter ?? byPath(parts, known);
    case "domain":
      if (name === "domain" && value !== "") return byDomain(text, value, use);
      return parameter ?? { problem: "has no host name", remedy: `Write "${tool}(domain:HOST)".` };
    case "name": {
      const isFor = toolsOf(tool, use, { isBare: false });
      const fits = new Wildcard(pattern.trim());
      const field = known.field as string;
      return rule(parts, (call, world) => {
        const given = call.tool_input[field];
        const isNamed = isFor(call) && typeof given === "string" && fits.matches(given);
        return isNamed ? "certain" : (parameter?.holds(call, world) ?? false);
      });
    }
    default:
      if (parameter !== undefined) return parameter;
      // Claude Code has patterns for tools that do not exist here; no call can match them.
      if (known !== undefined) return rule(parts, () => false);
      return {
        problem: `has a pattern, which "${tool}" has none of`,
        remedy: `Write "${tool}", or "${tool}(parameter:value)". ${near(tool)}`.trim(),
      };
  }
}

function near(tool: string): string {
  return chooseFrom(tool, TOOL_NAMES).startsWith("Did") ? chooseFrom(tool, TOOL_NAMES) : "";
}

function rule(
  { text, tool, use }: Pick<Parts, "text" | "tool" | "use">,
  holds: Rule["holds"],
  more: Pick<Rule, "command" | "filesIn"> & { needsShell?: boolean } = {},
): Rule {
  return { text, needsShell: false, isFor: namesOf(tool, use, { isBare: false }), ...more, holds };
}

/** Whether `name:value` is a parameter, where it may also be the beginning of a command, a path or an address. */
function isParameter(known: KnownTool | undefined, name: string, value: string): boolean {
  if (known?.pattern === "command") return known.parameters?.includes(name) === true && value !== "*";
  // `C:\` begins a path.
  return !/^[/\\]/.test(value) && (name.length > 1 || known === undefined || !hasFiles(known));
}

function byParameter(parts: Parts, name: string, value: string): Rule {
  const { tool, use } = parts;
  const isFor = toolsOf(tool, "if", { isBare: false });
  const fits = new Wildcard(value);
  return rule(parts, (call) => {
    const given = call.tool_input[name];
    const isScalar = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
    // One parameter does not show that a call is harmless.
    return use !== "allow" && isFor(call) && isScalar && fits.matches(String(given)) && "certain";
  });
}

function byCommand(parts: Parts): Rule | Mistake {
  const { pattern, use } = parts;
  if (/^\s*:?\*?\s*$/.test(pattern)) return { problem: "names no command", remedy: 'Write "Bash" for every command.' };
  const command = commandPattern(pattern.trim());
  return rule(
    parts,
    ({ tool_name, tool_input }, { shell }) => {
      if (tool_name !== "Bash") return false;
      const given = tool_input["command"];
      if (typeof given !== "string" || shell === undefined) return use !== "allow" && "possible";
      return holdsFor(command, given, use, shell);
    },
    { command, needsShell: true },
  );
}

function byPath(parts: Parts, known: KnownTool): Rule | Mistake {
  const { tool, pattern, use } = parts;
  if (/^\s*!/.test(pattern))
    return {
      problem: 'begins with "!", which takes nothing back here',
      remedy: "Write a rule for what it should hold for.",
    };
  const isFor = toolsOf(tool, use, { isBare: false });
  const refuses = use === "deny" || use === "ask";
  const isForCommands = refuses && (tool === "Edit" || tool === "Read");
  const inPlace = (place: RulePlace): PathRule => new PathRule(pattern.trim(), use, place);
  return rule(
    parts,
    (call, world) => {
      const path = inPlace(world);
      if (isForCommands && call.tool_name === "Bash") {
        const named = namedIn(call.tool_input["command"], known.pattern === "writes", world);
        return named === undefined ? "possible" : named.some((one) => path.holds(one)) && "certain";
      }
      if (!isFor(call)) return false;
      const paths = searchedBy(call, world);
      if (paths === undefined) return use !== "allow" && "possible";
      const isHeld = use === "allow" ? paths.every((one) => path.holds(one)) : paths.some((one) => path.holds(one));
      return isHeld && "certain";
    },
    {
      needsShell: isForCommands,
      ...(refuses && known.pattern === "reads" && { filesIn: inPlace }),
    },
  );
}

function byDomain(text: string, domain: string, use: RuleUse): Rule {
  return rule({ text, tool: "WebFetch", use }, ({ tool_name, tool_input }) => {
    if (tool_name !== "WebFetch") return false;
    const { url } = tool_input;
    const host = typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : undefined;
    return host === undefined ? use !== "allow" && "possible" : isInDomain(domain, host) && "certain";
  });
}

/**
 * Whether a host name matches a `domain:` pattern. `*.` at the start is any number of names, `*` alone everything, and
 * any other `*` lies within one name. Source: code.claude.com/docs/en/permissions, "WebFetch".
 */
function isInDomain(pattern: string, host: string): boolean {
  const [rule, name] = [plain(pattern), plain(host)];
  if (rule === "*") return true;
  if (rule.startsWith("*.")) return tailsOf(name).some((tail) => fits(rule.slice(2), tail));
  return fits(rule, name);
}

function fits(rule: string, name: string): boolean {
  const labels = name.split(".");
  const parts = rule.split(".");
  return parts.length === labels.length && parts.every((part, at) => new Wildcard(part).matches(labels[at] as string));
}

/** The suffixes of a host name after removing one or more names from its start. */
function tailsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, at) => labels.slice(at + 1).join("."));
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
