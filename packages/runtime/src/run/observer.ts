import type { Clock, Fields } from "@hookline/ground";
import type { Plan, Scene } from "../hook/lane.ts";
import type { TraceContext } from "../port/trace-context.ts";
import type { Ask } from "./ask.ts";
import type { Outcome, Status } from "./outcome.ts";

/**
 * Observes a session for telemetry: its dispatches, and what its host does between them. Must change nothing. Its
 * errors are not caught, so it must not throw.
 */
export interface Observer {
  /** Called when a dispatch starts. Returns `undefined`, at next to no cost, if the dispatch is not to be observed. */
  dispatch(plan: Plan, payload: Fields, context: Moment): ObservedDispatch | undefined;
  /** Called when the host starts an operation that takes time; dispatches within it are part of it. */
  operation(about: OperationStart, context: Moment): Operation;
}

/** The scene of an observed dispatch or host operation, and the time source that measures it. */
export interface Moment {
  readonly scene: Scene;
  readonly clock: Clock;
}

/** One observed dispatch. */
export interface ObservedDispatch {
  /** Returns the trace context for spans that the handler of this attempt makes itself. */
  context(ask: Ask): TraceContext | undefined;
  /** Called when an attempt of a hook has ended and its answer has been processed. */
  ran(ask: Ask, status: Status): void;
  /** Called when the dispatch has ended. `payload` is the event as the hooks left it. */
  ended(outcome: Outcome, payload: Fields): void;
}

/** An operation that a host starts: a prompt, a request to a model, or the run of a tool. */
export type OperationStart =
  | { readonly kind: "prompt"; readonly provider?: string; readonly model?: string }
  | {
      readonly kind: "request";
      readonly provider: string;
      readonly model: string;
      readonly maxTokens?: number | undefined;
      readonly temperature?: number | undefined;
      /** The URL of the model's provider. */
      readonly url?: string | undefined;
    }
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly toolCallId: string;
      /** The kind of tool, in the words of the GenAI conventions. */
      readonly type?: "function" | "extension" | undefined;
    };

/** The result of an operation. */
export interface OperationEnd {
  /** The kind of failure, without values from the payload; absent if the operation succeeded. */
  readonly error?: string | undefined;
  /** The model that answered, by its provider's name. */
  readonly model?: string | undefined;
  readonly responseId?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly usage?:
    | { readonly input: number; readonly output: number; readonly cacheRead?: number; readonly cacheWrite?: number }
    | undefined;
}

/** Text of a conversation after hooks have redacted it; recorded only if a person has asked for that. */
export interface OperationContent {
  readonly system?: string | undefined;
  readonly input?: readonly unknown[] | undefined;
  readonly output?: readonly unknown[] | undefined;
  readonly args?: unknown;
  readonly result?: unknown;
}

/** A running operation of the host. */
export interface Operation {
  /** Whether content is recorded; otherwise it need not be computed. */
  readonly wantsContent: boolean;
  /** Runs a function as part of the operation, so that dispatches in it are recorded as children of the operation. */
  within<T>(work: () => T): T;
  /** Ends the operation; `content` may still be called until `close`. */
  end(end?: OperationEnd): void;
  content(content: OperationContent): void;
  /** Ends the operation if `end` was not called; `content` has no effect afterwards. */
  close(): void;
}

/** The operation that is used if there is no observer. */
export const UNWATCHED: Operation = {
  wantsContent: false,
  within: (work) => work(),
  end: () => {},
  content: () => {},
  close: () => {},
};
