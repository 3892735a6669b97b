import type { LaneRow } from "@hookline/runtime/dialect";
import type { EventTable } from "../../in-process/handlers.ts";
import { callRows } from "./call.ts";
import { modelRows } from "./model.ts";
import { runRows, sameRole } from "./run.ts";
import { sessionRows } from "./session.ts";
import { showPrompt } from "./start.ts";
import { submitRows } from "./submit.ts";

/**
 * Every event that pi's extensions may listen to and that a host can have, those of the seed and of today's releases.
 *
 * Source: seed 001; spec/pi.md 1.1.
 */
export const piRows: readonly LaneRow[] = [...sessionRows, ...submitRows, ...runRows, ...modelRows, ...callRows];

/** Names of pi's releases that no host has a moment for; a hook under them is reported, never silent. */
export const SILENT = ["session_directory", "provider_stream_event", "cache_warming_decision"] as const;

/** The events that `pi.on` accepts. */
export const piEvents: EventTable = {
  dialect: "pi",
  rows: piRows,
  silent: SILENT,
  checks: { message_end: sameRole },
  completes: { before_agent_start: showPrompt },
};

/** The same for extensions of a project, which are loaded when its trust has been decided. */
export const projectEvents: EventTable = {
  ...piEvents,
  rows: piRows.filter(({ name }) => name !== "project_trust"),
  silent: [...piEvents.silent, "project_trust"],
};
