import { resolve } from "node:path";
import { chooseFrom } from "@hookline/ground";
import type { Alternative } from "@hookline/runtime/engine";
import { allows, type Doubt, type Holding } from "./bash-rule.ts";
import type { Mistake } from "./matcher.ts";
import type { PathRule } from "./path-rule.ts";
import { ruleAlternative } from "./reach.ts";
import { type Rule, type RuleCall, type RuleWorld, readRule } from "./rule.ts";
import { deniedFile, type Walked, walkedBy } from "./walked.ts";

/** The level of a settings file, from the strongest to the weakest. */
export type SettingsLevel = "managed" | "command line" | "local" | "project" | "user";

const LEVELS: readonly SettingsLevel[] = ["managed", "command line", "local", "project", "user"];

/** One settings file, with its permissions. */
export interface PermissionFile {
  /** The file's path as shown to the user. */
  readonly path: string;
  readonly level: SettingsLevel;
  /** The absolute folder that a leading `/` in path patterns means. */
  readonly folder: string;
  /** The parsed content of the settings file. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A decision about a call, and the rule that made it. */
export interface RuleVerdict {
  readonly decision: "deny" | "ask" | "allow";
  /** Names the rule, its file and the file's level. */
  readonly reason: string;
  readonly rule: string;
  readonly file: PermissionFile;
}

/** A finding about `permissions`, to be shown to the user. */
export interface PermissionRemark extends Mistake {
  readonly file: PermissionFile;
  /** The place in the file, such as `permissions.deny[2]`. */
  readonly at: string;
}

/** A rule about files that tools read, with the settings file that contains it. */
export interface FileRule extends Pick<Rule, "isFor">, Required<Pick<Rule, "filesIn">> {
  readonly file: PermissionFile;
}

/** The permission rules of all settings files, combined. */
export interface Permissions {
  /** Whether there are no rules at all. */
  readonly isEmpty: boolean;
  readonly needsShell: boolean;
  /**
   * Decides about a call. Deny comes before ask, and ask before allow, whichever file the rules are in. Returns
   * `undefined` if no rule matches. Never throws.
   */
  decide(call: RuleCall, world: Omit<RuleWorld, "folder">): RuleVerdict | undefined;
  /** Deny and ask rules about reading files, so that tools can leave out such files. */
  readonly files: readonly FileRule[];
  /** The rules with the tools that they name, for reports about rules that no call can match. */
  readonly alternatives: readonly Alternative[];
  /**
   * Deny and ask rules that cannot be read. Each counts as a broken guard in the load report; all other rules apply.
   */
  readonly broken: readonly PermissionRemark[];
  /** Rules and keys that look wrong, have no effect here, or are not used. */
  readonly remarks: readonly PermissionRemark[];
}

const LISTS = ["deny", "ask", "allow"] as const;
type List = (typeof LISTS)[number];

interface Held {
  readonly rule: Rule;
  readonly file: PermissionFile;
}

/** Reads the permissions of settings files, in any order. */
export function readPermissions(given: readonly PermissionFile[]): Permissions {
  const files = [...given].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const isManagedOnly = files.some(
    ({ level, settings }) => level === "managed" && settings["allowManagedPermissionRulesOnly"] === true,
  );
  const reading = new Reading();
  for (const file of files) reading.file(file, isManagedOnly && file.level !== "managed");
  const { rules, broken, remarks } = reading;
  return {
    isEmpty: LISTS.every((list) => rules[list].length === 0),
    needsShell: LISTS.some((list) => rules[list].some(({ rule }) => rule.needsShell)),
    decide: (call, world) => decide(rules, call, world),
    files: [...rules.deny, ...rules.ask].flatMap(({ rule: { isFor, filesIn }, file }) =>
      filesIn === undefined ? [] : [{ isFor, filesIn, file }],
    ),
    alternatives: LISTS.flatMap((list) =>
      rules[list].map(({ rule }) => ruleAlternative(rule, `the rule "${rule.text}" in permissions.${list}`)),
    ),
    broken,
    remarks,
  };
}

function decide(
  rules: Readonly<Record<List, readonly Held[]>>,
  call: RuleCall,
  world: Omit<RuleWorld, "folder">,
): RuleVerdict | undefined {
  const walked = walkedFiles(rules, call, world);
  if (walked?.decision === "deny") return walked;
  let asked: RuleVerdict | undefined = walked;
  let unknown: RuleVerdict | undefined;
  for (const list of ["deny", "ask"] as const) {
    for (const { rule, file } of rules[list]) {
      const held = rule.holds(call, { ...world, folder: file.folder });
      if (held === false) continue;
      const verdict = { rule: rule.text, file, reason: reasonOf(list, rule, file, held) };
      if (typeof held === "string" && list === "deny") return { decision: "deny", ...verdict };
      if (typeof held === "string" || held.kind === "hidden") asked ??= { decision: "ask", ...verdict };
      else if (held.kind === "unknown" && world.canAsk?.() === true) unknown ??= { decision: "ask", ...verdict };
      else world.tell?.(rule.text, file, held);
    }
  }
  if (asked !== undefined || unknown !== undefined) return asked ?? unknown;
  for (const { rule, file } of rules.allow) {
    if (rule.holds(call, { ...world, folder: file.folder }) !== false)
      return { decision: "allow", rule: rule.text, file, reason: reasonOf("allow", rule, file, "certain") };
  }
  return together(rules.allow, call, world);
}

/** Decides about a shell command or search that would show files which deny or ask rules keep tools from reading. */
function walkedFiles(
  rules: Readonly<Record<List, readonly Held[]>>,
  call: RuleCall,
  world: Omit<RuleWorld, "folder">,
): RuleVerdict | undefined {
  if (call.tool_name !== "Bash" && call.tool_name !== "Grep") return undefined;
  for (const list of ["deny", "ask"] as const) {
    const held = rules[list].flatMap(({ rule, file }) => {
      const isFor = rule.isFor(call.tool_name === "Bash" ? "Read" : call.tool_name);
      const path = isFor ? rule.filesIn?.({ ...world, folder: file.folder }) : undefined;
      return path === undefined ? [] : [{ rule, file, path }];
    });
    const [first] = held;
    if (first === undefined) continue;
    const paths = held.map(({ path }) => path);
    const found = shownBy(call, paths, { ...world, folder: first.file.folder });
    if (found === undefined) continue;
    const { rule, file } = held.find(({ path }) => path.holds(resolve(world.cwd, found.files[0] as string))) ?? first;
    const reason = `${reasonOf(list, rule, file, "certain")}: it would read ${found.files.join(", ")}. ${found.remedy}`;
    return { decision: list, rule: rule.text, file, reason };
  }
  return undefined;
}

/**
 * Finds files that a command prints or copies, or a host's own search reads, although a rule denies reading them. Says
 * how to leave them out.
 */
function shownBy(
  { tool_name, tool_input }: RuleCall,
  paths: readonly PathRule[],
  world: RuleWorld,
): Walked | undefined {
  if (tool_name === "Bash") return walkedBy(tool_input["command"], paths, world);
  if (tool_name !== "Grep" || world.leavesOut?.("grep") === true) return undefined;
  const given = tool_input["path"];
  const file = deniedFile(resolve(world.cwd, typeof given === "string" ? given : "."), paths, world);
  return file === undefined ? undefined : { files: [file], remedy: "Search a folder without it." };
}

/** Allows a command line if each of its commands is allowed by some rule, even if no single rule allows all of them. */
function together(
  held: readonly Held[],
  call: RuleCall,
  { shell }: Omit<RuleWorld, "folder">,
): RuleVerdict | undefined {
  const command = call.tool_name === "Bash" ? call.tool_input["command"] : undefined;
  const parts = held.filter(({ rule }) => rule.command !== undefined);
  const [first] = parts;
  const patterns = parts.flatMap(({ rule }) => (rule.command === undefined ? [] : [rule.command]));
  if (first === undefined || shell === undefined || typeof command !== "string") return undefined;
  if (!allows(patterns, command, shell)) return undefined;
  const { rule, file } = first;
  return { decision: "allow", rule: rule.text, file, reason: "each command is allowed by a rule of permissions.allow" };
}

function reasonOf(list: List, { text }: Rule, { path, level }: PermissionFile, held: Exclude<Holding, false>): string {
  const where = `rule "${text}" in permissions.${list} of ${path} (${level} settings)`;
  if (list === "allow") return `allowed by the ${where}`;
  const isDenied = list === "deny" && typeof held === "string";
  const what = isDenied ? "denied by" : "to be asked about because of";
  if (held === "certain") return `${what} the ${where}`;
  const why =
    held === "possible" ? "a part of the call is computed or cannot be read" : `the command ${clauseOf(held)}`;
  return `${what} the ${where}: hookline cannot tell whether it applies, because ${why}. Write that part out in full.`;
}

/** Returns a doubt's reason and the unknown word, such as `computes the name of a program: $X`. */
export function clauseOf({ reason, word }: Doubt): string {
  const short = word === undefined || word.length <= LONGEST_WORD ? word : `${word.slice(0, LONGEST_WORD)}…`;
  return short === undefined || short === "" ? reason : `${reason}: ${short.replaceAll(/\s+/g, " ")}`;
}

const LONGEST_WORD = 80;

class Reading {
  readonly rules: Readonly<Record<List, Held[]>> = { deny: [], ask: [], allow: [] };
  readonly broken: PermissionRemark[] = [];
  readonly remarks: PermissionRemark[] = [];

