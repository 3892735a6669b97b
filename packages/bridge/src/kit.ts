/** Exports for the folder of an agent (`integrations/src/NAME/host`), which makes its host from them. */

export { type NativeAnswer, SILENCE } from "./client/native-answer.ts";
export { realOf } from "./client/place.ts";
export { moduleAdapter } from "./extension/adapter.ts";
export { answerOf, changed, type Done, present, readEvent, some } from "./extension/done.ts";
export {
  askAgentStart,
  askMessage,
  askSettle,
  CONTEXT,
  callRows,
  cancelled,
  type ExtensionEvent,
  MESSAGE_MOMENTS,
  messagesIn,
  PROMPT,
  SHARED,
  START,
  TRIGGER,
  tellRunEnd,
  told,
} from "./extension/rows.ts";
export { extensionText, type ModuleParts, moduleText } from "./extension/text.ts";
export type { At, Grant, HostAdapter, Need, Scope } from "./host/adapter.ts";
export { type BridgeHost, type HostCall, type HostHooks, isPrinting } from "./host/host.ts";
export type { HostTable } from "./host/host-table.ts";
export type { HostNames } from "./host/names.ts";
export { fieldsOf, maybeText, objectIn, textIn } from "./host/payload.ts";
export { contentsOf } from "./install/change.ts";
export { flatFormat } from "./install/flat.ts";
export { groupsFormat } from "./install/groups.ts";
export { readJsonFile, settingsIn } from "./install/json-file.ts";
export { ADAPTER_FILE, isOwnCommand } from "./install/own-entries.ts";
export { idOf, keepId } from "./moment/call-id.ts";
export {
  claudeCall,
  claudeStartRow,
  compactedRow,
  doneRow,
  durationIn,
  permissionRow,
  promptRow,
  readClaude,
  spawnedRow,
  stopRow,
  typedPrompt,
} from "./moment/claude-rows.ts";
export { type ClaudeWords, inClaudeWords } from "./moment/claude-words.ts";
export { askCompaction, tellCompacted } from "./moment/compaction.ts";
export { compared } from "./moment/compared.ts";
export {
  askPrompt,
  askRun,
  askText,
  PROMPT_MOMENTS,
  RUN_MOMENTS,
  TEXT_MOMENTS,
  type TextVerdict,
} from "./moment/prompt.ts";
export { eventsOf, type HostRow } from "./moment/rows.ts";
export { askStart, endRow, startReason, startRow } from "./moment/session.ts";
export { shownText, withText } from "./moment/shaped-result.ts";
export {
  askEnd,
  askStop,
  END_MOMENTS,
  exchange,
  rememberPrompt,
  replyMessage,
  STOP_MOMENTS,
  tellEnd,
} from "./moment/stop.ts";
export { askDone, askSpawn, askSpawned, tellDone } from "./moment/sub-agent.ts";
export {
  askApproval,
  askCall,
  askResult,
  callIn,
  callMoments,
  type HostToolCall,
  hasFailed,
  RESULT_MOMENTS,
  type ResultVerdict,
  toldOf,
} from "./moment/tool.ts";
export { keep, taken } from "./moment/waiting.ts";
export { reasonOf, spoken } from "./moment/words.ts";
