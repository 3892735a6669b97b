import type { Fields } from "@hookline/ground";
import { place } from "@hookline/ground";
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Span,
  type SpanContext,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Plan, Scene, Station } from "../hook/lane.ts";
import type { TraceContext } from "../port/trace-context.ts";
import type { Ask } from "../run/ask.ts";
import { failureCode } from "../run/failure.ts";
import type { Moment, ObservedDispatch } from "../run/observer.ts";
import type { Outcome, Status } from "../run/outcome.ts";
import { wouldOf } from "../run/would.ts";
import { GEN_AI, GENERAL, HOOKLINE } from "./names.ts";
import { sceneAttributes } from "./scene.ts";
import { measuredOf, type Signals } from "./signals.ts";

/** The run time in milliseconds up to which a hook without an answer gets no span. */
const QUICK_MS = 1;

/** Matches events that fire for each token or key press; they are counted but get no spans. */
const UNSPANNED = /^(?:message\.update|tool\.update|ui\..*)$/;

/** The codes with which the engine refuses on behalf of a failed hook. */
const REFUSED: readonly string[] = ["FAILED_CLOSED", "REWRITE_REFUSED", "WITHHELD"];

/**
 * Reports one dispatch as measurements and spans: one span for the dispatch, with a child for each hook that did
 * something.
 */
export class DispatchSpans implements ObservedDispatch {
  readonly #signals: Signals;
  readonly #plan: Plan;
  readonly #payload: Fields;
  readonly #moment: Moment;
  /** The epoch time in milliseconds at which the session's clock is zero. */
  readonly #epochMs: number;
  readonly #hasSpans: boolean;
  readonly #parent: Context;
  readonly #beganAt: number;
  readonly #ran: { readonly ask: Ask; readonly status: Status }[] = [];
  readonly #hookSpans = new Map<Ask, Span>();
  #span: Span | undefined;

  constructor(signals: Signals, plan: Plan, payload: Fields, moment: Moment, epochMs: number) {
    this.#signals = signals;
    this.#plan = plan;
    this.#payload = payload;
    this.#moment = moment;
    this.#epochMs = epochMs;
    this.#hasSpans = signals.tracer !== undefined && !UNSPANNED.test(plan.row.name);
    this.#parent = signals.contexts.active();
    this.#beganAt = epochMs + moment.clock.now();
  }

