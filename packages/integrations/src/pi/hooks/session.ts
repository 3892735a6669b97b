import type { LaneRow } from "@hookline/runtime/dialect";
import {
  answerOnly,
  collect,
  type Fold,
  first,
  halt,
  isObject,
  isString,
  last,
  record,
  row,
} from "@hookline/runtime/dialect";
import { jsonKind } from "@hookline/runtime/engine";
import {
  barePreparation,
  isAnyTruth,
  isBoolean,
  isStrings,
  loose,
  present,
  property,
  reader,
} from "../../in-process/rows.ts";
import { HANDLER_MS, told } from "./told.ts";

/** The field that the answers to all `session_before_…` events have. */
interface Cancelling {
  readonly cancel?: unknown;
}

/**
 * Makes the fold of the `session_before_…` events: the first answer that cancels ends the event; otherwise the last
 * answer counts as a whole, even `{}`.
 */
function cancelling<A extends Cancelling>(): Fold<A, A> {
  return halt<A, A>(
    { name: "cancel", by: (answer) => Boolean(property(answer, "cancel")), keep: answerOnly },
    last<A>(),
  );
}

const cancel = { cancel: isAnyTruth };
const notFork = ({ reason }: { readonly reason: string }): boolean => reason !== "fork";
/** Whether pi's hooks see a compaction: all but hookline's micro compaction, which only shortens old tool results. */
const notMicro = ({ kind }: { readonly kind: string }): boolean => kind !== "micro";

interface Compacting extends Cancelling {
  readonly compaction?: { readonly summary: string };
}

