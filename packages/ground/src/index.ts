/** Code that needs no Node module, for every package: errors, foreign text, JSON, clocks. */
export { decodeText, lenientText, parseJson } from "./decode/bytes.ts";
export { type FilledHeaders, fillHeaders, headersProblem } from "./decode/http-headers.ts";
export { allowedUrl, type HookUrl, hookUrl } from "./decode/http-url.ts";
export { readJson } from "./decode/json.ts";
export { readJsonText } from "./decode/json-fault.ts";
export { type EntryPlace, entryPlaces, jsonLines, pointerPart } from "./decode/lines.ts";
export { type Fields, isFields } from "./decode/plain.ts";
export { isProviderKey } from "./decode/provider-keys.ts";
export { createRedactor } from "./decode/redact.ts";
export { cleanText } from "./decode/text.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  GREP_MAX_LINE_LENGTH,
  type TruncationResult,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./decode/truncate.ts";
export { CODES, type Code } from "./error/codes.ts";
export {
  type Diagnostic,
  diagnose,
  type FailureTold,
  isSamePlace,
  type Position,
  place,
  type Source,
  TIER_RANK,
  type Tier,
} from "./error/diagnostic.ts";
export { HooklineError, messageOf } from "./error/error.ts";
export { fromInstallation, loadFailure } from "./error/installation.ts";
export { chooseFrom, didYouMean, guess, nearest } from "./error/nearest.ts";
export {
  brief,
  type HookTexts,
  keptIn,
  previewOf,
  SIZE_LIMITS,
  type SizeLimit,
  textLimit,
  withShortTexts,
} from "./error/size-limits.ts";
export { VERSION } from "./error/version.ts";
export type { DirEntry, FileStat, Files } from "./file/files.ts";
export { withoutComments } from "./file/json-comments.ts";
export { insertJson, spansAt } from "./file/json-insert.ts";
export { removeJson } from "./file/json-remove.ts";
export type { PrivateFiles } from "./file/private-files.ts";
export { type Clock, MAX_MS, type Timer } from "./time/clock.ts";
export { once } from "./time/once.ts";
export { systemClock } from "./time/system-clock.ts";
