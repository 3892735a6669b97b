import { sep } from "node:path";
import { messageOf } from "@hookline/ground";
import type { Diagnostic, HostServices, HostUi, Message, Payload } from "@hookline/runtime";
import { exclusionOf } from "@hookline/runtime/engine";
import { approveBy } from "@hookline/runtime/session";
import { ask } from "../hook/ask.ts";
import { type Halt, Halts, halted } from "../hook/halts.ts";
import { Patience } from "../hook/patience.ts";
import { approvedItems, waitingFiles } from "../item/dialect.ts";
import type { Model, ThinkingLevel } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { SessionRequest } from "../session/open.ts";
import type { SessionManager } from "../session/session.ts";
import type { StoreOptions } from "../session/store.ts";
import { baseOf, begin, beginFor, type Opener, type Sent } from "../turn/begin.ts";
import { type Core, LOOP_DEFAULTS, type LoopSettings, type OfferedByAgent, type Run } from "../turn/core.ts";
import { drive, watchPrompt } from "../turn/drive.ts";
import type { AgentEvent, PromptResult } from "../turn/event.ts";
import { HookTurns } from "../turn/hook-turns.ts";
import { Queues } from "../turn/queue.ts";
import { NO_RESOURCES } from "../turn/resources.ts";
import type { Admits, AgentParts, MainCore } from "./agent-parts.ts";
import type { Children } from "./children.ts";
import type { Definitions } from "./config-change.ts";
import type { Expanded } from "./expand.ts";
import { inBackground } from "./in-background.ts";
import { BUSY, Occupancy } from "./occupancy.ts";
import { loadResources, type NamedResources } from "./resources.ts";
import type { SessionHooks } from "./session-hooks.ts";
import { type BuiltinCommand, type PromptOptions, submit } from "./submit.ts";
import { ToolSet } from "./tool-set.ts";
import type { UserCommands } from "./user-command.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The conversation with one model in one session: takes prompts, runs the loop, and notifies listeners. */
export class Agent implements Opener {
  readonly core: MainCore;
  readonly commands = new Map<string, BuiltinCommand>();
  readonly registry: ModelRegistry;
  readonly userCommands: UserCommands;
  readonly customPrompt: string | undefined;
  readonly appendedPrompt: string;
  readonly children: Children | undefined;
  readonly #core: Mutable<MainCore>;
  readonly #parts: AgentParts;
  readonly #tools: ToolSet;
  readonly #listeners = new Listeners();
  readonly #occupancy = new Occupancy();
  #run: Run | undefined;
  #sessionAbort = new AbortController();
  #endWanted = false;
  /** Why a hook has refused the session at its start. While this is set, the agent takes no prompt. */
  #halt: Halt | undefined;
  #hasEnded = false;
  readonly #endListeners = new Set<() => void>();
  /** Whether a hook has ended a run. Print mode sets this to false before each prompt. */
  wasHalted = false;
  /** The files that the hooks were loaded from, if any hook listens for changes of them. */
  definitions: Definitions | undefined;
  /** The prompt that hooks already see in the conversation although it is not stored yet. */
  #onItsWay: Message | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#tools = new ToolSet(parts);
    this.registry = parts.registry;
    this.children = parts.children;
    this.userCommands = parts.userCommands;
    this.customPrompt = parts.systemPrompt;
    this.appendedPrompt = parts.appendSystemPrompt ?? "";
    const confirm = parts.services.ui?.confirm?.bind(parts.services.ui);
    const queues = new Queues();
    this.#core = {
      hooks: parts.hooks,
      scene: parts.scene,
      store: parts.store,
      provider: parts.provider,
      model: parts.model,
      thinking: parts.thinking ?? "off",
      settings: { ...LOOP_DEFAULTS, ...parts.settings },
      queues,
      halts: new Halts((reason) => this.#tell({ type: "notice", level: "warning", text: reason })),
      hookTurns: new HookTurns(parts.services.mode),
      resources: NO_RESOURCES,
      contexts: parts.contexts,
      servers: parts.servers?.servers,
      systemPrompt: "",
      llm: parts.llm,
      apiKey: () => parts.apiKey(),
      tools: () => this.#tools.all(),
      activeTools: () => this.#tools.active(),
      selectedTools: () => this.#tools.selected,
      tell: (event) => this.#tell(event),
      patience: parts.patience ?? new Patience(),
      elsewhere: parts.elsewhere,
      approve: approveBy(parts.services.ui),
      ...(confirm !== undefined && { confirm: (title, message, signal) => confirm(title, message, { signal }) }),
    };
    this.core = this.#core;
    queues.onChange = () => this.#tell({ type: "queue_update", ...queues.texts });
  }

  /** Whether no prompt runs. False from the moment a prompt enters the loop until its run has ended. */
  get isIdle(): boolean {
    const { busy } = this.#occupancy;
    return busy === undefined || busy === "occupied";
  }

  /** True while something other than a prompt uses the session: a compaction, a move in the tree, a switch. */
  get isOccupied(): boolean {
    return this.#occupancy.busy === "occupied";
  }

  /** Whether hooks are being asked about the end of a run. A message that is sent now continues the run. */
  get isEnding(): boolean {
    return this.#occupancy.busy === "ending";
  }

  /** A signal that is aborted with the running prompt; undefined if no prompt runs. */
  get signal(): AbortSignal | undefined {
    return this.isIdle ? undefined : this.#occupancy.signal;
  }

  /** A signal that is aborted when another session replaces this one. */
  get sessionSignal(): AbortSignal {
    return this.#sessionAbort.signal;
  }

  get systemPrompt(): string {
    return this.#core.systemPrompt;
  }

  get services(): HostServices {
    return this.#parts.services;
  }

  get ui(): HostUi | undefined {
    return this.#parts.services.ui;
  }

  get admits(): Admits | undefined {
    return this.#parts.admits;
  }

  get sessionHooks(): SessionHooks | undefined {
    return this.#parts.sessionHooks;
  }

  get storing(): StoreOptions {
    return this.#parts.storing ?? {};
  }

  /** Whether the agent has been asked to end. Each mode, such as print mode, checks this when idle and ends it. */
  get endWanted(): boolean {
    return this.#endWanted;
  }

  /**
   * Whether hooks may start turns. They may not while the agent is ending, while an abort by a person takes effect,
   * after a hook has refused the session, or when too many turns were started by hooks. Source: ruling 60.
   */
  get takesHookTurns(): boolean {
    return (
      !this.#hasEnded &&
      !this.#endWanted &&
      !this.#halt &&
      !this.#occupancy.isInterrupted &&
      !this.#core.hookTurns.isOver
    );
  }

  /** The conversation of the current branch, including a prompt that is not in the history yet. */
  messages(): readonly Message[] {
    const { messages } = this.#core.store.buildSessionContext();
    return this.#onItsWay === undefined ? messages : [...messages, this.#onItsWay];
  }

  /**
   * Adds a listener; returns a function that removes it. `shows` says that the listener shows events to a person:
   * notices are kept until there is such a listener.
   */
  listen(listener: (event: AgentEvent) => void, shows = true): () => void {
    return this.#listeners.add(listener, shows);
  }

  /** Replaces the session with another one. Must only be called while the agent is idle. */
  useStore(store: SessionManager): void {
    this.#core.store = store;
    this.#sessionAbort.abort();
    this.#sessionAbort = new AbortController();
  }

  openSession(request: SessionRequest): SessionManager {
    return this.#parts.openSession(request);
  }

  useModel(model: Model): void {
    this.#core.model = model;
  }

  /** Makes the session refuse prompts, with this reason; `undefined` makes the session take prompts again. */
  haltSession(halt: Halt | undefined): void {
    this.#halt = halt;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  useThinking(level: ThinkingLevel): void {
    this.#core.thinking = level;
  }

  useSettings(settings: Partial<LoopSettings>): void {
    this.#core.settings = { ...this.#core.settings, ...settings };
  }

  useSystemPrompt(text: string): void {
    this.#core.systemPrompt = text;
  }

  showOnItsWay(message: Message | undefined): void {
    this.#onItsWay = message;
  }

  /** Builds the system prompt before a session starts, if hooks need it. Only `loadResources` reports bad files. */
  async prepareResources(): Promise<void> {
    const { hooks } = this.#core;
    if (!hooks.has("session.start") && !hooks.has("resources.discover")) return;
    await this.#readResources({}, () => {});
  }

  /** Asks hooks on `resources.discover` for more paths, then reads all skills, templates, rules and context files. */
  async loadResources(reason: "startup" | "reload"): Promise<void> {
    this.#parts.servers?.follow();
    const { answer } = await ask(this.#core, "resources.discover", { cwd: this.#core.scene.cwd, reason });
    const named = {
      skillPaths: answer.skillPaths ?? [],
      promptPaths: answer.promptPaths ?? [],
      themePaths: answer.themePaths ?? [],
    };
    await this.#readResources(named, (diagnostic) => this.#parts.onDiagnostic(diagnostic));
    await tellInstructions(this.#core, this.#parts.roots.hooklineHome);
  }

  async #readResources(named: NamedResources, report: (diagnostic: Diagnostic) => void): Promise<void> {
    const { hooks, settings } = this.#core;
    const places = { ...named, packaged: this.#parts.packagedTexts?.() };
    const ofProject = {
      rules: approvedItems(hooks, "rule"),
      prompts: approvedItems(hooks, "prompt"),
      skills: approvedItems(hooks, "skill"),
      agents: approvedItems(hooks, "agent"),
      waiting: waitingFiles(hooks),
    };
    const found = await loadResources(this.#parts.roots, places, ofProject, settings.rules, report);
    const excluded = exclusionOf(hooks.contributions);
    const isLeftOut = ({ path }: { readonly path: string }): boolean => excluded?.has(path, "read") === true;
    for (const { name } of found.skills.filter(isLeftOut))
      this.#core.tell({
        type: "notice",
        level: "warning",
        text: `The skill "${name}" is not offered: a rule denies reading its file.`,
      });
    this.#core.resources = { ...found, skills: found.skills.filter((skill) => !isLeftOut(skill)) };
    this.#core.systemPrompt = baseOf(this);
  }

  /** Returns all tools by name, whether or not the model is offered them. */
  tools(): ReadonlyMap<string, OfferedByAgent> {
    return this.#tools.all();
  }

  activeTools(): readonly string[] {
    return this.#tools.active();
  }

  /** Offers these tools to the model from the next request on; `undefined` selects the default tools. */
  setActiveTools(names: readonly string[] | undefined): void {
    this.#tools.select(names);
  }

  /** Activates the tools of reloaded hooks again. Must be called after hooks were reloaded. */
  reloadTools(): void {
    this.#tools.reloaded();
  }

  /** Calls `act` as soon as no prompt runs, before hooks see the event `agent.settled`. */
  whenFree(act: () => void): void {
    this.#occupancy.whenFree(act);
  }

  /** Resolves when no prompt runs and nothing else uses the session. */
  waitForIdle(): Promise<void> {
    return this.#occupancy.free();
  }

  /**
   * Aborts the running prompt or other work, stops waiting for hooks that hang, and empties the queues. After an abort
   * by a person, messages that hooks send start no turn until the prompt has ended.
   */
  abort(by: "person" | "hook" = "person"): void {
    this.#core.queues.clear();
    this.#occupancy.abort(by);
    this.#core.patience.end();
  }

  /** Lets no more turns start. A running turn continues until it is aborted. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Ends the pause before a retry; the request then fails. */
  abortRetry(): void {
    this.#run?.waiting?.abort();
  }

  /** Asks the agent to end. Print mode, or whichever mode runs the agent, ends it when it is idle. */
  requestEnd(): void {
    this.#endWanted = true;
    for (const listener of this.#endListeners) listener();
  }

  /** Calls `listener` when someone asks the agent to end, or immediately if that has happened. */
  onEndWanted(listener: () => void): void {
    this.#endListeners.add(listener);
    if (this.#endWanted) listener();
  }

  /** Turns retries after transient errors off, or back to the number in the settings. */
  allowRetries(allowed: boolean): void {
    const { retry } = this.#core.settings;
    const { maxRetries } = this.#parts.settings?.retry ?? LOOP_DEFAULTS.retry;
    this.useSettings({ retry: { ...retry, maxRetries: allowed ? maxRetries : 0 } });
  }

  /** Runs one prompt from the typed text to the final reply. While another prompt runs, queues or refuses this one. */
  prompt(text: string, options: PromptOptions = {}): Promise<PromptResult> {
    return submit(this, text, options);
  }

  /** Runs the loop for a prompt whose skills and templates are expanded. */
  answer(typed: string, { text, context }: Expanded, about: Sent = {}): Promise<PromptResult> {
    return this.#runLoop((signal) => begin(this, { typed, text, context, ...about, signal }));
  }

  /** Runs the loop for messages that hooks have sent. */
  answerTo(...messages: readonly Message[]): Promise<PromptResult> {
    return this.#runLoop((signal) => beginFor(this, messages, signal));
  }

  /** Waits until the session is free, then runs `work` alone in it. `abort` aborts the signal. */
  async occupy<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    await this.waitForIdle();
    if (this.#hasEnded) throw new Error("The session is ending.");
    return this.#occupancy.during("occupied", work);
  }

  async #runLoop(open: (signal: AbortSignal) => Promise<Run | PromptResult>): Promise<PromptResult> {
    if (this.isOccupied) await this.waitForIdle();
    if (this.#hasEnded) return { kind: "aborted" };
    if (!this.isIdle) throw new Error(BUSY);
    if (this.#halt !== undefined) return halted(this.#halt);
    let began = false;
    const run = async (signal: AbortSignal): Promise<PromptResult> => {
      let opened = await open(signal);
      began = !("kind" in opened);
      for (;;) {
        const result = "kind" in opened ? opened : await drive((this.#run = opened));
        this.#run = undefined;
        const more = await this.#core.contexts?.settle(result.kind === "answered");
        if (more === undefined) return result;
        opened = await begin(this, { typed: more, text: more, signal });
      }
    };
    const ending = (signal: AbortSignal): Promise<PromptResult> => {
      const ended = this.#core.halts.begin();
      return watchPrompt(this.#core, () => run(signal)).finally(() => {
        ended();
        this.#run = undefined;
        this.#onItsWay = undefined;
      });
    };
    return this.#occupancy.during("running", ending, async (result) => {
      this.wasHalted ||= result.kind === "stopped" && result.halt === true;
      if (!began) return;
      const aborted = result.kind === "aborted";
      this.#tell({ type: "agent_settled", aborted });
      await ask(this.#core, "agent.settled", { aborted });
      if (aborted) this.#goOnWithQueued();
    });
  }

  /** Runs the messages that were queued after an abort; the abort itself has emptied the queues. */
  #goOnWithQueued(): void {
    const { queues } = this.#core;
    if (!queues.pending || !this.isIdle) return;
    const messages = queues.takeNext();
    if (!this.#core.hookTurns.mayStart(this.#core, messages)) return;
    inBackground((event) => this.#tell(event), this.answerTo(...messages));
  }

  #tell(event: AgentEvent): void {
    if (event.type === "agent_start") this.#occupancy.mark("running");
    if (event.type === "agent_end") this.#occupancy.mark("ending");
    this.#listeners.tell(event);
  }
}

/** Notifies hooks on `instructions.loaded` of each instruction file and rule that was read for the model. */
async function tellInstructions(core: Core, hooklineHome: string): Promise<void> {
  if (!core.hooks.has("instructions.loaded")) return;
  const { contextFiles, rules } = core.resources;
  const read: Payload<"instructions.loaded">[] = [
    ...contextFiles.map(({ path }) => ({ path, tier: tierOf(path, hooklineHome), reason: "session_start" as const })),
    ...rules.map(({ rule: { path, tier, globs } }) => ({
      path,
      tier: tier === "project" ? ("project" as const) : ("user" as const),
      reason: "rule" as const,
      ...(globs !== undefined && globs.length > 0 && { globs: [...globs] }),
    })),
  ];
  for (const about of read) await ask(core, "instructions.loaded", about);
}

function tierOf(path: string, hooklineHome: string): "user" | "project" {
  return path.startsWith(hooklineHome + sep) ? "user" : "project";
}

/** The listeners for an agent's events. An error in one listener does not affect the others. */
class Listeners {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Listeners that show nothing to a person, such as counters. */
  readonly #watchers = new Set<(event: AgentEvent) => void>();
  /** Notices that no listener has shown yet. */
  readonly #unheard: AgentEvent[] = [];

  /**
   * Calls the listener on each event from now on; returns a function that removes it. If the listener `shows` events,
   * it first gets the notices that nobody has seen. Several new listeners may get these: they are kept until the next
   * event.
   */
  add(listener: (event: AgentEvent) => void, shows = true): () => void {
    if (!shows) {
      this.#watchers.add(listener);
      return () => this.#watchers.delete(listener);
    }
    this.#listeners.add(listener);
    for (const event of this.#unheard) listener(event);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AgentEvent): void {
    if (this.#listeners.size > 0) this.#unheard.length = 0;
    else if (event.type === "notice") this.#unheard.push(event);
    for (const listener of [...this.#watchers, ...this.#listeners]) {
      try {
        listener(event);
      } catch (thrown) {
        process.emitWarning(`A listener of the agent failed on ${event.type}: ${messageOf(thrown)}`);
      }
    }
  }
}