interface Navigating extends Cancelling {
  readonly summary?: { readonly summary: string };
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

const isSummary = (value: unknown): boolean => isObject(value) && isString((value as { summary?: unknown }).summary);

const trust = {
  /** Reads `{ trusted }`. `undecided` counts as no answer, whatever the other fields are. */
  read: reader<{ trusted: "yes" | "no"; remember?: boolean }>((raw) => {
    if (typeof raw !== "object" || raw === null)
      return { ok: false, problem: `project_trust needs { trusted }, not ${jsonKind(raw)}` };
    const trusted = property(raw, "trusted");
    if (trusted === "undecided") return { ok: true, answer: undefined };
    if (trusted !== "yes" && trusted !== "no")
      return { ok: false, problem: `trusted (${jsonKind(trusted)}) is not yes, no or undecided` };
    return { ok: true, answer: { trusted, ...(property(raw, "remember") === true && { remember: true }) } };
  }),
};

/** The rows of a session's life: start, switch, fork, compaction, navigation, end. */
export const sessionRows: readonly LaneRow[] = [
  row({
    name: "project_trust",
    of: "project.trust",
    kind: "gate",
    schedule: "series",
    fold: first<{ trusted: "yes" | "no"; remember?: boolean }>(),
    read: trust.read,
    timeoutMs: HANDLER_MS,
    view: { get: ({ cwd }) => ({ type: "project_trust", cwd }), put: (outcome) => outcome },
  }),
  told("session_start", "session.start", (p) => present(p, "reason", "previousSessionFile")),
  row({
    name: "resources_discover",
    of: "resources.discover",
    kind: "transform",
    schedule: "all",
    fold: record<Paths, Partial<Record<keyof Paths, readonly (readonly string[])[]>>>({
      skillPaths: collect(),
      promptPaths: collect(),
      themePaths: collect(),
    }),
    read: loose<Paths>({ skillPaths: isStrings, promptPaths: isStrings, themePaths: isStrings }),
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ cwd, reason }) => ({ type: "resources_discover", cwd, reason }),
      put: (outcome) =>
        Object.fromEntries(Object.entries(outcome).map(([name, lists]) => [name, (lists as string[][]).flat()])),
    },
  }),
  told("session_info_changed", "session.info", ({ name }) => ({ name })),
  row({
    name: "session_before_switch",
    of: "session.before-switch",
    when: notFork,
    kind: "gate",
    schedule: "series",
    fold: cancelling(),
    read: loose<Cancelling>(cancel),
    timeoutMs: HANDLER_MS,
    view: {
      get: (p) => ({ type: "session_before_switch", ...present(p, "reason", "targetSessionFile") }),
      put: cancelOf,
    },
  }),
  told("session_switch", "session.switch", ({ reason, previousSessionFile }) => ({ reason, previousSessionFile }), {
    when: notFork,
  }),
  row({
    name: "session_before_fork",
    of: "session.before-branch",
    kind: "gate",
    schedule: "series",
    fold: cancelling<Cancelling & { readonly skipConversationRestore?: unknown }>(),
    read: loose({ ...cancel, skipConversationRestore: isAnyTruth }),
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ entryId, position = "before" }) => ({ type: "session_before_fork", entryId, position }),
      put: (outcome) =>
        cancelOf(outcome) ?? (outcome.skipConversationRestore ? { skipConversationRestore: true } : undefined),
    },
  }),
  told("session_fork", "session.branch", ({ previousSessionFile }) => ({ previousSessionFile })),
  row({
    name: "session_before_compact",
    of: "compact.before",
    when: notMicro,
    kind: "gate",
    schedule: "series",
    fold: cancelling<Compacting>(),
    read: loose<Compacting>({ ...cancel, compaction: isSummary }),
    timeoutMs: HANDLER_MS,
    view: {
      get: (p) => ({
        type: "session_before_compact",
        preparation: p.preparation === undefined ? barePreparation(p) : preparedFor(p.preparation),
        branchEntries: p.branchEntries ?? [],
        ...present(p, "customInstructions"),
        reason: p.trigger,
        willRetry: p.willRetry ?? false,
        signal: p.signal ?? new AbortController().signal,
      }),
      put: (outcome) => cancelOf(outcome) ?? (outcome.compaction && { compaction: outcome.compaction }),
    },
  }),
  told(
    "session_compact",
    "compact.after",
    (p) => ({
      compactionEntry: p.compactionEntry,
      fromExtension: p.fromExtension,
      reason: p.trigger,
      willRetry: p.willRetry ?? false,
    }),
    { when: notMicro },
  ),
  told("session_compact_failed", "compact.failed", ({ trigger, ...p }) => ({ reason: trigger, ...p })),
  row({
    name: "session_before_tree",
    of: "session.before-tree",
    kind: "gate",
    schedule: "series",
    fold: cancelling<Navigating>(),
    read: loose<Navigating>({
      ...cancel,
      summary: isSummary,
      customInstructions: isString,
      replaceInstructions: isBoolean,
      label: isString,
    }),
    timeoutMs: HANDLER_MS,
    view: {
      get: ({ preparation, signal }) => ({ type: "session_before_tree", preparation, signal }),
      put(outcome) {
        const edit = present(outcome, "summary", "customInstructions", "replaceInstructions", "label");
        return cancelOf(outcome) ?? (Object.keys(edit).length > 0 ? edit : undefined);
      },
    },
  }),
  told("session_tree", "session.tree", (p) => p),
  told("session_shutdown", "session.end", (p) => present(p, "reason", "targetSessionFile"), { kind: "shutdown" }),
];

interface Paths {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
  readonly themePaths?: readonly string[];
}

function cancelOf(outcome: Cancelling): { readonly cancel: true } | undefined {
  return property(outcome, "cancel") ? { cancel: true } : undefined;
}

const PREPARED = [
  "firstKeptEntryId",
  "messagesToSummarize",
  "turnPrefixMessages",
  "isSplitTurn",
  "tokensBefore",
  "previousSummary",
  "fileOps",
  "settings",
] as const;
const LIMITS = ["enabled", "reserveTokens", "keepRecentTokens"] as const;

/** Returns the parts of the host's preparation of a compaction that pi shows. */
function preparedFor(preparation: object): object {
  const { settings, ...rest } = preparation as { readonly settings?: Record<(typeof LIMITS)[number], unknown> };
  return present({ ...rest, ...(settings && { settings: present(settings, ...LIMITS) }) } as Prepared, ...PREPARED);
}

type Prepared = Partial<Record<(typeof PREPARED)[number], unknown>>;
