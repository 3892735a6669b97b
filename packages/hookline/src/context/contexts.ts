import { messageOf } from "@hookline/ground";
import { readText, replaceText } from "@hookline/ground/system";
import { type Message, textOf } from "@hookline/runtime";
import type { Content, OfferedTool } from "@hookline/runtime/engine";
import { type CacheSettings, keepOutput } from "../cache/keep.ts";
import type { Emit } from "../hook/emit.ts";
import { MailDesk } from "../mail/desk.ts";
import { lockOwner } from "../session/lock.ts";
import type { SessionRequest } from "../session/open.ts";
import type { SessionManager } from "../session/session.ts";
import type { ContextPaths } from "./home.ts";
import { continuation, lastSession, rememberSession } from "./last-session.ts";
import { readLocalSettings } from "./local.ts";
import { ContextLog } from "./log.ts";
import { DEFAULT_CONTEXT } from "./name.ts";
import { ContextPlace } from "./place.ts";
import { type ContextTool, contextTools } from "./tools.ts";
import { appendTranscript, TakenOut } from "./transcript.ts";

/** The maximum number of rounds of one prompt, including the first. Source: spec/chibi.md 3. */
export const MAX_RECURSION_DEPTH = 30;
/** The tool of this name, of any plugin, asks for another round with a note to itself. */
const RECURSE = "recurse";

/** Options of the contexts. */
export interface ContextOptions {
  /** chibi's home. */
  readonly home: string;
  readonly cwd: string;
  /** The person's home folder, for `~`. */
  readonly userHome: string;
  /** The context that the command line names: a name, `-`, `new` or `new:prefix`. */
  readonly asked?: { readonly request: string; readonly transient: boolean } | undefined;
  readonly cache: CacheSettings;
  /** Folders that file tools may read by path. */
  readonly allowedPaths: readonly string[];
  now?(): number;
}

/** The agent, as contexts see it. */
export interface ContextAgent {
  /** The session that is open now. */
  store(): SessionManager;
  readonly emit: Emit;
  warn(text: string): void;
  /** Whether a chibi plugin is loaded. */
  hasPlugins(): boolean;
  /** Whether rules keep a file from being read. */
  isLeftOut(path: string): boolean;
}

/** A call's output before it is recorded. */
export interface CallOutput {
  readonly toolCallId: string;
  readonly tool: string;
  readonly type: OfferedTool["type"];
  readonly args: Readonly<Record<string, unknown>>;
  readonly content: readonly Content[];
}

const NO_TOOLS: ReadonlyMap<string, ContextTool> = new Map();

/**
 * The named contexts of one process: views on the agent's sessions with their own todos, goals, mail and cache.
 *
 * Call `begin` after the start of the session. Everything is off, and nothing is written, until a context is requested
 * or a chibi plugin is loaded. Source: seed 004, spec/chibi.md 3.
 */
export class Contexts {
  readonly place: ContextPlace;
  readonly #options: ContextOptions;
  readonly #mail: MailDesk;
  readonly #recursion = new Recursion();
  readonly #log: ContextLog;
  readonly #tools: ReadonlyMap<string, ContextTool>;
  #agent: ContextAgent | undefined;
  #name: string;
  #transient: boolean;
  #asked: boolean;
  /** The context that hooks see as current until the switch at the start has been announced. */
  #before: string | undefined;
  /** The context that this process was in before. */
  #left: string | undefined;
  #takenOut = new TakenOut();
  /** The session and its last compaction at the last check. */
  #seen: readonly [session: string, compaction: string | undefined] | undefined;
  #failureTold = false;
  #logFailureTold = false;

