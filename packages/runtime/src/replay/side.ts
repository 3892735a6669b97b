import type { CatalogRow } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import type { HostServices } from "../port/host.ts";
import type { LlmReport, LlmTransport } from "../port/llm.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Session } from "../session/face.ts";
import { type SideAnswer, saidOf } from "./decision.ts";
import { inertServices, type ReadServices } from "./inert.ts";
import type { Branch, Moment } from "./moment.ts";

/** Settings that a host must use to open the session of a baseline or candidate. The host adds the hooks. */
export interface SideParts {
  readonly scene: Scene;
  readonly services: HostServices;
  admits(lane: string, hook: Hook): boolean;
}

/** Opens a session with fresh instances of the hooks of a baseline or candidate. */
export type OpenSide = (parts: SideParts) => Promise<Session>;

/** The settings of a replay that are the same for baseline and candidate. */
export interface SideContext {
  readonly sessionId: string;
  /** The working folder of the hooks. */
  readonly cwd: string;
  readonly lanes: readonly Lane[];
  /** Further events for which hooks that are programs are started. For events that can refuse they always are. */
  readonly startedFor: ReadonlySet<string>;
  /** Returns whether a program is started for all its events, also those that it only observes. */
  isObserver(hook: Hook): boolean;
  readonly read: ReadServices;
  readonly llm: LlmTransport | undefined;
  /** Returns the session's store at a branch, for hooks that read it. */
  storeOf?(branch: Branch): object;
  effect(kind: string): void;
  /** A signal that ends the asks that are running. */
  readonly signal: AbortSignal | undefined;
}

/** Kinds of events that can refuse, for which programs are started. */
const GUARDS: ReadonlySet<string> = new Set(["guard", "gate"]);
const NO_MODEL: LlmReport = { ok: false, cause: "no-model", message: "a replay asks no model" };

/** The baseline or candidate in the replay of one source file. Its hooks keep their state between moments. */
export class ReplaySide {
  /** The ids of hooks that were not started because they only observe. */
  readonly unstarted = new Set<string>();
  readonly #context: SideContext;
  readonly #rows: ReadonlyMap<string, CatalogRow>;
  #session: Session | undefined;
  #moment: Moment | undefined;
  #store: { readonly size: number; readonly leafId: string | null; readonly made: object | undefined } | undefined;
  #missed = false;

  private constructor(context: SideContext, rows: ReadonlyMap<string, CatalogRow>) {
    this.#context = context;
    this.#rows = rows;
  }

  static async open(open: OpenSide, context: SideContext, rows: ReadonlyMap<string, CatalogRow>): Promise<ReplaySide> {
    const side = new ReplaySide(context, rows);
    side.#session = await open({
      scene: side.#scene(),
      services: side.#services(),
      admits: (lane, hook) => side.#admits(lane, hook),
    });
    return side;
  }

  /** Whether a hook wanted to ask a model at the last moment and there was none. */
  get missedModel(): boolean {
    return this.#missed;
  }

  /** Asks the hooks about a moment; rejects if the payload is not fit to be shown to them. */
  async ask(row: CatalogRow, moment: Moment): Promise<SideAnswer> {
    this.#moment = moment;
    this.#missed = false;
    const { signal } = this.#context;
    const options = signal === undefined ? undefined : { signal };
    const emitted = (this.#session as Session).emit(row.name as never, moment.payload as never, options);
    const { answer, hooks, edits, said, ms } = (await emitted) as Outcome;
    return saidOf(row, answer, { hooks, edits, lanes: said, ms });
  }

  close(): Promise<void> {
    return (this.#session as Session).close();
  }

  #scene(): Scene {
    const { sessionId, cwd } = this.#context;
    const moment = (): Moment | undefined => this.#moment;
    return {
      sessionId,
      cwd,
      get model() {
        return moment()?.scene.model;
      },
      messages: () => [],
      systemPrompt: () => "",
      get context() {
        return moment()?.scene.context ?? "default";
      },
      summary: "",
      todos: "",
      goals: "",
      recursionDepth: 0,
    };
  }

  #services(): HostServices {
    const { read, llm, effect } = this.#context;
    const noted = (report: LlmReport): LlmReport => {
      if (!report.ok && report.cause === "no-model") this.#missed = true;
      return report;
    };
    const services = inertServices(
      read,
      {
        mayStart: () => this.#starts(this.#moment?.event ?? ""),
        model: () => this.#moment?.scene.model,
        sessionManager: () => this.#storeNow(),
      },
      effect,
    );
    // `services` computes its other members when they are used; a spread would compute them all now.
    return Object.defineProperty(services, "llm", {
      value: {
        complete: async (call) => noted((await llm?.complete(call)) ?? NO_MODEL),
        investigate: async (call) => noted((await llm?.investigate?.(call)) ?? NO_MODEL),
      } satisfies LlmTransport,
      enumerable: true,
    });
  }

  #storeNow(): object | undefined {
    const branch = this.#moment?.branch;
    const { storeOf } = this.#context;
    if (branch === undefined || storeOf === undefined) return undefined;
    if (this.#store?.size !== branch.size || this.#store.leafId !== branch.leafId)
      this.#store = { size: branch.size, leafId: branch.leafId, made: storeOf(branch) };
    return this.#store.made;
  }

  #starts(event: string): boolean {
    const row = this.#rows.get(event);
    // Some other events can refuse too, such as a prompt's: those with a `standIn` for an absent required hook.
    return this.#context.startedFor.has(event) || GUARDS.has(row?.kind ?? "") || row?.standIn !== undefined;
  }

  /**
   * Returns whether a hook is asked. In-process hooks are asked about everything, because they keep state; programs are
   * started only if they can refuse.
   */
  #admits(laneId: string, hook: Hook): boolean {
    const lane = this.#context.lanes.find(({ id }) => id === laneId);
    if (lane === undefined || lane.isolate || laneId === "library" || this.#context.isObserver(hook)) return true;
    const rows = lane.rows.filter(({ name }) => name === hook.event);
    if (rows.length === 0 || rows.some(({ of }) => this.#starts(of))) return true;
    this.unstarted.add(hook.id);
    return false;
  }
}
