import type { Lent } from "./modules.ts";
import { type Exports, type Mentions, mentioned, type Part } from "./part.ts";
import { STUB_NAMES, stubs } from "./stubs.ts";

/**
 * Exports of `@earendil-works/pi-coding-agent` that hookline's pi dialect does not provide itself. Source: spec/pi.md
 * 4; the package's own index, 0.87.1.
 */
const parts: readonly Part<Lent>[] = [
  {
    names: [
      "createReadTool",
      "createBashTool",
      "createEditTool",
      "createWriteTool",
      "createGrepTool",
      "createFindTool",
      "createLsTool",
      "createCodingTools",
      "createReadOnlyTools",
      "createLocalBashOperations",
    ],
    load: async (lent) => ({ ...(await import("./tools.ts")).toolFactories(lent) }),
  },
  {
    names: [
      "createReadToolDefinition",
      "createBashToolDefinition",
      "createEditToolDefinition",
      "createWriteToolDefinition",
      "createGrepToolDefinition",
      "createFindToolDefinition",
      "createLsToolDefinition",
    ],
    load: async (lent) => (await import("./tool-definitions.ts")).toolDefinitions(lent),
  },
  { names: ["withFileMutationQueue"], load: () => import("../tool/mutation-queue.ts") },
  { names: ["generateDiffString", "generateUnifiedPatch"], load: () => import("./diff-text.ts") },
  { names: ["convertToLlm", "serializeConversation"], load: () => import("../session/to-llm.ts") },
  { names: ["SessionManager"], load: () => import("../session/session.ts") },
  { names: ["buildSessionContext"], load: () => import("../session/context.ts") },
  {
    names: [
      "CURRENT_SESSION_VERSION",
      "parseSessionEntries",
      "migrateSessionEntries",
      "buildSessionProjection",
      "buildContextEntries",
      "sessionEntryToContextMessages",
      "getLatestCompactionEntry",
    ],
    load: () => import("./session-format.ts"),
  },
  {
    names: [
      "estimateTokens",
      "calculateContextTokens",
      "DEFAULT_COMPACTION_SETTINGS",
      "shouldCompact",
      "getLastAssistantUsage",
    ],
    load: () => import("./sizes.ts"),
  },
  { names: ["ModelRegistry"], load: () => import("../provider/registry.ts") },
  {
    // The type of the session entries in which pi stores the state of its virtual models.
    names: ["VIRTUAL_MODEL_STATE_ENTRY"],
    load: async () => ({ VIRTUAL_MODEL_STATE_ENTRY: "pi.virtual-model-state" }),
  },
  { names: ["formatReadLineRange"], load: () => import("./line-range.ts") },
  { names: ["parseSkillBlock"], load: () => import("./skill-block.ts") },
  { names: ["createSyntheticSourceInfo"], load: () => import("./source-info.ts") },
  {
    names: ["loadProjectContextFiles"],
    load: async (lent) => (await import("./context-files.ts")).contextFileLoader(lent),
  },
  { names: ["copyToClipboard"], load: () => import("./clipboard.ts") },
  { names: ["Theme"], load: () => import("../tui/theme/theme.ts") },
  { names: ["initTheme"], load: async (lent) => (await import("../tui/theme/choose.ts")).themeChooser(lent) },
  {
    names: ["getMarkdownTheme", "getSelectListTheme", "getSettingsListTheme"],
    load: () => import("../tui/theme/styles.ts"),
  },
  { names: ["highlightCode"], load: () => import("../tui/theme/highlight.ts") },
  { names: ["getLanguageFromPath"], load: () => import("./file-language.ts") },
  { names: ["renderDiff"], load: () => import("../tui/theme/diff.ts") },
  { names: ["CustomEditor"], load: () => import("../tui/widget/custom-editor.ts") },
  { names: ["BorderedLoader"], load: () => import("../tui/widget/bordered-loader.ts") },
  { names: ["DynamicBorder"], load: () => import("../tui/widget/dynamic-border.ts") },
  { names: ["keyHint", "keyText", "rawKeyHint"], load: () => import("../tui/widget/key-hint.ts") },
  {
    names: ["UserMessageComponent", "AssistantMessageComponent", "CustomMessageComponent"],
    load: () => import("../tui/widget/messages.ts"),
  },
  { names: ["truncateToVisualLines"], load: () => import("../tui/widget/visual-lines.ts") },
  {
    names: ["createExtensionRuntime", "wrapRegisteredTool", "wrapRegisteredTools"],
    load: () => import("./extension-runtime.ts"),
  },
  { names: ["SettingsManager"], load: () => import("./pi-settings.ts") },
  {
    names: ["DefaultResourceLoader"],
    load: async (lent) => (await import("./resource-loader.ts")).resourceLoaders(lent),
  },
  { names: ["loadSkills", "loadSkillsFromDir", "formatSkillsForPrompt"], load: () => import("./loaded-skills.ts") },
  { names: ["ModelRuntime"], load: async (lent) => (await import("./model-runtime.ts")).modelRuntimes(lent) },
  { names: ["CredentialSynchronizationError", "readStoredCredential"], load: () => import("./model-runtime.ts") },
  { names: ["resolveCliModel", "resolveModelScopeWithDiagnostics"], load: () => import("./model-choice.ts") },
  {
    names: ["findCutPoint", "findTurnStartIndex", "collectEntriesForBranchSummary", "prepareBranchEntries"],
    load: () => import("./summaries.ts"),
  },
  {
    names: ["compact", "generateSummary", "generateSummaryWithUsage", "generateBranchSummary"],
    load: async (lent) => ({ ...(await import("./summaries.ts")).summaryWriters(lent) }),
  },
  { names: ["getShellConfig", "getPowerShellConfig"], load: () => import("./pi-shell.ts") },
  {
    names: ["getPackageDir", "getReadmePath", "getDocsPath", "getExamplesPath", "hasTrustRequiringProjectResources"],
    load: () => import("./pi-paths.ts"),
  },
  {
    names: ["detectSupportedImageMimeTypeFromFile", "resizeImage", "convertToPng", "formatDimensionNote"],
    load: () => import("./images.ts"),
  },
  { names: STUB_NAMES, load: async () => stubs() },
];

/** The names of all exports that this file provides. */
export const LENT_NAMES: readonly string[] = parts.flatMap(({ names }) => names);

/** Returns the exports of `pi-coding-agent` that a module may use. */
export function codingAgentExports(lent: Lent, mentions: Mentions): Promise<Exports> {
  return mentioned(parts, lent, mentions);
}
