import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import type { HooklineError } from "@hookline/runtime";
import type { HookRuntime, HookSession } from "@hookline/runtime/session";
import { Agent } from "../agent/agent.ts";
import { addBuiltinCommands } from "../agent/command/command.ts";
import { definitionsOf } from "../agent/config-change.ts";
import { restoreModel, restoreThinking } from "../agent/select.ts";
import { startSession, tellHalt } from "../agent/start-session.ts";
import { takeUp } from "../agent/switch.ts";
import { UserCommands } from "../agent/user-command.ts";
import { decides } from "../hook/in-shadow.ts";
import { awaitShadows } from "../hook/shadow-wait.ts";
import type { ThinkingLevel } from "../provider/provider.ts";
import { isThinkingLevel, levelFor, THINKING_LEVELS } from "../provider/thinking.ts";
import { loopSettings } from "../settings/parts.ts";
import { dropOutputs } from "../tool/output-files.ts";
import { type Arguments, textFlag } from "./args.ts";
import { joinContexts } from "./contexts.ts";
import { type Equipment, equip } from "./equip.ts";
import { type LoadedHooks, loadHooks, type Offered, offerToHooks } from "./load-hooks.ts";
import { isOptionalTool, toolLimit } from "./offer.ts";
import { openStoreFor } from "./open-session.ts";
import { type AssembleOptions, type Opening, openPlace } from "./opening.ts";
import { packagedTextsOf, piHomeOf } from "./packaged-texts.ts";
import type { Place } from "./place.ts";
import type { RunRecording } from "./recording.ts";
import { trustCommand } from "./trust-command.ts";

/** A running agent and everything that it uses. */
export interface Assembled {
  readonly agent: Agent;
  readonly place: Place;
  readonly runtime: HookRuntime;
  readonly hooks: HookSession;
  /** The prompt that a hook supplies for a run without one, in print or JSON mode. */
  readonly firstMessage: string | undefined;
  readonly recording: RunRecording;
  /** The error that no model can be used; undefined unless the demo model is used instead. */
  readonly missingModel: HooklineError | undefined;
  /**
   * Asks hooks on the session's end, then releases everything. `signal` ends the wait for the hooks. A run without a
   * person waits for shadow hooks, unless it hurries.
   */
  close(signal?: AbortSignal, hurries?: boolean): Promise<void>;
}

/** Opens model, session and hooks, and creates the agent. Its errors say what the person must fix first. */
export async function assemble(args: Arguments, io: Io, options: AssembleOptions): Promise<Assembled> {
  const thinking = thinkingOf(args);
  const opening = await openPlace(args, io, options);
  const offered = offerToHooks(opening);
  const loaded = await loadHooks(opening, offered);
  const equipment = await equip(opening, offered, loaded);
  const agent = await createAgent(opening, offered, loaded, equipment, thinking);
  opening.late.agent = agent;
  const firstMessage = await start(agent, opening, loaded, equipment);
  await settle(agent, opening, thinking);
  const { place, runtime, models } = opening;
  const { hooks, recording } = loaded;
  return {
    ...{ agent, place, runtime, hooks, firstMessage, recording, missingModel: models.missing },
    close: (signal, hurries = false) => close(agent, opening, loaded, equipment, signal, hurries),
  };
}

