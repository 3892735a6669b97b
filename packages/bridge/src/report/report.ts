import { isSamePlace, type Position, place } from "@hookline/ground";
import type { EventName } from "@hookline/runtime";
import { type Alternative, type Hook, mayBeServerTool, namesIn } from "@hookline/runtime/engine";
import { type HookRuntime, type HookSession, isLoaded, type ReportedSource } from "@hookline/runtime/session";
import type { BridgeHost } from "../host/host.ts";
import type { HostTable } from "../host/host-table.ts";
import { ROW_FIELDS } from "./row-fields.ts";

/** The state of a hook in a host: it runs, it runs but some fields have no effect, or it never runs. */
export type State = "runs" | "loss" | "absent";

/** A field of an event or an answer that does not work in a host as it does in hookline. */
export interface Loss {
  /** The field of the event or of the answer; `field:value` if only that value does not work. */
  readonly field: string;
  readonly why: string;
  /** Whether the hook is known to use the field, by its matcher, filter, registration or past answers. */
  readonly used?: true;
}

/** A definition of hooks that hookline runs, with its state and its losses in a host. */
export interface ReportedHook {
  readonly id: string;
  readonly dialect: string;
  readonly source: string;
  readonly state: State;
  readonly losses: readonly Loss[];
  /** State and losses for each of its events, by the dialect's own names. */
  readonly events: readonly { readonly event: string; readonly state: State; readonly losses: readonly Loss[] }[];
  /** Whether the hook may refuse something. */
  readonly guard?: true;
  /** Whether the host runs the hook itself, without the bridge. */
  readonly native?: true;
}

/** How often a hook has edited something, and how often it had a person asked. */
export type Answers = Readonly<Record<"edits" | "asks", number>>;

interface ReportParts {
  readonly host: Pick<BridgeHost, "label" | "events" | "tools" | "dialect">;
  readonly table: HostTable;
  /** A session with the hooks of a folder, opened as hookline's own agent opens it. */
  readonly session: Pick<HookSession, "report" | "hooks" | "contributions">;
  /** The MCP servers that the host's own files configure, by name. */
  readonly servers: readonly string[];
  /** How often each hook has edited something or had a person asked, by the hook's id. */
  readonly answers?: ReadonlyMap<string, Answers> | undefined;
  /** Returns the catalog's events that a dialect's event stands for, such as `tool.before` for `PreToolUse`. */
  momentsOf(lane: string, event: string): readonly EventName[];
}

/**
 * Reports how every hook runs in a host: one entry for each definition of `hooks list` that runs. It compares the
 * host's table with the fields that the hooks' events have in their dialects; no hook is asked.
 */
function lossReport(parts: ReportParts): readonly ReportedHook[] {
  const { host, session } = parts;
  const hooks = session.hooks();
  return session.report.sources
    .filter((source) => isLoaded(source) && source.kind === undefined)
    .map((source): ReportedHook => {
      const own = hooks.filter(({ hook }) => isOf(hook, source)).map(({ hook }) => hook);
      const about = { id: idOf(source, own), dialect: source.dialect, source: place(source) };
      if (source.dialect === host.dialect && !source.onlyHere)
        return { ...about, state: "runs", losses: [], events: [], native: true };
      if (source.absent !== undefined)
        return {
          ...about,
          state: "absent",
          losses: [{ field: "command", why: source.absent, used: true }],
          events: [],
        };
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
        losses.map((loss) =>
          events.length === 1 || loss.field === event ? loss : { ...loss, field: `${event}.${loss.field}` },
        ),
      );
      const isGuard = events.some(({ event }) => guards(source.lane, event, parts));
      return { ...about, state, losses: [...losses, ...lost], events, ...(isGuard && { guard: true }) };
    });
}

/** Reports how the hooks of an open session run in a host. */
export async function reportOf(
  host: BridgeHost,
  { lanes }: Pick<HookRuntime, "lanes">,
  { session, servers, answers }: Pick<ReportParts, "session" | "servers" | "answers">,
): Promise<readonly ReportedHook[]> {
  const rows = lanes.flatMap((lane) => lane.rows.map((row) => ({ lane: lane.id, row })));
  const momentsOf = (lane: string, event: string): EventName[] =>
    rows.flatMap(({ lane: id, row }) => (id === lane && row.name === event ? [row.of as EventName] : []));
  return lossReport({ host, table: await host.table(), session, servers, answers, momentsOf });
}

