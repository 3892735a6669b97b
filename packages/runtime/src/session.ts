/**
 * Exports what hookline's agent and bridge need besides the public names to open a folder's hooks. That is consent, the
 * lock file, statistics, and the processes of runs. Only packages of this repository can import this module; it is not
 * published.
 */
export { admission, type Lack, type Missing } from "./config/admission.ts";
export { callHash } from "./config/call-hash.ts";
export { expectedBySettings } from "./config/expected.ts";
export { isLoaded, type LoadReport, type ReportedSource } from "./config/report.ts";
export { meantBy, pathIn } from "./config/shadow.ts";
export { type HookStats, readHostStats, readStats, resetStats, type StatsSpan } from "./config/stats.ts";
export { dayOf } from "./config/stats-keeper.ts";
export {
  approveEverything,
  type ConsentState,
  dataLine,
  type Judgement,
  openLine,
  trustNothing,
} from "./consent/consent.ts";
export type { Fingerprint } from "./consent/fingerprint.ts";
export { FrozenConsent, LockWatch, lockPath, lockText } from "./consent/lock-file.ts";
export type { Approval } from "./consent/trust-store.ts";
export { type Approve, approveBy } from "./session/confirm.ts";
export { hooklineHomeOf, personHome } from "./session/home.ts";
export type { DeadGuard, Proof } from "./session/proof.ts";
export { recorderOf } from "./session/recorder.ts";
export { type Retried, Retries, retryLimit } from "./session/retries.ts";
export { type Review, reviewFiles } from "./session/review.ts";
export { createHookRuntime, type HookRuntime } from "./session/runtime.ts";
export { type HookSession, wholeOf } from "./session/session.ts";
export { STAND_IN_LANE } from "./session/stand-in.ts";
export { RUN_VARIABLE } from "./transport/process/marker.ts";
export { deadRuns, livingRuns } from "./transport/process/run-file.ts";
