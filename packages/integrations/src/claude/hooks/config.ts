import { dirname } from "node:path";
import { type Code, TIER_RANK } from "@hookline/ground";
import type { Candidate, Found, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose, place, type Source } from "@hookline/runtime/dialect";
import { catalog, shellQuoted } from "@hookline/runtime/engine";
import { noFolder, readDefinitionFile } from "../../settings-hooks/definition-file.ts";
import { absentStart, scriptsOf } from "../../settings-hooks/scripts.ts";
import type { Definition, Owner, RuleSet } from "./definition.ts";
import { readEntry } from "./entry.ts";
import { rows } from "./events.ts";
import { EVENTS, mayBlockOnFailure } from "./fields.ts";
import { lostBy } from "./lost.ts";
import { mistakes, readMatcher } from "./matcher.ts";
import { type PermissionRemark, readPermissions } from "./permissions.ts";
import { isLoose, type Level, placesOf, type SettingsLocation } from "./places.ts";
import { findPlugins } from "./plugins.ts";
import { envFor, type Policy, policyOf, silencedBy, urlsFor } from "./policy.ts";
import { readRule } from "./rule.ts";
import { permissionFile } from "./rule-guard.ts";
import { type RawHandler, readSettings, type SettingsFile } from "./settings-file.ts";
import type { FirstUse } from "./skill-gate.ts";
import { findSkills } from "./skills.ts";
import { filled, filledArgument, variablesOf } from "./variables.ts";

/** A settings file with its location. */
export interface ReadFile {
  readonly place: SettingsLocation;
  readonly file: SettingsFile;
}

/**
 * Finds all handlers and permission rules without running anything. A mistake disables only the handler that contains
 * it.
 */
export async function discover(scan: Scan): Promise<Found> {
  const places = placesOf(scan);
  const candidates: Candidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const files: ReadFile[] = [];
  for (const place of places) {
    const read = readPlace(place, scan);
    if (read === undefined) continue;
    if ("file" in read && place.isAbove) {
      const { handlers, settings } = read.file;
      if (handlers.length > 0) diagnostics.push(notHere(place, scan));
      const { permissions } = settings;
      const rules = permissions === undefined ? {} : { permissions };
      files.push({ place, file: { ...read.file, handlers: [], faults: [], settings: rules } });
    } else if ("file" in read) files.push({ place, file: read.file });
    else {
      candidates.push(...read.candidates);
      diagnostics.push(...read.diagnostics);
    }
  }
  const policy = policyOf(files);
  diagnostics.push(...policy.diagnostics);
  const earlier: Earlier[] = [];
  // Files of higher tiers are read first, so that their handlers win over equal ones of other files. The order in which
  // hooks are asked stays the same.
  const read = new Map<SettingsLocation, Part>();
  for (const { place, file } of [...files].sort((a, b) => TIER_RANK[a.place.tier] - TIER_RANK[b.place.tier]))
    read.set(place, await candidatesOf({ owner: { ...place }, file, scan, policy, earlier }));
  for (const { place } of files) {
    candidates.push(...(read.get(place)?.candidates ?? []));
    diagnostics.push(...(read.get(place)?.diagnostics ?? []));
  }
  const plugins = findPlugins(scan, files);
  candidates.push(...plugins.lost);
  diagnostics.push(...plugins.diagnostics);
  for (const { owner, file, off } of plugins.found) {
    const found = await candidatesOf({ owner, file, scan, policy, earlier });
    candidates.push(...(off === undefined ? found.candidates : found.candidates.map((one) => disabled(one, off))));
    diagnostics.push(...found.diagnostics);
  }
  const skills = await findSkills(scan, plugins.roots);
  diagnostics.push(...skills.searched.flatMap((path) => noFolder(scan.files, path)));
  for (const { path, tier, line, problem } of skills.lost) {
    const source: Source = { path, tier, dialect: "claude", ...(line !== undefined && { line }) };
    const diagnostic =
      line === undefined
        ? diagnose("UNREADABLE", { path, problem }, { source })
        : diagnose("SYNTAX", { path, line, problem }, { source });
    diagnostics.push(diagnostic);
    candidates.push(lostBy(diagnostic, source));
  }
  for (const { owner, file, never, off } of skills.found) {
    const found = await candidatesOf({ owner, file, scan, policy, earlier: [] });
    diagnostics.push(...found.diagnostics);
    const own =
      owner.skill === undefined ? found.candidates : [...firstUse(owner, found.candidates), ...found.candidates];
    for (const one of own) {
      const state = off !== undefined ? disabled(one, off) : one;
      candidates.push(
        never === undefined || state.state !== "runs" ? state : { ...state, state: "unreachable", reason: never },
      );
    }
  }
  return {
    searched: [...places.map(({ path }) => path), ...plugins.searched, ...skills.searched],
    candidates,
    diagnostics,
  };
}

