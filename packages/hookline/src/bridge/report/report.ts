import type { EventName, Runtime, Session } from "@hookline/runtime";
import { type Hook, namesIn, type ReportedSource } from "@hookline/runtime/internal";
import type { BridgeHost } from "../host.ts";
import { ROW_FIELDS } from "./row-fields.ts";
import type { HostTable } from "./table.ts";

/** What a host makes of a hook: it runs as in hookline, it runs and something is lost, or it never runs there. */
export type State = "runs" | "loss" | "absent";

/** One thing that is lost. */
export interface Loss {
  /** The field of the moment or of the answer; `field:value` where only that value is meant. */
  readonly field: string;
  readonly why: string;
}

/** A definition that runs here, with what the host makes of it. */
export interface ReportedHook {
  readonly id: string;
  readonly dialect: string;
  readonly source: string;
  readonly state: State;
  readonly losses: readonly Loss[];
  /** The same for each of its events, by the dialect's own names. */
  readonly events: readonly { readonly event: string; readonly state: State; readonly losses: readonly Loss[] }[];
  /** The host runs it by itself, without the bridge. */
  readonly native?: true;
}

/** What a report is made of. */
interface ReportParts {
  readonly host: Pick<BridgeHost, "label" | "events" | "tools" | "dialect">;
  readonly table: HostTable;
  /** The hooks of a place, loaded as for a run of the agent. */
  readonly session: Pick<Session, "report" | "hooks" | "contributions">;
  /** The moment behind an event of a lane, and its place in `ROW_FIELDS`. */
  momentsOf(lane: string, event: string): readonly EventName[];
}

/**
 * What a host makes of every hook that runs: one entry for each definition of `hooks list` that runs. It is read off the
 * host's table and what the dialects' events see and answer; no hook is asked.
 */
function lossReport(parts: ReportParts): readonly ReportedHook[] {
  const { host, session } = parts;
  const hooks = session.hooks();
  return session.report.sources
    .filter(({ state, kind }) => state === "runs" && kind === undefined)
    .map((source): ReportedHook => {
      const own = hooks.filter(({ hook }) => isOf(hook, source)).map(({ hook }) => hook);
      const about = { id: idOf(source, own), dialect: source.dialect, source: placeOf(source) };
      if (source.dialect === host.dialect && !source.onlyHere)
        return { ...about, state: "runs", losses: [], events: [], native: true };
      const events = [...new Set(own.map(({ event }) => event))].map((event) => ({
        event,
        ...lossesOf({ lane: source.lane, event, hooks: own.filter((hook) => hook.event === event) }, parts),
      }));
      const lost = contributed(source, parts);
      const states = new Set(events.map(({ state }) => state));
      const state = events.every(({ state }) => state === "absent")
        ? "absent"
        : lost.length === 0 && states.size === 1 && states.has("runs")
          ? "runs"
          : "loss";
      const losses = events.flatMap(({ event, losses }) =>
        losses.map((loss) => (events.length === 1 ? loss : { ...loss, field: `${event}.${loss.field}` })),
      );
      return { ...about, state, losses: [...losses, ...lost], events };
    });
}

/** The same for hooks that are open. */
export async function reportOf(
  host: BridgeHost,
  { lanes }: Pick<Runtime, "lanes">,
  session: ReportParts["session"],
): Promise<readonly ReportedHook[]> {
  const rows = lanes.flatMap((lane) => lane.rows.map((row) => ({ lane: lane.id, row })));
  const momentsOf = (lane: string, event: string): EventName[] =>
    rows.flatMap(({ lane: id, row }) => (id === lane && row.name === event ? [row.of as EventName] : []));
  return lossReport({ host, table: await host.table(), session, momentsOf });
}

function isOf({ source }: Hook, { path, line, dialect, lane }: ReportedSource): boolean {
  return source.path === path && (source.dialect ?? lane) === dialect && (line === undefined || source.line === line);
}

function placeOf({ path, line }: ReportedSource): string {
  return line === undefined ? path : `${path}:${line}`;
}

/** A definition with one hook has that hook's id. */
function idOf(source: ReportedSource, [only, more]: readonly Hook[]): string {
  return only !== undefined && more === undefined ? only.id : `${source.lane}:${placeOf(source)}`;
}

type Judged = Pick<ReportedHook, "state" | "losses">;

/** Hooks of one event of a lane. */
interface Listening {
  readonly lane: string;
  readonly event: string;
  readonly hooks: readonly Pick<Hook, "filter" | "fits">[];
}

/** What becomes of one event of a lane: it hangs on one moment of the catalog, or on several. */
function lossesOf(of: Listening, parts: ReportParts): Judged {
  const all = parts.momentsOf(of.lane, of.event).map((moment) => atMoment(of, moment, parts));
  const present = all.filter(({ state }) => state !== "absent");
  if (present.length === 0) return all[0] ?? { state: "absent", losses: [] };
  const losses = all.flatMap(({ losses }) => losses);
  return { state: losses.length === 0 ? "runs" : "loss", losses };
}

