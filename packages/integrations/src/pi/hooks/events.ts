import type { LaneRow } from "@hookline/runtime/dialect";
import type { EventTable } from "../../in-process/handlers.ts";
import { callRows } from "./call.ts";
import { modelRows } from "./model.ts";
import { runRows, sameRole } from "./run.ts";
import { sessionRows } from "./session.ts";
import { showPrompt } from "./start.ts";
import { submitRows } from "./submit.ts";

/**
 * Every event of pi's extensions that a host of hookline can fire, of older and of current releases.
 *
 * Source: seed 001; spec/pi.md 1.1.
 */
export const piRows: readonly LaneRow[] = [...sessionRows, ...submitRows, ...runRows, ...modelRows, ...callRows];

/** Events of pi's releases that no host of hookline fires. Registering a handler for one is reported. */
export const SILENT = ["session_directory", "provider_stream_event", "cache_warming_decision"] as const;

/** The events that `pi.on` accepts. */
export const piEvents: EventTable = {
  dialect: "pi",
  rows: piRows,
  silent: SILENT,
  checks: { message_end: sameRole },
  completes: { before_agent_start: showPrompt },
};

/**
 * The events for extensions of a project. They are loaded only after the project is trusted, so `project_trust` never
 * fires for them.
 */
export const projectEvents: EventTable = {
  ...piEvents,
  rows: piRows.filter(({ name }) => name !== "project_trust"),
  silent: [...piEvents.silent, "project_trust"],
};
