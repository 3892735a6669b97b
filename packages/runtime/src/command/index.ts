export { formsOf } from "./forms.ts";
export { type CommandReader, loadReader } from "./reader.ts";
export type { Certainty, Output, ReadCommand, Reading, RedirectedFile } from "./reading.ts";
export { baseOf, type CommandWord, knownOf, type Piece, type Value, type Values } from "./word.ts";