/** Reports a settings file of a parent folder, whose hooks do not run here, as in Claude Code. */
function notHere({ path, tier, folder }: SettingsLocation, { cwd }: Scan): Diagnostic {
  const problem = `its hooks do not run in ${cwd}; only its deny and ask rules apply`;
  const source: Source = { path, tier, dialect: "claude" };
  return diagnose("LINT", { path, line: 1, problem, remedy: `Start in ${folder} to run them.` }, { source });
}

/** Adds a detector for the first use of a skill, if any handler of the skill can run. */
function firstUse({ path, tier }: Owner, handlers: readonly Candidate[]): Candidate[] {
  if (!handlers.some(({ state }) => state === "runs")) return [];
  const source: Source = { path, tier, line: 1, dialect: "claude" };
  const definition: FirstUse = { firstUseOf: path };
  const events = ["UserPromptExpansion", "PostToolUse"];
  return [
    { lane: "claude", source, state: "runs", files: [path], events, filter: "the first use of this skill", definition },
  ];
}

function disabled(candidate: Candidate, reason: string): Candidate {
  return candidate.state === "runs" ? { ...candidate, state: "disabled", reason } : candidate;
}

type Part = Pick<Found, "candidates" | "diagnostics">;

/**
 * Reads the settings file at a place; `undefined` if there is none. An unreadable file becomes a part of the load
 * report.
 */
function readPlace(place: SettingsLocation, scan: Scan): { readonly file: SettingsFile } | Part | undefined {
  const { path, level } = place;
  const source: Source = { path, tier: place.tier, dialect: "claude" };
  const isAbsent = scan.files.stat(path) === undefined && scan.files.fault?.(path) === undefined;
  if (isAbsent && level !== "given") return undefined;
  const lost = (problem: string, code: Code = "UNREADABLE"): Part => {
    const diagnostic = diagnose(code, { path, problem }, { source });
    return { candidates: [lostBy(diagnostic, source)], diagnostics: [diagnostic] };
  };
  if (isAbsent) return lost("there is no such file");
  if (isLoose(place, scan))
    return lost("other users can write to it, so it cannot be the administrator's", "FILE_UNUSABLE");
  const found = readDefinitionFile(scan.files, path);
  if ("problem" in found) return lost(found.problem);
  const file = readSettings(found.bytes);
  return "problem" in file ? lost(file.problem, "FILE_UNUSABLE") : { file };
}

/** A handler of a settings file that was read earlier. An equal handler in a later file does not run again. */
interface Earlier {
  readonly key: string;
  readonly matcher: string | undefined;
  readonly path: string;
  readonly tier: SettingsLocation["tier"];
}

/** The parameters for reading a file's handlers. `earlier` collects the handlers of all files. */
export interface FileParts {
  readonly owner: Owner;
  readonly file: SettingsFile;
  readonly scan: Scan;
  readonly policy: Policy;
  readonly earlier: Earlier[];
}

