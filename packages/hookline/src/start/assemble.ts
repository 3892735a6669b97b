import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  type Diagnostic,
  FrozenConsent,
  HooklineError,
  type Session as HookSession,
  type HostServices,
  type HostUi,
  type Runtime,
  type TraceLine,
} from "@hookline/runtime";
import { type Exclusion, exclusionOf } from "@hookline/runtime/internal";
import { Agent } from "../agent/agent.ts";
import { Children } from "../agent/children.ts";
import { addBuiltinCommands } from "../agent/command/command.ts";
import { definitionsOf } from "../agent/config-change.ts";
import { announcing } from "../agent/dialogs.ts";
import { llmOf } from "../agent/llm.ts";
import { restoreModel, restoreThinking } from "../agent/select.ts";
import { agentServices } from "../agent/services.ts";
import { startSession } from "../agent/start-session.ts";
import { takeUp } from "../agent/switch.ts";
import { TASK_TOOL } from "../agent/task.ts";
import { UserCommands } from "../agent/user-command.ts";
import { decides } from "../hook/in-shadow.ts";
import type { Patience } from "../hook/patience.ts";
import { awaitShadows } from "../hook/shadow-wait.ts";
import type { Io } from "../io/io.ts";
import { ProtectedPlaces } from "../protect/places.ts";
import { type ProtectionParts, protectedTools } from "../protect/tools.ts";
import { loadApi } from "../provider/pi-ai.ts";
import type { ThinkingLevel } from "../provider/provider.ts";
import { isThinkingLevel, levelFor, THINKING_LEVELS } from "../provider/thinking.ts";
import { announceAgent } from "../session/present.ts";
import type { StorageReport } from "../session/storage.ts";
import type { StoreOptions } from "../session/store.ts";
import { liveSettings, loopSettings } from "../settings/parts.ts";
import { readSettings, settingOf } from "../settings/settings.ts";
import { createAskTool } from "../tool/ask.ts";
import { builtinTools } from "../tool/builtin.ts";
import { dropOutputs, outputFolder } from "../tool/output-files.ts";
import { commandShell } from "../tool/shell.ts";
import { sightTools } from "../tool/sight.ts";
import { createTodoTool } from "../tool/todo.ts";
import type { Tool } from "../tool/tool.ts";
import { Admission } from "./admit.ts";
import { type Arguments, textFlag } from "./args.ts";
import { contextsOf, joinContexts } from "./contexts.ts";
import { elsewhereOf } from "./fleet.ts";
import { modelsOf } from "./models.ts";
import { openOrCopy, openStoreFor, requestOf } from "./open-session.ts";
import { packagedTextsOf, piHomeOf } from "./packaged-texts.ts";
import { type Place, placeOf, runtimeOf } from "./place.ts";
import { askProjectTrust, DecidedConsent, HeldReports } from "./project-trust.ts";
import { type RunRecording, recordingOf } from "./recording.ts";
import { sceneOf } from "./scene.ts";
import { serversOf } from "./servers.ts";
import { sessionHooksOf } from "./session-hooks.ts";
import { trustCommand } from "./trust-command.ts";
import { tellLock, watchedLock } from "./watched-lock.ts";

/** A running agent and everything that it uses. */
export interface Assembled {
  readonly agent: Agent;
  readonly place: Place;
  readonly runtime: Runtime;
  readonly hooks: HookSession;
  /** A message that a hook wants sent if no prompt was given. */
  readonly firstMessage: string | undefined;
  readonly recording: RunRecording;
  /**
   * Tells the hooks that the session ends, then releases everything. The signal stops what the hooks do. An unattended
   * run waits for hooks in shadow, unless it hurries.
   */
  close(signal?: AbortSignal, hurries?: boolean): Promise<void>;
}

/** Options of a mode for assembling an agent. */
export interface AssembleOptions {
  readonly mode: NonNullable<HostServices["mode"]>;
  /** The person, if they can answer dialogs. */
  readonly ui?: HostUi | undefined;
  /** Lets the person give up on slow hooks of the start. */
  readonly patience?: Patience | undefined;
  onDiagnostic(diagnostic: Diagnostic): void;
  /** Called when the hooks are loaded, right before they are told of the session's start. */
  onStart?(): void;
  /** Observes all dispatches for telemetry. */
  readonly telemetry?: { watch(runtime: Runtime): void } | undefined;
  /** Called once, with a message, if the recording is incomplete. */
  onRecordingLost?(text: string): void;
  readonly trace?: { write(line: TraceLine): void; readonly payloads: boolean } | undefined;
}

