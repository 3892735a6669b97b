/**
 * What hookline's own agent needs of the library besides its public names. It does not follow semantic versioning: any
 * release may change or remove any of it.
 */
export { catalog, type Folded } from "./catalog/catalog.ts";
export type {
  AssistantMessage,
  BashExecutionMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  Content,
  CustomMessage,
  Entry,
  ImageBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./catalog/message.ts";
export type { PromptOptions, PromptParts, PromptSkill } from "./catalog/prompt.ts";
export type { NeutralRequest, OfferedTool } from "./catalog/request.ts";
export type { CatalogRow, Cause } from "./catalog/row.ts";
export { admission, type Lack, type Missing } from "./config/admission.ts";
export { callHash } from "./config/call-hash.ts";
export { type Judgement, trustNothing, type Verdict } from "./config/consent.ts";
export type { Fingerprint } from "./config/fingerprint.ts";
export { lockPath, lockText } from "./config/lock-file.ts";
export { readPrivate, writePrivate } from "./config/private-file.ts";
export type { ReportedSource } from "./config/report.ts";
export { type HookStats, readStats } from "./config/stats.ts";
export type { Approval } from "./config/trust-store.ts";
export { jsonLines } from "./decode/lines.ts";
export { createRedactor } from "./decode/redact.ts";
export { cleanText } from "./decode/text.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  GREP_MAX_LINE_LENGTH,
  lastBytes,
  type TruncationResult,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./decode/truncate.ts";
export {
  fits,
  LONGEST_MS,
  type OwnSettings,
  type SettingRow,
  type SettingRows,
  type SettingValue,
  type Starter,
} from "./dialect/about.ts";
export { abouts } from "./dialect/abouts.ts";
export type { Candidate, Dialect, DialectSettings, ItemKind, Scan } from "./dialect/dialect.ts";
export { type Lacking, namesOf, stubsOf } from "./dialect/inprocess/stub.ts";
export { expandPath } from "./dialect/written-path.ts";
export { CODES, type Code } from "./error/codes.ts";
export { diagnose, type FailureTold, place, type Tier } from "./error/diagnostic.ts";
export { messageOf } from "./error/error.ts";
export { chooseFrom, didYouMean, guess, nearest } from "./error/nearest.ts";
export type { InBackground } from "./hook/background.ts";
export type { Contribution } from "./hook/contribution.ts";
export type { Hook } from "./hook/hook.ts";
export type { Lane, LaneRow } from "./hook/lane.ts";
export { percentile } from "./hook/metrics.ts";
export { systemFiles } from "./host/files.ts";
export { hooklineHomeOf, personHome } from "./host/home.ts";
export { type Review, reviewFiles } from "./host/review.ts";
export { commandText, FRAMES } from "./lens/flat.ts";
export { jsonProblem } from "./lens/has-json.ts";
export type {
  CustomMessageInput,
  DialogOptions,
  ExecOptions,
  ExecResult,
  HostControl,
  HostConversation,
  HostModels,
} from "./port/host.ts";
export { ownListener } from "./port/listener.ts";
export type { LlmCall, LlmReport } from "./port/llm.ts";
export type { ProcessCall, ProcessReport, ProcessTransport } from "./port/process.ts";
export { mayAllow } from "./run/approval.ts";
export type { Accept } from "./run/context.ts";
export type { Explanation } from "./run/explain.ts";
export type { Author, LaneAnswer, Notice } from "./run/outcome.ts";
export { withoutPayloads } from "./run/trace.ts";
export { traceSchema } from "./run/trace-schema.ts";
export { RUN_VARIABLE } from "./transport/process/marker.ts";
export { livingRuns } from "./transport/process/run-file.ts";
