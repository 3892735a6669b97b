/**
 * Asks hooks about moments of the past: recordings, and sessions of this and of other agents. `recogniseSource` says
 * what a file is, `replay` asks a candidate about its moments and compares.
 */
export { CLASSES, type Class, type NotJudged } from "./compare.ts";
export type { Decision, Said } from "./decision.ts";
export type { ReadServices } from "./inert.ts";
export type {
  Branch,
  BranchEntry,
  Moment,
  NotAsked,
  Recorded,
  ShadowRun,
  SourceHead,
  SourceKind,
  SourceReader,
  SourceStream,
} from "./moment.ts";
export { type Judgement, type ReplayOptions, replay } from "./replay.ts";
export type {
  Baseline,
  Example,
  Group,
  JudgedMoment,
  ReplayResult,
  ShadowResult,
  SideResult,
  SourceResult,
} from "./result.ts";
export { replaySchema } from "./schema.ts";
export type { OpenSide, SideParts } from "./side.ts";
export { type RecognisedSource, recogniseSource } from "./source/index.ts";
export { recordingSource } from "./source/recording.ts";
