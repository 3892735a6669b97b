import { dirname, join } from "node:path";
import { messageOf } from "@hookline/ground";
import type { Call, HookSpec, Instance, Source, Surroundings } from "@hookline/runtime/dialect";
import { diagnose, place } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import { childInstance, isOfAgent } from "./agent-child.ts";
import { ReadAnswer, type Reading, readRaw } from "./answer.ts";
import { startInBackground } from "./background.ts";
import { type CommandRun, hasEnvFile, runCommand } from "./command.ts";
import type { Definition } from "./definition.ts";
import { takeEnvironment } from "./environment.ts";
import { EVENTS } from "./fields.ts";
import { runJudge } from "./judge.ts";
import { readMatcher } from "./matcher.ts";
import type { OwnerTier } from "./places.ts";
import { dataFolder } from "./plugin-registry.ts";
import { byName, toolReach } from "./reach.ts";
import { runRequest } from "./request.ts";
import { readRule } from "./rule.ts";
import { IGNORES_CASE } from "./rule-guard.ts";
import { runServerTool } from "./server-tool.ts";
import { CLAUDE_SIZE_LIMITS } from "./size-limits.ts";
import { isInUse } from "./skill-gate.ts";
import { Transcript } from "./transcript.ts";
import { type ClaudeEvent, responseProblem } from "./views.ts";

/** The parameters for registering a handler, besides its definition. */
export interface Registration {
  readonly around: Surroundings;
  readonly source: Source;
  /** Script files that the handler's command runs. */
  readonly scripts: readonly string[];
  readonly filter: string | undefined;
}

/** Registers one handler. Asynchronous only because some rules need the parser of shell commands to be loaded. */
export async function register(definition: Definition, instance: Instance, given: Registration): Promise<void> {
  const match = await matcherOf(definition, given.around);
  const { event, timeoutMs, onFailure, isAsync } = definition;
  const { tier } = instance.source;
  const label = `${event} hook ${place(given.source)}`;
  const runsOf = (owner: Instance): Runs =>
    new Runs(definition, given, owner, { label, tier: tier === "project" || tier === "managed" ? tier : "user" });
  const runs = runsOf(instance);
  const ofChildren = new WeakMap<Instance, Runs>();
  const runsFor = ({ agent_id: id }: ClaudeEvent): Runs => {
    if (definition.agent === undefined || id === undefined) return runs;
    const child = childInstance(id, instance, given.around);
    const known = ofChildren.get(child) ?? runsOf(child);
    ofChildren.set(child, known);
    return known;
  };
  const remove = instance.on({
    event,
    run: async (told: ClaudeEvent, call: Call) => {
      if (definition.isOnce) remove();
      const said = await runsFor(told).run(told, call);
      // On `PermissionRequest`, a hook that matches only an alias of the tool may refuse the call, but not allow it.
      const mayAllow = event !== "PermissionRequest" || match === undefined || match(told, [told.tool_name ?? ""]);
      return mayAllow || said?.reading.ok !== true || said.reading.answer?.ruling?.decision !== "allow"
        ? said
        : undefined;
    },
    match: inUse(definition, match, given.around) as ((event: never) => boolean) | undefined,
    filter: given.filter,
    ...toolsOf(definition),
    // The time limit counts from the start of the process or request, not from the wait for a free slot.
    timeoutMs: Number.POSITIVE_INFINITY,
    transportMs: timeoutMs,
    onError: onFailure === "block" && !isAsync ? "abort" : "skip",
    at: given.source,
  });
}

/**
 * Restricts a skill's handler to events after the skill's first use, and an agent's handler to events of that agent.
 */
function inUse({ skill, agent }: Definition, match: Match | undefined, around: Surroundings): Match | undefined {
  if (skill !== undefined) return (told) => isInUse(skill.path, around) && (match === undefined || match(told));
  if (agent !== undefined) return (told) => isOfAgent(told, agent, around) && (match === undefined || match(told));
  return match;
}

/** Whether an event matches a handler. `names` replace the names of the event's tool. */
type Match = (event: ClaudeEvent, names?: readonly string[]) => boolean;

/**
 * Returns two tests: whether a handler is for a tool, and whether a call of any offered tool can match it. Returns `{}`
 * if there is nothing to test: the handler has no matcher and no rule, or its event is not about tools.
 */
