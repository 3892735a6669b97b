/**
 * Everything needed to write a dialect in another package: `@hookline/runtime/dialect`. A dialect is data, a table of
 * rows for each lane, and two functions: `discover`, which finds definitions and runs nothing, and `load`, which
 * registers the hooks of one definition. `examples/own-dialect` is a complete one.
 */

export type { DirEntry, FileStat, Files, HookTexts } from "@hookline/ground";
export {
  allowedUrl,
  type Diagnostic,
  diagnose,
  type FilledHeaders,
  fillHeaders,
  type HookUrl,
  headersProblem,
  hookUrl,
  place,
  type Source,
  type Tier,
} from "@hookline/ground";
export { catalog } from "../catalog/catalog.ts";
export { field, type Guard, isArray, isObject, isString, strict, truthy } from "../catalog/read.ts";
export type { CatalogRow, Cause, FailedHook, Failure, Feed, Kind, Read, ReadResult, Schedule } from "../catalog/row.ts";
export {
  answerOnly,
  any,
  collect,
  type Decision,
  type Fold,
  first,
  type Halt,
  halt,
  last,
  meet,
  prepend,
  record,
  shallow,
  strictest,
  union,
} from "../fold/index.ts";
export type { Call } from "../hook/call.ts";
export type { HookSpec } from "../hook/hook.ts";
export type { Instance } from "../hook/instance.ts";
export type { Lane, LaneRow, Scene } from "../hook/lane.ts";
export { type CallArgs, type CallLens, callLens, type PutArgs, type Spelling, type Spellings } from "../lens/call.ts";
export type { HttpCall, HttpReport } from "../port/http.ts";
export type { ProcessCall, ProcessReport } from "../port/process.ts";
export { HookFailure } from "../run/failure.ts";
export {
  type About,
  type HandedFile,
  type HomePlace,
  type MistakenPlace,
  type OwnSettings,
  ownSettings,
  type SettingRow,
  type SettingRows,
  type SettingValue,
  type Starter,
} from "./about.ts";
export type { Candidate, CandidateState, Dialect, DialectSettings, Found, Scan, Surroundings } from "./dialect.ts";
export { type HomeFolder, homeFolders } from "./home-folder.ts";
export { type JsonReading, readJson } from "./json.ts";
export { type DialectRow, row } from "./row.ts";
