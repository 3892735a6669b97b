import type { Call } from "../../hook/call.ts";
import type { LaneRow } from "../../hook/lane.ts";
import type { DialectSettings } from "../dialect.ts";
import type { InProcessContext } from "../inprocess/context.ts";
import { createOn, type EventTable } from "../inprocess/handlers.ts";
import type { Owner } from "../inprocess/owner.ts";
import { type Remark, remarking } from "./remark.ts";

/** What an API's `on` does beside registering. */
export interface Watching {
  /** Rows that stand in for others. */
  readonly instead?: ReadonlyMap<string, string>;
  readonly remarks?: Readonly<Record<string, Remark>>;
}

/**
 * Makes omp's `on`, which gives nothing back. Time limits of the settings that are no times are left out;
 * the end of a session keeps its own limit, where it has one, because the process waits for it.
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

/** The settings' own times; zero, negative and endless ones mean the default. Source: spec/omp.md 1.2. */
function timesOf({ handlerTimeoutMs, toolCallTimeoutMs }: DialectSettings): DialectSettings {
  return {
    ...(isTime(handlerTimeoutMs) && { handlerTimeoutMs }),
    ...(isTime(toolCallTimeoutMs) && { toolCallTimeoutMs }),
  };
}

function isTime(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms) && ms > 0;
}