function toolsOf({ event, matcher, if: condition }: Definition): Pick<HookSpec, "fits" | "reach"> {
  const read = readMatcher(matcher, "tool");
  const rule = condition === undefined ? undefined : readRule(condition, "if");
  if (!EVENTS[event]?.isTool || (matcher === undefined && rule === undefined)) return {};
  const named = rule?.ok ? rule.rule : undefined;
  return {
    fits: byName((name) => read.ok && read.test(name) && (rule === undefined || named?.isFor(name) === true)),
    reach: (offer) => toolReach(matcher, named, offer),
  };
}

/** Returns a function that says whether a handler is for an event; `undefined` if it is for all events. */
async function matcherOf(
  { event, matcher, if: condition, unless = [], folder }: Definition,
  { scan, scene }: Surroundings,
): Promise<Match | undefined> {
  const { subject, narrow } = EVENTS[event] ?? {};
  const tested = (text: string | undefined): ((subject: string) => boolean) => {
    const read = readMatcher(text, narrow ? "exact" : "tool");
    return read.ok ? read.test : () => false;
  };
  const own = subject === undefined ? undefined : tested(matcher);
  const others = subject === undefined ? unless.map(() => () => true) : unless.map(tested);
  const read = condition === undefined ? undefined : readRule(condition, "if");
  const rule = read?.ok ? read.rule : undefined;
  if (matcher === undefined && rule === undefined && others.length === 0) return undefined;
  const shell = rule?.needsShell ? await (await import("@hookline/runtime/command")).loadReader() : undefined;
  const world = {
    cwd: scan.cwd,
    home: scan.home,
    folder,
    files: scan.files,
    ignoresCase: IGNORES_CASE,
    ...(shell !== undefined && { shell }),
  };
  return (told, given) => {
    const { tool_name = "", tool_aliases = [], tool_input = {} } = told;
    const what = subject === undefined ? "" : String(told[subject] ?? "");
    const tool = subject === "tool_name" ? scene.tool?.(what) : undefined;
    const names = given ?? [...(tool?.names ?? [what]), ...(subject === "tool_name" ? tool_aliases : [])];
    if (own !== undefined && !names.some(own)) return false;
    if (others.some((test) => names.some(test))) return false;
    return rule === undefined || rule.holds({ tool_name, tool_aliases, tool_input, tool }, world) !== false;
  };
}

interface Reach {
  readonly label: string;
  readonly tier: OwnerTier;
}

class Runs {
  readonly #definition: Definition;
  readonly #around: Surroundings;
  readonly #scripts: readonly string[];
  readonly #reach: Reach;
  readonly #instance: Instance;
  readonly #source: Source;
  #hasTold = false;
  /** Files that were written for a session that is not stored. They are removed when the session ends. */
  readonly #temporary = new Set<string>();

  constructor(definition: Definition, { around, scripts, source }: Registration, instance: Instance, reach: Reach) {
    this.#instance = instance;
    this.#source = source;
    this.#definition = definition;
    this.#around = around;
    this.#scripts = scripts;
    this.#reach = reach;
  }

