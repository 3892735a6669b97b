import type { Fields } from "@hookline/ground";
import { messageOf, place } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import type { HookRun, Outcome } from "../run/outcome.ts";
import type { Would } from "../run/would.ts";
import { type Digest, withDigest, withDigests } from "./digests.ts";
import { fieldsOf } from "./fields.ts";
import type { MomentHook, MomentLine, RecordLevel, ShadowAnswer } from "./line.ts";
import { asLeft, mayEdit, namesOnly, type Told } from "./redacted.ts";
import type { FileSink } from "./sink.ts";
import { type Held, Stream } from "./stream.ts";
import type { NewHeader, NewMoment } from "./write.ts";

/** A hook of a plan, with the entry that is recorded for it if it does not answer. */
interface Asked {
  /** The hook's entry in the list of a moment's hooks, with the status `asked`. */
  readonly entry: MomentHook;
  readonly filter: string | undefined;
}

/** The services and settings that a recorder gets from its host. */
export interface RecorderParts {
  readonly level: RecordLevel;
  /** The sink for the moments: one for all sessions, or one for each session. */
  readonly to: FileSink | ((session: string) => FileSink);
  /** Whether a guarded call must not run if the decision about it cannot be recorded. */
  readonly required: boolean;
  readonly hookline: string;
  /** The program that embeds the library; absent if it is hookline's own agent. */
  readonly host?: string | undefined;
  /** Removes the keys of model providers from a text. */
  clean(text: string): string;
  readonly digest: Digest;
  /** Returns the SHA-256 of the file that defines a hook. */
  hashOf(hook: Hook): string | undefined;
  /** Called once, with the reason why moments are lost. */
  lost(problem: string): void;
  wall(): number;
}

/** One moment of a session, with its outcome. */
export interface Happened {
  readonly row: CatalogRow;
  readonly plan: Plan | undefined;
  readonly payload: Fields;
  readonly outcome: Outcome;
  /** The scene of the agent, or of the sub-agent that the event belongs to. */
  readonly scene: Scene;
  readonly session: Scene;
  /** The hooks in shadow that are asked about the moment. */
  readonly shadow?: ToBeAsked | undefined;
  /** Returns the plan of a later event, whose hooks may still redact this moment. */
  planOf(event: string): Plan | undefined;
}

/** Hooks in shadow that are asked about a moment. `moment` identifies it until they have answered. */
export interface ToBeAsked {
  readonly plan: Plan;
  readonly moment: object;
}

/** The answer of a hook in shadow about the moment that `moment` identifies. */
export interface SaidInShadow {
  readonly moment: object;
  readonly session: Scene;
  readonly run: HookRun;
  readonly would: Would | undefined;
}

/** Records the moments of sessions. Never throws. */
export class Recorder {
  #parts: RecorderParts;
  readonly #streams = new Map<string, Stream>();
  readonly #ending = new Set<Promise<void>>();
  readonly #asked = new WeakMap<Plan, readonly Asked[]>();
  #isToldLost = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Returns whether moments of this event can be recorded at the present level. */
  wants(row: CatalogRow): boolean {
    return row.recorded?.from !== "all" || this.#parts.level === "all";
  }

  /** Records a moment. If that fails but is required, returns the reason why a guarded call must not run. */
  record(happened: Happened): string | undefined {
    const { row } = happened;
    if (!this.wants(row)) return undefined;
    const isGuard = row.guard !== undefined;
    if (this.#parts.level === "log" && !isGuard && !isDecided(happened.outcome)) return undefined;
    try {
      const stream = this.#stream(happened.session);
      stream.add({
        row,
        moment: this.#momentOf(happened, stream),
        held: this.#held(happened),
        payload: happened.payload,
        key: happened.shadow?.moment,
        settles: isGuard && this.#parts.required,
      });
      if (isGuard) stream.keep();
      return undefined;
    } catch (thrown) {
      return this.#lost(messageOf(thrown), isGuard);
    }
  }

  /** Records the answer to a guard's `ask` about a call. */
  asked(scene: Scene, toolCallId: string, answer: NonNullable<MomentLine["asked"]>): void {
    try {
      this.#streams.get(this.#keyOf(scene))?.asked(toolCallId, answer);
    } catch (thrown) {
      this.#lost(messageOf(thrown), false);
    }
  }

