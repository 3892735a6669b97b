import type { Diagnostic, HostServices, HostUi, Message } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/internal";
import { ask } from "../hook/ask.ts";
import { type Halt, Halts, halted } from "../hook/halts.ts";
import { Patience } from "../hook/patience.ts";
import { approvedItems, waitingFiles } from "../item/dialect.ts";
import type { Model, ThinkingLevel } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { SessionManager } from "../session/manager.ts";
import type { SessionRequest } from "../session/open.ts";
import type { StoreOptions } from "../session/store.ts";
import { baseOf, begin, beginFor, type Opener } from "../turn/begin.ts";
import { type Core, LOOP_DEFAULTS, type LoopSettings, type OfferedByAgent, type Run } from "../turn/core.ts";
import { drive } from "../turn/drive.ts";
import type { AgentEvent, PromptResult } from "../turn/event.ts";
import { HookTurns } from "../turn/hook-turns.ts";
import { Queues } from "../turn/queue.ts";
import { NO_RESOURCES } from "../turn/resources.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Definitions } from "./config-change.ts";
import type { Expanded } from "./expand.ts";
import { inBackground } from "./in-background.ts";
import { tellInstructions } from "./instructions.ts";
import { Listeners } from "./listeners.ts";
import { BUSY, Occupancy } from "./occupancy.ts";
import { loadResources, type NamedResources } from "./resources.ts";
import type { SessionHooks } from "./session-hooks.ts";
import { type PromptOptions, submit } from "./submit.ts";
import type { Admits } from "./switch.ts";
import { ToolSet } from "./tool-set.ts";
import type { UserCommands } from "./user-command.ts";

