import { type Content, type Session as HookSession, type Message, messageOf } from "@hookline/runtime";
import type { Model, Provider } from "../provider/provider.ts";
import type { SessionManager } from "../session/manager.ts";
import type { SessionRequest } from "../session/open.ts";
import type { Tool } from "../tool/tool.ts";
import { ask, type Core, LOOP_DEFAULTS, type LoopSettings, type OfferedByAgent, type Run } from "./core.ts";
import type { AgentEvent, PromptResult } from "./event.ts";
import { feedbackMessage, mayRetry } from "./feedback.ts";
import { Queues } from "./queue.ts";
import { runLoop } from "./run.ts";
import { basePrompt } from "./system-prompt.ts";

/** What an agent is made of. */
export interface AgentParts {
  readonly hooks: HookSession;
  readonly store: SessionManager;
  readonly provider: Provider;
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** Names offered to the model at the start; default all. */
  readonly active?: readonly string[] | undefined;
  readonly settings?: Partial<LoopSettings>;
  readonly systemPrompt?: string | undefined;
  readonly contextFiles?: readonly { readonly path: string; readonly content: string }[];
  readonly thinking?: Core["thinking"];
  apiKey(): Promise<string | undefined>;
  /** Opens another session in the same place; throws what the person is to be told. */
  openSession(request: SessionRequest): SessionManager;
  readonly confirm?: ((title: string, message: string) => Promise<boolean>) | undefined;
}

/** Where a prompt comes from. */
export type PromptSource = "interactive" | "rpc" | "extension";

/** A command that the agent itself has, such as `/new`. */
export interface BuiltinCommand {
  readonly name: string;
  readonly description: string;
  run(args: string): Promise<void>;
}

