import { join } from "node:path";
import type { Candidate, Dialect } from "@hookline/runtime/dialect";
import { type CatalogRow, messageOf } from "@hookline/runtime/internal";
import { type Bundle, type Coverage, coverageOf } from "../bundle/bundle.ts";
import { bundleInForce } from "../bundle/in-force.ts";
import { Link } from "../link/link.ts";
import type { Membership } from "../place/joined.ts";
import { type Announcer, announced } from "../presence/announcer.ts";
import { Asker, DEADLINE_MS } from "./asker.ts";
import { FLEET_LANE, fleetLane, remoteRows } from "./rows.ts";

/** What the lane of a fleet is made with. */
export interface FleetLaneOptions {
  /** The fleet that this machine belongs to, or why that cannot be read. */
  readonly membership: Membership | { readonly problem: string; readonly from: string };
  /** The version of hookline, which the machine tells of itself; without it nothing is told. */
  readonly version?: string;
  readonly connectMs?: number;
  readonly deadlineMs?: number;
}

/** What stands for a fleet's bundle among the sources of hooks. */
export function fleetSource({ membership }: FleetLaneOptions): string {
  return membership.from;
}

/**
 * The remote hooks of a fleet, as a dialect: its lane is asked after all others. Its source must load, or guarded calls
 * are refused: a fleet whose hooks are not known may cover every call.
 */
export function fleetDialect(options: FleetLaneOptions): Dialect {
  const { membership } = options;
  const source = { path: fleetSource(options), tier: "managed", dialect: FLEET_LANE } as const;
  let link: Link | undefined;
  let presence: Announcer | undefined;
  let users = 0;
  return {
    id: FLEET_LANE,
    lanes: [fleetLane()],
    mustLoad: [{ name: "fleet" in membership ? `fleet ${membership.fleet}` : "the fleet", path: source.path }],
    discover() {
      const found = { searched: [source.path], diagnostics: [] };
      const candidate: Omit<Candidate, "state" | "definition"> = { lane: FLEET_LANE, source, files: [] };
      if ("problem" in membership)
        return {
          ...found,
          candidates: [{ ...candidate, state: "broken", reason: membership.problem, definition: undefined }],
        };
      try {
        const bundle = bundleInForce(membership);
        requireAskable(bundle, membership);
        const covered = coverageOf(bundle);
        const events = covered.map(({ event }) => event);
        const onFailure = "refuses what a closed hook covers";
        return { ...found, candidates: [{ ...candidate, state: "runs", events, onFailure, definition: bundle }] };
      } catch (thrown) {
        const reason = `fleet ${membership.fleet}: ${messageOf(thrown)}`;
        return { ...found, candidates: [{ ...candidate, state: "broken", reason, definition: undefined }] };
      }
    },
    load({ definition }, instance, { clock, scan, scene, started }) {
      if ("problem" in membership) return;
      const bundle = definition as Bundle;
      const { creds, url, fleet } = membership;
      const covered = coverageOf(bundle);
      link ??= new Link({
        url,
        creds,
        clock,
        ...(options.connectMs !== undefined && { connectMs: options.connectMs }),
      });
      const own = link;
      if (options.version !== undefined)
        presence ??= announced({
          link,
          creds,
          bundle,
          clock,
          version: options.version,
          spool: join(membership.bundles, "../spool"),
        });
      users += 1;
      instance.own(() => {
        if (--users > 0) return;
        presence?.close();
        link = presence = undefined;
        own.close();
      });
      const { deadlineMs } = options;
      const { env } = scan;
      const asker = new Asker({
        creds,
        bundle,
        link: own,
        clock,
        env,
        ...(deadlineMs !== undefined && { deadlineMs }),
      });
      for (const coverage of covered)
        instance.on({
          event: coverage.event,
          name: fleet,
          // The question has a deadline of its own.
          timeoutMs: Number.POSITIVE_INFINITY,
          transportMs: deadlineMs ?? DEADLINE_MS,
          onError: coverage.isClosed ? "abort" : "skip",
          failClosed: coverage.isClosed && canWithhold(coverage),
          run: (event, call) => asker.ask(coverage, event, call, scene),
        });
      // The client takes long to load, and nobody needs it before the first request to the model has been sent.
      void started?.().then(() => own.begin());
    },
  };
}

/** Refused calls have the fleet's own words, so only what is withheld is left to the engine. */
function canWithhold({ event }: Coverage): boolean {
  return remoteRows().some(
    (row: CatalogRow) => row.name === event && row.guard === undefined && row.withhold !== undefined,
  );
}

/** Throws unless this machine may ask, and all hooks of the bundle can be asked. */
function requireAskable({ manifest }: Bundle, { creds }: Membership): void {
  if (creds.role !== "agent")
    throw new Error(`${creds.machine} is enrolled as ${creds.role}, and only an agent may ask`);
  const local = manifest.hooks.find(({ where }) => where === "agent");
  if (local !== undefined)
    throw new Error(`its hook ${local.file} would run in the agent, which this version cannot do`);
  const known = new Map(remoteRows().map((row) => [row.name, row]));
  for (const { file, events } of manifest.hooks)
    for (const event of events)
      if (!known.has(event))
        throw new Error(`its hook ${file} is about ${event}, which no remote hook can be asked about`);
}
