import { setTimeout as wait } from "node:timers/promises";
import type { ManagedPlace } from "@hookline/ground/system";
import type { EventName, Outcome, Payload, Scene, SessionOptions } from "@hookline/runtime";
import type { Folded, LeftOut } from "@hookline/runtime/engine";
import type { HookSession, Proof, Retried } from "@hookline/runtime/session";
import { clockOf } from "../client/place.ts";
import type { BridgeHost, HostHooks, HostScene } from "../host/host.ts";
import { Answered } from "./answered.ts";
import type { Drift } from "./drift.ts";
import { Line } from "./line.ts";
import type { Looked } from "./looked.ts";
import { SentOn } from "./sent-on.ts";

/** Parts from which a session of a host is opened. */
export interface OpenParts {
  readonly host: BridgeHost;
  /** The host's id of the session. */
  readonly id: string;
  readonly cwd: string;
  /** The environment that its hooks see. */
  readonly env: Readonly<Record<string, string>>;
  /** For tests: where the administrator's settings are. */
  readonly managed?: ManagedPlace;
  /** Receives each dispatch. */
  readonly trace?: SessionOptions["trace"] | undefined;
  /** Takes a line for the log. */
  log(line: string): void;
}

/** Gives why a call of a host's tool must not run; it may have to read a shell text for that. */
export type Protection = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
) => string | undefined | Promise<string | undefined>;

/** Parts of an open session. */
export interface SessionParts {
  readonly hooks: HookSession;
  /** The state of the session that hooks see; kept up to date. */
  readonly scene: Scene;
  /** Says whether the host can ask its person about the current call; worked out only where a hook wants to know. */
  readonly presence: { isAttended(): boolean };
  /** Lines for the person. */
  readonly told: string[];
  /** Called once the person is shown them. */
  shown?(): void;
  /** Why its guards refuse everything. */
  readonly refusal: string | undefined;
  /** The same once the session has started, by when everything that must run has registered its handlers. */
  started(): Promise<string | undefined>;
  readonly settings: Retried["core"]["settings"];
  readonly protection: Protection;
  /** The MCP servers that the host's own files configure, by name. */
  servers(): readonly string[];
  /** The paths that were looked at to find its hooks; absent where no table may rely on that. */
  readonly looked?: Looked | undefined;
  /** Managed settings or a fleet may guard anything here. */
  readonly isManaged: boolean;
  /** The hooks that a pause leaves out. */
  readonly pausable: LeftOut;
  /** When the pause ends that is in force now, in epoch ms. */
  pausedUntil(): number | undefined;
  close(): Promise<void>;
}

