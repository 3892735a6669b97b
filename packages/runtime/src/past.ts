/**
 * Exports names for recordings and other agents' transcripts that other packages need besides the public ones. Only
 * packages of this repository can import this module; it is not published.
 */
export { compressFile, isCompressed, plainBytes } from "./record/compressed.ts";
export { Follower, type PassedLine, type Section } from "./record/follow.ts";
export type { MomentLine, RecordingHeader } from "./record/line.ts";
export { type FileLine, lineAt, linesOf, type RecordingBytes } from "./record/lines.ts";
export { openBytes } from "./record/read.ts";
export type { Recorder } from "./record/recorder.ts";
export { type Records, recordersOf } from "./record/recorders.ts";
export { type NewHeader, type NewMoment, RecordingWriter } from "./record/write.ts";
export type { Class, NotJudged } from "./replay/compare.ts";
export type { SideAnswer } from "./replay/decision.ts";
export type { ReadServices } from "./replay/inert.ts";
export type { Branch, BranchEntry, Moment, SourceKind, SourceReader, SourceStream } from "./replay/moment.ts";
export type { Judgement } from "./replay/replay.ts";
export type { Baseline, Example, Group, ShadowResult, SideResult } from "./replay/result.ts";
export { Calls, contentOf, promptOf, type SourceCall, type SourceResult, unreadable } from "./replay/source/calls.ts";
export { EntryIndex } from "./replay/source/entry-index.ts";
export type { RecognisedSource } from "./replay/source/index.ts";
export {
  firstObjects,
  listIn,
  type SourceLine,
  sourceLines,
  textIn,
  timeIn,
  unknownTypes,
} from "./replay/source/lines.ts";
