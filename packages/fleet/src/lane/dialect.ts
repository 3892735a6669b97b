import { type Candidate, type Clock, type Dialect, diagnose, messageOf, systemClock } from "../kit.ts";
import type { CountedLink } from "../link/counted.ts";
import type { Membership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import { coverageOf } from "../policy/coverage.ts";
import type { HookRule, Manifest } from "../policy/manifest.ts";
import { FleetHooks, requireAskable } from "./fleet-hooks.ts";
import { Policy } from "./policy.ts";
import { FLEET_LANE, fleetLane, LOCAL_LANE, localLane } from "./rows.ts";

/** Options for the lanes of a fleet. */
export interface FleetLaneOptions {
  readonly membership: Membership;
  readonly clock?: Clock;
  /** The version of hookline, for announcing the machine; without it the machine is not announced. */
  readonly version?: string;
  /** A connection shared with others in this process. Default: a connection of its own. */
  readonly link?: CountedLink;
  readonly connectMs?: number;
  readonly deadlineMs?: number;
  /** Called with the version that a session uses from now on: when it opens, and when it changes to a newer one. */
  uses?(manifest: Manifest): void;
}

/**
 * Makes the dialect for a fleet's hooks. Hooks that run in the agent are asked before all other hooks, those that a
 * worker runs after all others. If the policy cannot be loaded, guarded calls are refused, since the fleet's hooks may
 * guard each of them.
 */
export function fleetDialect(options: FleetLaneOptions): Dialect {
  const { membership, clock = systemClock, version, connectMs, deadlineMs } = options;
  const source = { path: membership.from, tier: "managed", dialect: FLEET_LANE } as const;
  const policy = new Policy({ membership, clock, version, connectMs, link: options.link });
  const candidate = { source, files: [] } as const;
  return {
    id: FLEET_LANE,
    lanes: [localLane(), fleetLane()],
    mustLoad: [{ name: `fleet ${membership.fleet}`, path: source.path }],
    async discover() {
      const found = { searched: [source.path], diagnostics: [] };
      const { fleet } = membership;
      try {
        const bundle = await policy.current();
        requireAskable(bundle, membership);
        const { stale } = policy;
        const told = stale === undefined ? [] : [diagnose("FLEET_POLICY", { fleet, problem: stale }, { source })];
        return { ...found, diagnostics: told, candidates: candidatesOf(bundle, candidate) };
      } catch (thrown) {
        const reason = `fleet ${fleet}: ${messageOf(thrown)}`;
        return {
          ...found,
          candidates: [{ ...candidate, lane: FLEET_LANE, state: "broken", reason, definition: undefined }],
        };
      }
    },
    async load({ lane, definition }, instance, around) {
      const known = around.shared.get(FLEET_LANE) as FleetHooks | undefined;
      if (lane === LOCAL_LANE) {
        const seat = new FleetHooks({
          policy,
          membership,
          around,
          deadlineMs,
          uses: (manifest) => options.uses?.(manifest),
        });
        await seat.openLocal(instance, definition as Bundle);
        around.shared.set(FLEET_LANE, seat);
        return;
      }
      if (known === undefined) throw new Error("the fleet's hooks in this agent could not be loaded");
      known.openRemote(instance);
      // The NATS client loads slowly, and nobody needs it before the first request to the model is sent.
      void around.started?.().then(() => policy.begin());
    },
  };
}

/** Returns a bundle as two candidates to load: the hooks that run in the agent, and those that a worker runs. */
function candidatesOf(bundle: Bundle, of: Pick<Candidate, "source" | "files">): Candidate[] {
  const { hooks, version, channel } = bundle.manifest;
  const events = coverageOf(bundle.manifest).map(({ event }) => event);
  const at = (where: HookRule["where"]): string => {
    const files = hooks.filter((rule) => rule.where === where).map(({ file }) => file);
    const listed = files.length === 0 ? "no hooks" : files.join(", ");
    return `refuses what its fail-closed hooks guard (version ${version} of ${channel}: ${listed})`;
  };
  const runs = { ...of, state: "runs", definition: bundle } as const;
  return [
    { ...runs, lane: LOCAL_LANE, onFailure: at("agent") },
    { ...runs, lane: FLEET_LANE, events, onFailure: at("worker") },
  ];
}
