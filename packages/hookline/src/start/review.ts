import type { Io } from "@hookline/ground/system";
import { plain } from "@hookline/ground/system";
import { TrustStore } from "@hookline/runtime";
import type { HookRuntime, HookSession } from "@hookline/runtime/session";
import { dialectSettings } from "../settings/parts.ts";
import type { Arguments } from "./args.ts";
import { type Place, placeOf, runtimeOf } from "./place.ts";

/** The items of a place that a person is asked about; nothing of it is loaded. */
export interface OpenedReview {
  readonly place: Place;
  readonly runtime: HookRuntime;
  readonly session: HookSession;
  readonly store: TrustStore;
}

/** Finds the hooks of a place without loading any, and reports a trust store that cannot be used. */
export async function openReview(args: Arguments, io: Io): Promise<OpenedReview> {
  const place = await placeOf(args, io);
  const store = new TrustStore(place.hooklineHome);
  const { problem } = store;
  if (problem !== undefined)
    io.err(`error: The trust store ${plain(store.path)} is not used: ${problem.problem}. ${problem.remedy}\n`);
  const runtime = runtimeOf(place, io);
  const session = await runtime.open({
    // The report has them.
    onDiagnostic: () => {},
    scene: { sessionId: "review", cwd: place.cwd },
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
    consent: args.flags["frozen"] === true ? place.consent : store,
    inert: true,
  });
  return { place, runtime, session, store };
}
