/**
 * Exports the engine's names that other packages of this repository need besides the public ones: the catalog's rows,
 * lenses, lanes, the ports, and the tables of tools. Only those packages can import this module; it is not published.
 */
export { patchPaths } from "./agent-tools/patch.ts";
export { type CallReading, type CallView, type NamedCall, namesIn, readCall } from "./agent-tools/read.ts";
export { cleanedName, isServerTool, mayBeServerTool, serverToolName } from "./agent-tools/server-tool.ts";
export {
  type AgentTool,
  type AgentTools,
  argumentSpellings,
  guessesOf,
  kindOf,
  namesOf as namesOfArgument,
  type ToolKind,
  toolNamed,
} from "./agent-tools/table.ts";
export { isAnswer } from "./catalog/agent.ts";
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
export { isAnything, notAnAnswer, wrongType } from "./catalog/read.ts";
export type { ModelRef, NeutralRequest, OfferedTool } from "./catalog/request.ts";
export type { CatalogRow, Cause, FailedHook, Failure, Kind, Odd, Read, ReadResult, Schedule } from "./catalog/row.ts";
export { subcommandAt } from "./command/forms.ts";
export { interpreterOf } from "./command/programs.ts";
export { writesFiles } from "./command/reading.ts";
export { foldersOf, touchedBy } from "./command/touched.ts";
export { type Walk, walksOf } from "./command/walks.ts";
export { shellQuoted } from "./command/word.ts";
export {
  fits,
  LONGEST_MS,
  type OwnSettings,
  type SettingRow,
  type SettingRows,
  type SettingValue,
  type Starter,
} from "./dialect/about.ts";
export type {
  Candidate,
  CandidateState,
  Dialect,
  DialectSettings,
  ItemKind,
  Scan,
  Surroundings,
} from "./dialect/dialect.ts";
export { globFiles, globMatch, isGlob } from "./dialect/glob.ts";
export { type HomeFolder, homeFolders, hooklineFolders } from "./dialect/home-folder.ts";
export { JSON_LIMITS, unreadJson } from "./dialect/json.ts";
export { keepText } from "./dialect/kept-text.ts";
export { isInside, projectAbove, realAsFar, unusedMarkers } from "./dialect/project.ts";
export { edit } from "./dialect/row.ts";
export { sharedOf } from "./dialect/session-wide.ts";
export { expandPath, spellingsOf, withPlainSpaces } from "./dialect/written-path.ts";
export type { Guard, ToolArguments } from "./guard/guard.ts";
export { type GuardFault, readGuard } from "./guard/read.ts";
export { guardSpec } from "./guard/spec.ts";
export type { InBackground } from "./hook/background.ts";
export { type Conflict, type Contribution, type ContributionKind, Contributions } from "./hook/contribution.ts";
export { type Exclusion, exclusionOf } from "./hook/exclusion.ts";
export { expectedWord, type GuardCase } from "./hook/guard-case.ts";
export type { Fits, Hook } from "./hook/hook.ts";
export { Instance } from "./hook/instance.ts";
export type { BodyLack, Lane, LaneRow, ToolIdentity } from "./hook/lane.ts";
export { HookMetrics } from "./hook/metrics.ts";
export {
  type Alternative,
  type Finding,
  isOffered,
  mayBegin,
  type Offer,
  type Reach,
  reachOf,
  type ToolHere,
} from "./hook/offer.ts";
export { type CallArgs, inverse, renameArgs, sameCalls } from "./lens/call.ts";
export { chatBody, isHeld, isShown, putChat, type ViewedRequest } from "./lens/chat.ts";
export { cloneAnswer, cloneShell, isPlain } from "./lens/clone.ts";
export { equal } from "./lens/equal.ts";
export { commandText, FRAMES } from "./lens/flat.ts";
export { assertJson, jsonKind, jsonProblem } from "./lens/has-json.ts";
export { type FlatMessage, flatten, type GivenMessage, newMessages, orphansOf, putMessages } from "./lens/messages.ts";
export { putText } from "./lens/text.ts";
export type { TextCache } from "./port/cache.ts";
export type {
  CallAnswer,
  CommandDefinition,
  CustomMessageInput,
  DialogOptions,
  ExecOptions,
  ExecResult,
  HostAgent,
  HostControl,
  HostConversation,
  HostModels,
  ServerRegistrar,
  ToolDefinition,
} from "./port/host.ts";
export type { HttpStream, HttpTransport } from "./port/http.ts";
export { joinedSignal } from "./port/joined-signal.ts";
export type { LlmCall, LlmReport } from "./port/llm.ts";
export { LACKS, type MissingName, type ModuleCall, type ModuleReport } from "./port/module.ts";
export { overlay, stands } from "./port/overlay.ts";
export type { OpenProcess, ProcessCall, ProcessReport, ProcessTransport } from "./port/process.ts";
export type { TraceContext } from "./port/trace-context.ts";
export { mayAllow } from "./run/attributed.ts";
export type { Accept } from "./run/context.ts";
export { Deadlines } from "./run/deadline.ts";
export { dispatch } from "./run/dispatch.ts";
export { type Explanation, limitText, listensElsewhere, notMatched } from "./run/explain.ts";
export { failureOf } from "./run/failure.ts";
export { libraryLane } from "./run/library.ts";
export { type Operation, type OperationContent, UNWATCHED } from "./run/observer.ts";
export type { Author, LaneAnswer, Notice } from "./run/outcome.ts";
export { withoutPayloads } from "./run/trace.ts";
export { traceSchema } from "./run/trace-schema.ts";
export { wouldOf } from "./run/would.ts";
export type { LeftOut } from "./run/wrap.ts";
