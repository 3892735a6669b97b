/**
 * Re-exports the parts of hookline that the fleet uses; no other file imports them. The published package contains none
 * of them: hookline passes its own when it loads the package, so that each class and event row exists only once
 * (docs/decisions/0042).
 */
export {
  type Clock,
  chooseFrom,
  cleanText,
  isProviderKey,
  messageOf,
  readJson,
  systemClock,
  type Timer,
} from "@hookline/ground";
export { claimName, exclusively, isAlive, readPrivate, writePrivate } from "@hookline/ground/system";
export {
  type Diagnostic,
  HooklineError,
  type Outcome,
  type RecordedMoment,
  readRecording,
} from "@hookline/runtime";
export {
  type Call,
  type Candidate,
  type CatalogRow,
  catalog,
  type Dialect,
  diagnose,
  HookFailure,
  type Instance,
  type Lane,
  type LaneRow,
  type Scene,
  type Surroundings,
} from "@hookline/runtime/dialect";
export { dialects } from "@hookline/runtime/dialects";
export { Follower, type RecognisedSource, type RecordingBytes, type SourceStream } from "@hookline/runtime/past";
export { recogniseSource, recordingSource } from "@hookline/runtime/replay";
export { callHash, createHookRuntime, type HookSession } from "@hookline/runtime/session";
