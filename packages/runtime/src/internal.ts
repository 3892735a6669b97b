/**
 * What hookline's own agent needs of the library besides its public names. It does not follow semantic versioning: any
 * release may change or remove any of it.
 */
export { claudeTools } from "./agent-tools/claude.ts";
export { codexTools } from "./agent-tools/codex.ts";
export { copilotTools } from "./agent-tools/copilot.ts";
export { cursorTools } from "./agent-tools/cursor.ts";
export { geminiTools } from "./agent-tools/gemini.ts";
export { ompTools } from "./agent-tools/omp.ts";
export { opencodeTools } from "./agent-tools/opencode.ts";
export { patchPaths } from "./agent-tools/patch.ts";
export { piTools } from "./agent-tools/pi.ts";
export { qwenTools } from "./agent-tools/qwen.ts";
export { type CallReading, type CallView, type NamedCall, namesIn, readCall } from "./agent-tools/read.ts";
export { type AgentTool, type AgentTools, guessesOf, kindOf, type ToolKind, toolNamed } from "./agent-tools/table.ts";
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
export { writesFiles } from "./command/reading.ts";
export { admission, type Lack, type Missing } from "./config/admission.ts";
export { callHash } from "./config/call-hash.ts";
export { approveEverything, type Judgement, trustNothing, type Verdict } from "./config/consent.ts";
export { exclusively } from "./config/exclusive.ts";
export { expectedBySettings } from "./config/expected.ts";
export type { Fingerprint } from "./config/fingerprint.ts";
export { LockWatch, lockPath, lockText } from "./config/lock-file.ts";
export { claimName, isAlive } from "./config/owner.ts";
export { readPrivate, writePrivate } from "./config/private-file.ts";
export { randomBytes, randomUuid, uuidOf } from "./config/random.ts";
export type { ReportedSource } from "./config/report.ts";
export { meantBy, pathIn } from "./config/shadow.ts";
export { type HookStats, readHostStats, readStats, resetStats, type StatsSpan } from "./config/stats.ts";
export type { Approval } from "./config/trust-store.ts";
export { decodeText, lenientText, parseJson } from "./decode/bytes.ts";
export { hookUrl } from "./decode/http-url.ts";
export { readJson } from "./decode/json.ts";
export { jsonLines } from "./decode/lines.ts";
export { isProviderKey } from "./decode/provider-keys.ts";
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
export type { Candidate, Dialect, DialectSettings, ItemKind, Scan, Surroundings } from "./dialect/dialect.ts";
export { homeFolders, hooklineFolders } from "./dialect/home-folder.ts";
export { type Lacking, namesOf, stubsOf } from "./dialect/inprocess/stub.ts";
export { projectAbove, realAsFar, unusedMarkers } from "./dialect/project.ts";
export { expandPath, spellingsOf, withPlainSpaces } from "./dialect/written-path.ts";
export { CODES, type Code } from "./error/codes.ts";
export { diagnose, type FailureTold, place, TIER_RANK, type Tier } from "./error/diagnostic.ts";
export { messageOf } from "./error/error.ts";
export { chooseFrom, didYouMean, guess, nearest } from "./error/nearest.ts";
export type { InBackground } from "./hook/background.ts";
export type { Contribution } from "./hook/contribution.ts";
export { type Exclusion, exclusionOf } from "./hook/exclusion.ts";
export type { Hook } from "./hook/hook.ts";
export type { Lane, LaneRow, ToolIdentity } from "./hook/lane.ts";
export { systemClock } from "./host/clock.ts";
export { fileId, systemFiles } from "./host/files.ts";
export { hooklineHomeOf, personHome } from "./host/home.ts";
export { recorderOf } from "./host/recorder.ts";
export { type Review, reviewFiles } from "./host/review.ts";
export { renameArgs } from "./lens/call.ts";
export { commandText, FRAMES } from "./lens/flat.ts";
export { jsonProblem } from "./lens/has-json.ts";
export type { Clock, Timer } from "./port/clock.ts";
export type { Files } from "./port/files.ts";
export type {
  CustomMessageInput,
  DialogOptions,
  ExecOptions,
  ExecResult,
  HostControl,
  HostConversation,
  HostModels,
} from "./port/host.ts";
export type { HttpStream, HttpTransport } from "./port/http.ts";
export { joinedSignal } from "./port/joined-signal.ts";
export { ownListener } from "./port/listener.ts";
export type { LlmCall, LlmReport } from "./port/llm.ts";
export type { OpenProcess, ProcessCall, ProcessReport, ProcessTransport } from "./port/process.ts";
export { Follower, type PassedLine, type Section } from "./record/follow.ts";
export { type FileLine, lineAt, linesOf, type RecordingBytes } from "./record/lines.ts";
export type { Recorder } from "./record/recorder.ts";
export { type Records, recordersOf } from "./record/recorders.ts";
export { askedSchema, headerSchema, momentSchema, shadowSchema } from "./record/schema.ts";
export { type NewHeader, type NewMoment, RecordingWriter } from "./record/write.ts";
export { mayAllow } from "./run/attributed.ts";
export type { Accept } from "./run/context.ts";
export { Deadlines } from "./run/deadline.ts";
export { type Explanation, notMatched } from "./run/explain.ts";
export {
  type Operation,
  type OperationContent,
  UNWATCHED,
} from "./run/observer.ts";
export type { Author, LaneAnswer, Notice } from "./run/outcome.ts";
export { withoutPayloads } from "./run/trace.ts";
export { traceSchema } from "./run/trace-schema.ts";
export { wouldOf } from "./run/would.ts";
export { RUN_VARIABLE } from "./transport/process/marker.ts";
export { deadRuns, livingRuns } from "./transport/process/run-file.ts";
