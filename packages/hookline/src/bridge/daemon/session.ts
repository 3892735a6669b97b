import { setTimeout as wait } from "node:timers/promises";
import type { EventName, Outcome, Payload, Scene, Session } from "@hookline/runtime";
import type { Folded } from "@hookline/runtime/internal";
import type { LoopSettings } from "../../turn/core.ts";
import type { HostHooks, HostScene } from "../host.ts";
import { Answered } from "./answered.ts";
import { Line } from "./line.ts";
import type { Looked } from "./looked.ts";
import type { Protection } from "./protection.ts";
import { SentOn } from "./sent-on.ts";

/** What a session is made of. */
export interface SessionParts {
  readonly hooks: Session;
  /** What the hooks are told of the session; kept up to date. */
  readonly scene: Scene;
  /** Lines for the person. */
  readonly told: string[];
  /** Called once the person is shown them. */
  shown?(): void;
  /** Why its guards refuse everything. */
  readonly refusal: string | undefined;
  /** The same once the session has started, by when everything that must run has registered its handlers. */
  started(): Promise<string | undefined>;
  readonly settings: Pick<LoopSettings, "feedbackCap" | "claudeStopCap">;
  readonly protection: Protection;
  /** The paths that were looked at to find its hooks; absent where no table may rely on that. */
  readonly looked?: Looked | undefined;
  /** Managed settings or a fleet may guard anything here. */
  readonly isManaged: boolean;
  close(): Promise<void>;
}

/** A session of a host: its hooks, and what is known of it between two calls. */
export class BridgeSession {
  /** Those that are asked one after the other. */
  readonly line = new Line();
  readonly answered = new Answered();
  readonly #parts: SessionParts;
  readonly #memory = new Map<string, unknown>();
  readonly #sentOn: SentOn;
  #refusal: string | undefined;
  /** Ends when the hooks have been told of the session's start; absent before. */
  #started: Promise<unknown> | undefined;
  readonly #hasBegun = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#refusal = parts.refusal;
    this.#sentOn = new SentOn(parts);
  }

  /** Why its guards refuse everything; undefined where they judge. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The paths that were looked at to find its hooks; absent where no table may rely on that. */
  get looked(): Looked | undefined {
    return this.#parts.looked;
  }

  /** Whether a pause leaves one of these moments guarded: the protection judges each call, and managed hooks any moment. */
  isHeld(moments: readonly EventName[]): boolean {
    return this.#parts.isManaged || moments.includes("tool.before");
  }

  /** Whether any hook listens to one of these moments. */
  listens(moments: readonly EventName[]): boolean {
    return moments.some((moment) => this.#parts.hooks.listens(moment));
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
  during(signal: AbortSignal): HostHooks {
    const { hooks, scene } = this.#parts;
    return {
      cwd: scene.cwd,
      memory: this.#memory,
      emit: (event, payload, options) => this.#emit(event, payload, { ...options, signal }),
      listens: (event) => hooks.listens(event),
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
    options: Parameters<Session["emit"]>[2],
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
    const reason = this.#parts.protection(tool, rewritten);
    return reason === undefined ? outcome : { ...outcome, answer: { decision: "deny", reason } as never };
  }

  /** What must run and has registered nothing by the end of the session's start refuses from then on. */
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
