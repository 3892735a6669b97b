import type { Code, Fields } from "@hookline/ground";
import { type Call, type DialectSettings, diagnose, type LaneRow, place } from "@hookline/runtime/dialect";
import { cloneShell, equal, type Hook } from "@hookline/runtime/engine";
import type { InProcessContext } from "../../in-process/context.ts";
import { createOn, type EventTable } from "../../in-process/handlers.ts";
import type { Owner } from "../../in-process/owner.ts";
import { isBlocks } from "../../in-process/rows.ts";
import { callOf } from "./context.ts";
import { type StopAnswer, wordsOf } from "./run.ts";

/** Options for omp's `on`: rows to use instead of an event's own, and checks of answers. */
export interface Watching {
  /** Maps an event to the row that replaces the event's own if the setting `mergeOverrides` is on. */
  readonly instead?: ReadonlyMap<string, string>;
  readonly remarks?: Readonly<Record<string, Remark>>;
}

/**
 * Makes omp's `on`, which returns nothing. Invalid time limits in the settings are ignored. The event at the end of a
 * session keeps its own limit, if it has one, because the process waits for it.
 */
export function createOmpOn(
  owner: Owner,
  table: EventTable,
  contextOf: (call: Call, event: unknown) => InProcessContext,
  { instead = new Map(), remarks = {} }: Watching = {},
): (event: string, handler: unknown) => void {
  const under = (settings: DialectSettings) =>
    createOn({ ...owner, around: { ...owner.around, scan: { ...owner.around.scan, settings } } }, table, contextOf);
  const limited = under(timesOf(owner.around.scan.settings));
  const unlimited = under({});
  const isEnd = ({ kind, timeoutMs }: LaneRow): boolean => kind === "shutdown" && timeoutMs !== undefined;
  const ends = new Set(table.rows.filter(isEnd).map(({ name }) => name));
  return (event, handler) => {
    const remark = Object.hasOwn(remarks, event) ? remarks[event] : undefined;
    const watched =
      remark === undefined || typeof handler !== "function" ? handler : remarking(handler as never, remark);
    (ends.has(event) ? unlimited : limited)(instead.get(event) ?? event, watched);
  };
}

/** Returns the time limits in the settings, without zero, negative and infinite ones. Source: spec/omp.md 1.2. */
function timesOf({ handlerTimeoutMs, toolCallTimeoutMs }: DialectSettings): DialectSettings {
  return {
    ...(isTime(handlerTimeoutMs) && { handlerTimeoutMs }),
    ...(isTime(toolCallTimeoutMs) && { toolCallTimeoutMs }),
  };
}

function isTime(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms) && ms > 0;
}

/**
 * Checks one answer, and reports with the hook's name the parts that have no effect. Must not change anything. `shown`
 * is a private copy of the event.
 */
export type Remark = (answer: Fields, shown: Fields, call: Call) => void;

type Handler = (event: unknown, ctx: object) => unknown;

/** Wraps a handler so that its answers are checked, without changing the answer or its timing. */
export function remarking(handler: Handler, remark: Remark): Handler {
  const look = (answer: unknown, shown: unknown, ctx: object): void => {
    const call = callOf(ctx);
    if (call === undefined || typeof answer !== "object" || answer === null) return;
    remark(answer as Fields, shown as Fields, call);
  };
  return (event, ctx) => {
    // The event is copied, since the handler may edit it in place.
    const shown = cloneShell(event);
    const answer = handler(event, ctx);
    if (typeof (answer as { readonly then?: unknown } | null | undefined)?.then !== "function") {
      look(answer, shown, ctx);
      return answer;
    }
    return (answer as PromiseLike<unknown>).then((settled) => {
      look(settled, shown, ctx);
      return settled;
    });
  };
}

/**
 * The content that a hook of a dispatch returned last, with that hook. All calls of the dispatch share the object
 * `call.dialogs`, which is the key.
 */
const contents = new WeakMap<object, { readonly hook: Hook; readonly content: unknown }>();

/**
 * Reports parts of HookAPI's `tool_result` answers that have no effect. `merges` is the setting `mergeOverrides`
 * (ruling 20).
 */
export function resultRemark(merges: boolean): Remark {
  return (answer, shown, call) => {
    const { content, details, isError } = answer;
    if (isError !== undefined && Boolean(isError) !== shown["isError"]) {
      odd(call.hook, "isError", "a HookAPI hook cannot change whether a call has failed; an ExtensionAPI module can");
    }
    if (shown["isError"] === true) {
      const field = content !== undefined ? "content" : "details";
      if (content !== undefined || details !== undefined) odd(call.hook, field, "a failed call keeps its own error");
      return;
    }
    const before = contents.get(call.dialogs);
    const replaces = merges ? isBlocks(content) : true;
    if (before !== undefined && replaces && !equal(before.content, content)) {
      tell("HOOK_LOST_EDIT", before.hook, { field: "content", remedy: merges ? CHAINED : `${MERGE} ${CHAINED}` });
    }
    // Content that equals the original is not an edit, so nothing is lost if a later hook replaces it.
    const edits = isBlocks(content) && !equal(content, shown["content"]);
    if (edits) contents.set(call.dialogs, { hook: call.hook, content });
    else if (replaces) contents.delete(call.dialogs);
  };
}

const MERGE = 'Set "omp": { "mergeOverrides": true } in settings.json to merge answers field by field.';
const CHAINED = "ExtensionAPI modules see each other's edits; one hook that does both also works.";

/** Reports a `session_stop` answer that wants to continue but has no text for the model. */
export const stopRemark: Remark = (answer, _event, { hook }) => {
  const field = answer["decision"] === "block" ? "decision" : "continue";
  if (answer[field] && wordsOf(answer as StopAnswer) === undefined) {
    odd(hook, field, "it says nothing to the model; give a reason or additionalContext");
  }
};

function odd(hook: Hook, field: string, problem: string): void {
  tell("HOOK_ODD_ANSWER", hook, { field, problem });
}

function tell(code: Code, hook: Hook, details: Readonly<Record<string, string>>): void {
  const { source, event, id } = hook;
  hook.instance.report(
    diagnose(code, { hook: id, place: place(source), event, ...details }, { source, hook: id, event }),
  );
}