/** Opens model, session and hooks, and creates the agent. Its errors are for the person to fix first. */
export async function assemble(args: Arguments, io: Io, options: AssembleOptions): Promise<Assembled> {
  const thinking = thinkingOf(args);
  const place = await placeOf(args, io);
  const { registry, model } = await modelsOf(args, io, place);
  // Reads the client from disk while the hooks load; errors are reported at the first request.
  Promise.resolve(loadApi(model.api)).catch(() => undefined);
  for (const diagnostic of registry.diagnostics) options.onDiagnostic(diagnostic);
  for (const diagnostic of place.settings.diagnostics) options.onDiagnostic(diagnostic);
  const late: { agent?: Agent } = {};
  const tellSoon = (text: string): void => {
    if (late.agent === undefined) early.push(text);
    else late.agent.core.tell({ type: "notice", level: "warning", text });
  };
  const storing = storingFor(place, tellSoon);
  const early: string[] = [];
  const leave = announceAgent(place.hooklineHome, place.cwd);
  const contexts = contextsOf(args, io, place);
  const request = requestOf(args) ?? contexts.startRequest();
  const store = await openOrCopy(args, place, storing, request, options.mode === "tui" ? options.ui : undefined);
  const runtime = runtimeOf(place, io, { keepsAlive: false });
  options.telemetry?.watch(runtime);
  const scene = sceneOf(place.cwd, store, late, contexts, () => args.flags["verbose"] === true);
  const wanted = textFlag(args, "tools")
    ?.split(",")
    .map((name) => name.trim());
  const hookSession: { hooks?: HookSession } = {};
  const excludes = (): Exclusion | undefined => hookSession.hooks && exclusionOf(hookSession.hooks.contributions);
  const llm = llmOf(late, registry, {
    cwd: place.cwd,
    tools: () => sightTools(place.cwd, { processes: runtime.processes, excludes }, wanted),
  });
  const ui = options.ui && announcing(options.ui, () => hookSession.hooks);
  const flags = new Map(args.foreign);
  const environment: Record<string, string> = {};
  const services = agentServices({
    mode: options.mode,
    ui,
    late,
    store,
    registry,
    runtime,
    llm,
    cwd: place.cwd,
    environment,
    flags,
  });
  if (args.extensions.some((given) => given.includes(":"))) {
    const { fetchNamed } = await import("./fetch-named.ts");
    const note = (text: string): void => void early.push(text);
    await fetchNamed(args.extensions, place, io.env, { note, report: options.onDiagnostic });
  }
  const asksTrust = args.flags["frozen"] !== true && args.flags["trust-project"] !== true;
  const consent = new DecidedConsent(place.consent);
  const lock = watchedLock(place, asksTrust ? consent : place.consent, io.env);
  const reports = new HeldReports(options.onDiagnostic);
  const recording = await recordingOf(args, io, place, {
    sessionFile: () => (late.agent?.core.store ?? store).getSessionFile(),
    tell: (text) => options.onRecordingLost?.(text),
  });
  const hooks = await runtime.open({
    scene,
    recorder: recording.recorder,
    services,
    ...(lock === undefined ? asksTrust && { consent } : { consent: lock.consent }),
    explicit: args.extensions,
    settings: liveSettings(place.settings, () => readSettings(place.hooklineHome, place.cwd, io.managed)),
    ...(place.consent instanceof FrozenConsent && { expected: place.consent.expected }),
    stats: true,
    onDiagnostic: reports.take,
    ...(options.trace !== undefined && { trace: options.trace }),
  });
  hookSession.hooks = hooks;
  const tell = (text: string): void => void early.push(text);
  if (asksTrust) await askProjectTrust({ place, hooks, consent, signal: options.patience?.signal, tell });
  reports.tell(hooks);
  const admission = new Admission({
    place,
    hooks,
    ui: options.mode === "tui" ? ui : undefined,
    allowsBroken: args.flags["allow-broken-hooks"] === true,
    leftOut: leftOut(args),
    tell,
  });
  const abandon = async (thrown: unknown): Promise<never> => {
    store.close();
    await runtime.close();
    throw thrown;
  };
  await admission
    .begin()
    .then(() => tellLock(lock, place, options.onDiagnostic))
    .catch(abandon);
  // Only now it is known which of them take the next word as their value.
  for (const [name, value] of args.again(registeredFlags(hooks)).foreign) flags.set(name, value);
  const sessionHooks = await sessionHooksOf(place, {
    hooks,
    frozen: args.flags["frozen"] === true,
    ui,
    store: () => late.agent?.core.store ?? store,
    report: options.onDiagnostic,
  });
  const shellPath = commandShell();
  const outputs = outputFolder(place.hooklineHome, store.isPersisted());
  const servers = serversOf({
    place,
    env: io.env,
    hooks: () => hooks,
    late,
    ui: () => services.ui,
    waits: options.mode !== "tui",
    outputs,
    tell: tellSoon,
  });
  servers.follow();
  const builtin = builtinTools({
    cwd: place.cwd,
    processes: runtime.processes,
    excludes,
    shellPath,
    tmpDir: outputs,
    spawnHook: (command) => ({ ...command, env: { ...command.env, ...environment } }),
  });
  const children = new Children({
    hooks,
    scene,
    registry,
    never: sessionHooks === undefined ? [] : [sessionHooks.tool.name],
    store: () => late.agent?.core.store ?? store,
    sessionSignal: () => (late.agent as Agent).sessionSignal,
    openSession: (request) => openStoreFor(args, place, storing, request),
  });
  const tools: readonly Tool[] = [
    ...protectedTools(
      builtin,
      protection(place, io, hooks, () => services.ui),
    ),
    createTodoTool() as Tool,
    createAskTool(() => services.ui) as unknown as Tool,
    children.tool(() => (late.agent as Agent).core),
    ...(sessionHooks === undefined ? [] : [sessionHooks.tool]),
  ];
  const elsewhere = await elsewhereOf(place, io.env, tellSoon);
  const agent = new Agent({
    elsewhere: elsewhere && ((call, signal) => elsewhere.ask(call, signal)),
    hooks,
    scene,
    store,
    storing,
    provider: registry.provider,
    registry,
    model,
    tools,
    children,
    mcpTools: () => servers.tools(),
    servers,
    isOptional: (name) =>
      (name === TASK_TOOL &&
        place.settings.user.get("task.enabled") !== true &&
        !late.agent?.core.resources.agents.length) ||
      (OPTIONAL_TOOLS.includes(name) && place.settings.user.get(`${name}.enabled`) !== true) ||
      (name === sessionHooks?.tool.name && !decides(hooks, "jcli")),
    sessionHooks: sessionHooks?.hooks,
    admits: admission,
    ...(wanted !== undefined && { limit: wanted }),
    settings: loopSettings(place.settings, io.env),
    systemPrompt: textFlag(args, "system-prompt"),
    appendSystemPrompt: appendedPrompt(args, place.cwd),
    thinking: levelFor(model, thinking),
    llm,
    roots: { ...place, env: io.env, piHome: await piHomeOf(place, io) },
    ...(await packagedTextsOf(place, args, io)),
    contexts,
    services,
    patience: options.patience,
    userCommands: new UserCommands({ processes: runtime.processes, cwd: place.cwd, shellPath, outputFolder: outputs }),
    openSession: (request) => openStoreFor(args, place, storing, request),
    onDiagnostic: options.onDiagnostic,
    apiKey: () => registry.getApiKey(late.agent?.core.model as never),
  });
  late.agent = agent;
  agent.listen((event) => children.roster.hear(event), false);
  addBuiltinCommands(agent);
  addHooksCommand(agent, io.env, place);
  agent.commands.set("trust", trustCommand(agent, { place, env: io.env }));
  joinContexts(agent, contexts);
  takeUp(agent);
  sessionHooks?.hooks.restore();
  await agent.prepareResources();
  options.onStart?.();
  const firstMessage = await startSession(agent, { reason: "startup" });
  servers.begin();
  agent.definitions = definitionsOf(agent.core, hooks.report);
  await admission.started().catch(async (thrown: unknown) => {
    await hooks.emit("session.end", { reason: "quit" }, {});
    return abandon(thrown);
  });
  await contexts.begin();
  const chosen = ["model", "base-url", "script"].some((flag) => args.flags[flag] !== undefined);
  if (!chosen) await restoreModel(agent);
  if (thinking !== undefined) agent.useThinking(levelFor(agent.core.model, thinking));
  else if (chosen) restoreThinking(agent);
  await agent.loadResources("startup");
  if (wanted !== undefined) early.push(...unknownTools(wanted, agent));
  for (const text of early) agent.core.tell({ type: "notice", level: "warning", text });
  return {
    agent,
    place,
    runtime,
    hooks,
    firstMessage,
    recording,
    close: async (signal, hurries = false) => {
      await hooks.emit("session.end", { reason: "quit" }, { signal });
      if (!hurries && (options.mode === "print" || options.mode === "json")) await awaitShadows(hooks, signal);
      contexts.close();
      agent.core.store.flush();
      elsewhere?.close();
      await servers.servers.stop();
      await runtime.close();
      // The tokens of a judge in shadow are counted until the end.
      agent.core.store.close();
      // Includes what hooks in shadow say until the end.
      await recording.close();
      leave();
      dropOutputs(place.hooklineHome, outputs);
    },
  };
}