function isOf({ source }: Hook, at: ReportedSource): boolean {
  return isIn(source, at) && (source.dialect ?? at.lane) === at.dialect;
}

/** Whether a position is that of a definition. A definition without a line includes every position in its file. */
function isIn(source: Position, at: Position): boolean {
  return at.line === undefined ? source.path === at.path : isSamePlace(source, at);
}

/** Returns a definition's id: that of its hook, or the lane and the position if it has none or several. */
function idOf(source: ReportedSource, [only, more]: readonly Hook[]): string {
  return only !== undefined && more === undefined ? only.id : `${source.lane}:${place(source)}`;
}

type Judged = Pick<ReportedHook, "state" | "losses">;

/** The hooks of one event of a lane. */
interface Listening {
  readonly lane: string;
  readonly event: string;
  readonly hooks: readonly Pick<Hook, "id" | "filter" | "fits" | "reach">[];
}

/** Returns the losses of a lane's event in a host; the event may stand for several events of the catalog. */
function lossesOf(of: Listening, parts: ReportParts): Judged {
  const all = parts.momentsOf(of.lane, of.event).map((moment) => atMoment(of, moment, parts));
  const present = all.filter(({ state }) => state !== "absent");
  if (present.length === 0) return all[0] ?? { state: "absent", losses: [] };
  const losses = all.flatMap(({ losses }) => losses);
  return { state: losses.length === 0 ? "runs" : "loss", losses };
}

function atMoment({ lane, event, hooks }: Listening, moment: EventName, parts: ReportParts): Judged {
  const { host, table } = parts;
  const driven = Object.values(host.events).some(({ moments }) => moments.includes(moment));
  if (!driven) return { state: "absent", losses: [{ field: event, why: whyAbsent(moment, host, table), used: true }] };
  if (sees(lane, event, moment, "tool") && !hooks.some((hook) => mayStart(hook, moment, parts))) {
    const isLower = host.tools.namings?.some((naming) => naming.isLower) && hooks.some(({ filter }) => isMcp(filter));
    const because = isLower
      ? ": it writes the names of MCP tools in lower case, with `_` for all other characters"
      : "";
    return {
      state: "absent",
      losses: [{ field: "tool", why: `${host.label} has no tool that its filter matches${because}`, used: true }],
    };
  }
  const cell = table.cells[moment] ?? {};
  const row = ROW_FIELDS[`${lane} ${event} ${moment}`];
  const [seen = [], gives = [], needs = []] = wordsOf(row ?? "");
  // hookline's own guards have no row in `ROW_FIELDS`, since they see and answer every field.
  const has = (fields: readonly string[], field: string): boolean => row === undefined || fields.includes(field);
  const always = Object.entries(cell.always ?? {});
  const holds = (setting: string): boolean =>
    always.every(([name, { value }]) => !setting.split("&").includes(`${name}=${String(value) !== "true"}`));
  if (needs.length > 0 && !needs.some(holds))
    return { state: "absent", losses: always.map(([field, { why }]) => ({ field, why, used: true })) };
  const untold = Object.entries(cell.untold ?? {}).filter(([field]) => has(seen, field));
  // A field's fixed value is no loss for an event that fires only at this value.
  const fixed = always.flatMap(([field, { value, why }]) => {
    const isOnly =
      needs.length > 0 && needs.every((setting) => setting.split("&").includes(`${field}=${String(value)}`));
    return has(seen, field) && !isOnly ? [[field, why] as const] : [];
  });
  const lost = Object.entries(cell.loses ?? {}).filter(([field]) => has(gives, field));
  const isOfPatch = patchNames(host).some(({ tool, aliases = [] }) =>
    hooks.some(({ fits }) => fits?.(tool, aliases) ?? true),
  );
  const whole = moment === "tool.before" && has(gives, "args") && isOfPatch ? [["args", WHOLE] as const] : [];
  const missed = unasked(host, moment, hooks);
  const losses = new Map([...untold, ...fixed, ...whole, ...missed, ...lost]);
  const isMissed = new Set(missed.map(([, why]) => why));
  return {
    state: losses.size === 0 ? "runs" : "loss",
    losses: [...losses].map(([field, why]) => ({
      field,
      why,
      ...((isMissed.has(why) || isAnswered(field, hooks, parts)) && { used: true }),
    })),
  };
}

