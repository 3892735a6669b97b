import type { EventName, Payload } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { answerOnly, type Fold, type Guard, halt, isObject, isString, last, row } from "@hookline/runtime/dialect";
import { cloneShell, edit } from "@hookline/runtime/engine";
import { barePreparation, isAnyTruth, isStrings, loose, present } from "../../in-process/rows.ts";
import { type Limit, told } from "./views.ts";

/** The field that the answers to all `session_before_…` events have. */
interface Cancelling {
  readonly cancel?: unknown;
}

interface Branching extends Cancelling {
  readonly skipConversationRestore?: unknown;
}

interface Compacting extends Cancelling {
  readonly compaction?: { readonly summary: string };
}

interface Navigating extends Cancelling {
  readonly summary?: { readonly summary: string };
}

interface Summarising {
  readonly context?: readonly string[];
  readonly prompt?: string;
  readonly preserveData?: Readonly<Record<string, unknown>>;
}

interface Gate<E extends EventName, A extends Cancelling> {
  readonly name: string;
  readonly of: E;
  readonly fields?: Readonly<Record<string, Guard>>;
  when?(payload: Payload<E>): boolean;
  get(payload: Payload<E>): object;
  /** Converts an answer that does not cancel to changes of the event. */
  put?(outcome: A, payload: Payload<E>): object | undefined;
}

/**
 * Makes the row of a `session_before_…` event. The first answer that cancels ends the event; otherwise the last answer
 * counts as a whole.
 */
function gate<E extends EventName, A extends Cancelling>(limit: Limit, of: Gate<E, A>): LaneRow {
  const fold: Fold<A, A> = halt<A, A>(
    { name: "cancel", by: (answer) => Boolean(answer.cancel), keep: answerOnly },
    last<A>(),
  );
  return row<E, object, A, A>({
    name: of.name,
    of: of.of,
    ...(of.when !== undefined && { when: of.when }),
    kind: "gate",
    schedule: "series",
    fold,
    read: loose<A>({ cancel: isAnyTruth, ...of.fields }),
    ...limit,
    view: {
      get: (payload) => ({ type: of.name, ...of.get(payload) }),
      put: (outcome, payload) => (outcome.cancel ? { cancel: true } : of.put?.(outcome, payload)) as never,
    },
  });
}

const isSummary: Guard = (value) => isObject(value) && isString((value as { summary?: unknown }).summary);
/** Whether omp's hooks see a compaction: all but hookline's micro compaction, which only shortens old tool results. */
const notMicro = ({ kind }: { readonly kind: string }): boolean => kind !== "micro";

/**
 * The rows of sessions in omp's two APIs: start, switch, branch, compaction, navigation. Source: spec/omp.md 1.1, 4.
 */
export function sessionRows(limit: Limit): readonly LaneRow[] {
  return [
    told(limit, "session_start", "session.start", () => ({}), { when: ({ reason }) => reason === "startup" }),
    gate(limit, {
      name: "session_before_switch",
      of: "session.before-switch",
      get: (payload) => present(payload, "reason", "targetSessionFile"),
    }),
    told(limit, "session_switch", "session.switch", ({ reason, previousSessionFile }) => ({
      reason,
      previousSessionFile,
    })),
    gate<"session.before-branch", Branching>(limit, {
      name: "session_before_branch",
      of: "session.before-branch",
      fields: { skipConversationRestore: isAnyTruth },
      get: ({ entryId }) => ({ entryId }),
      put: ({ skipConversationRestore }) => (skipConversationRestore ? { skipConversationRestore: true } : undefined),
    }),
    told(limit, "session_branch", "session.branch", ({ previousSessionFile }) => ({ previousSessionFile })),
    gate<"compact.before", Compacting>(limit, {
      name: "session_before_compact",
      of: "compact.before",
      fields: { compaction: isSummary },
      when: notMicro,
      get: (payload) => ({
        preparation: payload.preparation ?? { ...barePreparation(payload), recentMessages: [] },
        branchEntries: payload.branchEntries ?? [],
        ...present(payload, "customInstructions"),
        signal: payload.signal ?? new AbortController().signal,
      }),
      put: ({ compaction }) => edit({ compaction: cloneShell(compaction) }),
    }),
    row<"compact.prompt", object, Summarising, Summarising>({
      name: "session.compacting",
      of: "compact.prompt",
      kind: "transform",
      schedule: "all",
      fold: last<Summarising>(),
      read: loose<Summarising>({ context: isStrings, prompt: isString, preserveData: isObject }),
      ...limit,
      view: {
        get: ({ sessionId, messages }) => ({ type: "session.compacting", sessionId, messages }),
        put: ({ context, prompt, preserveData }) =>
          edit({ context: cloneShell(context), prompt, preserveData: cloneShell(preserveData) }),
      },
    }),
    told(
      limit,
      "session_compact",
      "compact.after",
      ({ compactionEntry, fromExtension }) => ({
        compactionEntry: marked(compactionEntry),
        fromExtension,
        fromHook: fromExtension,
      }),
      { when: notMicro },
    ),
    gate<"session.before-tree", Navigating>(limit, {
      name: "session_before_tree",
      of: "session.before-tree",
      fields: { summary: isSummary },
      get: ({ preparation, signal }) => ({ preparation, signal }),
      put: ({ summary }, { preparation }) =>
        (preparation as { readonly userWantsSummary?: unknown }).userWantsSummary
          ? edit({ summary: cloneShell(summary) })
          : undefined,
    }),
    told(limit, "session_tree", "session.tree", (payload) => ({
      ...payload,
      ...(payload.fromExtension !== undefined && { fromHook: payload.fromExtension }),
    })),
  ];
}

/** Makes the row of `session_shutdown`, which fires only when the process exits. */
export function shutdownRow(limit: Limit, schedule: "series" | "parallel"): LaneRow {
  return told(limit, "session_shutdown", "session.end", () => ({}), {
    when: ({ reason }) => reason === "quit",
    kind: "shutdown",
    schedule,
  });
}

/** Adds `fromExtension` to a compaction's session entry that has `fromHook`: omp uses both names (ruling 25). */
function marked(entry: Payload<"compact.after">["compactionEntry"]): object | undefined {
  const { fromHook } = (entry ?? {}) as { readonly fromHook?: unknown };
  return typeof fromHook === "boolean" ? { ...entry, fromExtension: fromHook } : entry;
}