/** Returns the candidates of one file: one for each handler, then one for the file's permission rules. */
export async function candidatesOf(parts: FileParts): Promise<Part> {
  const { owner, file } = parts;
  const source: Source = { path: owner.path, tier: owner.tier, dialect: "claude" };
  const candidates: Candidate[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { problem, remedy, ...where } of file.faults) {
    const at = { ...source, ...where };
    const diagnostic = diagnose("BAD_ENTRY", { path: owner.path, line: where.line, problem, remedy }, { source: at });
    diagnostics.push(diagnostic);
    candidates.push(lostBy(diagnostic, at));
  }
  for (const raw of file.handlers) {
    const one = await handlerOf(raw, parts, source);
    diagnostics.push(...one.diagnostics);
    candidates.push(one.candidate);
  }
  if (owner.plugin === undefined) {
    const rules = rulesOf(parts, { ...owner, level: owner.level as Level }, source);
    candidates.push(...rules.candidates);
    diagnostics.push(...rules.diagnostics);
  }
  return { candidates, diagnostics };
}

interface One {
  readonly candidate: Candidate;
  readonly diagnostics: readonly Diagnostic[];
}

async function handlerOf(given: RawHandler, { owner, scan, policy, earlier }: FileParts, source: Source): Promise<One> {
  const raw = owner.agent === undefined ? given : ofAgent(given);
  const { line, pointer, event } = raw;
  const at: Source = { ...source, line, ...(pointer !== undefined && { pointer }) };
  const { definition: read, lost, notes } = readEntry(raw, owner);
  const diagnostics = notes.map(({ code, details }) =>
    diagnose(
      code,
      { path: owner.path, line, dialect: "Claude Code", what: `timeout of ${place(at)}`, ...details },
      { source: at },
    ),
  );
  const base = { lane: "claude", source: at, events: EVENTS[event] === undefined ? [] : [event] };
  const bare = { ...base, files: [owner.path], definition: undefined };
  if (read === undefined)
    return { candidate: { ...bare, state: lost?.state ?? "broken", reason: lost?.reason ?? "" }, diagnostics };
  const found = filterOf(read, owner.path, at);
  diagnostics.push(...found.diagnostics);
  if (found.broken !== undefined) return { candidate: { ...bare, state: "broken", reason: found.broken }, diagnostics };
  const http = urlsFor(policy, owner.level);
  const env = envFor(policy, owner.level);
  const definition: Definition = {
    ...read,
    level: owner.level,
    folder: owner.folder,
    ...(owner.plugin !== undefined && { plugin: owner.plugin }),
    ...(owner.skill !== undefined && { skill: owner.skill }),
    ...(owner.agent !== undefined && { agent: owner.agent }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(read.type === "http" && { http }),
  };
  const variables = variablesOf(definition, scan);
  const command = commandText(definition, variables);
  const scripts =
    command === undefined
      ? []
      : scriptsOf(command, {
          cwd: scan.cwd,
          variables: { ...variables, PWD: scan.cwd, HOME: scan.home },
          roots: [scan.cwd, owner.folder, ...(owner.plugin === undefined ? [] : [owner.plugin.root])],
          files: scan.files,
        });
  const filter = [
    found.filter ?? [],
    owner.skill === undefined ? [] : `the skill ${owner.skill.name} in use`,
    owner.agent === undefined ? [] : `in the agent ${owner.agent.name}`,
  ].flat();
  const absent = await absentOf(definition, command, variables, scan);
  const never = found.never ?? (owner.agent === undefined || firesInAgents(event) ? undefined : foreignTo(event));
  const candidate: Candidate = {
    ...base,
    state: never === undefined ? "runs" : "unreachable",
    ...(never !== undefined && { reason: never }),
    files: [owner.path, ...scripts],
    ...(command !== undefined && { commands: [command], env: { ...foldersOf(variables), ...env } }),
    folders: [dirname(owner.path), ...(owner.plugin === undefined ? [] : [owner.plugin.root])],
    ...(filter.length > 0 && { filter: filter.join(" and ") }),
    timeoutMs: definition.timeoutMs,
    onFailure: failureWords(definition),
    ...(absent !== undefined && { absent }),
    definition,
  };
  const silence = silencedBy(policy, owner.level);
  // A disabled handler must not shadow an equal one in another file.
  if (silence !== undefined) return { candidate: disabled(candidate, silence), diagnostics };
  return { candidate: second(candidate, definition, raw, earlier), diagnostics };
}

/**
 * Describes a program or file that a handler starts and that does not exist. The handler is loaded all the same, and
 * its failures count as in Claude Code.
 */
async function absentOf(
  { shell }: Definition,
  command: string | undefined,
  variables: Readonly<Record<string, string>>,
  { cwd, home, env, files }: Scan,
): Promise<Candidate["absent"]> {
  if (command === undefined || shell === "powershell") return undefined;
  const known = { ...variables, PWD: cwd, HOME: home };
  const problem = await absentStart(command, { cwd, variables: known, roots: [], files, path: env["PATH"] });
  if (problem === undefined) return undefined;
  return { problem, remedy: "Correct the command; a relative path is taken from the folder of the session." };
}

/**
 * Turns `Stop` in an agent's file into `SubagentStop`, the end of that agent; its matcher has no meaning. Source:
 * spec/claude.md 1.
 */
function ofAgent(raw: RawHandler): RawHandler {
  return raw.event === "Stop" ? { ...raw, event: "SubagentStop", matcher: undefined } : raw;
}

/** Whether an event also fires in sub-agents. */
function firesInAgents(event: string): boolean {
  return rows.some(({ name, of, agents }) => name === event && (agents ?? catalog.get(of)?.agents) === "all");
}

function foreignTo(event: string): string {
  return `an agent's hooks are asked only about that agent's own events, and ${event} is not one of them`;
}

/**
 * Lets equal handlers of several settings files run once: the administrator's, or else the first. A project's handler
 * never replaces the user's. If only the matchers differ, a copy runs for what the earlier ones do not match.
 *
 * Source: spec/claude.md 1, "Dedup"; ruling 56.
 */
function second(candidate: Candidate, definition: Definition, raw: RawHandler, earlier: Earlier[]): Candidate {
  const { plugin, skill, agent } = definition;
  if (candidate.state !== "runs" || plugin !== undefined || skill !== undefined || agent !== undefined)
    return candidate;
  // A rule's paths are relative to the settings file's folder, so the same rule in another folder is not equal.
  const key = JSON.stringify([raw.event, raw.handler, definition.if === undefined ? "" : definition.folder]);
  const { path, tier } = candidate.source;
  // A project's handler needs consent, so it must never replace the user's.
  const same = earlier.filter((one) => one.key === key && (one.tier !== "project" || tier === "project"));
  earlier.push({ key, matcher: definition.matcher, path, tier: tier as SettingsLocation["tier"] });
  const twin = same.find(({ matcher, path: other }) => matcher === definition.matcher && other !== path);
  if (twin !== undefined)
    return { ...candidate, state: "shadowed", reason: `${twin.path} has the same hook`, twin: twin.path };
  const others = same.filter((one) => one.tier !== "project" && one.path !== path);
  if (others.length === 0) return candidate;
  return { ...candidate, definition: { ...definition, unless: others.map(({ matcher }) => matcher) } };
}

interface Filtered {
  readonly filter?: string;
  readonly broken?: string;
  readonly never?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Describes the filter of a handler (its matcher and rule) in words, with its problems. */
function filterOf(
  { event, matcher, if: rule }: Omit<Definition, "level" | "folder">,
  path: string,
  source: Source,
): Filtered {
  const fields = EVENTS[event];
  const line = source.line ?? 1;
  const told = (code: "BAD_ENTRY" | "LINT" | "UNREACHABLE", problem: string, remedy: string): Diagnostic =>
    diagnose(code, { path, line, problem, remedy }, { source });
  const read = readMatcher(fields?.subject === undefined ? undefined : matcher, fields?.narrow ? "exact" : "tool");
  if (!read.ok) return { broken: read.problem, diagnostics: [told("BAD_ENTRY", read.problem, read.remedy)] };
  const diagnostics: Diagnostic[] = [];
  const wrong = fields?.isTool ? mistakes(matcher) : [];
  if (fields !== undefined && fields.subject === undefined && (matcher ?? "*") !== "*" && matcher !== "")
    diagnostics.push(told("LINT", `a matcher has no effect on ${event}, so this handler always runs`, "Remove it."));
  for (const { never, problem, remedy } of wrong)
    diagnostics.push(told(never ? "UNREACHABLE" : "LINT", problem, remedy));
  let never: string | undefined;
  if (rule !== undefined) {
    const condition = readRule(rule, "if");
    if (!condition.ok) {
      const problem = `if: "${rule}" ${condition.problem}`;
      return { broken: problem, diagnostics: [...diagnostics, told("BAD_ENTRY", problem, condition.remedy)] };
    }
    for (const { problem, remedy } of condition.notes)
      diagnostics.push(told("LINT", `if: "${rule}" ${problem}`, remedy));
    if (fields?.isTool !== true) never ??= `"if" is for events of tools, so this handler of ${event} never runs`;
  }
  const parts = [
    ...(fields?.subject !== undefined && matcher !== undefined && matcher !== "" && matcher !== "*"
      ? [`${fields.subject}: ${read.describe}`]
      : []),
    ...(rule === undefined ? [] : [`if ${rule}`]),
  ];
  return {
    diagnostics,
    ...(parts.length > 0 && { filter: parts.join(" and ") }),
    ...(never !== undefined && { never }),
  };
}

/** Returns the shell command of a handler, or its program and arguments as one line of quoted words. */
function commandText(
  { command, args, type, plugin }: Definition,
  variables: Readonly<Record<string, string>>,
): string | undefined {
  if (type !== "command" || command === undefined) return undefined;
  if (args === undefined) return filled(command, variables);
  return [command, ...args].map((word) => quoted(filledArgument(word, variables, plugin?.options))).join(" ");
}

/** Leaves out `CLAUDE_PROJECT_DIR`, because the parser of shell commands knows its value already. */
function foldersOf({ CLAUDE_PROJECT_DIR: _, ...others }: Readonly<Record<string, string>>): Record<string, string> {
  return others;
}

function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** Describes the effect of a handler's failure. */
function failureWords({ event, onFailure, isAsync }: Definition): string {
  const isBlocking = mayBlockOnFailure(event) && !isAsync;
  return onFailure === "block" && isBlocking ? "block: counts as exit code 2" : "continue: reported, no effect";
}

/** Makes one guard of a file's permission rules. Reports unreadable deny and ask rules as broken; the others apply. */
function rulesOf({ file, policy }: FileParts, owner: Owner & { readonly level: Level }, source: Source): Part {
  const permissions = file.settings["permissions"];
  if (permissions === undefined) return { candidates: [], diagnostics: [] };
  const { level, path } = owner;
  const at: Source = { ...source, ...file.at("permissions") };
  const definition: RuleSet = { permissions, level, folder: owner.folder, path };
  const { broken, remarks, isEmpty } = readPermissions([permissionFile(definition)]);
  const told = (code: "BAD_ENTRY" | "LINT") => (remark: PermissionRemark) =>
    diagnose(
      code,
      { path, line: at.line ?? 1, problem: `${remark.at}: ${remark.problem}`, remedy: remark.remedy },
      { source: at },
    );
  const faults = broken.map(told("BAD_ENTRY"));
  const diagnostics = [...faults, ...remarks.map(told("LINT"))];
  const lost = faults.map((fault) => lostBy(fault, at));
  if (isEmpty) return { candidates: lost, diagnostics };
  const base = { lane: "claude", source: at, events: ["PreToolUse"], files: [path], filter: "permission rules" };
  const silence = policy.rulesSilenced.get(level);
  const candidate: Candidate =
    silence !== undefined
      ? { ...base, state: "disabled", reason: silence, definition }
      : { ...base, state: "runs", onFailure: "refuses", definition };
  return { candidates: [candidate, ...lost], diagnostics };
}
