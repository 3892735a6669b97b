import type { LaneRow } from "@hookline/runtime/dialect";
import type { EventTable } from "../../in-process/handlers.ts";
import { extensionCallRows, hookCallRows, MERGED } from "./call.ts";
import { extraRows } from "./extra.ts";
import { extensionStartRow, hookStartRow, runRows, stopRow } from "./run.ts";
import { sessionRows, shutdownRow } from "./session.ts";
import { HANDLER_MS, type Limit, SHUTDOWN_MS } from "./views.ts";

const none: Limit = {};
const limited: Limit = { timeoutMs: HANDLER_MS };

/** The events of HookAPI, as omp's two documents about it describe them. */
const ownHookRows: readonly LaneRow[] = [
  ...sessionRows(none),
  hookStartRow,
  ...runRows(none),
  ...hookCallRows,
  shutdownRow(none, "series"),
];
const ownHookNames: ReadonlySet<string> = new Set(ownHookRows.map(({ name }) => name));

/**
 * The events of omp's ExtensionAPI: those of HookAPI, some of them folded differently, and more.
 *
 * Source: seed 000; spec/omp.md 1.2, 1.3.
 */
export const extensionRows: readonly LaneRow[] = rowsOfExtensions(limited, { timeoutMs: SHUTDOWN_MS });

/**
 * The events of modules in `hooks/{pre,post}`: those of HookAPI with its folds, and ExtensionAPI's further events,
 * which omp also fires for hooks (ruling 64). They have no time limits.
 *
 * Source: seeds 000, 002; spec/omp.md 1.1.
 */
export const hookRows: readonly LaneRow[] = [
  ...ownHookRows,
  ...rowsOfExtensions(none, none).filter(({ name }) => !ownHookNames.has(name)),
];

function rowsOfExtensions(limit: Limit, atEnd: Limit): readonly LaneRow[] {
  return [
    ...sessionRows(limit),
    extensionStartRow(limit),
    ...runRows(limit),
    ...extensionCallRows(limit),
    ...extraRows(limit),
    stopRow(limit),
    shutdownRow(atEnd, "parallel"),
  ];
}

/** Events of omp's releases that no host of hookline fires. Registering a handler for one is reported. */
export const SILENT = [
  "tool_approval_review",
  "retry_fallback_applied",
  "retry_fallback_succeeded",
  "goal_updated",
  "credential_disabled",
] as const;

/** The events that `on` accepts for a module in `hooks/{pre,post}`. */
export const hookEvents: EventTable = { dialect: "omp's HookAPI", rows: hookRows, silent: SILENT };

/** The events that `on` of ExtensionAPI accepts. */
export const extensionEvents: EventTable = { dialect: "omp", rows: extensionRows, silent: SILENT };

/** Maps events to the HookAPI rows that are used if the setting `mergeOverrides` is on (ruling 20). */
export const MERGED_EVENTS: ReadonlyMap<string, string> = new Map([["tool_result", MERGED]]);
