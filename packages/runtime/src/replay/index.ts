/**
 * Exports functions that ask hooks about recorded moments: recordings, and sessions of this and of other agents.
 * `recogniseSource` identifies a file, `replay` asks a candidate about its moments and compares.
 */
export { type ReplayOptions, replay } from "./replay.ts";
export type { ReplayResult } from "./result.ts";
export type { OpenSide } from "./side.ts";
export { recogniseSource } from "./source/index.ts";
export { recordingSource } from "./source/recording.ts";