  /** Records the answer of a hook in shadow, unless its moment was not recorded or belongs to an earlier session. */
  saidInShadow({ moment, session, run, would }: SaidInShadow): void {
    const { level, digest, clean } = this.#parts;
    const { lane: _, source: __, pass: ___, ...entry } = entryOf(run, clean);
    const answer = { ...(level === "log" ? withDigest(entry, digest) : entry), ...(would !== undefined && { would }) };
    try {
      this.#streams.get(this.#keyOf(session))?.saidInShadow(moment, answer as ShadowAnswer);
    } catch (thrown) {
      this.#lost(messageOf(thrown), false);
    }
  }

  /**
   * Changes the level, and whether recording is required, from the next moment on. Another level begins a new
   * recording, because a header states the level of everything after it; so each session must have a sink of its own.
   */
  change({ level, required }: Pick<RecorderParts, "level" | "required">): void {
    const isOther = level !== this.#parts.level;
    this.#parts = { ...this.#parts, level, required };
    if (isOther) this.#endAll();
  }

  /** Ends every stream; resolves when everything is written. */
  async close(): Promise<void> {
    this.#endAll();
    await Promise.all(this.#ending);
  }

  #endAll(): void {
    for (const stream of this.#streams.values()) {
      const ending = this.#end(stream).finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    this.#streams.clear();
  }

  async #end(stream: Stream): Promise<void> {
    try {
      await stream.end();
    } catch (thrown) {
      this.#lost(messageOf(thrown), false);
    }
  }

  #stream(scene: Scene): Stream {
    const key = this.#keyOf(scene);
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const { to, clean, hookline, host, level, wall } = this.#parts;
    // Ends the streams of other sessions, because a host that writes one file for each session has only the current one
    // open.
    this.#endAll();
    const sink = typeof to === "function" ? to(scene.sessionId) : to;
    const { sessionFile, model, context } = scene;
    const header = (): NewHeader => ({
      session: scene.sessionId,
      cwd: scene.cwd,
      hookline,
      ...(host !== undefined && { host }),
      level,
      t: wall(),
      scene: { ...(model !== undefined && { model }), ...(context !== undefined && { context }) },
      ...(sessionFile !== undefined && { sessionFile }),
    });
    const stream = new Stream(sink, header, clean);
    this.#streams.set(key, stream);
    return stream;
  }

