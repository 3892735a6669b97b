import type { Agent, AgentEvent, AgentMessage, StreamFn } from "@earendil-works/pi-agent-core";
import { textOf } from "@hookline/runtime";
import type { AssistantMessage, Content } from "@hookline/runtime/internal";
import type { Model } from "../../provider/provider.ts";
import { levelsOf } from "../../provider/thinking.ts";
import { convertToLlm } from "../../session/to-llm.ts";
import { defineAbsent } from "../absent.ts";
import type { Level, SideMessage, SideParts } from "./parts.ts";
import { expanded, sidePrompt, userMessage } from "./prompt.ts";
import { Retries } from "./retries.ts";
import { type SideStats, statsOf } from "./stats.ts";
import { type JudgedTools, judgedTools, sideCall, toolsNamed } from "./tools.ts";
import { Waiting } from "./waiting.ts";

type SideEvent = AgentEvent | ({ readonly type: string } & Readonly<Record<string, unknown>>);
type Listener = (event: SideEvent) => void;

interface PromptOptions {
  readonly images?: readonly Content[];
  readonly expandPromptTemplates?: boolean;
  readonly streamingBehavior?: "steer" | "followUp";
}

/** Values that are constant in a side session. */
const ALWAYS: Readonly<Record<string, () => unknown>> = {
  isCompacting: () => false,
  isBashRunning: () => false,
  hasPendingBashMessages: () => false,
  autoCompactionEnabled: () => false,
  autoRetryEnabled: () => true,
  retryAttempt: () => 0,
  promptTemplates: () => [],
  cacheWarmingStatus: () => undefined,
  scopedModels: () => [],
};

/**
 * A separate conversation that an extension has with a model: the parts of pi's `AgentSession` that extensions use. It
 * fires none of the session's events, but the session's hooks still judge its tool calls.
 */
