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

/** The largest number of rounds for a prompt: the first, and those that the model asks for. Source: spec/chibi.md 3. */
export const MAX_RECURSION_DEPTH = 30;
/** The name of the plugin tool with which the model asks for another round; the tool's `note` becomes its prompt. */
const RECURSE = "recurse";

/** The folders, the requested context and the cache settings with which `Contexts` is made. */
export interface ContextOptions {
  /** The path of chibi's home folder. */
  readonly home: string;
  readonly cwd: string;
  /** The person's home folder, which `~` means. */
  readonly userHome: string;
  /** The context that the command line requests: a name, `-`, `new` or `new:prefix`. */
  readonly asked?: { readonly request: string; readonly transient: boolean } | undefined;
  readonly cache: CacheSettings;
  /** Folders in which file tools may read by path. */
  readonly allowedPaths: readonly string[];
  now?(): number;
}

/** The agent, as far as contexts need it. */
export interface ContextAgent {
  /** Returns the open session. */
  store(): SessionManager;
  readonly emit: Emit;
  warn(text: string): void;
  /** Whether any chibi plugin is loaded. */
  hasPlugins(): boolean;
  /** Whether permission rules forbid reading a file. */
  isLeftOut(path: string): boolean;
}

/** The output of a tool call before it is stored in the session. */
export interface CallOutput {
  readonly toolCallId: string;
  readonly tool: string;
  readonly type: OfferedTool["type"];
  readonly args: Readonly<Record<string, unknown>>;
  readonly content: readonly Content[];
}

const NO_TOOLS: ReadonlyMap<string, ContextTool> = new Map();