  context(ask: Ask): TraceContext | undefined {
    if (!this.#hasSpans) return undefined;
    return carrierOf(this.#spanOf(ask).spanContext());
  }

  ran(ask: Ask, status: Status): void {
    this.#ran.push({ ask, status });
  }

  ended(outcome: Outcome, payload: Fields): void {
    if (this.#ran.length === 0) return;
    const decided = this.#decided(outcome);
    for (const { ask, status } of this.#ran) {
      const decision = this.#decisionOf(ask, status, outcome);
      this.#measure(ask, status, decision);
      if (this.#hasSpans) this.#endHook(ask, status, outcome);
    }
    if (!this.#hasSpans) return;
    const span = this.#dispatchSpan();
    const { toolCallId, tool } = payload;
    span.setAttributes({
      [HOOKLINE.decision]: decided,
      [HOOKLINE.pass]: this.#ran.some(({ ask }) => ask.pass === 2) ? 2 : 1,
      [HOOKLINE.hooks]: new Set(this.#ran.map(({ ask }) => ask.hook)).size,
      ...(typeof tool === "string" && { [GEN_AI.tool]: tool }),
      ...(typeof toolCallId === "string" && { [GEN_AI.toolCall]: toolCallId }),
    });
    span.end(this.#epochMs + this.#moment.clock.now());
  }

  #decided({ answer, edits }: Outcome): DispatchDecision {
    const decision = decisionIn(this.#plan, answer);
    return decision === "none" && edits.length > 0 ? "edit" : decision;
  }

  /** Returns the decision of one hook. A failed hook counts as a refusal if the engine refused because of it. */
  #decisionOf(ask: Ask, status: Status, { diagnostics }: Outcome): DispatchDecision {
    if (status !== "answered") {
      const isRefused = diagnostics.some(({ hook, code }) => hook === ask.hook.id && REFUSED.includes(code));
      return isRefused ? "deny" : "none";
    }
    const about = { payload: this.#payload, scene: this.#moment.scene };
    // A hook that counts as answered although it returned nothing has edited the event in place.
    return ask.said?.answer === undefined ? "edit" : decisionOf(this.#plan, ask.station, ask.said.answer, about);
  }

  #measure({ hook, ms, failure }: Ask, status: Status, decision: DispatchDecision): void {
    const { instruments } = this.#signals;
    if (instruments === undefined) return;
    instruments.hookDuration.record(ms / 1000, { ...measuredOf(this.#plan, hook), [HOOKLINE.status]: status });
    if (decision !== "none")
      instruments.decisions.add(1, { ...measuredOf(this.#plan, hook), [HOOKLINE.decision]: decision });
    if (failure !== undefined && failure.cause !== "aborted")
      instruments.failures.add(1, { ...measuredOf(this.#plan, hook), [GENERAL.error]: failureCode(failure) });
  }

  #endHook(ask: Ask, status: Status, { edits }: Outcome): void {
    const { hook, ms, failure, pass, station } = ask;
    if (status === "no-answer" && ms <= QUICK_MS && !this.#hookSpans.has(ask)) return;
    const span = this.#spanOf(ask);
    const lane = station.lane.id;
    // An in-place edit that is found only after a lane's last hook has the lane as its author. It counts as this hook's
    // if no other hook of the lane ran.
    const isAlone = this.#ran.every((one) => one.ask.hook === hook || one.ask.station.lane.id !== lane);
    const fields = edits.flatMap((edit) => {
      const isOwn = edit.hook === hook.id || (isAlone && edit.hook === lane);
      return isOwn && edit.lane === lane && edit.pass === pass ? [edit.field] : [];
    });
    span.setAttribute(HOOKLINE.status, status);
    if (fields.length > 0) span.setAttribute(HOOKLINE.editedFields, [...new Set(fields)]);
    if (failure !== undefined && failure.cause !== "aborted") {
      span.setAttribute(GENERAL.error, failureCode(failure));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(this.#startOf(ask) + ms);
  }

  #startOf({ since }: Ask): number {
    return since === undefined ? this.#beganAt : this.#epochMs + since;
  }

  #spanOf(ask: Ask): Span {
    const known = this.#hookSpans.get(ask);
    if (known !== undefined) return known;
    const { hook, station } = ask;
    const { dialect } = hook.source;
    const attributes: Attributes = {
      [HOOKLINE.hook]: hook.id,
      [HOOKLINE.lane]: station.lane.id,
      [HOOKLINE.event]: hook.event,
      [HOOKLINE.source]: place(hook.source),
      [HOOKLINE.pass]: ask.pass,
      ...(dialect !== undefined && { [HOOKLINE.dialect]: dialect }),
    };
    const parent = trace.setSpan(this.#parent, this.#dispatchSpan());
    const span = this.#start(`${HOOKLINE.run} ${hook.id}`, attributes, this.#startOf(ask), parent);
    this.#hookSpans.set(ask, span);
    return span;
  }

  #dispatchSpan(): Span {
    const { name } = this.#plan.row;
    const attributes = { [HOOKLINE.event]: name, ...sceneAttributes(this.#moment.scene) };
    return (this.#span ??= this.#start(`${HOOKLINE.dispatch} ${name}`, attributes, this.#beganAt, this.#parent));
  }

  #start(name: string, attributes: Attributes, startTime: number, parent: Context): Span {
    const { tracer } = this.#signals;
    return tracer?.startSpan(name, { attributes, startTime }, parent) ?? trace.wrapSpanContext(NOWHERE);
  }
}

/** The context of an invalid span, used if there is no tracer. */
const NOWHERE = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 };

/** Returns the trace context that makes a span the parent of other programs' spans; `undefined` for an invalid span. */
function carrierOf(context: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(context)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = context;
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize() ?? "";
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate !== "" && { tracestate }) };
}

/** The decision of hooks, in one word. */
type DispatchDecision = "allow" | "ask" | "deny" | "edit" | "none";

/** Returns the decision in a folded answer of a catalog row. */
function decisionIn({ row }: Plan, answer: Fields): DispatchDecision {
  const would = wouldOf(row, answer);
  if (answer["decision"] === "allow" && would !== "deny") return "allow";
  return would ?? "none";
}

/** Returns the decision in one hook's answer, which has the form of its dialect. */
function decisionOf(
  plan: Plan,
  { row: { fold, view } }: Station,
  said: unknown,
  { payload, scene }: { readonly payload: Fields; readonly scene: Scene },
): DispatchDecision {
  if (said === undefined) return "none";
  try {
    const result = fold.result(fold.step(fold.empty, said as never));
    const edit = view.put(result as never, payload as never, scene) as Fields | undefined;
    return edit === undefined ? "none" : decisionIn(plan, edit);
  } catch {
    // The answer could be folded with the others but not alone, so its decision is not known; it counts as an edit.
    return "edit";
  }
}