/** A session of a host: its hooks, and what is known of it between two calls. */
export class BridgeSession {
  /** Runs the session's calls one after the other. */
  readonly line = new Line();
  readonly answered = new Answered();
  readonly #parts: SessionParts;
  readonly #memory = new Map<string, unknown>();
  readonly #sentOn: SentOn;
  #refusal: string | undefined;
  #drift: Drift | undefined;
  /** Ends when the hooks have been told of the session's start; absent before. */
  #started: Promise<unknown> | undefined;
  readonly #hasBegun = Promise.withResolvers<void>();
  #hasEnded = false;
  /** The end of the pause that the person was told of. */
  #toldUntil: number | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#refusal = parts.refusal;
    this.#sentOn = new SentOn(parts);
  }

  /** Why its guards refuse everything; undefined where they judge. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * How guards judge one call: `refusal` says why they refuse whatever comes; `isPaused`, that those of the person and the
   * project are not asked. A pause opens no refusal where an administrator or a fleet may be behind it.
   */
  guarding(): { readonly refusal: string | undefined; readonly isPaused: boolean } {
    const until = this.#parts.pausedUntil();
    if (until !== this.#toldUntil) this.#parts.told.push(until === undefined ? PAUSE_OVER : pausedSays(until));
    this.#toldUntil = until;
    const isPaused = until !== undefined;
    return { isPaused, refusal: isPaused && !this.#parts.isManaged ? undefined : this.#refusal };
  }

  /** The paths that were looked at to find its hooks; absent where no table may rely on that. */
  get looked(): Looked | undefined {
    return this.#parts.looked;
  }

  /** Which guards are known to work, as far as they were asked. */
  get proof(): Proof {
    return this.#parts.hooks.proof;
  }

  /** Whether a pause leaves one of these moments guarded: the protection judges each call, and managed hooks any moment. */
  isHeld(moments: readonly EventName[]): boolean {
    return this.#parts.isManaged || moments.includes("tool.before");
  }

  /** Whether any hook listens to one of these moments. */
  listens(moments: readonly EventName[]): boolean {
    return moments.some((moment) => this.#parts.hooks.listens(moment));
  }

  /** Notices what is new in the host; absent before its first call. */
  get drift(): Drift | undefined {
    return this.#drift;
  }

  /** Starts to record new names of the host, and tells the person of those found since the last report. */
  watch(drift: Drift): Drift {
    const news = drift.news();
    if (news !== undefined) this.#parts.told.push(news);
    this.#drift = drift;
    return drift;
  }

  /** Takes in how to find out whether the host can ask its person now. */
  attend(isAttended: () => boolean): void {
    this.#parts.presence.isAttended = isAttended;
  }

  /** Takes in what the host tells of its session. */
  learn(scene: HostScene | undefined): void {
    if (scene === undefined) return;
    const { messages, systemPrompt, ...plain } = scene;
    Object.assign(this.#parts.scene, plain);
    if (messages !== undefined) Object.assign(this.#parts.scene, { messages: () => messages });
    if (systemPrompt !== undefined) Object.assign(this.#parts.scene, { systemPrompt: () => systemPrompt });
  }

  /** The hooks as one call asks them; the signal ends the call. */
  during(signal: AbortSignal, isPaused = false): HostHooks {
    const { hooks, scene, pausable } = this.#parts;
    const leftOut = isPaused ? pausable : undefined;
    return {
      cwd: scene.cwd,
      memory: this.#memory,
      emit: (event, payload, options) => this.#emit(event, payload, { ...options, signal, leftOut }),
      listens: (event) => hooks.listens(event, leftOut),
      servers: this.#parts.servers,
      saw: (call) => this.#drift?.call(call),
      retries: this.#sentOn,
      notices: () => this.#notices(),
      tell: (line) => void this.#parts.told.push(line),
    };
  }

  /**
   * Tells the hooks of a session that this process has not seen the start of: modules make themselves ready there. The
   * host's own start does that otherwise, and may arrive `lateMs` after the first call.
   */
  async begin(moments: readonly EventName[], signal: AbortSignal, lateMs = 0): Promise<void> {
    if (moments.includes("session.start")) return;
    if (this.#started === undefined && lateMs > 0) await Promise.race([this.#hasBegun.promise, wait(lateMs)]);
    if (this.#started === undefined) {
      this.#sentOn.join();
      await this.#emit("session.start", { reason: "resume" }, { signal });
    }
    // Calls that come at once wait for it, too: modules register guards there.
    else await this.#started;
  }

  /** Tells the hooks of the end, unless the host has, and lets go of them. */
  async close(): Promise<void> {
    if (!this.#hasEnded && this.#started !== undefined) await this.#emit("session.end", { reason: "quit" }, {});
    await this.#parts.close();
  }

  async #emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options: Parameters<HookSession["emit"]>[2],
  ): Promise<Outcome<Folded<E>>> {
    this.#hasEnded ||= event === "session.end";
    const emitted = this.#parts.hooks.emit(event, payload, options);
    if (event === "session.start") {
      this.#started = this.#admit(emitted);
      this.#hasBegun.resolve();
      await this.#started;
    }
    const outcome = await emitted;
    const { tool, args } = payload as { readonly tool?: string; readonly args?: Readonly<Record<string, unknown>> };
    if (event !== "tool.before" || tool === undefined || args === undefined) return outcome;
    const { args: rewritten = args } = outcome.answer as { readonly args?: typeof args };
    const reason = await this.#parts.protection(tool, rewritten);
    return reason === undefined ? outcome : { ...outcome, answer: { decision: "deny", reason } as never };
  }

  /** Refuses from the end of the session's start if a required hook has registered nothing by then. */
  async #admit(starting: unknown): Promise<void> {
    try {
      await starting;
      this.#refusal ??= await this.#parts.started();
    } catch (thrown) {
      // The next call tells the hooks of the start again.
      this.#started = undefined;
      throw thrown;
    }
  }

  #notices(): readonly string[] {
    const lines = this.#parts.told.splice(0);
    if (lines.length > 0) this.#parts.shown?.();
    return lines;
  }
}

/** Tells the person of a pause, wherever it is shown. */
export function pausedSays(until: number): string {
  return `hookline: guards of yours and of projects are paused until ${clockOf(until)}; \`hookline bridge resume\` ends that`;
}

const PAUSE_OVER = "hookline: the pause is over; guards are asked again";