/** A command that the agent itself has, such as `/new`. */
export interface BuiltinCommand {
  readonly name: string;
  readonly description: string;
  /** Gives what is to be shown; throws what the person is to be told. */
  run(args: string): Promise<string | undefined>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The conversation with one model over one session: takes prompts, runs the loop, tells those who listen. */
export class Agent implements Opener {
  readonly core: Core;
  readonly commands = new Map<string, BuiltinCommand>();
  readonly registry: ModelRegistry;
  readonly userCommands: UserCommands;
  readonly customPrompt: string | undefined;
  readonly appendedPrompt: string;
  readonly #core: Mutable<Core>;
  readonly #parts: AgentParts;
  readonly #tools: ToolSet;
  readonly #listeners = new Listeners();
  readonly #occupancy = new Occupancy();
  #run: Run | undefined;
  #sessionAbort = new AbortController();
  #endWanted = false;
  /** Set where the hooks that heard of the session's start have ended it: it takes no prompt. */
  #halt: Halt | undefined;
  #hasEnded = false;
  readonly #endListeners = new Set<() => void>();
  /** Whether a hook has ended a run since this was set back. */
  wasHalted = false;
  /** What the hooks were loaded from, where some hear of its changes. */
  definitions: Definitions | undefined;
  /** The prompt that is on its way into the history, for hooks that look at the conversation meanwhile. */
  #onItsWay: Message | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#tools = new ToolSet(parts);
    this.registry = parts.registry;
    this.userCommands = parts.userCommands;
    this.customPrompt = parts.systemPrompt;
    this.appendedPrompt = parts.appendSystemPrompt ?? "";
    const { ui } = parts.services;
    const confirm = ui?.confirm?.bind(ui);
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
      systemPrompt: "",
      llm: parts.llm,
      apiKey: () => parts.apiKey(),
      tools: () => this.#tools.all(),
      activeTools: () => this.#tools.active(),
      selectedTools: () => this.#tools.selected,
      tell: (event) => this.#tell(event),
      patience: parts.patience ?? new Patience(),
      ...(confirm !== undefined && { confirm: (title, message, signal) => confirm(title, message, { signal }) }),
    };
    this.core = this.#core;
    queues.onChange = () => this.#tell({ type: "queue_update", ...queues.texts });
  }

  /** False from the moment a prompt enters the loop until it has settled. */
  get isIdle(): boolean {
    const { busy } = this.#occupancy;
    return busy === undefined || busy === "occupied";
  }

  /** True while something else than a prompt has the session: a compaction, a move in the tree, a switch. */
  get isOccupied(): boolean {
    return this.#occupancy.busy === "occupied";
  }

  /** True while the hooks hear that a run has ended: what is sent now goes on with it. */
  get isEnding(): boolean {
    return this.#occupancy.busy === "ending";
  }

  /** Aborted with the running prompt. */
  get signal(): AbortSignal | undefined {
    return this.isIdle ? undefined : this.#occupancy.signal;
  }

  /** Aborted when another session takes this one's place. */
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

  /** Whether somebody has asked for the agent's end; modes look when it is idle. */
  get endWanted(): boolean {
    return this.#endWanted;
  }

  /** Whether hooks may start turns: not when the agent ends, after a person's abort, or at the limit. Source: decision 60. */
  get takesHookTurns(): boolean {
    return (
      !this.#hasEnded &&
      !this.#endWanted &&
      !this.#halt &&
      !this.#occupancy.isInterrupted &&
      !this.#core.hookTurns.isOver
    );
  }

  /** The conversation of the current branch, the prompt on its way included. */
  messages(): readonly Message[] {
    const { messages } = this.#core.store.buildSessionContext();
    return this.#onItsWay === undefined ? messages : [...messages, this.#onItsWay];
  }

  /** Tells a listener everything from now on; gives the undo. */
  listen(listener: (event: AgentEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Another session takes this one's place; called while idle. */
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

  /** The session takes no prompt for this reason, until it starts anew; without one it takes prompts again. */
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

  /** Gives hooks that hear of the start a whole system prompt; what is wrong with a file is told when all are loaded. */
  async prepareResources(): Promise<void> {
    const { hooks } = this.#core;
    if (!hooks.has("session.start") && !hooks.has("resources.discover")) return;
    await this.#readResources({}, () => {});
  }

  /** Reads skills, templates, rules and context files anew; hooks may name more of them. */
  async loadResources(reason: "startup" | "reload"): Promise<void> {
    const { answer } = await ask(this.#core, "resources.discover", { cwd: this.#core.scene.cwd, reason });
    const named = {
      skillPaths: answer.skillPaths?.flat() ?? [],
      promptPaths: answer.promptPaths?.flat() ?? [],
      themePaths: answer.themePaths?.flat() ?? [],
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
      waiting: waitingFiles(hooks),
    };
    this.#core.resources = await loadResources(this.#parts.roots, places, ofProject, settings.rules, report);
    this.#core.systemPrompt = baseOf(this);
  }

  /** Every tool by name, whether the model is offered it or not. */
  tools(): ReadonlyMap<string, OfferedByAgent> {
    return this.#tools.all();
  }

  activeTools(): readonly string[] {
    return this.#tools.active();
  }

  /** Offers these tools from the next request on; without names, the usual ones. */
  setActiveTools(names: readonly string[] | undefined): void {
    this.#tools.select(names);
  }

  /** The hooks have been loaded anew: the tools that they register are active again. */
  reloadTools(): void {
    this.#tools.reloaded();
  }

  /** Acts when no prompt runs, before the hooks hear that the agent has settled. */
  whenFree(act: () => void): void {
    this.#occupancy.whenFree(act);
  }

  /** Resolves when no prompt runs and nothing else has the session. */
  waitForIdle(): Promise<void> {
    return this.#occupancy.free();
  }

  /**
   * Ends the running prompt, and the wait for hooks that hang; what is queued for it is dropped. When a person does it,
   * what hooks send until the prompt has ended starts no turn.
   */
  abort(by: "person" | "hook" = "person"): void {
    this.#core.queues.clear();
    this.#occupancy.abort(by);
    this.#core.patience.end();
  }

  /** Starts no turn from now on, whoever asks. What runs goes on until it is aborted. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Ends the wait before a repeated request; the request is then given up. */
  abortRetry(): void {
    this.#run?.waiting?.abort();
  }

  /** Asks for the agent's end; a mode ends when it is idle. */
  requestEnd(): void {
    this.#endWanted = true;
    for (const listener of this.#endListeners) listener();
  }

  /** Calls `listener` when the agent's end is asked for, at once if it has been. */
  onEndWanted(listener: () => void): void {
    this.#endListeners.add(listener);
    if (this.#endWanted) listener();
  }

  /** Switches repeated requests after passing errors off, or back on as the settings have them. */
  allowRetries(allowed: boolean): void {
    const { retry } = this.#core.settings;
    const { maxRetries } = this.#parts.settings?.retry ?? LOOP_DEFAULTS.retry;
    this.useSettings({ retry: { ...retry, maxRetries: allowed ? maxRetries : 0 } });
  }

  /** Takes one prompt from typed text to the final reply. While another runs it is queued or refused, as asked. */
  prompt(text: string, options: PromptOptions = {}): Promise<PromptResult> {
    return submit(this, text, options);
  }

  /** Runs the loop for text that has been expanded. */
  answer(typed: string, { text, context }: Expanded, images: readonly Content[] | undefined): Promise<PromptResult> {
    return this.#runLoop((signal) => begin(this, { typed, text, images, context, signal }));
  }

  /** Runs the loop for messages of hooks. */
  answerTo(...messages: readonly Message[]): Promise<PromptResult> {
    return this.#runLoop((signal) => beginFor(this, messages, signal));
  }

  /** Has the session to itself for as long as `work` takes; waits for what runs. `abort` aborts the signal. */
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
        const more = this.#core.contexts?.settle(result.kind === "answered");
        if (more === undefined) return result;
        opened = await begin(this, { typed: more, text: more, signal });
      }
    };
    const ending = (signal: AbortSignal): Promise<PromptResult> => {
      const ended = this.#core.halts.begin();
      return run(signal).finally(() => {
        ended();
        this.#run = undefined;
        this.#onItsWay = undefined;
      });
    };
    return this.#occupancy.during("running", ending, async (result) => {
      const { kind } = result;
      this.wasHalted ||= kind === "stopped" && result.halt === true;
      if (!began) return;
      this.#tell({ type: "agent_settled" });
      await ask(this.#core, "agent.settled", { aborted: kind === "aborted" });
      if (kind === "aborted") this.#goOnWithQueued();
    });
  }

  /** An abort empties the queues; what has been queued since then was meant to come after it. */
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
