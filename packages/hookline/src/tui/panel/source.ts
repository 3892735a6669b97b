import type { EventName, Session as HookSession } from "@hookline/runtime";
import { catalog, type Lane, percentile, place } from "@hookline/runtime/internal";
import type { Agent } from "../../agent/agent.ts";
import type { ActivityLog } from "./activity-log.ts";
import type { ExplainableEvent, Explained, HookNumbers, PanelSource, TrustSource } from "./panel-source.ts";

/** What a panel's data come from. */
export interface SourceParts {
  readonly agent: Agent;
  readonly lanes: readonly Lane[];
  readonly activity: ActivityLog;
  readonly trust: TrustSource;
  /** The person's home folder, for `~`. */
  readonly home: string;
  reload(): Promise<void>;
}

/** The data of one running session, as the panel asks for them. */
export function sessionSource(parts: SourceParts): PanelSource {
  const { agent, lanes, activity, trust, home, reload } = parts;
  const { hooks, scene } = agent.core;
  return {
    activity,
    trust,
    reload,
    report: () => hooks.report,
    background: () => hooks.background.list(),
    onBackground: (listener) => hooks.background.listen(listener),
    numbers: () => numbersOf(hooks),
    events: () => eventsOf(hooks, lanes),
    tools: () => [...agent.tools().keys()],
    explain: (event, tool) => explained(parts, event, tool),
    isParallel(id) {
      const found = hooks.hooks().find(({ hook }) => hook.id === id);
      const lane = lanes.find((one) => one.id === found?.lane);
      return lane?.rows.some((row) => row.name === found?.hook.event && row.schedule === "parallel") ?? false;
    },
    path: (path) => shortPath(path, scene.cwd, home),
  };
}

function numbersOf(hooks: HookSession): HookNumbers[] {
  return hooks.hooks().map(({ lane, hook }) => {
    const { runs, ok, failed, skipped, totalMs, lastError } = hook.metrics;
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
      p95Ms: percentile(hook.metrics, 0.95),
      totalMs,
      lastError,
    };
  });
}

/** hookline's own events, those that somebody listens to first, then the lanes' own that somebody listens to. */
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
  // Samples are for hook authors' tests; a session loads them when somebody asks.
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

/** A text with the project's folder left out of its paths, and `~` for the home folder. */
function shortPath(text: string, cwd: string, home: string): string {
  const inside = text.replaceAll(`${cwd}/`, "");
  return home === "" ? inside : inside.replaceAll(`${home}/`, "~/");
}