export class AgentSession {
  readonly agent: Agent;
  readonly #parts: SideParts;
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Waiting((queues) => this.#tell({ type: "queue_update", ...queues }));
  readonly #judged: JudgedTools;
  #active: readonly string[];
  readonly #retries: Retries;
  #running: Promise<void> | undefined;

  constructor(parts: SideParts, AgentClass: typeof Agent) {
    this.#parts = parts;
    this.#active = parts.active;
    const judged = judgedTools(parts, (signal) => this.#context(signal));
    this.#judged = judged;
    this.agent = new AgentClass({
      initialState: {
        ...(parts.model !== undefined && { model: parts.model as never }),
        thinkingLevel: parts.level,
        tools: toolsNamed(parts, parts.active).map(judged.tool),
        messages: parts.store.buildSessionContext().messages as AgentMessage[],
      },
      convertToLlm: (messages) =>
        convertToLlm(messages.filter(({ role }) => role !== "system") as SideMessage[]) as never,
      streamFn: ((model, context, options) => this.#stream(model, context, options)) as StreamFn,
      sessionId: parts.store.getSessionId(),
      beforeToolCall: ({ toolCall, args }, signal) => judged.before(sideCall(toolCall, args), signal),
      afterToolCall: async ({ toolCall, args, result, isError }, signal) => {
        const seen = { content: result.content as Content[], details: result.details, isError };
        return (await judged.after(sideCall(toolCall, args), seen, signal)) as never;
      },
    });
    this.#retries = new Retries(this.agent, (event) => this.#tell(event));
    this.agent.subscribe((event) => this.#heard(event));
  }

  get sessionManager() {
    return this.#parts.store;
  }

  get settingsManager() {
    return this.#parts.settings;
  }

  get modelRegistry() {
    return this.#parts.registry;
  }

  get modelRuntime() {
    return { registry: this.#parts.registry };
  }

  get resourceLoader() {
    return this.#parts.texts;
  }

  get state() {
    return this.agent.state;
  }

  get messages(): AgentMessage[] {
    return this.agent.state.messages;
  }

  get model(): Model | undefined {
    const { model } = this.agent.state;
    return this.#parts.model === undefined ? undefined : (model as unknown as Model);
  }

  get thinkingLevel(): Level {
    return this.agent.state.thinkingLevel as Level;
  }

  get systemPrompt(): string {
    return sidePrompt(this.#parts.texts, toolsNamed(this.#parts, this.#active), this.#parts.cwd);
  }

  get isStreaming(): boolean {
    return this.#running !== undefined;
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  get steeringMode(): "all" | "one-at-a-time" {
    return this.agent.steeringMode;
  }

  get followUpMode(): "all" | "one-at-a-time" {
    return this.agent.followUpMode;
  }

  get isRetrying(): boolean {
    return this.#retries.isWaiting;
  }

  get sessionId(): string {
    return this.#parts.store.getSessionId();
  }

  get sessionFile(): string | undefined {
    return this.#parts.store.getSessionFile();
  }

  get sessionName(): string | undefined {
    return this.#parts.store.getSessionName();
  }

  get pendingMessageCount(): number {
    return this.#waiting.count;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  getActiveToolNames(): string[] {
    return [...this.#active];
  }

  getAllTools(): { name: string; description: string; parameters: unknown }[] {
    return this.#parts.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  getToolDefinition(name: string): unknown {
    return this.#parts.tools.find((tool) => tool.name === name);
  }

  setActiveToolsByName(names: readonly string[]): void {
    this.#active = this.#parts.tools.map(({ name }) => name).filter((name) => names.includes(name));
    this.agent.state.tools = toolsNamed(this.#parts, this.#active).map(this.#judged.tool);
  }

  /** Sends a prompt and waits until the model has answered and all tools have run. */
  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    const said = options.expandPromptTemplates === false ? text : expanded(text, this.#parts.texts);
    if (this.isStreaming) {
      if (options.streamingBehavior === undefined)
        throw new Error('The session is answering; give streamingBehavior "steer" or "followUp", or wait for its end.');
      return options.streamingBehavior === "steer"
        ? this.steer(said, options.images)
        : this.followUp(said, options.images);
    }
    const model = this.model;
    if (model === undefined) throw new Error("No model was given to createAgentSession, and the session has none.");
    if (!this.#parts.registry.hasConfiguredAuth(model))
      throw new Error(`There is no key for the provider "${model.provider}"; see \`hookline doctor\`.`);
    await this.#run(() => this.agent.prompt(userMessage(said, options.images)));
  }

  async steer(text: string, images?: readonly Content[]): Promise<void> {
    this.#waiting.add("steering", text);
    this.agent.steer(userMessage(text, images));
  }

  async followUp(text: string, images?: readonly Content[]): Promise<void> {
    this.#waiting.add("followUp", text);
    this.agent.followUp(userMessage(text, images));
  }

  async sendUserMessage(
    content: string | readonly Content[],
    { deliverAs }: { readonly deliverAs?: "steer" | "followUp" } = {},
  ): Promise<void> {
    const parts: readonly Content[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const images = parts.filter(({ type }) => type === "image");
    await this.prompt(textOf(parts), { images, expandPromptTemplates: false, streamingBehavior: deliverAs ?? "steer" });
  }

  /** Adds an extension's custom message to the conversation; with `triggerTurn`, the model answers it. */
  async sendCustomMessage(
    custom: {
      readonly customType: string;
      readonly content: unknown;
      readonly display?: boolean;
      readonly details?: unknown;
    },
    { triggerTurn, deliverAs }: { readonly triggerTurn?: boolean; readonly deliverAs?: string } = {},
  ): Promise<void> {
    const { customType, content, display = true, details } = custom;
    const said = {
      role: "custom",
      customType,
      content,
      display,
      details,
      timestamp: Date.now(),
    } as unknown as AgentMessage;
    if (this.isStreaming) return deliverAs === "followUp" ? this.agent.followUp(said) : this.agent.steer(said);
    if (triggerTurn) return this.#run(() => this.agent.prompt(said));
    this.#parts.store.appendCustomMessageEntry(customType, content as never, display, details);
    this.agent.state.messages.push(said);
  }

  clearQueue(): { steering: string[]; followUp: string[] } {
    this.agent.clearAllQueues();
    return this.#waiting.clear();
  }

  getSteeringMessages(): readonly string[] {
    return this.#waiting.texts("steering");
  }

  getFollowUpMessages(): readonly string[] {
    return this.#waiting.texts("followUp");
  }

  /** Aborts what is running, and waits for it to end. */
  async abort(): Promise<void> {
    this.#retries.abort();
    this.agent.abort();
    await this.waitForIdle();
  }

  abortRetry(): void {
    this.#retries.abort();
  }

  async waitForIdle(): Promise<void> {
    await this.#running?.catch(() => {});
    await this.agent.waitForIdle();
  }

  async setModel(model: Model): Promise<void> {
    this.agent.state.model = model as never;
    this.#parts.store.appendModelChange(model.provider, model.id);
  }

  setThinkingLevel(level: Level): void {
    const own = this.model === undefined || levelsOf(this.model).includes(level) ? level : "off";
    if (own === this.thinkingLevel) return;
    this.agent.state.thinkingLevel = own;
    this.#parts.store.appendThinkingLevelChange(own);
    this.#tell({ type: "thinking_level_changed", level: own });
  }

  getAvailableThinkingLevels(): readonly Level[] {
    return this.model === undefined ? ["off"] : levelsOf(this.model);
  }

  setSteeringMode(mode: "all" | "one-at-a-time"): void {
    this.agent.steeringMode = mode;
  }

  setFollowUpMode(mode: "all" | "one-at-a-time"): void {
    this.agent.followUpMode = mode;
  }

  setSessionName(name: string): void {
    this.#parts.store.appendSessionInfo(name);
  }

  getLastAssistantText(): string | undefined {
    const last = this.messages.findLast(({ role }) => role === "assistant") as AssistantMessage | undefined;
    const text = textOf(last?.content ?? []).trim();
    return text === "" ? undefined : text;
  }

  getSessionStats(): SideStats {
    return { sessionFile: this.sessionFile, sessionId: this.sessionId, ...statsOf(this.messages as SideMessage[]) };
  }

  /** Does nothing: a side session has no extensions to bind. `session_start` is not fired. */
  async bindExtensions(_bindings?: unknown): Promise<void> {}

  supportsThinking(): boolean {
    return this.model?.reasoning ?? false;
  }

  getContextUsage(): undefined {}

  /** Does nothing: the context is built for each request. */
  refreshContext(): void {}

  hasExtensionHandlers(_event: string): boolean {
    return false;
  }

  dispose(): void {
    this.#retries.abort();
    this.agent.abort();
    this.#listeners.clear();
  }

  async #run(begin: () => Promise<void>): Promise<void> {
    const running = begin().then(() => this.#retries.repeat());
    this.#running = running;
    try {
      await running;
    } finally {
      this.#running = undefined;
      this.#tell({ type: "agent_settled" });
    }
  }

  #heard(event: AgentEvent): void {
    if (event.type === "message_start" && event.message.role === "user")
      this.#waiting.take(textOf(event.message.content as never));
    if (event.type === "message_end") this.#keep(event.message);
    this.#tell(event.type === "agent_end" ? { ...event, willRetry: false } : event);
  }

  #keep(said: AgentMessage): void {
    const { role } = said as { role: string };
    if (role === "user" || role === "assistant" || role === "toolResult")
      this.#parts.store.appendMessage(said as never);
    else if (role === "custom") {
      const { customType, content, display, details } = said as never;
      this.#parts.store.appendCustomMessageEntry(customType, content, display, details);
    }
  }

  #tell(event: SideEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  #stream(model: unknown, context: { readonly messages: readonly unknown[] }, options: unknown) {
    const tools = toolsNamed(this.#parts, this.#active).map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    const asked = { systemPrompt: this.systemPrompt, messages: context.messages as SideMessage[], tools };
    return this.#parts.registry.stream(model as Model, asked, options as never) as never;
  }

  /** The context for an extension's tool in a side session, in which there is no person. */
  #context(signal: AbortSignal | undefined): object {
    return {
      cwd: this.#parts.cwd,
      mode: "print",
      hasUI: false,
      sessionManager: this.#parts.store,
      modelRegistry: this.#parts.registry,
      model: this.model,
      signal,
      isIdle: () => this.isIdle,
      abort: () => this.agent.abort(),
      hasPendingMessages: () => this.pendingMessageCount > 0,
      getSystemPrompt: () => this.systemPrompt,
      getContextUsage: () => undefined,
    };
  }
}

defineAbsent(AgentSession, {
  "open a new side session, with the messages that it is to know": `compact abortCompaction abortBranchSummary
    navigateTree getUserMessagesForForking reload createReplacedSessionContext`,
  "run commands with pi.exec": "executeBash recordBashResult abortBash",
  "write the messages of session.messages yourself": "exportToHtml exportToJsonl summarizeForBugReport",
  "choose one with setModel": "cycleModel cycleThinkingLevel setScopedModels",
  "a side session has no extensions of its own": "extensionRunner",
  "it is always as it is in a side session": "setAutoCompactionEnabled setAutoRetryEnabled setCacheWarmingMode",
});
for (const [name, value] of Object.entries(ALWAYS)) Object.defineProperty(AgentSession.prototype, name, { get: value });
