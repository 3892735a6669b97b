import { guess } from "@hookline/ground";
import type { Call, LaneRow } from "@hookline/runtime/dialect";
import { diagnose, HookFailure } from "@hookline/runtime/dialect";
import type { InProcessContext } from "./context.ts";
import { lineOf, type Owner } from "./owner.ts";
import { alive } from "./ui.ts";
import { watched } from "./watchdog.ts";

/** The events that modules of a dialect may listen to. */
export interface EventTable {
  /** The dialect's name in reports. */
  readonly dialect: string;
  readonly rows: readonly LaneRow[];
  /** Events that the dialect knows, but that never fire here. */
  readonly silent: readonly string[];
  /** Checks of an answer in addition to those of its row, by event. */
  readonly checks?: Readonly<Record<string, Check>>;
  /** By event, a function that changes the event before handlers get their copies, such as by adding a getter. */
  readonly completes?: Readonly<Record<string, (event: unknown) => void>>;
}

/** Compares an answer with its event. Returns a text that says what is wrong, or `undefined`. */
export type Check = (answer: unknown, event: unknown) => string | undefined;

type Handler = (event: unknown, ctx: object) => unknown;

/**
 * Makes a module's `on`, which registers a handler after the existing ones and returns a function that removes it.
 * Unknown events, events that never fire and handlers that are not functions are reported and not registered. The time
 * limit comes from the settings, which have a separate one for guards (ruling 14).
 */
export function createOn(
  owner: Owner,
  table: EventTable,
  contextOf: (call: Call, event: unknown) => InProcessContext,
): (event: string, handler: unknown) => () => void {
  const { instance } = owner;
  const rows = new Map(table.rows.map((row) => [row.name, row]));
  return (event, handler) => {
    if (!alive(instance, `${owner.name}.on`)) return () => {};
    const row = rows.get(event);
    const line = lineOf(owner, `"${event}"`, `'${event}'`);
    if (row === undefined) {
      report(owner, table, event, line);
      return () => {};
    }
    if (typeof handler !== "function") {
      const problem = `the handler of "${event}" is not a function`;
      const details = { path: instance.source.path, line, problem, remedy: "Give a function as the second argument." };
      instance.report(diagnose("BAD_ENTRY", details, { source: instance.source }));
      return () => {};
    }
    const { handlerTimeoutMs, toolCallTimeoutMs } = owner.around.scan.settings;
    return instance.on({
      event,
      at: { line },
      run: watched(
        running(handler as Handler, { check: table.checks?.[event], complete: table.completes?.[event] }, contextOf),
      ),
      timeoutMs: row.kind === "guard" ? toolCallTimeoutMs : handlerTimeoutMs,
    });
  };
}

interface Around {
  readonly check: Check | undefined;
  readonly complete: ((event: unknown) => void) | undefined;
}

function running(
  handler: Handler,
  { check, complete }: Around,
  contextOf: (call: Call, event: unknown) => InProcessContext,
): (event: never, call: Call) => unknown {
  if (complete !== undefined)
    return (event, call) => {
      complete(event);
      return handler(event, contextOf(call, event));
    };
  if (check === undefined) return (event, call) => handler(event, contextOf(call, event));
  const checked = (answer: unknown, event: unknown): unknown => {
    const problem = check(answer, event);
    if (problem !== undefined) throw new HookFailure("bad", problem);
    return answer;
  };
  return async (event, call) => checked(await handler(event, contextOf(call, event)), event);
}

function report({ instance }: Owner, { dialect, rows, silent }: EventTable, event: string, line: number): void {
  const { source } = instance;
  const known = [...rows.map((row) => row.name), ...silent];
  instance.report(
    silent.includes(event)
      ? diagnose("NEVER_FIRES", { path: source.path, event, dialect }, { source, event })
      : diagnose(
          "UNKNOWN_HOOK_EVENT",
          { path: source.path, line, event, dialect, guess: guess(String(event), known) },
          { source, event },
        ),
  );
}
