import { type Clock, messageOf, type Tier, type Timer } from "@hookline/ground";
import type { HttpTransport, ProcessTransport } from "@hookline/runtime/engine";
import type {
  CallToolResult,
  ElicitRequest,
  ElicitResult,
  GetPromptResult,
  Transport,
} from "@modelcontextprotocol/client";
import type { ClientEars, Connection } from "./client.ts";
import type { ServerDefinition } from "./definition.ts";
import { expanded } from "./expand.ts";
import { StdioTransport } from "./stdio.ts";

/** A tool as its server describes it. */
export interface ServerTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
}

/** A prompt as its server describes it. */
export interface ServerPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean | undefined }[] | undefined;
}

/** A notification from a server. */
export interface Notified {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A question of a server to the person. */
export type Elicited = ElicitRequest["params"];
/** The person's answer to a question of a server. */
export type ElicitAnswer = ElicitResult;

/** A server's definition and place, and transports that reach only what was approved. */
export interface ServerSource {
  readonly definition: ServerDefinition;
  readonly path: string;
  readonly line?: number;
  readonly pointer?: string;
  readonly tier: Tier;
  readonly processes: Pick<ProcessTransport, "open">;
  readonly http: Pick<HttpTransport, "open">;
}

/** The settings and callbacks that a server gets from its session. */
export interface ServerHost {
  readonly cwd: string;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Time limits in ms for definitions without their own. */
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  elicit(server: string, asked: Elicited, signal: AbortSignal): Promise<ElicitAnswer>;
  notified(server: string, notification: Notified): void;
  /** Is called when the tools, prompts or state of a server have changed. */
  changed(server: McpServer): void;
  /** Shows a line to the person. */
  tell(text: string): void;
}

/** A `failed` server is started again later. An `unusable` one is tried again only when its definition is reloaded. */
export type ServerState = "starting" | "ready" | "failed" | "unusable" | "stopped";

/**
 * The pause before the first restart, in ms. Each further pause is twice as long, up to 60 s. The pauses start over
 * after the server was ready for longer than the longest pause.
 */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** One server of a session. It is started in the background, restarted when it dies, and ended with the session. */
export class McpServer {
  readonly source: ServerSource;
  readonly #host: ServerHost;
  readonly #ending = new AbortController();
  #state: ServerState = "starting";
  #problem: string | undefined;
  #tools: readonly ServerTool[] = [];
  #prompts: readonly ServerPrompt[] = [];
  #connection: Connection | undefined;
  #transport: Transport | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #readySince = 0;
  #timer: Timer | undefined;
  #questions = 0;
  readonly #told = new Set<string>();
  /** Resolves when the first start has succeeded or failed. */
  readonly settled: Promise<void>;
  #running: Promise<void>;

  constructor(source: ServerSource, host: ServerHost) {
    this.source = source;
    this.#host = host;
    this.settled = this.#start();
    this.#running = this.settled;
  }

  get name(): string {
    return this.source.definition.name;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why the server is not ready, for the person; undefined if it is ready. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get prompts(): readonly ServerPrompt[] {
    return this.#prompts;
  }

  /**
   * Calls one of the server's tools with exactly these arguments. Throws an error with the server's name if the server
   * is not ready, takes too long, or refuses. Only the agent loop and hooks of the type `mcp_tool` may call this.
   */
  async callMcp(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { signal, progressed = () => {} }: { readonly signal?: AbortSignal | undefined; progressed?(text: string): void },
  ): Promise<CallToolResult> {
    const connection = this.#there();
    return this.#limited(`the tool ${tool}`, signal, (about) =>
      connection.call(tool, args, {
        signal: about.signal,
        progressed: (text) => {
          about.goOn();
          progressed(text);
        },
      }),
    );
  }

