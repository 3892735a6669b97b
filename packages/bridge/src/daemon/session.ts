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

/** Dependencies for opening a session of a host. */
export interface OpenParts {
  readonly host: BridgeHost;
  /** The host's id of the session. */
  readonly id: string;
  readonly cwd: string;
  /** The environment that the session's hooks see. */
  readonly env: Readonly<Record<string, string>>;
  /** Place of the administrator's settings; for tests. */
  readonly managed?: ManagedPlace;
  /** Called with each dispatch. */
  readonly trace?: SessionOptions["trace"] | undefined;
  /** Writes a line to the log. */
  log(line: string): void;
}

/** Returns why a call of a host's tool must not run, as a promise if a shell command has to be parsed. */
export type Protection = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
) => string | undefined | Promise<string | undefined>;

/** Dependencies of an open session. */
export interface SessionParts {
  readonly hooks: HookSession;
  /** The state of the session that hooks see; kept up to date. */
  readonly scene: Scene;
  /** Reports whether the host can now ask the person about the call; computed only if a hook wants to know. */
  readonly presence: { isAttended(): boolean };
  /** Lines to show to the person. */
  readonly told: string[];
  /** Called once the person has been shown the lines in `told`. */
  shown?(): void;
  /** The reason why the session's guards refuse everything. */
  readonly refusal: string | undefined;
  /** Called after the session's start. Returns a reason to refuse everything, such as a missing required hook. */
  started(): Promise<string | undefined>;
  readonly settings: Retried["core"]["settings"];
  readonly protection: Protection;
  /** The MCP servers that the host's own files configure, by name. */
  servers(): readonly string[];
  /** The paths in which hooks were searched; absent for a machine in a fleet, whose guards no file shows. */
  readonly looked?: Looked | undefined;
  /** Whether managed settings or a fleet may guard something in this session. */
  readonly isManaged: boolean;
  /** The hooks that are not asked while the guards are paused. */
  readonly pausable: LeftOut;
  /** Returns the end of the current pause, in epoch ms. */
  pausedUntil(): number | undefined;
  close(): Promise<void>;
}

/** A session of a host: its hooks, and its state between calls. */
export class BridgeSession {
  /** Runs the session's calls one after the other. */
  readonly line = new Line();
  readonly answered = new Answered();
  readonly #parts: SessionParts;
  readonly #memory = new Map<string, unknown>();
  readonly #sentOn: SentOn;
  #refusal: string | undefined;
  #drift: Drift | undefined;
  /** Settles when the hooks have received the session's start; absent before. */
  #started: Promise<unknown> | undefined;
  readonly #hasBegun = Promise.withResolvers<void>();
  #hasEnded = false;
  /** The end of the last pause that the person was told about. */
  #toldUntil: number | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#refusal = parts.refusal;
    this.#sentOn = new SentOn(parts);
  }

  /** The reason why the session's guards refuse everything; `undefined` if they judge calls. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * Returns how guards judge one call. With `refusal`, they refuse it for this reason; with `isPaused`, guards of the
   * person and the project are not asked. A pause also lifts the refusal, unless an administrator or a fleet may have
   * caused it.
   */
  guarding(): { readonly refusal: string | undefined; readonly isPaused: boolean } {
    const until = this.#parts.pausedUntil();
    if (until !== this.#toldUntil) this.#parts.told.push(until === undefined ? PAUSE_OVER : pausedSays(until));
    this.#toldUntil = until;
    const isPaused = until !== undefined;
    return { isPaused, refusal: isPaused && !this.#parts.isManaged ? undefined : this.#refusal };
  }

  /** The paths in which hooks were searched; absent for a machine in a fleet, whose guards no file shows. */
  get looked(): Looked | undefined {
    return this.#parts.looked;
  }

  /** The results of the guards' tests: how many passed, which failed, and which have no test. */
  get proof(): Proof {
    return this.#parts.hooks.proof;
  }

  /**
   * Whether one of these events stays guarded in a pause. Tool calls do, since hookline protects its own files from
   * them; if managed settings or a fleet may guard anything, every event does.
   */
  isHeld(moments: readonly EventName[]): boolean {
    return this.#parts.isManaged || moments.includes("tool.before");
  }

  /** Whether any hook listens to one of these events. */
  listens(moments: readonly EventName[]): boolean {
    return moments.some((moment) => this.#parts.hooks.listens(moment));
  }

  /** The recorder of the host's unknown names; absent before the host's first call. */
  get drift(): Drift | undefined {
    return this.#drift;
  }

  /** Starts to record unknown names of the host, and adds a line for the person about those not yet reported. */
  watch(drift: Drift): Drift {
    const news = drift.news();
    if (news !== undefined) this.#parts.told.push(news);
    this.#drift = drift;
    return drift;
  }

  /** Sets the function that reports whether the host can ask its person now. */
  attend(isAttended: () => boolean): void {
    this.#parts.presence.isAttended = isAttended;
  }

  /** Updates the session's state with what the host reports. */
  learn(scene: HostScene | undefined): void {
    if (scene === undefined) return;
    const { messages, systemPrompt, ...plain } = scene;
    Object.assign(this.#parts.scene, plain);
    if (messages !== undefined) Object.assign(this.#parts.scene, { messages: () => messages });
    if (systemPrompt !== undefined) Object.assign(this.#parts.scene, { systemPrompt: () => systemPrompt });
  }

  /** Returns the session's hooks for one call, until `signal` is aborted. In a pause, pausable hooks are not asked. */
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
   * Emits `session.start` if the hooks have not received it, since modules register guards in it. Before that, it waits
   * up to `lateMs` for the host to report the start itself, which some hosts do after the first call.
   */
  async begin(moments: readonly EventName[], signal: AbortSignal, lateMs = 0): Promise<void> {
    if (moments.includes("session.start")) return;
    if (this.#started === undefined && lateMs > 0) await Promise.race([this.#hasBegun.promise, wait(lateMs)]);
    if (this.#started === undefined) {
      this.#sentOn.join();
      await this.#emit("session.start", { reason: "resume" }, { signal });
    }
    // Calls at the same time wait too, since modules register guards during the start.
    else await this.#started;
  }

  /** Emits `session.end`, unless the host has reported the end, and releases the hooks. */
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

  /** Waits for the session's start. If a required hook is still missing after it, every call is refused. */
  async #admit(starting: unknown): Promise<void> {
    try {
      await starting;
      this.#refusal ??= await this.#parts.started();
    } catch (thrown) {
      // If the start fails, the next call emits it again.
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

/** Describes a pause to the person. */
export function pausedSays(until: number): string {
  return `hookline: guards of yours and of projects are paused until ${clockOf(until)}; \`hookline bridge resume\` ends that`;
}

const PAUSE_OVER = "hookline: the pause is over; guards are asked again";