  file(file: PermissionFile, isLeftOut: boolean): void {
    const permissions = file.settings["permissions"];
    if (permissions === undefined) return;
    if (typeof permissions !== "object" || permissions === null || Array.isArray(permissions)) {
      this.broken.push({ file, at: "permissions", ...NO_OBJECT });
      return;
    }
    for (const [key, value] of Object.entries(permissions)) {
      if (LISTS.includes(key as List)) this.#list(file, key as List, value, isLeftOut);
      else this.#other(file, key, value);
    }
  }

  #list(file: PermissionFile, list: List, value: unknown, isLeftOut: boolean): void {
    const at = `permissions.${list}`;
    if (isLeftOut) this.remarks.push({ file, at, ...LEFT_OUT });
    // A cloned project must not be able to give itself permissions (ruling 56).
    else if (list === "allow" && (file.level === "project" || file.level === "local"))
      this.remarks.push({ file, at, ...NOT_ALLOWED });
    else if (!Array.isArray(value)) this.#fault(list, { file, at, ...NO_LIST });
    else for (const [index, text] of value.entries()) this.#rule(file, list, text, `${at}[${index}]`);
  }

  #rule(file: PermissionFile, list: List, text: unknown, at: string): void {
    const read = readRule(text, list);
    const name = typeof text === "string" ? `the rule "${text}" ` : "the rule ";
    if (!read.ok) {
      this.#fault(list, { file, at, problem: `${name}${read.problem}`, remedy: read.remedy });
      return;
    }
    this.rules[list].push({ rule: read.rule, file });
    for (const { problem, remedy } of read.notes) this.remarks.push({ file, at, problem: `${name}${problem}`, remedy });
  }

  #fault(list: List, remark: PermissionRemark): void {
    (list === "allow" ? this.remarks : this.broken).push(remark);
  }

  #other(file: PermissionFile, key: string, value: unknown): void {
    const row = Object.hasOwn(OTHERS, key) ? OTHERS[key] : undefined;
    const mistake = row === undefined ? unknown(key) : row(value);
    if (mistake !== undefined) this.remarks.push({ file, at: `permissions.${key}`, ...mistake });
  }
}

