import { type Message, textOf } from "@hookline/runtime";
import { type Content, messageOf } from "@hookline/runtime/internal";
import { type CacheSettings, keepOutput } from "../cache/keep.ts";
import { readText, replaceText } from "../file/text.ts";
import type { Emit } from "../hook/emit.ts";
import { MailDesk } from "../mail/desk.ts";
import { lockOwner } from "../session/lock.ts";
import type { SessionManager } from "../session/manager.ts";
import type { SessionRequest } from "../session/open.ts";
import type { ContextPaths } from "./home.ts";
import { continuation, lastSession, rememberSession } from "./last-session.ts";
import { readLocalSettings } from "./local.ts";
import { ContextLog } from "./log.ts";
import { DEFAULT_CONTEXT } from "./name.ts";
import { ContextPlace } from "./place.ts";
import { Recursion } from "./recursion.ts";
import { contextSections } from "./sections.ts";
import { type ContextTool, contextTools } from "./tools.ts";
import { appendTranscript, TakenOut } from "./transcript.ts";

/** What contexts are opened with. */
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

/** The agent as contexts see it. */
export interface ContextAgent {
  /** The session that is open now. */
  store(): SessionManager;
  readonly emit: Emit;
  warn(text: string): void;
  /** Whether a chibi plugin is loaded. */
  hasPlugins(): boolean;
}

/** A call's output before it is recorded. */
export interface CallOutput {
  readonly toolCallId: string;
  readonly tool: string;
  readonly type: "builtin" | "file" | "plugin";
  readonly args: Readonly<Record<string, unknown>>;
  readonly content: readonly Content[];
}

const NO_TOOLS: ReadonlyMap<string, ContextTool> = new Map();

