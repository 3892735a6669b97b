/**
 * Exports functions that replay sessions of hookline and other agents with other hooks. `recogniseSource` identifies a
 * file; `replay` asks hooks about its moments and compares their answers with a baseline.
 */
export { type ReplayOptions, replay } from "./replay.ts";
export type { ReplayResult } from "./result.ts";
export type { OpenSide } from "./side.ts";
export { recogniseSource } from "./source/index.ts";
export { recordingSource } from "./source/recording.ts";
