import { chooseFrom, didYouMean, nearest } from "@hookline/ground";
import type { CommandReader } from "@hookline/runtime/command";
import type { ToolIdentity } from "@hookline/runtime/engine";
import { type CommandPattern, commandPattern, type Doubt, type Holding, holdsFor, type RuleUse } from "./bash-rule.ts";
import type { Mistake } from "./matcher.ts";
import { type KnownTool, knownTool, otherwiseWritten, TOOL_NAMES } from "./names.ts";
import { PathRule, type RulePlace } from "./path-rule.ts";
import { hasFiles, namedIn, searchedBy } from "./subject.ts";
import { Wildcard } from "./wildcard.ts";

/** A call with Claude Code's names, and what is known about a tool that somebody else registered. */
export interface RuleCall {
  readonly tool_name: string;
  /** Further names of a tool that another agent calls through the bridge. Deny and ask rules are compared with each. */
  readonly tool_aliases?: readonly string[];
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool?: ToolIdentity | undefined;
}

/** The facts and functions that are needed to check a call. */
export interface RuleWorld extends RulePlace {
  /** Whether the host's tool itself leaves out files that rules deny. */
  leavesOut?(tool: string): boolean;
  /** Parses shell commands. Needed for rules with `needsShell`. */
  readonly shell?: CommandReader | undefined;
  /** Whether the user can be asked about a call. Default false. */
  canAsk?(): boolean;
  /** Called with a rule that was ignored because it is in doubt and nobody could be asked. */
  tell?(rule: string, file: { readonly path: string; readonly level: string }, doubt: Doubt): void;
}

/** One permission rule: `Tool`, `Tool(*)` or `Tool(pattern)`. */
export interface Rule {
  readonly text: string;
  /** Whether shell commands must be parsed to decide whether the rule matches. */
  readonly needsShell: boolean;
  /** Whether the rule applies to a tool of this name. */
  isFor(name: string): boolean;
  /** The pattern of a rule about shell commands. */
  readonly command?: CommandPattern;
  /** For a deny or ask rule about reading: the files that tools must leave out. */
  readonly filesIn?: (place: RulePlace) => PathRule;
  /**
   * Whether the rule matches a call. If that is unknown, it counts as a match, except for allow rules. Never throws.
   */
  holds(call: RuleCall, world: RuleWorld): Holding;
}

/** A parsed rule and what looks wrong with it, or the reason why it cannot be used. */
export type RuleReading =
  | { readonly ok: true; readonly rule: Rule; readonly notes: readonly Mistake[] }
  | (Mistake & { readonly ok: false });

const LONGEST = 1_000;
const SHAPE = /^([^\s()]+)(?:\((.*)\))?$/s;
const PARAMETER = /^\s*([A-Za-z_]\w*)\s*:\s*(.*?)\s*$/s;

/**
 * Parses a permission rule. Source: code.claude.com/docs/en/permissions and, for the `if` of a handler, docs/en/hooks,
 * "Common fields".
 */
export function readRule(given: unknown, use: RuleUse): RuleReading {
  const read = readNamed(given, use);
  return read.ok && use !== "allow" ? { ...read, rule: forEveryName(read.rule) } : read;
}

/** Makes a rule match if it matches any of the tool's names. Used for rules that deny, ask or start a hook. */
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

/** Matches hookline's own tool names. Rules see only Claude Code's names, so a rule with one of these never matches. */
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
      { problem: "names no tool of Claude Code, so it applies only to an extension's tool of that name", remedy },
    ];
  }
  if (pattern === undefined || use === "if" || pattern.trim() === "*" || PARAMETER.test(pattern)) return [];
  if (!hasFiles(known) || tool === "Edit" || tool === "Read") return [];
  const wide = known.pattern === "writes" ? "Edit" : "Read";
  return [
    {
      problem: `has a path for ${tool}, which Claude Code ignores; here it applies to ${tool} alone`,
      remedy: `Write "${wide}(${pattern})", which applies to every tool that ${known.pattern === "writes" ? "writes" : "reads"} files.`,
    },
  ];
}

/** Makes a rule without a pattern, which matches every call of a tool. */
function bare(text: string, tool: string, use: RuleUse): Rule {
  const isFor = toolsOf(tool, use, { isBare: true });
  const isNamed = namesOf(tool, use, { isBare: true });
  return { text, needsShell: false, isFor: isNamed, holds: (call) => isFor(call) && "certain" };
}

/**
 * Returns a function that says whether a rule applies to a call. Rules that deny, ask or start a hook compare all of
 * the tool's names. An allow rule compares only the name that the model was offered, and never matches a tool of a
 * project's server. Outside of an `if`, `Edit` and `Read` mean every tool that writes or reads files.
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
      // A file that must not be read must not be overwritten either. Claude Code exempts notebooks.
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
      // Claude Code knows a pattern for this tool, which does not exist here, so no call can match.
      if (known !== undefined) return rule(parts, () => false);
      return {
        problem: `has a pattern, but rules for "${tool}" have none`,
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

/** Whether `name:value` means a parameter, rather than the beginning of a command, path or address. */
function isParameter(known: KnownTool | undefined, name: string, value: string): boolean {
  if (known?.pattern === "command") return known.parameters?.includes(name) === true && value !== "*";
  // A single letter may be a drive, as in `C:\`.
  return !/^[/\\]/.test(value) && (name.length > 1 || known === undefined || !hasFiles(known));
}

function byParameter(parts: Parts, name: string, value: string): Rule {
  const { tool, use } = parts;
  const isFor = toolsOf(tool, "if", { isBare: false });
  const fits = new Wildcard(value);
  return rule(parts, (call) => {
    const given = call.tool_input[name];
    const isScalar = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
    // An allow rule never matches by a parameter: one harmless parameter does not make a call harmless.
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
      problem: 'begins with "!", which makes no exception here',
      remedy: "Write a rule for the paths that it should apply to.",
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
 * Whether a host name matches a `domain:` pattern. `*` alone matches every host, a leading `*.` any number of labels,
 * and any other `*` stays within one label. Source: code.claude.com/docs/en/permissions, "WebFetch".
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

/** Returns the host name without its first label, without its first two, and so on. */
function tailsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, at) => labels.slice(at + 1).join("."));
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