/**
 * The named contexts of one process: views on the agent's sessions with todos, goals, mail and a cache of their own.
 *
 * `begin` follows the start of the session. Everything is off, and nothing is written, until a context is asked for or a
 * chibi plugin is loaded. Source: seed 004, spec/chibi.md 3.
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
  /** What hooks hear as current until the switch at the start has been told. */
  #before: string | undefined;
  /** The context that this process was in before. */
  #left: string | undefined;
  #takenOut = new TakenOut();
  /** The session, and its last compaction, when they were looked for. */
  #seen: readonly [session: string, compaction: string | undefined] | undefined;
  #failureTold = false;
  #logFailureTold = false;

  /** Throws what the person is to be told where the request names no context. */
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
      allowed: { paths: options.allowedPaths, home: options.userHome, cwd: options.cwd },
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

  /** Lends the agent; before this, contexts can only be asked for their names and texts. */
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

  /** The context that is current for hooks. */
  get name(): string {
    return this.#before ?? this.#name;
  }

  /** Where the current context's things are. */
  get paths(): ContextPaths {
    return this.place.paths(this.#name);
  }

  get todos(): string {
    return this.active ? readText(this.paths.todos) : "";
  }

  get goals(): string {
    return this.active ? readText(this.paths.goals) : "";
  }

  /** What stands at the head of the conversation for all that was compacted. */
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

  /** The session that the command line's context goes on in; undefined where none was asked for. */
  startRequest(): SessionRequest | undefined {
    return this.#asked ? this.requestFor(this.#name) : undefined;
  }

  /** How a context's conversation goes on. */
  requestFor(name: string): SessionRequest {
    return continuation(this.place.paths(name), this.#options.cwd);
  }

  /** Enters the context that the command line asked for, and tells the hooks. */
  async begin(): Promise<void> {
    if (this.active) this.#removeOver();
    const from = this.#before;
    if (from === undefined) return;
    this.#before = undefined;
    await this.#enter(from)();
  }

  /** Another context becomes current; its session is open. What is returned tells the hooks. */
  become(name: string): () => Promise<void> {
    const from = this.#name;
    this.#name = name;
    this.#transient = false;
    this.#asked = true;
    if (from !== name) this.#left = from;
    return this.#enter(from);
  }

  /** The conversation has been cleared: what was said goes to the transcript, the summary is gone. */
  cleared(messages: readonly Message[]): void {
    if (!this.active) return;
    appendTranscript(this.paths, messages);
    if (readText(this.paths.summary) !== "") replaceText(this.paths.summary, "");
    this.#follow();
  }

  /** chibi's tools by name, where they are in use. */
  tools(): ReadonlyMap<string, ContextTool> {
    return this.active ? this.#tools : NO_TOOLS;
  }

  /** The tools that the context's own settings leave in. */
  offered(tools: readonly string[]): readonly string[] {
    if (!this.active) return tools;
    const { include, exclude } = readLocalSettings(this.paths.localSettings);
    if (include === undefined && exclude === undefined) return tools;
    return tools.filter((tool) => (include?.includes(tool) ?? true) && exclude?.includes(tool) !== true);
  }

  /** What opens the system prompt in the agent's place: the context's own text, or chibi's where a context was asked for. */
  opening(): string | undefined {
    return this.active ? this.#openingOf(this.paths) : undefined;
  }

  /** What stands behind the base of the system prompt. */
  sections(): string[] {
    if (!this.active) return [];
    const { username } = readLocalSettings(this.paths.localSettings);
    return contextSections({ username, goals: this.goals, todos: this.todos, reflection: this.place.reflection() });
  }

  /** A prompt with the mail of the context before it. */
  async receive(prompt: string): Promise<string> {
    if (!this.active) return prompt;
    try {
      const received = await this.#mail.receive(this.#name, prompt, this.agent.store().buildSessionContext().messages);
      if (received.bad > 0) {
        const { inbox } = this.paths;
        this.agent.warn(`${inbox}: ${received.bad} lines are no messages. They were moved to ${inbox}.bad.`);
      }
      return received.prompt;
    } catch (thrown) {
      this.agent.warn(`The inbox ${this.paths.inbox} could not be read: ${messageOf(thrown)}. It stays as it is.`);
      return prompt;
    }
  }

  /** What the model sees of a call's output where that is put into the cache; undefined where it sees the whole. */
  async keep({ toolCallId, tool, type, args, content }: CallOutput): Promise<readonly Content[] | undefined> {
    // What the file tools show of a cached output must not be cached again.
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

  /** A call has run and was no error. */
  ran(tool: string, type: CallOutput["type"], args: Readonly<Record<string, unknown>>): void {
    if (type === "plugin") this.#recursion.ran(tool, args);
  }

  /** Something has been added to the conversation: plugins find it in the context's folder. */
  recorded(): void {
    if (this.active) this.record(this.#name, this.agent.store());
  }

  /** Writes for plugins what a context's session holds. */
  record(name: string, store: SessionManager): void {
    // A session that is kept nowhere leaves no text behind either.
    if (!store.isPersisted()) return;
    const paths = this.place.paths(name);
    const { username: user = "user" } = readLocalSettings(paths.localSettings);
    try {
      this.#log.follow({ paths, store, speakers: { context: name, user }, opening: this.#openingOf(paths) });
    } catch (thrown) {
      if (!this.#logFailureTold)
        this.agent.warn(`${paths.folder} could not be written: ${messageOf(thrown)}. Plugins do not see what is said.`);
      this.#logFailureTold = true;
    }
  }

  /** A prompt has come to an end; gives the prompt that the model wants to go on with. */
  settle(answered: boolean): string | undefined {
    const next = this.#recursion.next(answered);
    if (this.active) {
      this.#mail.settle(this.agent.store(), answered);
      this.#follow();
    }
    if (next === "limit") this.agent.warn("The limit of rounds is reached; the model's wish to go on is not followed.");
    return typeof next === "object" ? next.prompt : undefined;
  }

  /** Tidies up at the end of the process. */
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
    // A context that chibi itself has kept goes on with what it was about.
    if (isFirst && inherited !== "" && store.buildSessionContext().messages.length === 0)
      store.appendCompaction(inherited, null, 0);
    this.#takenOut = new TakenOut();
    this.#seen = undefined;
    this.#follow();
    return async () => {
      await agent.emit("context.switch", { from, to, transient });
    };
  }

  /** Writes down what plugins and later runs look for: the session, the summary, what was compacted away. */
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

  /** Removes the contexts whose time is over, as chibi does at each start. */
  #removeOver(): void {
    const { place } = this;
    for (const name of place.over([this.#name, this.name])) {
      const session = lastSession(place.paths(name));
      if (session !== undefined && lockOwner(session) !== undefined) continue;
      place.destroy(name);
      this.agent.warn(`The time of the context "${name}" is over (destroy_at in state.json). It was removed.`);
    }
  }

  #tellFailure(error: unknown): void {
    if (this.#failureTold) return;
    this.#failureTold = true;
    const { toolCache } = this.paths;
    this.agent.warn(`Outputs cannot be cached in ${toolCache}: ${messageOf(error)}. The model sees them whole.`);
  }
}

/** The compaction that the conversation begins with. */
function lastCompaction(store: SessionManager): string | undefined {
  const head = store.buildSessionProjection().entries[0]?.sourceEntry;
  return head?.type === "compaction" ? head.id : undefined;
}