const NO_OBJECT: Mistake = { problem: "permissions is no object", remedy: 'Write {"deny": […], "ask": […]}.' };
const NO_LIST: Mistake = {
  problem: "is no list of rules",
  remedy: 'Write a list of texts, such as ["Bash(git push *)"].',
};
const LEFT_OUT: Mistake = {
  problem: "is not used, because managed settings allow managed rules only (allowManagedPermissionRulesOnly)",
  remedy: "Ask whoever manages this machine to add the rule.",
};
const NOT_ALLOWED: Mistake = {
  problem: "is not used: a project's settings can add rules that deny or ask, and allow nothing",
  remedy: "hookline asks about nothing unless a rule says so, so there is nothing to allow; remove the rule.",
};

/** Claude Code's permission modes. Each text says what Claude Code does in that mode and hookline does not. */
const MODES: Readonly<Record<string, string | undefined>> = {
  default: undefined,
  manual: undefined,
  acceptEdits: undefined,
  auto: undefined,
  bypassPermissions: undefined,
  plan: "keeps the agent from changing files",
  dontAsk: "refuses what no rule allows",
};

/** Checks the values of those keys of `permissions` that are not lists of rules. */
const OTHERS: Readonly<Record<string, (value: unknown) => Mistake | undefined>> = {
  defaultMode(value) {
    const names = Object.keys(MODES);
    if (typeof value !== "string" || !names.includes(value))
      return { problem: `names no mode: ${JSON.stringify(value)}`, remedy: chooseFrom(String(value), names) };
    const lost = MODES[value];
    if (lost === undefined) return undefined;
    return {
      problem: `has no effect here: the mode "${value}" ${lost} in Claude Code`,
      remedy: 'Add rules to "deny" or "ask".',
    };
  },
  additionalDirectories: () => ({
    problem: "has no effect here: tools are not limited to the session's folder",
    remedy: 'Nothing has to be done; to protect folders, add rules such as "Edit(//srv/**)" to "deny".',
  }),
  disableBypassPermissionsMode: lock,
  disableAutoMode: lock,
};

function lock(): Mistake {
  return {
    problem: "has no effect here: there are no modes to turn off",
    remedy: 'Add rules to "deny": they apply whatever a person allows.',
  };
}

function unknown(key: string): Mistake {
  return { problem: `"${key}" is no key of permissions`, remedy: chooseFrom(key, [...LISTS, ...Object.keys(OTHERS)]) };
}