/** The conversation with one model over one session: takes prompts, runs the loop, tells those who listen. */
export class Agent {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #core: Core & {
    hooks: HookSession;
    store: SessionManager;
    provider: Provider;
    model: Model;
    thinking: Core["thinking"];
  };
  readonly #parts: AgentParts;
  readonly #builtinTools: ReadonlyMap<string, OfferedByAgent>;
  readonly commands = new Map<string, BuiltinCommand>();
  #active: readonly string[] | undefined;
  #systemPrompt = "";
  #abort: AbortController | undefined;
  #idle: Promise<unknown> = Promise.resolve();
  #running = false;
  /** The prompt that is on its way into the history, for hooks that look at the conversation meanwhile. */
  #onItsWay: Message | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#active = parts.active;
    this.#builtinTools = new Map(parts.tools.map((tool) => [tool.name, { tool, type: "builtin" }]));
    this.#core = {
      hooks: parts.hooks,
      store: parts.store,
      provider: parts.provider,
      model: parts.model,
      thinking: parts.thinking ?? "off",
      settings: { ...LOOP_DEFAULTS, ...parts.settings },
      queues: new Queues(),
      apiKey: () => parts.apiKey(),
      tools: () => this.tools(),
      activeTools: () => this.activeTools(),
      tell: (event) => this.#tell(event),
      confirm: parts.confirm,
    };
  }

  get core(): Core {
    return this.#core;
  }

  get isIdle(): boolean {
    return !this.#running;
  }

  /** Aborted with the running prompt. */
  get signal(): AbortSignal | undefined {
    return this.#running ? this.#abort?.signal : undefined;
  }

  get systemPrompt(): string {
    return this.#systemPrompt;
  }

  /** The conversation of the current branch, the prompt on its way included. */
  messages(): readonly Message[] {
    const { messages } = this.#core.store.buildSessionContext();
    return this.#onItsWay === undefined ? messages : [...messages, this.#onItsWay];
  }

  listen(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Another session takes this one's place; called while idle. */
  useStore(store: SessionManager): void {
    this.#core.store = store;
  }

  openSession(request: SessionRequest): SessionManager {
    return this.#parts.openSession(request);
  }

  useModel(model: Model, provider: Provider): void {
    this.#core.model = model;
    this.#core.provider = provider;
  }

  useThinking(level: Core["thinking"]): void {
    this.#core.thinking = level;
  }

  /** Built-in tools and those that modules and plugins add; a module's tool replaces a built-in one of its name. */
  tools(): ReadonlyMap<string, OfferedByAgent> {
    const contributed = this.#core.hooks.contributions.all<Tool & { readonly keepsBuiltin?: boolean }>("tool");
    if (contributed.size === 0) return this.#builtinTools;
    const all = new Map<string, OfferedByAgent>(this.#builtinTools);
    for (const [name, { value }] of contributed) {
      if (!(value.keepsBuiltin && this.#builtinTools.has(name))) all.set(name, { tool: value, type: "plugin" });
    }
    return all;
  }

  activeTools(): readonly string[] {
    const known = this.tools();
    return this.#active === undefined ? [...known.keys()] : this.#active.filter((name) => known.has(name));
  }

  setActiveTools(names: readonly string[]): void {
    this.#active = names.filter((name) => this.tools().has(name));
  }

  waitForIdle(): Promise<void> {
    return this.#idle.then(() => undefined);
  }

  abort(): void {
    this.#core.queues.clear();
    this.#abort?.abort();
  }

  /** Takes one prompt from typed text to the final reply. While another runs it is refused; queue it instead. */
  async prompt(
    text: string,
    options: { readonly images?: readonly Content[] | undefined; readonly source?: PromptSource } = {},
  ): Promise<PromptResult> {
    if (this.#running)
      throw new Error(
        "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
      );
    const command = this.#extensionCommand(text);
    if (command !== undefined) return this.#runCommand(command.name, command.handler, command.args);
    const submitted = await ask(this.#core, "input", {
      text,
      ...(options.images !== undefined && { images: options.images }),
      source: options.source ?? "interactive",
    });
    if (submitted.answer.handled) return { kind: "handled" };
    const expanded = submitted.answer.text ?? text;
    const builtin = this.#builtinCommand(expanded);
    if (builtin !== undefined) {
      await builtin.command.run(builtin.args);
      return { kind: "command" };
    }
    return this.#run(text, expanded, submitted.answer.images ?? options.images);
  }

  async #run(typed: string, text: string, images: readonly Content[] | undefined): Promise<PromptResult> {
    this.#running = true;
    this.#abort = new AbortController();
    const work = this.#answer(typed, text, images, this.#abort.signal).finally(() => {
      this.#running = false;
      this.#onItsWay = undefined;
    });
    this.#idle = work.catch(() => undefined);
    return work;
  }

  async #answer(
    typed: string,
    text: string,
    images: readonly Content[] | undefined,
    signal: AbortSignal,
  ): Promise<PromptResult> {
    const core = this.#core;
    const run: Run = {
      core,
      signal,
      prompt: text,
      typed,
      systemPrompt: "",
      produced: [],
      pending: [],
      nextContext: [],
      feedback: 0,
      turnIndex: 0,
    };
    const before = await ask(core, "prompt.before", { text, ...(images !== undefined && { images }) }, signal);
    run.prompt = before.answer.text ?? text;
    if (before.answer.stop) {
      if (before.answer.feedback === undefined || !mayRetry(run))
        return { kind: "stopped", reason: "A hook stopped the prompt." };
      run.prompt = before.answer.feedback;
    }
    const content =
      images === undefined || images.length === 0
        ? run.prompt
        : [{ type: "text" as const, text: run.prompt }, ...images];
    const message: Message = { ...feedbackMessage("", Date.now()), content };
    this.#onItsWay = message;
    await ask(core, "input.sent", { text: run.prompt }, signal);
    await this.#buildPrompt(run);
    const start = await ask(
      core,
      "agent.before-start",
      { prompt: run.prompt, ...(images !== undefined && { images }), systemPrompt: run.systemPrompt },
      signal,
    );
    run.systemPrompt = start.answer.systemPrompt ?? run.systemPrompt;
    this.#systemPrompt = run.systemPrompt;
    run.pending.push(message, ...core.queues.takeForPrompt(), ...(start.answer.messages ?? []).flat());
    this.#onItsWay = undefined;
    if (signal.aborted) return { kind: "aborted" };
    return runLoop(run);
  }

  async #buildPrompt(run: Run): Promise<void> {
    const core = this.#core;
    const all = this.tools();
    const base = basePrompt({
      cwd: core.store.getCwd(),
      tools: this.activeTools().flatMap((name) => all.get(name) ?? []),
      custom: this.#parts.systemPrompt,
      contextFiles: this.#parts.contextFiles ?? [],
      date: new Date().toISOString().slice(0, 10),
    });
    const { before = [], after = [] } = (await ask(core, "prompt.build", { base }, run.signal)).answer;
    run.systemPrompt = [...before.flat(), base, ...after.flat()].join("\n\n");
  }

  #extensionCommand(text: string): { name: string; args: string; handler: (args: string) => unknown } | undefined {
    const split = splitCommand(text);
    if (split === undefined) return undefined;
    const found = this.#core.hooks.contributions.all<{ handler(args: string): unknown }>("command").get(split.name);
    return found && { ...split, handler: (args) => found.value.handler(args) };
  }

  async #runCommand(name: string, handler: (args: string) => unknown, args: string): Promise<PromptResult> {
    try {
      await handler(args);
    } catch (thrown) {
      this.#tell({ type: "notice", level: "error", text: `Command /${name} failed: ${messageOf(thrown)}` });
    }
    return { kind: "command" };
  }

  #builtinCommand(text: string): { command: BuiltinCommand; args: string } | undefined {
    const split = splitCommand(text);
    const command = split && this.commands.get(split.name);
    return split && command && { command, args: split.args };
  }

  #tell(event: AgentEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** `/name args`, split at the first blank; the arguments are not trimmed. */
export function splitCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const at = text.search(/\s/);
  return at < 0 ? { name: text.slice(1), args: "" } : { name: text.slice(1, at), args: text.slice(at + 1) };
}
