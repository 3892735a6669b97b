export { type Answer, catalog, type EventName, type Folded, type Payload } from "./catalog/catalog.ts";
export * from "./catalog/message.ts";
export type { PromptOptions, PromptParts, PromptSkill } from "./catalog/prompt.ts";
export type { CatalogRow, Cause, Failure, Feed, Kind, Schedule } from "./catalog/row.ts";
export type { Entry, ModelRef, NeutralRequest, OfferedTool } from "./catalog/shape.ts";
export { type AdmissionFacts, admission, type Lack, type Missing } from "./config/admission.ts";
export { callHash } from "./config/call-hash.ts";
export {
  type Consent,
  isOpen,
  type Judgement,
  type LookAt,
  type OpenPiece,
  trustEverything,
  trustNothing,
  type Verdict,
} from "./config/consent.ts";
export type { Expected } from "./config/expected.ts";
export type { BoundFolder, Fingerprint, HashedFile } from "./config/fingerprint.ts";
export { FrozenConsent, lockPath, lockText } from "./config/lock-file.ts";
export { readPrivate, writePrivate } from "./config/private-file.ts";
export type { LoadReport, ReportedSource } from "./config/report.ts";
export { type HookStats, readStats } from "./config/stats.ts";
export { type Approval, TrustStore } from "./config/trust-store.ts";
export { createRedactor } from "./decode/redact.ts";
export { cleanText } from "./decode/text.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  GREP_MAX_LINE_LENGTH,
  lastBytes,
  type TruncationOptions,
  type TruncationResult,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./decode/truncate.ts";
export {
  type About,
  fits,
  LONGEST_MS,
  type OwnSettings,
  type SettingRow,
  type SettingRows,
  type SettingValue,
  type Starter,
} from "./dialect/about.ts";
export { abouts } from "./dialect/abouts.ts";
export type { Candidate, CandidateState, Dialect, DialectSettings, Found, ItemKind, Scan } from "./dialect/dialect.ts";
export { CODES, type Code, type Severity } from "./error/codes.ts";
export { type Diagnostic, diagnose, type FailureTold, place, type Source, type Tier } from "./error/diagnostic.ts";
export { HooklineError, messageOf } from "./error/error.ts";
export { chooseFrom, didYouMean, guess, nearest } from "./error/nearest.ts";
export type { Call } from "./hook/call.ts";
export type { Contribution, ContributionKind } from "./hook/contribution.ts";
export { Contributions } from "./hook/contribution.ts";
export type { Hook } from "./hook/hook.ts";
export type { BodyLack, Lane, LaneRow, Scene } from "./hook/lane.ts";
export { type HookMetrics, percentile } from "./hook/metrics.ts";
export { systemFiles } from "./host/files.ts";
export { hooklineHomeOf, personHome } from "./host/home.ts";
export { type Review, reviewFiles } from "./host/review.ts";
export { createRuntime, Runtime, type RuntimeOptions } from "./host/runtime.ts";
export { Session } from "./host/session.ts";
export type { OnOptions, SessionOptions } from "./host/session-parts.ts";
export { commandText, FRAMES } from "./lens/flat.ts";
export { jsonProblem } from "./lens/has-json.ts";
export * from "./port/host.ts";
export { ownListener } from "./port/listener.ts";
export type { LlmCall, LlmReport, LlmTransport } from "./port/llm.ts";
export type { ProcessCall, ProcessReport, ProcessTransport } from "./port/process.ts";
export type { Accept } from "./run/context.ts";
export type { Explanation } from "./run/explain.ts";
export type { Edit, HookRun, LaneAnswer, Notice, Outcome, Status } from "./run/outcome.ts";
export { type TraceLine, withoutPayloads } from "./run/trace.ts";
export { traceSchema } from "./run/trace-schema.ts";
export type { EmitOptions, ToolOutput, WrappedCall, WrappedResult } from "./run/wrap.ts";
export { RUN_VARIABLE } from "./transport/process/marker.ts";
export { livingRuns, type RunRecord } from "./transport/process/run-file.ts";