/**
 * The named contexts of one process: views on the agent's sessions with their own todos, goals, mail and cache. `begin`
 * must be called after the start of the session. Contexts do and write nothing until one is requested or a chibi plugin
 * is loaded. Source: seed 004, spec/chibi.md 3.
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
  /** The context that was current before this process switched; hooks see it until they are notified of the switch. */
  #before: string | undefined;
  /** The context that this process used before the current one. */
  #left: string | undefined;
  #takenOut = new TakenOut();
  /** The session and its last compaction at the last write. If they change, removed messages go to the transcript. */
  #seen: readonly [session: string, compaction: string | undefined] | undefined;
  #failureTold = false;
  #logFailureTold = false;

  /** Resolves the context that the command line requests. Throws an error for the person if the request is invalid. */
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

  /** Sets the agent. Before this, only names and texts of contexts are available. */
  attach(agent: ContextAgent): void {
    this.#agent = agent;
  }

  get agent(): ContextAgent {
    if (this.#agent === undefined) throw new Error("The contexts have no agent yet. Call attach first.");
    return this.#agent;
  }

  /** Whether chibi's tools, cache, mail and texts are in use (ruling 6f). */
  get active(): boolean {
    return this.#asked || (this.#agent?.hasPlugins() ?? false);
  }

  /** The name of the current context, as hooks see it; after a switch, they see the old one until they are notified. */
  get name(): string {
    return this.#before ?? this.#name;
  }

  /** The paths of the current context's files. */
  get paths(): ContextPaths {
    return this.place.paths(this.#name);
  }

  get todos(): string {
    return this.active ? readText(this.paths.todos) : "";
  }

  get goals(): string {
    return this.active ? readText(this.paths.goals) : "";
  }

  /** The summary of compacted messages at the beginning of the conversation; empty if there is none. */
  get summary(): string {
    const [head] = this.#agent?.store().buildSessionContext().messages ?? [];
    return head?.role === "compactionSummary" ? head.summary : "";
  }

  get recursionDepth(): number {
    return this.#recursion.depth;
  }

  /** The context that the person means by `-`: the one before the current context. */
  get previous(): string | undefined {
    const { current, previous } = this.place.state();
    return this.#left ?? (current === this.#name ? previous : current);
  }

  /** Says which session to open for the context on the command line; undefined if none was requested. */
  startRequest(): SessionRequest | undefined {
    return this.#asked ? this.requestFor(this.#name) : undefined;
  }

  /** Says which session to open for a context: its last one, otherwise a new one. */
  requestFor(name: string): SessionRequest {
    return continuation(this.place.paths(name), this.#options.cwd);
  }

  /** Enters the context that the command line requested, and notifies the hooks of the switch. */
  async begin(): Promise<void> {
    if (this.active) this.#removeOver();
    const from = this.#before;
    if (from === undefined) return;
    this.#before = undefined;
    await this.#enter(from)();
  }

  /** Makes another context current, whose session is already open. The returned function notifies the hooks. */
  become(name: string): () => Promise<void> {
    const from = this.#name;
    this.#name = name;
    this.#transient = false;
    this.#asked = true;
    if (from !== name) this.#left = from;
    return this.#enter(from);
  }

  /** Records that the conversation was cleared: appends its messages to the transcript and empties the summary. */
  cleared(messages: readonly Message[]): void {
    if (!this.active) return;
    appendTranscript(this.paths, messages);
    if (readText(this.paths.summary) !== "") replaceText(this.paths.summary, "");
    this.#follow();
  }

  /** Returns chibi's tools by name; empty if no context is in use. */
  tools(): ReadonlyMap<string, ContextTool> {
    return this.active ? this.#tools : NO_TOOLS;
  }

  /** Returns the tools that the settings of the current context allow. */
  offered(tools: readonly string[]): readonly string[] {
    if (!this.active) return tools;
    const { include, exclude } = readLocalSettings(this.paths.localSettings);
    if (include === undefined && exclude === undefined) return tools;
    return tools.filter((tool) => (include?.includes(tool) ?? true) && exclude?.includes(tool) !== true);
  }

  /**
   * Returns the text that replaces the beginning of the agent's system prompt; undefined if that stays. It is the
   * context's own text. If there is none and a context was requested, it is chibi's.
   */
  opening(): string | undefined {
    return this.active ? this.#openingOf(this.paths) : undefined;
  }

  /** Returns the texts that the current context adds to the system prompt. */
  sections(): string[] {
    if (!this.active) return [];
    const { username } = readLocalSettings(this.paths.localSettings);
    return contextSections({ username, goals: this.goals, todos: this.todos, reflection: this.place.reflection() });
  }

  /** Returns a prompt, preceded by the letters from the context's inbox. */
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

  /** Caches a tool's output and returns what the model sees instead; undefined if it sees the whole output. */
  async keep({ toolCallId, tool, type, args, content }: CallOutput): Promise<readonly Content[] | undefined> {
    // File tools show parts of cached outputs, which must not be cached again.
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

  /** Records a tool call that ran without an error, because a plugin's tool may ask for another round. */
  ran(tool: string, type: CallOutput["type"], args: Readonly<Record<string, unknown>>): void {
    if (type === "plugin") this.#recursion.ran(tool, args);
  }

  /** Writes the conversation into the context's folder, for plugins, after something was added to it. */
  recorded(): void {
    if (this.active) this.record(this.#name, this.agent.store());
  }

  /** Writes a context's session into its folder, for plugins. */
  record(name: string, store: SessionManager): void {
    // A session that is only in memory must not leave its text on disk.
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

  /**
   * Completes a prompt: confirms the letters that came with it, and writes the context's files. Returns the prompt of
   * the next round if the model asked for one.
   */
  async settle(answered: boolean): Promise<string | undefined> {
    const next = this.#recursion.next(answered);
    if (this.active) {
      await this.#mail.settle(this.agent.store(), answered);
      this.#follow();
    }
    if (next === "limit") this.agent.warn("The limit of rounds is reached, so the model does not continue.");
    return typeof next === "object" ? next.prompt : undefined;
  }

  /** Removes old cached outputs and records the last use of the context. Must be called at the end of the process. */
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
    // An existing context of chibi continues with the summary that chibi wrote.
    if (isFirst && inherited !== "" && store.buildSessionContext().messages.length === 0)
      store.appendCompaction(inherited, null, 0);
    this.#takenOut = new TakenOut();
    this.#seen = undefined;
    this.#follow();
    return async () => {
      await agent.emit("context.switch", { from, to, transient });
    };
  }

  /** Writes the session, the summary and removed messages to the context's folder, for plugins and later runs. */
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

/** Returns the id of the session's last compaction, whose summary begins the conversation; undefined without one. */
function lastCompaction(store: SessionManager): string | undefined {
  const head = store.buildSessionProjection().entries[0]?.sourceEntry;
  return head?.type === "compaction" ? head.id : undefined;
}

interface ContextTexts {
  /** The person's name, if it is known. */
  readonly username?: string | undefined;
  readonly goals: string;
  readonly todos: string;
  readonly reflection: string;
}

/**
 * Returns the texts that a context adds to the system prompt, in chibi's order. The summary is not among them, because
 * it is the first message of the conversation. Source: spec/chibi.md 3.
 */
function contextSections({ username = "user", goals, todos, reflection }: ContextTexts): string[] {
  const sections: string[] = [];
  if (username !== "user") sections.push(`The user speaking to you is called: ${username}`);
  if (goals.trim() !== "") sections.push(`--- CURRENT GOALS ---\n${goals}`);
  if (todos.trim() !== "") sections.push(`--- CURRENT TODOS ---\n${todos}`);
  if (reflection.trim() !== "") sections.push(reflection);
  return sections;
}

/** The step after a round: another round with this prompt, an end because of the limit, or nothing. */
type NextRound = { readonly prompt: string } | "limit" | undefined;

/** Counts the rounds in which the model continues one prompt. */
export class Recursion {
  #depth = 0;
  #note: string | undefined;

  /** The number of rounds of this prompt before the current one. */
  get depth(): number {
    return this.#depth;
  }

  /** Records a successful call of a plugin's tool. Must not be called for refused or failed calls. */
  ran(tool: string, args: Readonly<Record<string, unknown>>): void {
    if (tool !== RECURSE) return;
    const { note } = args;
    this.#note = typeof note === "string" ? note : "";
  }

  /** Decides what follows a round. `answered` says whether it ended with a reply. */
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