  #keyOf({ sessionId }: Scene): string {
    return typeof this.#parts.to === "function" ? sessionId : "";
  }

  #momentOf({ row, plan, payload, outcome, scene, session, shadow }: Happened, stream: Stream): NewMoment {
    const { level, digest, wall } = this.#parts;
    const handles = handlesIn(row, payload);
    const known: Told & { payload: Fields; outcome: Fields } = {
      payload: without(payload, handles),
      hooks: [...this.#hooksOf(plan, outcome), ...this.#shadowsOf(shadow?.plan)],
      edits: outcome.edits,
      outcome: outcome.answer,
    };
    const isStopped = row.closed === true && "stop" in outcome.answer;
    const isWithheld = isStopped || outcome.diagnostics.some(({ code }) => code === "WITHHELD");
    let told = asLeft(row, known, isWithheld);
    if (row.recorded?.names !== undefined) told = namesOnly(told, row.recorded.names);
    if (level === "log") told = withDigests(row, told, digest);
    const { model, context, agentId, cwd } = scene;
    const { sessionId } = session;
    const turn = turnOf(payload) ?? (agentId === undefined ? stream.turn : undefined);
    return {
      t: wall(),
      event: row.name,
      ...(turn !== undefined && { turn }),
      ...(outcome.call !== undefined && { call: outcome.call }),
      scene: {
        cwd,
        ...(sessionId !== (stream.session ?? sessionId) && { session: sessionId }),
        ...(agentId !== undefined && { agent: agentId }),
        ...(model !== undefined && { model }),
        ...(context !== undefined && { context }),
      },
      ...told,
      ...(handles.length > 0 && level !== "log" && { partial: handles.map((name) => `payload.${name}`) }),
      ms: round(outcome.ms),
    };
  }

  /** Returns entries for the hooks in shadow; their answers are recorded later. */
  #shadowsOf(plan: Plan | undefined): MomentHook[] {
    return (plan?.stations ?? []).flatMap(({ lane, hooks }) =>
      hooks.map((hook): MomentHook => ({ ...this.#askedOf(lane.id, hook), shadow: true })),
    );
  }

  /** Returns the entry of a hook that was asked, with the hash of the file that defines it. */
  #askedOf(lane: string, hook: Hook): MomentHook {
    const hash = this.#parts.hashOf(hook);
    const about = { id: hook.id, lane, source: place(hook.source), pass: 1, status: "asked" } as const;
    return hash === undefined ? about : { ...about, hash };
  }

  /** Returns an entry for each hook that was asked, in order: the result of its run, or `asked` if it has no run. */
  #hooksOf(plan: Plan | undefined, { hooks: runs }: Outcome): readonly MomentHook[] {
    const asked = plan === undefined ? [] : this.#allAsked(plan);
    if (runs.length === 0) return asked.map(({ entry }) => entry);
    const own = Map.groupBy(runs, ({ hook, pass }) => (pass === 1 ? hook : ""));
    const entries = asked.flatMap((one) => {
      const told = own.get(one.entry.id)?.map((run) => this.#told(one, run)) ?? [one.entry];
      if (own.has(one.entry.id)) own.set(one.entry.id, []);
      return told;
    });
    for (const left of own.values()) entries.push(...left.map((run) => entryOf(run, this.#parts.clean)));
    return entries;
  }

  /** Returns the hooks of a plan with their entries, which are made once for each plan. */
  #allAsked(plan: Plan): readonly Asked[] {
    let asked = this.#asked.get(plan);
    if (asked === undefined) {
      asked = plan.stations.flatMap(({ lane, hooks }) =>
        hooks.map((hook): Asked => ({ entry: this.#askedOf(lane.id, hook), filter: hook.filter })),
      );
      this.#asked.set(plan, asked);
    }
    return asked;
  }

  /** Returns the entry of a hook that was asked, with the result of its run. */
  #told({ entry, filter }: Asked, run: HookRun): MomentHook {
    const isBare = run.answer === undefined && run.problem === undefined && run.stderr === undefined;
    const shown = isBare && run.status === "skipped" ? filter : undefined;
    return { ...entry, ...entryOf(run, this.#parts.clean), ...(shown !== undefined && { filter: shown }) };
  }

  /** Returns the fields that may still be redacted, and the events whose hooks may do so. */
  #held({ row, payload, planOf }: Happened): Held {
    const before = this.#parts.level === "log" ? undefined : row.recorded?.before;
    const events =
      before?.events.filter((event) => {
        const plan = planOf(event);
        return mayEdit(plan) && plan?.row.recorded?.follows?.(payload) !== false;
      }) ?? [];
    if (before === undefined || events.length === 0) return { fields: [], until: undefined };
    return { fields: before.fields, until: before.waits === true ? new Set(events) : undefined };
  }

  #lost(problem: string, isGuard: boolean): string | undefined {
    if (!this.#isToldLost) this.#parts.lost(problem);
    this.#isToldLost = true;
    return isGuard && this.#parts.required ? problem : undefined;
  }
}

/** Returns the fields of a payload that contain the host's own objects, which are not data. */
function handlesIn(row: CatalogRow, payload: Fields): readonly string[] {
  let names = handlesOf.get(row);
  if (names === undefined) handlesOf.set(row, (names = [...fieldsOf(row.payload(), (type) => type === "custom")]));
  return names.length === 0 ? names : names.filter((name) => payload[name] !== undefined);
}

const handlesOf = new WeakMap<CatalogRow, readonly string[]>();

function without(payload: Fields, names: readonly string[]): Fields {
  if (names.length === 0) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !names.includes(name)));
}

function turnOf({ turnIndex }: Fields): number | undefined {
  return typeof turnIndex === "number" ? turnIndex : undefined;
}

/** Returns whether any hook has answered or failed. */
function isDecided({ hooks }: Outcome): boolean {
  return hooks.some(({ status }) => status === "answered" || status === "failed" || status === "timed-out");
}

function entryOf(run: HookRun, clean: (text: string) => string): MomentHook {
  return {
    id: run.hook,
    lane: run.lane,
    source: run.place,
    pass: run.pass,
    status: run.status,
    ...(run.status !== "skipped" && run.status !== "not-reached" && { ms: tenths(run.ms) }),
    ...(run.answer !== undefined && { answer: run.answer }),
    ...(run.problem !== undefined && { problem: clean(run.problem) }),
    ...(run.stderr !== undefined && { stderr: run.stderr }),
  };
}

/** Rounds a time to tenths of a millisecond: equal entries are stored once, and finer times are hardly ever equal. */
function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