/** Creates the agent. `start` must be called next. */
async function createAgent(
  { args, io, options, late, place, models, storing, contexts, store, runtime, scene }: Opening,
  { services, llm }: Offered,
  { hooks, admission }: LoadedHooks,
  { tools, servers, children, sessionHooks, elsewhere, shellPath, outputs }: Equipment,
  thinking: ThinkingLevel | undefined,
): Promise<Agent> {
  const { registry, model } = models;
  const wanted = toolLimit(args);
  return new Agent({
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
      isOptionalTool(name, place, {
        hasAgents: () => (late.agent?.core.resources.agents.length ?? 0) > 0,
        decidesJcli: () => decides(hooks, "jcli"),
      }),
    sessionHooks,
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
}

/** Starts the session with its hooks and servers. Returns the prompt that a hook supplies for a run without one. */
async function start(
  agent: Agent,
  { io, options, place, contexts, store, runtime }: Opening,
  { hooks, admission }: LoadedHooks,
  { servers, children, sessionHooks }: Equipment,
): Promise<string | undefined> {
  agent.listen((event) => children.roster.hear(event), false);
  addBuiltinCommands(agent);
  addHooksCommand(agent, io.env, place);
  agent.commands.set("trust", trustCommand(agent, { place, env: io.env }));
  joinContexts(agent, contexts);
  takeUp(agent);
  sessionHooks?.restore();
  await agent.prepareResources();
  options.onStart?.();
  const firstMessage = await startSession(agent, { reason: "startup" });
  tellHalt(agent);
  servers.begin();
  agent.definitions = definitionsOf(agent.core, hooks.report);
  try {
    await admission.started();
  } catch (thrown) {
    await hooks.emit("session.end", { reason: "quit" }, {});
    store.close();
    await runtime.close();
    throw thrown;
  }
  await contexts.begin();
  return firstMessage;
}

/** Chooses model and thinking level, reads skills and other texts, and shows the warnings of the start. */
async function settle(agent: Agent, { args, late }: Opening, thinking: ThinkingLevel | undefined): Promise<void> {
  const chosen = (["model", "base-url", "script"] as const).some((flag) => args.flags[flag] !== undefined);
  if (!chosen) await restoreModel(agent);
  if (thinking !== undefined) agent.useThinking(levelFor(agent.core.model, thinking));
  else if (chosen) restoreThinking(agent);
  await agent.loadResources("startup");
  late.showWarnings();
  for (const text of unknownTools(toolLimit(args) ?? [], agent)) late.warn(text);
}

async function close(
  agent: Agent,
  { options, place, contexts, runtime, leave }: Opening,
  { hooks, recording }: LoadedHooks,
  { servers, elsewhere, outputs }: Equipment,
  signal: AbortSignal | undefined,
  hurries: boolean,
): Promise<void> {
  await hooks.emit("session.end", { reason: "quit" }, { signal });
  if (!hurries && (options.mode === "print" || options.mode === "json")) await awaitShadows(hooks, signal);
  contexts.close();
  await agent.core.store.flush();
  elsewhere?.close();
  await servers.servers.stop();
  await runtime.close();
  // A model that judges for a shadow hook may have used tokens since the last flush.
  await agent.core.store.flush();
  agent.core.store.close();
  // The recording is closed last, because it includes the answers that shadow hooks give until the end.
  await recording.close();
  leave();
  dropOutputs(place.hooklineHome, outputs);
}

/** Describes the names in `--tools` that are no tools. Hooks may still register tools with these names. */
function unknownTools(wanted: readonly string[], agent: Agent): string[] {
  const known = agent.tools();
  const strange = wanted.filter((name) => name !== "" && !known.has(name));
  return strange.map(
    (name) => `--tools names "${name}", which is not a tool. There are: ${[...known.keys()].join(", ")}.`,
  );
}

/** Returns the text that the command line adds to the system prompt, from the option or a file that it names. */
function appendedPrompt(args: Arguments, cwd: string): string {
  const given = textFlag(args, "append-system-prompt") ?? "";
  const path = resolve(cwd, given);
  return given !== "" && statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : given;
}

function thinkingOf(args: Arguments): ThinkingLevel | undefined {
  const level = textFlag(args, "thinking");
  if (level === undefined || isThinkingLevel(level)) return level;
  const remedy = `Choose from ${THINKING_LEVELS.join(", ")}.`;
  throw wrongUse("--thinking", `has no level "${level}"`, remedy);
}

/** Adds `/hooks`, which shows the same report as `hookline hooks`. */
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
