/**
 * Exports everything that a dialect in another package needs: `@hookline/runtime/dialect`. A dialect is data, a table
 * of rows for each lane, and two functions: `discover` finds definitions and runs nothing, `load` registers the hooks
 * of one definition. `examples/own-dialect` is a complete one.
 */

export type { Files } from "@hookline/ground";
export { type Diagnostic, diagnose, place, type Source } from "@hookline/ground";
export { catalog } from "../catalog/catalog.ts";
export { field, type Guard, isArray, isObject, isString, strict, truthy } from "../catalog/read.ts";
export type { CatalogRow } from "../catalog/row.ts";
export {
  answerOnly,
  any,
  collect,
  type Fold,
  first,
  halt,
  last,
  meet,
  prepend,
  record,
  shallow,
  strictest,
  type Unanimity,
  unanimous,
  union,
} from "../fold/index.ts";
export type { Call } from "../hook/call.ts";
export type { HookSpec } from "../hook/hook.ts";
export type { Instance } from "../hook/instance.ts";
export type { Lane, LaneRow, Scene } from "../hook/lane.ts";
export { type CallLens, callLens } from "../lens/call.ts";
export type { ProcessCall, ProcessReport } from "../port/process.ts";
export { HookFailure } from "../run/failure.ts";
export { type About, ownSettings, type SettingRows } from "./about.ts";
export type { Candidate, Dialect, DialectSettings, Found, Scan, Surroundings } from "./dialect.ts";
export { readJson } from "./json.ts";
export { type DialectRow, row } from "./row.ts";