/** Names in `--tools` that are no tools; hooks may still add them later. */
function unknownTools(wanted: readonly string[], agent: Agent): string[] {
  const known = agent.tools();
  const strange = wanted.filter((name) => name !== "" && !known.has(name));
  return strange.map(
    (name) => `--tools names "${name}", which is not a tool. There are: ${[...known.keys()].join(", ")}.`,
  );
}

/** What the command line adds to the system prompt: a text, or the contents of a file. */
function appendedPrompt(args: Arguments, cwd: string): string {
  const given = textFlag(args, "append-system-prompt") ?? "";
  const path = resolve(cwd, given);
  return given !== "" && statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : given;
}

function thinkingOf(args: Arguments): ThinkingLevel | undefined {
  const level = textFlag(args, "thinking");
  if (level === undefined || isThinkingLevel(level)) return level;
  const remedy = `Choose from ${THINKING_LEVELS.join(", ")}.`;
  throw new HooklineError("INVALID_OPTION", { option: "--thinking", problem: `has no level "${level}"`, remedy });
}

/** Tools that are only offered if `--tools` or a setting names them. Source: decision 6f. */
const OPTIONAL_TOOLS: readonly string[] = ["todo", "ask"];

/** Keeps the agent's own tools away from the files that decide about hooks. */
function protection(place: Place, io: Io, hooks: HookSession, ui: () => HostUi | undefined): ProtectionParts {
  const { cwd, home, hooklineHome } = place;
  const places = new ProtectedPlaces({
    cwd,
    hooklineHome,
    env: io.env,
    hookPlaces: () => hooks.reach.places,
    wouldReach: (path) => hooks.reach.wouldReach(path),
  });
  return { places, cwd, home, ui };
}

