/** One setting of pi: the name in its methods, its path in the file, and its default. */
export interface SettingField {
  /** The name in the methods: `getName` and, unless the setting is read-only, `setName`. */
  readonly name: string;
  readonly path: string;
  readonly fallback?: unknown;
  readonly reads?: "only";
  /** The valid values. Any other value in the file counts as absent. */
  readonly oneOf?: readonly unknown[];
  /** Whether a project may have its own value, set with the method `setProjectName`. */
  readonly project?: true;
}

const COMPACTION_TOKENS = { reserveTokens: 16_384, keepRecentTokens: 20_000 };

/** The default token limits of compaction, which a model may override. */
export const compactionTokens: Readonly<Record<string, number>> = COMPACTION_TOKENS;

/**
 * The settings of pi that have their own methods.
 *
 * Source: the interface and the defaults of pi 0.87.1, read from its `SettingsManager`.
 */
export const SETTING_FIELDS: readonly SettingField[] = [
  { name: "LastChangelogVersion", path: "lastChangelogVersion" },
  { name: "SessionDir", path: "sessionDir", reads: "only" },
  { name: "DefaultProvider", path: "defaultProvider" },
  { name: "DefaultModel", path: "defaultModel" },
  { name: "SteeringMode", path: "steeringMode", fallback: "one-at-a-time" },
  { name: "FollowUpMode", path: "followUpMode", fallback: "one-at-a-time" },
  { name: "Theme", path: "theme" },
  { name: "ThemeSetting", path: "theme", reads: "only" },
  { name: "DefaultThinkingLevel", path: "defaultThinkingLevel" },
  { name: "AllModelThinkingLevels", path: "modelThinkingLevels", fallback: {}, reads: "only" },
  { name: "Transport", path: "transport", fallback: "auto" },
  { name: "CompactionEnabled", path: "compaction.enabled", fallback: true },
  { name: "BranchSummarySkipPrompt", path: "branchSummary.skipPrompt", fallback: false, reads: "only" },
  { name: "RetryEnabled", path: "retry.enabled", fallback: true },
  { name: "HttpIdleTimeoutMs", path: "httpIdleTimeoutMs", fallback: 300_000 },
  { name: "CacheWarmingMode", path: "cacheWarming", fallback: "streaming", oneOf: ["off", "streaming", "idle"] },
  { name: "WebSocketConnectTimeoutMs", path: "websocketConnectTimeoutMs", reads: "only" },
  { name: "HideThinkingBlock", path: "hideThinkingBlock", fallback: false },
  { name: "ShowCacheMissNotices", path: "showCacheMissNotices", fallback: false },
  { name: "ShellPath", path: "shellPath" },
  { name: "QuietStartup", path: "quietStartup", fallback: false },
  { name: "DefaultProjectTrust", path: "defaultProjectTrust", fallback: "ask", oneOf: ["ask", "always", "never"] },
  { name: "ShellCommandPrefix", path: "shellCommandPrefix" },
  { name: "NpmCommand", path: "npmCommand" },
  { name: "CollapseChangelog", path: "collapseChangelog", fallback: false },
  { name: "EnableInstallTelemetry", path: "enableInstallTelemetry", fallback: true },
  { name: "EnableAnalytics", path: "enableAnalytics", fallback: false },
  { name: "TrackingId", path: "trackingId", reads: "only" },
  { name: "Packages", path: "packages", fallback: [], project: true },
  { name: "ExtensionPaths", path: "extensions", fallback: [], project: true },
  { name: "SkillPaths", path: "skills", fallback: [], project: true },
  { name: "PromptTemplatePaths", path: "prompts", fallback: [], project: true },
  { name: "ThemePaths", path: "themes", fallback: [], project: true },
  { name: "EnableSkillCommands", path: "enableSkillCommands", fallback: true },
  { name: "ThinkingBudgets", path: "thinkingBudgets", reads: "only" },
  { name: "ShowImages", path: "terminal.showImages", fallback: true },
  { name: "ImageWidthCells", path: "terminal.imageWidthCells", fallback: 60 },
  { name: "ClearOnShrink", path: "terminal.clearOnShrink", fallback: false },
  { name: "ShowTerminalProgress", path: "terminal.showTerminalProgress", fallback: false },
  { name: "TuiMode", path: "tuiMode", fallback: "regular", oneOf: ["regular", "fullscreen"] },
  {
    name: "FullscreenExitOutput",
    path: "fullscreenExitOutput",
    fallback: "transcript",
    oneOf: ["transcript", "resume-hint"],
  },
  { name: "FullscreenScrollbar", path: "fullscreenScrollbar", fallback: "auto" },
  { name: "FullscreenCopyOnSelect", path: "fullscreenCopyOnSelect", fallback: true },
  { name: "ImageAutoResize", path: "images.autoResize", fallback: true },
  { name: "BlockImages", path: "images.blockImages", fallback: false },
  { name: "EnabledModels", path: "enabledModels" },
  { name: "DefaultTools", path: "defaultTools", reads: "only" },
  { name: "DoubleEscapeAction", path: "doubleEscapeAction", fallback: "tree" },
  {
    name: "TreeFilterMode",
    path: "treeFilterMode",
    fallback: "default",
    oneOf: ["default", "no-tools", "user-only", "labeled-only", "all"],
  },
  { name: "ShowHardwareCursor", path: "showHardwareCursor", fallback: false },
  { name: "EditorPaddingX", path: "editorPaddingX", fallback: 0 },
  { name: "OutputPad", path: "outputPad", fallback: 1, oneOf: [0, 1] },
  { name: "AutocompleteMaxVisible", path: "autocompleteMaxVisible", fallback: 5 },
  { name: "CodeBlockIndent", path: "markdown.codeBlockIndent", fallback: "  ", reads: "only" },
  {
    name: "MermaidRenderingMode",
    path: "markdown.mermaid",
    fallback: "streaming",
    oneOf: ["off", "final", "streaming"],
  },
  { name: "Warnings", path: "warnings", fallback: {} },
];
