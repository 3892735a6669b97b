export { unbraced } from "./braces.ts";
export { formsOf } from "./forms.ts";
export { type Glob, globOf, globSource } from "./glob.ts";
export { type CommandReader, loadReader } from "./reader.ts";
export type { Output, ReadCommand, Reading } from "./reading.ts";
export { baseOf, type CommandWord, knownOf, type Values } from "./word.ts";