/** Fields of an answer that count as edits. */
const EDITED: ReadonlySet<string> = new Set(
  "args content details isError text images messages systemPrompt model prompt compaction instructions".split(" "),
);

/** Whether one of these hooks has used the field in an answer that was counted. */
function isAnswered(field: string, hooks: Listening["hooks"], { answers }: ReportParts): boolean {
  return hooks.some(({ id }) => {
    const { edits = 0, asks = 0 } = answers?.get(id) ?? {};
    return field === "decision:ask" ? asks > 0 : EDITED.has(field) && edits > 0;
  });
}

/** Matches the fields of an answer that refuse. */
const REFUSES = /^(decision(:deny)?|stop|cancel|handled)$/;

/** Whether something can be refused at an event of a lane. */
function guards(lane: string, event: string, { momentsOf }: ReportParts): boolean {
  return momentsOf(lane, event).some((moment) => {
    const row = ROW_FIELDS[`${lane} ${event} ${moment}`];
    if (row === undefined) return moment === "tool.before" || moment === "agent.spawn";
    return !moment.endsWith(".stop") && wordsOf(row)[1]?.some((field) => REFUSES.test(field)) === true;
  });
}

/** Returns the reasons why hooks miss some calls, such as text that Codex types into a running program. */
function unasked(
  { tools }: Pick<BridgeHost, "tools">,
  moment: EventName,
  hooks: Listening["hooks"],
): (readonly [string, string])[] {
  if (moment !== "tool.before") return [];
  return Object.values(tools.tools).flatMap(({ unasked = {} }) =>
    Object.entries(unasked).flatMap(([tool, why]) =>
      hooks.some(({ fits }) => fits?.(tool, []) ?? true) ? [["tool", why] as const] : [],
    ),
  );
}

const WHOLE = "of one file of a patch cannot be changed: the patch is refused";

/** Returns the tool names by which hooks are asked about each file of a patch. */
function patchNames({ tools }: Pick<BridgeHost, "tools">): ReturnType<typeof namesIn> {
  const patches = Object.entries(tools.tools).filter(([, { kind }]) => kind === "patches");
  return namesIn({ ...tools, tools: Object.fromEntries(patches) });
}

/** Whether a hook could be asked about a tool of the host, or about one of an MCP server. */
function mayStart({ reach }: Listening["hooks"][number], moment: EventName, { host, servers }: ReportParts): boolean {
  const { tools } = host;
  const mayHave = ({ text, isPattern }: Alternative): boolean =>
    (isPattern && isMcp(text)) || mayBeServerTool(tools, text.replaceAll(/^\^|\$$/g, ""), servers);
  return reach?.({ tools: namesIn(tools, moment !== "tool.before"), servers, mayHave }).state !== "none";
}

function isMcp(filter: string | undefined): boolean {
  return filter?.includes("mcp") === true;
}

function sees(lane: string, event: string, moment: EventName, field: string): boolean {
  const row = ROW_FIELDS[`${lane} ${event} ${moment}`];
  return row === undefined || wordsOf(row)[0]?.includes(field) === true;
}

function wordsOf(row: string): string[][] {
  return row.split(">").map((part) => part.split(" ").filter((word) => word !== ""));
}

function whyAbsent(moment: string, { label }: Pick<BridgeHost, "label">, { absent }: HostTable): string {
  const [area] = moment.split(".");
  return absent[moment] ?? absent[`${area}.*`] ?? `${label} asks no hook about this event`;
}

/** Returns the tools and commands that a definition adds, which are lost: a host offers only its own. */
function contributed(at: ReportedSource, { host, session }: ReportParts): Loss[] {
  return (["tool", "command"] as const).flatMap((kind) =>
    [...session.contributions.all(kind)].flatMap(([name, { instance }]) =>
      instance.lane === at.lane && isIn(instance.source, at)
        ? [{ field: `${kind} ${name}`, why: `${host.label} cannot offer a ${kind} that a hook adds` }]
        : [],
    ),
  );
}
