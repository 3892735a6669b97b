import type { EventName } from "../catalog/catalog.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import { narrowed } from "../hook/narrowed.ts";
import type { HostUi } from "../port/host.ts";
import type { Operation, OperationStart } from "../run/observer.ts";
import type { Outcome } from "../run/outcome.ts";
import {
  type Asked,
  type EmitOptions,
  type Emitter,
  type ToolOutput,
  type WrappedCall,
  type WrappedResult,
  wrap,
} from "../run/wrap.ts";
import { confirmBy } from "./confirm.ts";
import type { Recording } from "./recording.ts";

/** A session's hooks, as seen by one of its sub-agents. */
export interface HooksWithin extends Emitter {
  readonly scene: Scene;
  operation(about: OperationStart): Operation;
  /** Returns whether a hook listens to this event of sub-agents, or the event is recorded. */
  has(event: EventName): boolean;
  /** Returns whether a hook listens to this event of sub-agents. */
  listens(event: EventName): boolean;
  asked(toolCallId: string, answer: Asked): void;
  /** Runs one tool call of the sub-agent with the hooks. */
  wrap(
    call: WrappedCall,
    run: (args: Readonly<Record<string, unknown>>) => ToolOutput | Promise<ToolOutput>,
  ): Promise<WrappedResult>;
}

/** The functions of a session that its hooks for a sub-agent use. */
interface Session {
  plan(event: string): Plan | null | undefined;
  /** Returns the session's current recording, if there is one. */
  recording(): Recording | undefined;
  emit(
    event: string,
    plan: Plan | null | undefined,
    payload: object,
    options: EmitOptions | undefined,
  ): Outcome | Promise<Outcome>;
  operation(about: OperationStart, scene: Scene): Operation;
  readonly ui: HostUi | undefined;
}

/** Returns a session's hooks for a sub-agent with this scene. */
export function hooksWithin(scene: Scene, session: Session): HooksWithin {
  const planned = (event: string): Plan | null | undefined => withinPlan(session.plan(event));
  const within: HooksWithin = {
    scene,
    operation: (about) => session.operation(about, scene),
    has: (event) => planned(event) != null || session.recording()?.wants(event) === true,
    listens: (event) => planned(event) != null,
    asked: (toolCallId, answer) => session.recording()?.asked(toolCallId, answer),
    emit: (event, payload, options) => session.emit(event, planned(event), payload as object, options) as never,
    wrap: (call, run) => wrap(within, call, run, confirmBy(session.ui, call)),
  };
  return within;
}

const plans = new WeakMap<Plan, Plan | null>();

/** Returns the part of a plan for sub-agents' events; `null` if there is none. Cached, as every such event needs it. */
function withinPlan(plan: Plan | null | undefined): Plan | null | undefined {
  if (plan == null) return plan;
  const known = plans.get(plan);
  if (known !== undefined) return known;
  const made = narrowed(plan, ({ row, hooks }) => ((row.agents ?? plan.row.agents) === "all" ? hooks : []));
  plans.set(plan, made);
  return made;
}
