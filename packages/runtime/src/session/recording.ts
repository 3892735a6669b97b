import { diagnose } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import type { CatalogRow } from "../catalog/row.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Happened, ToBeAsked } from "../record/recorder.ts";
import type { Records } from "../record/recorders.ts";
import type { DispatchContext } from "../run/context.ts";
import { NOBODY, type Outcome } from "../run/outcome.ts";
import type { ToldInShadow } from "./shadows.ts";

type PlanOf = (event: string) => Plan | undefined;
type Host = Pick<DispatchContext, "scene" | "report">;

/** Returns the recording of a session, if it has a recorder. */
export function recordingOf(recorder: Records | undefined, host: Host, planOf: PlanOf): Recording | undefined {
  return recorder === undefined ? undefined : new Recording(recorder, host, planOf);
}

/** A moment of this session, without the fields that `Recording` adds. */
type Moment = Omit<Happened, "payload" | "session" | "planOf"> & { readonly payload: object };

/** Records a session's moments as its dispatches end, before the host gets their outcome. */
export class Recording {
  readonly #recorder: Records;
  readonly #host: Host;
  readonly #planOf: PlanOf;

  constructor(recorder: Records, host: Host, planOf: PlanOf) {
    this.#recorder = recorder;
    this.#host = host;
    this.#planOf = planOf;
  }

  wants(event: string): boolean {
    return this.#recorder.wants(catalog.get(event) as CatalogRow);
  }

  /** Returns the context for a recorded dispatch; for a guard the outcome then lists every hook, as in a trace. */
  context(context: DispatchContext, plan: Plan, payload: object, shadow?: ToBeAsked): DispatchContext {
    return {
      ...context,
      trace: context.trace || plan.row.guard !== undefined,
      ended: (_, outcome, scene) =>
        this.#record({
          row: plan.row,
          plan,
          payload,
          outcome: context.ended?.(plan, outcome, scene) ?? outcome,
          scene,
          shadow,
        }),
    };
  }

  /** Records a moment about which no hook is asked, or only hooks in shadow. */
  unheard(event: string, payload: object, scene: Scene, shadow?: ToBeAsked, outcome: Outcome = NOBODY): Outcome {
    const row = catalog.get(event) as CatalogRow;
    return this.#record({ row, plan: undefined, payload, outcome, scene, shadow });
  }

  /** Records the answer of a hook in shadow about an earlier moment. */
  saidInShadow({ outcome, asked: moment, would, isAnswer }: ToldInShadow): void {
    const [run] = outcome.hooks;
    if (run !== undefined && isAnswer) this.#recorder.saidInShadow({ moment, run, would, session: this.#host.scene });
  }

  asked(toolCallId: string, answer: Parameters<Records["asked"]>[2]): void {
    this.#recorder.asked(this.#host.scene, toolCallId, answer);
  }

  /** Records a moment. If that fails although it is required, an event that guards may refuse is refused. */
  #record(happened: Moment): Outcome {
    const { row, outcome } = happened;
    const problem = this.#recorder.record({
      ...happened,
      payload: happened.payload as never,
      session: this.#host.scene,
      planOf: this.#planOf,
    });
    if (problem === undefined || row.guard === undefined) return outcome;
    const refused = diagnose("NOT_ON_RECORD", { problem }, { event: row.name });
    this.#host.report(refused);
    const answer = { ...outcome.answer, ...row.guard.refuse(refused.message) };
    return { ...outcome, answer, diagnostics: [...outcome.diagnostics, refused] };
  }
}
