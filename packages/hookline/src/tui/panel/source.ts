import { isSamePlace, place } from "@hookline/ground";
import { shortPaths } from "@hookline/ground/system";
import type { EventName } from "@hookline/runtime";
import { catalog, type Lane } from "@hookline/runtime/engine";
import type { HookSession, LoadReport } from "@hookline/runtime/session";
import type { Agent } from "../../agent/agent.ts";
import type { ActivityLog } from "./activity-log.ts";
import type { OtherAgents } from "./other-agents.ts";
import type { ExplainableEvent, Explained, HookNumbers, PanelSource, TrustSource } from "./panel-source.ts";

/** The sources of a panel's data. */
export interface SourceParts {
  readonly agent: Agent;
  readonly lanes: readonly Lane[];
  readonly activity: ActivityLog;
  readonly trust: TrustSource;
  readonly elsewhere: Pick<OtherAgents, "of">;
  /** The person's home folder, for `~`. */
  readonly home: string;
  reload(): Promise<void>;
}

/** Returns the data of one running session for the panel. */
export function sessionSource(parts: SourceParts): PanelSource {
  const { agent, lanes, activity, trust, elsewhere, home, reload } = parts;
  const { hooks, scene } = agent.core;
  return {
    activity,
    trust,
    reload,
    report: () => withServers(hooks.report, agent),
    running: () => hooks.running(),
    background: () => hooks.background.list(),
    onBackground: (listener) => hooks.background.listen(listener),
    numbers: () => numbersOf(hooks, elsewhere),
    events: () => eventsOf(hooks, lanes),
    tools: () => [...agent.tools().keys()],
    explain: (event, tool) => explained(parts, event, tool),
    isParallel(id) {
      const found = hooks.hooks().find(({ hook }) => hook.id === id);
      const lane = lanes.find((one) => one.id === found?.lane);
      return lane?.rows.some((row) => row.name === found?.hook.event && row.schedule === "parallel") ?? false;
    },
    path: (path) => shortPaths(path, { cwd: scene.cwd, home }),
  };
}

/**
 * Returns the report with the current state of its MCP servers: a server that does not work is not shown as running.
 */
function withServers(report: LoadReport, { core }: Agent): LoadReport {
  const dead = core.servers?.all.filter(({ state }) => state === "failed" || state === "unusable") ?? [];
  if (dead.length === 0) return report;
  const sources = report.sources.map((source) => {
    const { kind, state } = source;
    const server = dead.find(({ source: from }) => isSamePlace(from, source));
    if (kind !== "mcp" || state !== "runs" || server === undefined) return source;
    const { name, problem = server.state } = server;
    return { ...source, state: "broken" as const, reason: `the MCP server "${name}": ${problem}`, remedy: RESTART };
  });
  return { ...report, sources };
}

const RESTART = "It will be restarted soon; /reload restarts it at once.";

function numbersOf(hooks: HookSession, elsewhere: SourceParts["elsewhere"]): HookNumbers[] {
  return hooks.hooks().map(({ lane, hook }) => {
    const { runs, ok, failed, skipped, totalMs, lastError, shadow } = hook.metrics;
    const there = elsewhere.of(hook.id);
    return {
      id: hook.id,
      lane,
      source: place(hook.source),
      event: hook.event,
      runs,
      ok,
      failed,
      skipped,
      avgMs: runs === 0 ? 0 : totalMs / runs,
      p95Ms: hook.metrics.percentile(0.95),
      totalMs,
      lastError,
      ...(shadow !== undefined && { shadow: shadowText(shadow) }),
      ...(there !== undefined && { elsewhere: there }),
    };
  });
}

function shadowText({ asked, wouldDeny, wouldAsk, wouldEdit, failed, dropped }: ShadowCounts): string {
  const would = [
    [wouldDeny, "refused"],
    [wouldAsk, "asked a person"],
    [wouldEdit, "changed"],
  ] as const;
  const said = would.flatMap(([count, what]) => (count > 0 ? [`${what} ${count}`] : []));
  const lost = dropped === 0 ? "" : `, not asked ${dropped}`;
  return `in shadow: asked ${asked}, would have ${said.join(", ") || "let all go on"}; failed ${failed}${lost}`;
}

type ShadowCounts = NonNullable<ReturnType<HookSession["hooks"]>[number]["hook"]["metrics"]["shadow"]>;

/** Lists hookline's own events, those with hooks first, then the lanes' own events with hooks. */
function eventsOf(hooks: HookSession, lanes: readonly Lane[]): ExplainableEvent[] {
  const listening = new Map<string, number>();
  const own = new Map<string, ExplainableEvent>();
  for (const { lane, hook } of hooks.hooks()) {
    const rows = lanes.find(({ id }) => id === lane)?.rows.filter(({ name }) => name === hook.event) ?? [];
    for (const of of new Set(rows.map((row) => row.of))) listening.set(of, (listening.get(of) ?? 0) + 1);
    if (lane === "library") continue;
    const name = `${lane}:${hook.event}`;
    const hasTool = rows.some((row) => isAboutTool(row.of));
    own.set(name, { name, hooks: (own.get(name)?.hooks ?? 0) + 1, hasTool });
  }
  const all = [...catalog.keys()].map((name): ExplainableEvent => {
    return { name, hooks: listening.get(name) ?? 0, hasTool: isAboutTool(name) };
  });
  return [...all.filter((event) => event.hooks > 0), ...own.values(), ...all.filter((event) => event.hooks === 0)];
}

function isAboutTool(event: string): boolean {
  return event.startsWith("tool.");
}

async function explained({ agent, lanes }: SourceParts, name: string, tool: string): Promise<Explained> {
  // Sample payloads are made for tests by hook authors, so a session loads them only when needed.
  const { sampleEvent, samplePayload } = await import("@hookline/runtime/testing");
  const { hooks, scene } = agent.core;
  const options = { tool, model: scene.model };
  const [laneId = "", own] = name.split(":");
  if (own === undefined) {
    const event = name as EventName;
    return hooks.explain(event, samplePayload(event, options));
  }
  const row = lanes.find(({ id }) => id === laneId)?.rows.find((one) => one.name === own);
  return hooks.explainLane(laneId, own, row === undefined ? {} : sampleEvent(row, scene, options));
}
