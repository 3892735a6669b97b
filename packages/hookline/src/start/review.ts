import type { Io } from "@hookline/ground/system";
import { plain } from "@hookline/ground/system";
import { TrustStore } from "@hookline/runtime";
import type { HookRuntime, HookSession } from "@hookline/runtime/session";
import { dialectSettings } from "../settings/parts.ts";
import type { Arguments } from "./args.ts";
import { type Place, placeOf, runtimeOf } from "./place.ts";

/** The hooks of a folder, found but not loaded, about which a person is asked. */
export interface OpenedReview {
  readonly place: Place;
  readonly runtime: HookRuntime;
  readonly session: HookSession;
  readonly store: TrustStore;
}

/** Finds the hooks of a folder without loading any. Reports a file of approvals that cannot be used. */
export async function openReview(args: Arguments, io: Io): Promise<OpenedReview> {
  const place = await placeOf(args, io);
  const store = new TrustStore(place.hooklineHome);
  const { problem } = store;
  if (problem !== undefined)
    io.err(`error: The trust store ${plain(store.path)} is not used: ${problem.problem}. ${problem.remedy}\n`);
  const runtime = runtimeOf(place, io);
  const session = await runtime.open({
    // Diagnostics are not shown here, because the load report contains them too.
    onDiagnostic: () => {},
    scene: { sessionId: "review", cwd: place.cwd },
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
    consent: args.flags["frozen"] === true ? place.consent : store,
    inert: true,
  });
  return { place, runtime, session, store };
}