function atMoment({ lane, event, hooks }: Listening, moment: EventName, { host, table }: ReportParts): Judged {
  const driven = Object.values(host.events).some(({ moments }) => moments.includes(moment));
  if (!driven) return { state: "absent", losses: [{ field: event, why: whyAbsent(moment, host, table) }] };
  if (sees(lane, event, moment, "tool") && !hooks.some(({ fits, filter }) => mayStart(host, fits, filter)))
    return {
      state: "absent",
      losses: [{ field: "tool", why: `${host.label} has no tool of a name that it waits for` }],
    };
  const cell = table.cells[moment] ?? {};
  const [seen = [], gives = [], needs = []] = wordsOf(ROW_FIELDS[`${lane} ${event} ${moment}`] ?? "");
  const always = Object.entries(cell.always ?? {});
  const holds = (setting: string): boolean =>
    always.every(([name, { value }]) => !setting.split("&").includes(`${name}=${String(value) !== "true"}`));
  if (needs.length > 0 && !needs.some(holds))
    return { state: "absent", losses: always.map(([field, { why }]) => ({ field, why })) };
  const untold = Object.entries(cell.untold ?? {}).filter(([field]) => seen.includes(field));
  // An event that happens at that value only loses nothing.
  const fixed = always.flatMap(([field, { value, why }]) => {
    const isOnly =
      needs.length > 0 && needs.every((setting) => setting.split("&").includes(`${field}=${String(value)}`));
    return seen.includes(field) && !isOnly ? [[field, why] as const] : [];
  });
  const lost = Object.entries(cell.loses ?? {}).filter(([field]) => gives.includes(field));
  const isOfPatch = patchNames(host).some(({ tool, aliases = [] }) =>
    hooks.some(({ fits }) => fits?.(tool, aliases) ?? true),
  );
  const whole = moment === "tool.before" && gives.includes("args") && isOfPatch ? [["args", WHOLE] as const] : [];
  const losses = new Map([...untold, ...fixed, ...whole, ...unasked(host, moment, hooks), ...lost]);
  return {
    state: losses.size === 0 ? "runs" : "loss",
    losses: [...losses].map(([field, why]) => ({ field, why })),
  };
}

/** Why a hook for the shell is not asked about all that runs. */
function unasked(
  { tools }: Pick<BridgeHost, "tools">,
  moment: EventName,
  hooks: Listening["hooks"],
): (readonly [string, string])[] {
  if (moment !== "tool.before" || !hooks.some(({ fits }) => fits?.("bash", []) ?? true)) return [];
  return Object.values(tools.tools).flatMap(({ unasked: why }) => (why === undefined ? [] : [["tool", why] as const]));
}

const WHOLE = "of one file of a patch cannot be changed: the patch is refused";

/** The names under which hooks are asked about the files of a patch. */
function patchNames({ tools }: Pick<BridgeHost, "tools">): ReturnType<typeof namesIn> {
  const patches = Object.entries(tools.tools).filter(([, { kind }]) => kind === "patches");
  return namesIn({ ...tools, tools: Object.fromEntries(patches) });
}

/** Whether a call of one of the host's tools could start a hook. The tools of its MCP servers are not known here. */
function mayStart({ tools }: Pick<BridgeHost, "tools">, fits: Hook["fits"], filter: string | undefined): boolean {
  return (
    fits === undefined ||
    filter?.includes("mcp") === true ||
    namesIn(tools).some(({ tool, aliases = [] }) => fits(tool, aliases))
  );
}

function sees(lane: string, event: string, moment: EventName, field: string): boolean {
  return wordsOf(ROW_FIELDS[`${lane} ${event} ${moment}`] ?? "")[0]?.includes(field) === true;
}

function wordsOf(row: string): string[][] {
  return row.split(">").map((part) => part.split(" ").filter((word) => word !== ""));
}

function whyAbsent(moment: string, { label }: Pick<BridgeHost, "label">, { absent }: HostTable): string {
  const [area] = moment.split(".");
  return absent[moment] ?? absent[`${area}.*`] ?? `${label} has no hook at this moment`;
}

/** Tools and commands that a definition adds: a host offers its own. */
function contributed({ path, line, lane }: ReportedSource, { host, session }: ReportParts): Loss[] {
  return (["tool", "command"] as const).flatMap((kind) =>
    [...session.contributions.all(kind)].flatMap(([name, { instance }]) =>
      instance.lane === lane && instance.source.path === path && (line === undefined || instance.source.line === line)
        ? [{ field: `${kind} ${name}`, why: `${host.label} offers no ${kind}s of hooks` }]
        : [],
    ),
  );
}