/** Adds `/hooks`, which shows the same report as the subcommand. */
function addHooksCommand(agent: Agent, env: Io["env"], place: Place): void {
  agent.commands.set("hooks", {
    name: "hooks",
    description: "show which hooks were found and which of them run",
    run: async () => {
      const [{ reportText }, { redacted }] = await Promise.all([import("./report-text.ts"), import("./redacted.ts")]);
      return reportText(redacted(agent.core.hooks.report, env), place).trimEnd();
    },
  });
}

/** The flag that leaves hooks out, if any. */
function leftOut(args: Arguments): string | undefined {
  if (args.flags["no-hooks"] === true) return "--no-hooks";
  return textFlag(args, "dialects") === undefined ? undefined : "--dialects";
}

/** How the settings want sessions stored; `tell` is called with problems of the disk. */
function storingFor({ settings }: Place, tell: (text: string) => void): StoreOptions {
  return {
    durability: settingOf(settings, "durability").value === "entry" ? "entry" : "turn",
    onStorage: (report: StorageReport) => tell(report.message),
  };
}

/** The flags that extensions have registered, with the kinds of their values. */
export function registeredFlags(hooks: HookSession): ReadonlyMap<string, "boolean" | "string"> {
  const flags = hooks.contributions.all<{ readonly type: "boolean" | "string" }>("flag");
  return new Map([...flags].map(([name, { value }]) => [name, value.type]));
}