  /** Gets a prompt from the server, filled with arguments. Throws the same errors as `callMcp`. */
  async prompt(name: string, args: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<GetPromptResult> {
    const connection = this.#there();
    return this.#limited(`the prompt ${name}`, signal, (about) => connection.prompt(name, args, about.signal));
  }

  /** Ends the server for good. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#timer?.cancel();
    this.#ending.abort();
    await this.#connection?.close().catch(() => {});
    await this.#transport?.close().catch(() => {});
    await this.#running.catch(() => {});
  }

  #there(): Connection {
    if (this.#connection !== undefined && this.#state === "ready") return this.#connection;
    const why = this.#problem === undefined ? `it is ${this.#state}` : this.#problem;
    throw new Error(`The MCP server "${this.name}" cannot be used: ${why}`);
  }

  /**
   * Does `work`, and aborts its signal at the time limit. The time in which the person answers a question of the server
   * does not count.
   */
  async #limited<T>(
    what: string,
    signal: AbortSignal | undefined,
    work: (about: { readonly signal: AbortSignal; goOn(): void }) => Promise<T>,
  ): Promise<T> {
    const limitMs = this.source.definition.timeoutMs ?? this.#host.callTimeoutMs;
    const over = new AbortController();
    let timer: Timer | undefined;
    const goOn = (): void => {
      timer?.cancel();
      timer = this.#host.clock.timer(limitMs, () => (this.#questions > 0 ? goOn() : over.abort()));
      timer.hold(true);
    };
    goOn();
    const all = AbortSignal.any([over.signal, this.#ending.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      return await work({ signal: all, goOn });
    } catch (thrown) {
      if (signal?.aborted === true) throw new Error("Operation aborted");
      if (over.signal.aborted)
        throw new Error(`The MCP server "${this.name}" did not answer within ${limitMs} ms: ${what}`);
      throw new Error(`The MCP server "${this.name}": ${this.#problem ?? messageOf(thrown)}`);
    } finally {
      timer?.cancel();
    }
  }

  async #start(): Promise<void> {
    const { definition, unset } = expanded(this.source.definition, this.#host.env);
    if (unset.length > 0) {
      this.#fail("unusable", `$${unset.join(", $")} of its definition is not set`);
      return;
    }
    this.#set("starting", this.#problem);
    const over = new AbortController();
    const limitMs = definition.startTimeoutMs ?? this.#host.startTimeoutMs;
    const timer = this.#host.clock.timer(limitMs, () => over.abort());
    timer.hold(true);
    const signal = AbortSignal.any([over.signal, this.#ending.signal]);
    let transport: Transport | undefined;
    try {
      transport = await this.#transportTo(definition, limitMs);
      this.#transport = transport;
      // The client library is only loaded when the first server starts.
      const { connect } = await import("./client.ts");
      const connection = await connect(transport, this.#ears(transport), signal);
      [this.#tools, this.#prompts] = await Promise.all([connection.tools(signal), connection.prompts(signal)]);
      this.#connection = connection;
      this.#readySince = this.#host.clock.now();
      this.#set("ready", undefined);
    } catch (thrown) {
      const ended = transport instanceof StdioTransport ? transport.ending : undefined;
      const isUnstartable = transport instanceof StdioTransport && transport.isUnstartable;
      const late = over.signal.aborted ? `it was not ready within ${limitMs} ms` : undefined;
      await transport?.close().catch(() => {});
      if (this.#ending.signal.aborted) return;
      this.#fail(isUnstartable ? "unusable" : "failed", ended ?? late ?? startProblem(thrown));
    } finally {
      timer.cancel();
    }
  }

  async #transportTo(definition: ServerDefinition, limitMs: number): Promise<Transport> {
    const { tier, processes, http } = this.source;
    const { name, url, headers = {} } = definition;
    if (url === undefined) {
      const { resolve } = await import("node:path");
      return new StdioTransport({ definition, processes, cwd: resolve(this.#host.cwd, definition.cwd ?? ""), tier });
    }
    const [{ httpTransport }, { serverFetch }] = await Promise.all([import("./client.ts"), import("./fetch.ts")]);
    return httpTransport(url, headers, serverFetch({ http, tier, label: `MCP server ${name}`, timeoutMs: limitMs }));
  }

  #ears(transport: Transport): ClientEars {
    const host = this.#host;
    return {
      cwd: host.cwd,
      elicit: async (asked: Elicited, signal: AbortSignal): Promise<ElicitAnswer> => {
        this.#questions++;
        try {
          return await host.elicit(this.name, asked, AbortSignal.any([signal, this.#ending.signal]));
        } finally {
          this.#questions--;
        }
      },
      notified: (notification: Notified): void => {
        host.notified(this.name, notification);
        if (notification.method === "notifications/tools/list_changed") void this.#list("tools");
        if (notification.method === "notifications/prompts/list_changed") void this.#list("prompts");
      },
      refused: (method: string): void =>
        this.#tellOnce(`The MCP server "${this.name}" asked for ${method}, which is refused: servers get no model.`),
      troubled: (problem: string): void => {
        if (this.#state === "ready") this.#tellOnce(`The MCP server "${this.name}": ${problem}`);
      },
      closed: (): void => this.#closed(transport),
    };
  }

  async #list(kind: "tools" | "prompts"): Promise<void> {
    const connection = this.#connection;
    try {
      if (kind === "tools") this.#tools = (await connection?.tools(this.#ending.signal)) ?? [];
      else this.#prompts = (await connection?.prompts(this.#ending.signal)) ?? [];
    } catch (thrown) {
      if (this.#state === "ready")
        this.#tellOnce(
          `The MCP server "${this.name}" says that its ${kind} changed, but did not list them: ${messageOf(thrown)}`,
        );
      return;
    }
    if (this.#connection === connection) this.#host.changed(this);
  }

  /** Shows a problem to the person, unless this server has already reported the same one. */
  #tellOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#host.tell(text);
  }

  #closed(transport: Transport): void {
    if (this.#state !== "ready" || this.#transport !== transport) return;
    this.#connection = undefined;
    if (this.#host.clock.now() - this.#readySince >= LONGEST_PAUSE_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.#fail(
      "failed",
      (transport instanceof StdioTransport ? transport.ending : undefined) ?? "the connection ended",
    );
  }

  #fail(state: "failed" | "unusable", problem: string): void {
    const isNews = this.#problem !== problem;
    const next = state === "failed" ? `; it will be restarted in ${this.#pauseMs / 1000} s` : "";
    this.#set(state, problem);
    if (isNews) this.#host.tell(`The MCP server "${this.name}" (${this.source.path}) does not run: ${problem}${next}`);
    if (state === "unusable") return;
    this.#timer = this.#host.clock.timer(this.#pauseMs, () => {
      this.#running = this.#start();
    });
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #set(state: ServerState, problem: string | undefined): void {
    if (this.#state === "stopped") return;
    this.#state = state;
    this.#problem = problem;
    this.#host.changed(this);
  }
}

/** Describes why a connection failed, with the remedy if the server requires signing in. */
function startProblem(thrown: unknown): string {
  const problem = messageOf(thrown);
  const status = (thrown as { readonly status?: unknown }).status;
  return status === 401 || /\b401\b|unauthori[sz]ed/i.test(problem)
    ? `it wants a sign-in (OAuth), which hookline does not do; put a token into its "headers" (${problem})`
    : problem;
}