  /** Throws an error for the person if the request names no context. */
  constructor(options: ContextOptions) {
    const { home, asked } = options;
    this.#options = options;
    this.place = new ContextPlace(home, options.now);
    this.#mail = new MailDesk((name) => this.place.inbox(name));
    this.#log = new ContextLog(options.now ?? Date.now);
    this.#asked = asked !== undefined;
    this.#transient = asked?.transient ?? false;
    if (asked === undefined) this.#name = DEFAULT_CONTEXT;
    else {
      const { current, previous } = this.place.state();
      this.#name = this.place.resolve(asked.request, previous);
      this.#before = current;
    }
    this.#tools = contextTools({
      cacheFolder: () => this.paths.toolCache,
      allowed: {
        paths: options.allowedPaths,
        home: options.userHome,
        cwd: options.cwd,
        isLeftOut: (path) => this.#agent?.isLeftOut(path) ?? false,
      },
      saveTodos: (text) => replaceText(this.paths.todos, text),
      saveGoals: (text) => replaceText(this.paths.goals, text),
      saveReflection: (text) => this.place.saveReflection(text),
      post: () => ({
        from: this.name,
        deliver: (letter) => this.#mail.deliver(letter),
        emit: (event, payload) => this.agent.emit(event, payload),
      }),
    });
  }

  /** Sets the agent; before this, contexts only provide their names and texts. */
  attach(agent: ContextAgent): void {
    this.#agent = agent;
  }

  get agent(): ContextAgent {
    if (this.#agent === undefined) throw new Error("The contexts have no agent yet. Call attach first.");
    return this.#agent;
  }

  /** Whether chibi's tools, cache, mail and texts are in use (decision 6f). */
  get active(): boolean {
    return this.#asked || (this.#agent?.hasPlugins() ?? false);
  }

  /** The current context for hooks. */
  get name(): string {
    return this.#before ?? this.#name;
  }

  /** The paths of the current context. */
  get paths(): ContextPaths {
    return this.place.paths(this.#name);
  }

  get todos(): string {
    return this.active ? readText(this.paths.todos) : "";
  }

  get goals(): string {
    return this.active ? readText(this.paths.goals) : "";
  }

  /** The summary at the head of the conversation for everything that was compacted. */
  get summary(): string {
    const [head] = this.#agent?.store().buildSessionContext().messages ?? [];
    return head?.role === "compactionSummary" ? head.summary : "";
  }

  get recursionDepth(): number {
    return this.#recursion.depth;
  }

  /** The context that `-` means. */
  get previous(): string | undefined {
    const { current, previous } = this.place.state();
    return this.#left ?? (current === this.#name ? previous : current);
  }

  /** The session in which the command line's context continues; undefined if none was requested. */
  startRequest(): SessionRequest | undefined {
    return this.#asked ? this.requestFor(this.#name) : undefined;
  }

  /** How a context's conversation continues. */
  requestFor(name: string): SessionRequest {
    return continuation(this.place.paths(name), this.#options.cwd);
  }

  /** Enters the context that the command line requested, and tells the hooks. */
  async begin(): Promise<void> {
    if (this.active) this.#removeOver();
    const from = this.#before;
    if (from === undefined) return;
    this.#before = undefined;
    await this.#enter(from)();
  }

  /** Makes another context current; its session is open. The returned function tells the hooks. */
  become(name: string): () => Promise<void> {
    const from = this.#name;
    this.#name = name;
    this.#transient = false;
    this.#asked = true;
    if (from !== name) this.#left = from;
    return this.#enter(from);
  }

  /** The conversation has been cleared: its messages go to the transcript, the summary is removed. */
  cleared(messages: readonly Message[]): void {
    if (!this.active) return;
    appendTranscript(this.paths, messages);
    if (readText(this.paths.summary) !== "") replaceText(this.paths.summary, "");
    this.#follow();
  }

  /** chibi's tools by name, if they are in use. */
  tools(): ReadonlyMap<string, ContextTool> {
    return this.active ? this.#tools : NO_TOOLS;
  }

  /** The tools that the context's own settings allow. */
  offered(tools: readonly string[]): readonly string[] {
    if (!this.active) return tools;
    const { include, exclude } = readLocalSettings(this.paths.localSettings);
    if (include === undefined && exclude === undefined) return tools;
    return tools.filter((tool) => (include?.includes(tool) ?? true) && exclude?.includes(tool) !== true);
  }

  /**
   * The opening of the system prompt instead of the agent's: the context's own text, or chibi's if a context was
   * requested.
   */
  opening(): string | undefined {
    return this.active ? this.#openingOf(this.paths) : undefined;
  }

  /** The parts after the base of the system prompt. */
  sections(): string[] {
    if (!this.active) return [];
    const { username } = readLocalSettings(this.paths.localSettings);
    return contextSections({ username, goals: this.goals, todos: this.todos, reflection: this.place.reflection() });
  }

  /** A prompt, preceded by the context's mail. */
  async receive(prompt: string): Promise<string> {
    if (!this.active) return prompt;
    try {
      const received = await this.#mail.receive(this.#name, prompt, this.agent.store().buildSessionContext().messages);
      if (received.bad > 0) {
        const { inbox } = this.paths;
        this.agent.warn(`${inbox}: ${received.bad} lines are not messages. They were moved to ${inbox}.bad.`);
      }
      return received.prompt;
    } catch (thrown) {
      this.agent.warn(`The inbox ${this.paths.inbox} could not be read: ${messageOf(thrown)}. It stays as it is.`);
      return prompt;
    }
  }

  /** Caches a call's output and returns the model's view of it; undefined if the model sees all of it. */
  async keep({ toolCallId, tool, type, args, content }: CallOutput): Promise<readonly Content[] | undefined> {
    // Parts of a cached output that the file tools show must not be cached again.
    if (!this.active || type === "file") return undefined;
    const { agent } = this;
    const shown = await keepOutput(
      {
        folder: this.paths.toolCache,
        settings: this.#options.cache,
        emit: (event, payload) => agent.emit(event, payload),
        onFailure: (error) => this.#tellFailure(error),
      },
      { toolCallId, tool, args, text: textOf(content) },
    );
    return shown === undefined
      ? undefined
      : [{ type: "text", text: shown }, ...content.filter((block) => block.type !== "text")];
  }

  /** A call has run without an error. */
  ran(tool: string, type: CallOutput["type"], args: Readonly<Record<string, unknown>>): void {
    if (type === "plugin") this.#recursion.ran(tool, args);
  }

  /** Something was added to the conversation: plugins find it in the context's folder. */
  recorded(): void {
    if (this.active) this.record(this.#name, this.agent.store());
  }

  /** Writes a context's session for plugins. */
  record(name: string, store: SessionManager): void {
    // A session that is not kept leaves no text behind either.
    if (!store.isPersisted()) return;
    const paths = this.place.paths(name);
    const { username: user = "user" } = readLocalSettings(paths.localSettings);
    try {
      this.#log.follow({ paths, store, speakers: { context: name, user }, opening: this.#openingOf(paths) });
    } catch (thrown) {
      if (!this.#logFailureTold)
        this.agent.warn(
          `${paths.folder} could not be written: ${messageOf(thrown)}. Plugins do not see the conversation.`,
        );
      this.#logFailureTold = true;
    }
  }

  /** A prompt has ended; returns the prompt with which the model wants to continue. */
  async settle(answered: boolean): Promise<string | undefined> {
    const next = this.#recursion.next(answered);
    if (this.active) {
      await this.#mail.settle(this.agent.store(), answered);
      this.#follow();
    }
    if (next === "limit") this.agent.warn("The limit of rounds is reached, so the model does not continue.");
    return typeof next === "object" ? next.prompt : undefined;
  }

  /** Cleans up at the end of the process. */
  close(): void {
    if (!this.active) return;
    this.place.dropOldOutputs();
    if (!this.#transient && this.place.exists(this.#name)) this.place.touch(this.#name);
  }

  #enter(from: string): () => Promise<void> {
    const { agent, paths } = this;
    const transient = this.#transient;
    const to = this.#name;
    const store = agent.store();
    const isFirst = lastSession(paths) === undefined;
    this.place.use(to, { transient });
    const inherited = readText(paths.summary).trim();
    // A context that chibi itself has kept continues with its subject.
    if (isFirst && inherited !== "" && store.buildSessionContext().messages.length === 0)
      store.appendCompaction(inherited, null, 0);
    this.#takenOut = new TakenOut();
    this.#seen = undefined;
    this.#follow();
    return async () => {
      await agent.emit("context.switch", { from, to, transient });
    };
  }

  /** Writes what plugins and later runs need: the session, the summary, what was compacted away. */
  #follow(): void {
    if (!this.active) return;
    const store = this.agent.store();
    this.recorded();
    rememberSession(this.paths, store.getSessionFile());
    const [session, last] = [store.getSessionId(), lastCompaction(store)];
    if (last !== undefined && (this.#seen?.[0] !== session || this.#seen[1] !== last))
      appendTranscript(this.paths, this.#takenOut.fresh(store));
    this.#seen = [session, last];
    const { summary } = this;
    if (summary !== "" && summary !== readText(this.paths.summary)) replaceText(this.paths.summary, summary);
  }

  #openingOf(paths: ContextPaths): string | undefined {
    const own = readText(paths.systemPrompt).trim();
    const text = own === "" && this.#asked ? this.place.opening().trim() : own;
    return text === "" ? undefined : text;
  }

  /** Removes expired contexts, as chibi does at each start. */
  #removeOver(): void {
    const { place } = this;
    for (const name of place.over([this.#name, this.name])) {
      const session = lastSession(place.paths(name));
      if (session !== undefined && lockOwner(session) !== undefined) continue;
      place.destroy(name);
      this.agent.warn(`The context "${name}" has expired (destroy_at in state.json) and was removed.`);
    }
  }

  #tellFailure(error: unknown): void {
    if (this.#failureTold) return;
    this.#failureTold = true;
    const { toolCache } = this.paths;
    this.agent.warn(`Outputs cannot be cached in ${toolCache}: ${messageOf(error)}. The model sees them whole.`);
  }
}

/** The compaction at the beginning of the conversation. */
function lastCompaction(store: SessionManager): string | undefined {
  const head = store.buildSessionProjection().entries[0]?.sourceEntry;
  return head?.type === "compaction" ? head.id : undefined;
}

/** The texts that a context adds to the system prompt. */
interface ContextTexts {
  /** The person's name, if known. */
  readonly username?: string | undefined;
  readonly goals: string;
  readonly todos: string;
  readonly reflection: string;
}

/**
 * The parts of the system prompt after its base, in chibi's order. The summary is not one of them: it is at the head of
 * the conversation. Source: spec/chibi.md 3.
 */
function contextSections({ username = "user", goals, todos, reflection }: ContextTexts): string[] {
  const sections: string[] = [];
  if (username !== "user") sections.push(`The user speaking to you is called: ${username}`);
  if (goals.trim() !== "") sections.push(`--- CURRENT GOALS ---\n${goals}`);
  if (todos.trim() !== "") sections.push(`--- CURRENT TODOS ---\n${todos}`);
  if (reflection.trim() !== "") sections.push(reflection);
  return sections;
}

/** The step after a round: another round, an end because of the limit, or nothing. */
type NextRound = { readonly prompt: string } | "limit" | undefined;

/** Counts the rounds of a prompt that the model has asked to continue. */
export class Recursion {
  #depth = 0;
  #note: string | undefined;

  /** The number of rounds before this one. */
  get depth(): number {
    return this.#depth;
  }

  /** Records that a plugin's tool has run; not called for refused or failed calls. */
  ran(tool: string, args: Readonly<Record<string, unknown>>): void {
    if (tool !== RECURSE) return;
    const { note } = args;
    this.#note = typeof note === "string" ? note : "";
  }

  /** Decides the step after a round; `answered`: it ended with a reply. */
  next(answered: boolean): NextRound {
    const note = this.#note;
    this.#note = undefined;
    const depth = this.#depth + 1;
    if (answered && note !== undefined && depth < MAX_RECURSION_DEPTH) {
      this.#depth = depth;
      return { prompt: `[Continuing from previous round]\n\nNote to self: ${note}` };
    }
    this.#depth = 0;
    return answered && note !== undefined ? "limit" : undefined;
  }
}