  /** Runs the handler and parses its answer. Returns `undefined` for a background handler. */
  async run(told: ClaudeEvent, call: Call): Promise<ReadAnswer | undefined> {
    const { isAsync, type, statusMessage } = this.#definition;
    const { services } = this.#around;
    // A background handler cannot refuse anything, so it is not asked a second time.
    if (isAsync && call.pass === 2) return undefined;
    const parts = this.#parts(this.#prepare(told, call));
    if (isAsync) {
      startInBackground(this.#definition, told, parts, { instance: this.#instance, trace: call.trace });
      return undefined;
    }
    if (statusMessage !== undefined) services.ui?.setStatus?.(this.#reach.label, statusMessage);
    try {
      const raw =
        type === "http"
          ? await runRequest(this.#definition, told, call, { around: this.#around, ...this.#reach })
          : type === "mcp_tool"
            ? await runServerTool(this.#definition, told, call, {
                around: this.#around,
                tier: this.#reach.tier === "project" ? "project" : "user",
              })
            : type === "command"
              ? await runCommand(this.#definition, told, call, { ...parts, signal: call.signal })
              : await runJudge(this.#definition, told, call, this.#around);
      if (raw !== undefined && "lack" in raw) this.#tellOnce(raw.lack);
      return raw && new ReadAnswer(this.#kept(readRaw(told.hook_event_name, raw), told));
    } finally {
      if (statusMessage !== undefined) services.ui?.setStatus?.(this.#reach.label, undefined);
      const { envFile: path } = parts;
      if (path !== undefined) await takeEnvironment(this.#around, { path, cwd: told.cwd, tier: this.#reach.tier });
    }
  }

  #tellOnce(lack: string | undefined): void {
    if (lack === undefined || this.#hasTold) return;
    this.#hasTold = true;
    const { path, line = 1 } = this.#source;
    const details = {
      path,
      line,
      problem: `${lack}, so it was sent empty`,
      remedy: "Set and allow it, or remove it from the headers.",
    };
    this.#instance.report(diagnose("LINT", details, { source: this.#source }));
  }

  /**
   * Returns the path of `CLAUDE_ENV_FILE`. Each tier has its own file, so that a project's file is sourced with a
   * project's environment only.
   */
  #envFile({ transcript_path: beside, session_id: id }: ClaudeEvent): string {
    return join(dirname(beside), `${id}.${this.#reach.tier}.env`);
  }

  #parts(envFile: string | undefined): Omit<CommandRun, "signal"> {
    const file = envFile === undefined ? {} : { envFile };
    return { around: this.#around, ...this.#reach, scripts: this.#scripts, ...file };
  }

  /**
   * Updates the transcript, creates the plugin's data folder, and returns the path of `CLAUDE_ENV_FILE`. If one of
   * these fails, the hook runs without it. Private files are written only into folders that belong to the user.
   */
  #prepare(told: ClaudeEvent, call: Call): string | undefined {
    const { privateFiles, scan, scene, services } = this.#around;
    const { plugin } = this.#definition;
    const data = plugin && dataFolder(plugin, scan);
    let envFile: string | undefined;
    try {
      const transcript = transcriptOf(this.#around);
      transcript.refresh(told.transcript_path, scene.messages?.() ?? [], scene);
      this.#keepWithSession(told.transcript_path);
      const { agent_id: agent, agent_transcript_path: agentPath } = told;
      const messages = agent === undefined ? undefined : services.agents?.messages(agent);
      if (agent !== undefined && messages !== undefined && typeof agentPath === "string")
        transcript.refresh(agentPath, messages, scene, services.agents?.ended(agent));
      if (hasEnvFile(this.#definition)) {
        const path = this.#envFile(told);
        privateFiles.append(path, "");
        this.#keepWithSession(path);
        envFile = path;
      }
    } catch (thrown) {
      call.note(`the transcript could not be written: ${messageOf(thrown)}`);
    }
    try {
      if (data !== undefined) privateFiles.folder(data);
    } catch (thrown) {
      call.note(`${data} could not be made: ${messageOf(thrown)}`);
    }
    return envFile;
  }

  /** Removes a file when the session ends, unless the session itself is stored. */
  #keepWithSession(path: string): void {
    const { privateFiles, scene } = this.#around;
    if (scene.sessionFile !== undefined || this.#temporary.has(path)) return;
    this.#temporary.add(path);
    this.#instance.own(() => privateFiles.remove(path));
  }

  /**
   * Drops a hook's new result if its shape is wrong. Shows the hook's text for the terminal. Source: spec/claude.md 5.
   */
  #kept(reading: Reading, { tool_name: tool = "" }: ClaudeEvent): Reading {
    if (!reading.ok) return reading;
    if (reading.terminal !== undefined) this.#around.services.ui?.terminalSequence?.(harmless(reading.terminal));
    const { tool_response: given, ...rest } = reading.answer ?? {};
    const problem = given === undefined ? undefined : responseProblem(tool, given);
    if (problem === undefined) return reading;
    return { ...reading, answer: rest, odd: [...(reading.odd ?? []), { field: "updatedToolOutput", problem }] };
  }
}

const TRANSCRIPT = "claude.transcript";

function transcriptOf({ shared, privateFiles }: Surroundings): Transcript {
  return sharedOf(shared, TRANSCRIPT, () => new Transcript(privateFiles));
}

/** Matches an operating system command (OSC) of a terminal, or a bell. */
const PARTS = /\u001b\](\d*);([^\u0007\u001b]*)(?:\u0007|\u001b\\)|\u0007/g;
const HARMLESS: ReadonlySet<string | undefined> = new Set(["0", "1", "2", "9", "99", "777", undefined]);
const LONGEST = CLAUDE_SIZE_LIMITS.terminalNote.most;
const MOST = CLAUDE_SIZE_LIMITS.terminalNotes.most;

/**
 * Returns the harmless parts of a hook's text for the terminal: titles and notifications (OSC 0, 1, 2, 9, 99, 777) and
 * the bell, at most eight. Source: spec/claude.md 5.
 */
function harmless(sequence: string): string {
  const found = [...sequence.matchAll(PARTS)].filter(
    ([, number, text = ""]) => HARMLESS.has(number) && text.length <= LONGEST && !/\p{Cc}/u.test(text),
  );
  return found
    .slice(0, MOST)
    .map(([whole]) => whole)
    .join("");
}
