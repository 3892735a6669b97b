import type { Lacking } from "../../../in-process/stub.ts";

/**
 * Exports of omp's main package that hookline does not have, by a text that says what to use instead. Source: its
 * 18.2.3.
 */
export const LACKING: Lacking = {
  "it is a part of omp's own program; use the members of pi and ctx, or a package of your own instead.": `ALL_SEGMENT_IDS ARTIFACT_DEFAULT_HEAD_BYTES ARTIFACT_DEFAULT_MAX_BYTES AgentOutputManager AgentRegistry
    BACKGROUND_TAN_DISPATCH_MESSAGE_TYPE BASH_DEFAULT_PREVIEW_LINES BUDGET_STOP_GRACE_REQUESTS BUNDLED_AGENTS
    CHECKPOINT_ACTIVE_REMINDER_TYPE COMPOSER_DEFAULTS CRITICAL_BASH_PATTERNS CmuxSocketClient ComputerSupervisor
    CountdownTimer DEBUG_READONLY_ACTIONS DEFAULT_CUSTOM_MESSAGE_TYPE DEFAULT_EDIT_MODE DEFAULT_FILE_LIMIT
    DEFAULT_HUB_LIST_LIMIT DEFAULT_MAX_COLUMN DEFAULT_RELAY_URL EPHEMERAL_MODEL_CHANGE_ROLE
    ESSENTIAL_BUILTIN_TOOL_NAMES EVAL_DEFAULT_PREVIEW_LINES FileFormatResult ForkSourceNotFoundError
    GENERIC_ABORT_SENTINEL GH_COMMAND_TIMEOUT_MS GoalRuntime INTERNAL_DETAILS_FIELDS
    INTERRUPTED_THINKING_MESSAGE_TYPE KEYBINDINGS KeybindingsManager LIVE_DELEGATION_MESSAGE_TYPE
    LSP_LATE_DIAGNOSTIC_MESSAGE_TYPE LSP_READONLY_ACTIONS MAIN_AGENT_ID MAX_HUB_LIST_LIMIT
    MULTI_FILE_PER_FILE_MATCHES ModelBrowser OTHER_OPTION OutputSink PI_LOGO PREVIEW_PENDING_NOTICE
    PREWALK_PLAN_MESSAGE_TYPE PRIORITY_LABELS PROPOSE_DEVICE_NAME PROPOSE_DEVICE_PATH REJECT_DEVICE_NAME
    REJECT_DEVICE_PATH REMOTE_REFRESH_SENTINEL REPORT_ISSUE_DEVICE_NAME REPORT_ISSUE_DEVICE_PATH RESOLVE_DEVICE_NAME
    RESOLVE_DEVICE_PATH SEGMENTS SESSION_TITLE_SLOT_BYTES SESSION_TITLE_SLOT_ENTRY_TYPE
    SHUTDOWN_CONSOLIDATE_BUDGET_MS SILENT_ABORT_MARKER SINGLE_FILE_MATCHES SKILL_PROMPT_MESSAGE_TYPE SKILL_TOKEN_RE
    SNAPSHOT_MAX_BYTES SOFT_REQUEST_BUDGET SPACE_HOLD_MECHANICAL_RUN SPACE_HOLD_RELEASE_MS SPACE_REPEAT_JITTER_MS
    SPACE_REPEAT_JITTER_RATIO SPACE_REPEAT_MAX_GAP_MS STATUS_LINE_PRESETS SUBAGENT_WARNING_MISSING_YIELD
    SUBAGENT_WARNING_NULL_YIELD SUBAGENT_WARNING_SCHEMA_OVERRIDDEN Settings TASK_SUBAGENT_EVENT_CHANNEL
    TASK_SUBAGENT_LIFECYCLE_CHANNEL TASK_SUBAGENT_PROGRESS_CHANNEL TITLE_CHANGE_ENTRY_TYPE
    TODO_COMPACT_TERMINAL_ROWS_THRESHOLD TODO_STRIKE_HOLD_FRAMES TODO_STRIKE_REVEAL_FRAMES TODO_STRIKE_TOTAL_FRAMES
    TailBuffer USER_INTERRUPT_LABEL USER_TODO_EDIT_CUSTOM_TYPE VIBE_MODE_CONTEXT_MESSAGE_TYPE VIBE_TOOL_NAMES
    XDEV_DOCS_PER_DEVICE_CAP XDEV_DOCS_TOTAL_BUDGET XDEV_EXTERNAL_DESCRIPTION_CAP XDEV_KEEP_TOP_LEVEL
    XDEV_TRANSPORT_TOOLS addFileDeleteFallback addFileWriteFallback allowsSkillTokens appKey
    appendInlineArgsFallback applyOpsToPhases applyResolvedSystemPromptInputs assistantTurnProducedOutput
    attachIrcWakeTurnMonitor bashExecutionToText bashPtyViewport buildAriaSnapshotScript buildBrowserItems
    buildBudgetNotice buildCoordinationAdvisory buildDirectoryTree buildModelScopeNotification
    buildReplanTitleContext buildSearchAffinity buildSearchDateQualifier buildSpecializationAdvisory
    buildSystemPrompt buildWakeRelayBody buildWorkspaceTree cmuxSnapshotToObservation collectIrcPeerRoster
    committedTodoPhases completionBudgetReport composeSpawnAdvisory computeEditorMaxHeight computerApproval
    createAutoLearnCaptureRunner createBrowserPrelude createComputerPrelude createHighlightStream
    createLspWritethrough createSubagentSettings dedupeEphemeralReply deleteFileWithFallback
    demoteInterruptedThinking dispatchReportIssueDevice dispatchResolutionDevice editDescriptionCompact editorKey
    enforceInlineByteCap expandCommand expandPromptTemplate extractBracketedImagePastePath
    extractBracketedImagePastePaths extractBracketedPastePaths extractImagePastePathsFromText
    extractImagePathFromText extractPastePathsFromText extractReadableFromHtml finalizeSubagentLifecycle
    finalizeSubprocessOutput flushGrievances flushLspWritethroughBatch formatBashCommandLines
    formatHeadTruncationNotice formatMiddleElisionMarker formatPhaseDisplayName formatRepoRef
    formatResultOutputFallback formatRoleChip formatTailTruncationNotice formatTaskResultSummary generateId
    getActiveSkills getAgent getBashEnvForDisplay getCommand getDefaultPasteImageKeys getEditStore
    getImageGenToolsWithRegistry getLatestTodoSnapshotIdentity getLspBatchRequest getLspStatus
    getOpenAiRemoteCompactionPayload getOrFetchIssue getOrFetchPr getOrFetchPrDiff getPreset getPriorityInfo
    getSearchProvider getSeparator getSkillSlashCommandName github githubIssueJsonWithStateReasonFallback
    goalTokenDelta groupedReadUsageCallIds hasConversationalHistory hasFileDeleteFallback hasFileWriteFallback
    hubErrorResult invalidateConvertToLlmArrayCache isAutoQaEnabled isClosedTodo isEmptyAssistantStop
    isEmptyErrorTurn isFindingPriority isImageProviderPreference isIrcEnabled isMarkdownPath isPermissionDeniedError
    isReadOnlyAgent isResolutionDeviceName isSearchProviderId isSearchProviderPreference isSilentAbort isTodoPhase
    isUserInterruptAbort isUserInvokedSkillPrompt isUserRequestEntry isUserTurnInitiator isWaitingPollDetails
    logProviderTurnError mapWaitUntil markdownToPhases mergeDiscoveredModel migrateKeybindingsConfigFile
    migrateToCurrentVersion modelSearchText modifierLabel nextActionableTask noTruncResult normalizeEditMode
    onTerminalAppearanceChange openAutoQaDb parseAriaRefSelector parseFindingDetails parsePositiveDecimalInt
    parsePrUnifiedDiff parseSearchDateBound parseSkillInvocation phaseRomanNumeral phasesToMarkdown pickWeightedTip
    planSaveFileName powerAssertionOptions pythonExecutionToText queueResolveHandler rankModelItems
    readArgsCollapseIntoGroup readArgsHaveTarget readEvalBackendsAllowance readPipedInput readQueueChipText
    rebuildScopedModelsAfterDiscovery recoverAskQuestions recoverOrphanedBackups refreshAgentDiscovery
    registerComputerController remainingTokens replaceLlmImagesWithText reportIssueDeviceUsage
    resetActiveSkillsForTests resetProviderAutoRefreshGuard resetThinkingSpeedTracker resetYieldTurnState
    resolutionDeviceUsage resolveAbortLabel resolveAutoQaConsent resolveCmuxKind resolveDefaultRepoMemoized
    resolveDialect resolveDispatchDetails resolveEvalBackends resolveLocalWavPath resolveRelayKind
    resolveRoleAssignments resolveScopedModels resolveSegmentPalette resolveSoftRequestBudget
    resolveSpeculativeReadTarget resolveTodoMarkdownPath resolveTtsBackend restartBrowserForModeChange
    routeViewportClick runSearchQuery sanitizeAssistantForReparentedHistory selectCollapsedTodos serializeEval
    setActiveSkills setActiveTodoDescriptionsProvider setAutoQaConsentHandler setExcludedSearchProviders
    setImageProviderOrder setMarkdownMermaidRendering setSearchProviderOrder settings shouldEnterPlanModeOnStartup
    shouldRenderAbortReason smokeTestComputerWorker sortModelItems spawnComputerWorker splitImageQuestionTarget
    startMacOSAppearanceReprobeFallback streamTailUpdates stripInternalDetailsFields submitInteractiveInput
    supportsExternalThinking templateUsesInlineArgPlaceholders thinkingLevelGlyph todoMatchesAnyDescription
    toolRenderName truncateHeadBytes truncateLineBytes truncateMiddle truncateTailBytes userBubbleColor
    userTurnDraft warmHighlighter warmupLspServers wrapShellLineForClientTerminal wrapSteeringForModel
    writeDeviceDispatch writeFileWithFallback writeStartupNotice writethroughNoop z zod`,
  "register a tool of your own with pi.registerTool, or use createReadTool and the like of this package instead.": `AskTool AstEditTool AstGrepTool BUILTIN_TOOLS BashTool CheckpointTool ContextNotesTool CustomToolAdapter
    CustomToolLoader DebugTool EditTool EvalTool ExtensionToolWrapper GithubTool GlobTool GoalTool GrepTool
    HIDDEN_TOOLS HubTool LearnTool LspTool ManageSkillTool MemoryEditTool MemoryRecallTool MemoryReflectTool
    MemoryRetainTool NewContextTool READ_ONLY_TOOL_NAMES ReadTool RegisteredToolAdapter RewindTool SecurityScanTool
    TaskTool ThinkTool TodoTool VibeKillTool VibeListTool VibeSendTool VibeSpawnTool VibeWaitTool WebSearchTool
    WriteTool YieldTool applyPatchSchema buildGoalToolResponse createMCPProxyTools createTools createVibeTools
    customToolToDefinition defaultLoadModeForToolName defineRpcClientTool discoverAndLoadCustomTools
    discoverCustomToolPaths dispatchXdevTool evalSchema extensionToolSourceInfo getEvalToolDescription
    getImageGenTools getSearchTools hashlineEditParamsSchema imageGenSchema imageGenTool isMountableUnderXdev
    isPreviewResolutionToolCall isProposeToolCall isReportIssueToolCall listXdevTools loadCustomTools
    patchEditEntrySchema patchEditSchema replaceEditSchema resolveEditToolDescription resolveMountedXdevExecutable
    resolveMountedXdevTool resolveXdevTool setXdevRendererLookup sloppyEditSchema taskSchema ttsTool
    webSearchCustomTool webSearchSchema xdevActivitySummary xdevDocs xdevDocsAll xdevDocsFor xdevEntries xdevListing`,
  "draw with the components of pi-tui in ctx.ui.custom instead.": `AdvisorConfigOverlayComponent CollapsedSyntheticMessageComponent Composer Container
    HandoffSummaryMessageComponent HookMessageComponent Markdown ModelHubComponent ModelPickerComponent
    PINNED_HUD_TOGGLE_ID QueueModeSelectorComponent ReadToolGroupComponent RewindSelectorComponent
    SPINNER_GLYPH_ADVANCE_MS SPINNER_RENDER_INTERVAL_MS Spacer StatusLineComponent SubagentHudComponent
    TODO_HUD_STATE_CUSTOM_TYPE Text TinyTitleDownloadProgressComponent TodoReminderComponent
    TtsrNotificationComponent WELCOME_LSP_SLOTS WELCOME_SESSION_SLOTS WelcomeComponent appKeyHint askToolRenderer
    astEditToolRenderer astGrepToolRenderer bashToolRenderer createHandoffSummaryMessageComponent
    createShellRenderer createTodoHudStateData createVibeToolRenderer debugToolRenderer editToolRenderer
    evalToolRenderer formatKeyHint formatKeyHints getTodoHudVisibility globToolRenderer goalToolRenderer
    grepToolRenderer hubToolRenderer keyHintPlatform layoutPinnedHud readToolRenderer renderGoalPrompt
    renderReportIssueDeviceCall renderResolutionDeviceCall renderSegment renderSegmentTrack renderStreamingFallback
    renderSubagentHudLines renderTrustedObjective renderWelcomeTip renderXdevCall renderXdevResult resolveRenderer
    setKeyHintPlatform sharedSpinnerFrame stopSharedSpinnerTicker thinkToolRenderer todoToolRenderer
    writeToolRenderer`,
  "read the session with ctx.sessionManager, and go through sessions with ctx.newSession, ctx.switchSession, ctx.branch and ctx.navigateTree instead.": `FileSessionStorage IndexedSessionStorage MemorySessionStorage RedisSessionStorage SessionLockError
    SessionPersistenceIndeterminateError SessionResolutionError SessionWriteConflictError SqlSessionStorage
    buildResolveReminderMessage buildSessionModelScope buildSessionOptions buildSkillPromptMessage
    cleanupEmptyMoveSession copySessionArtifacts createAcpSessionFactory createBranchSummaryMessage
    createCompactionSummaryMessage createCustomMessage createIrcMessageCard createSessionManager
    customMessageEntryMessage didSessionMessagesChange disposeSessionQuietly extractSessionInit
    findMostRecentSession formatSessionDumpText getExperimentalContextSession getLatestTodoPhasesFromEntries
    getRecentSessions getRestorableSessionModels isCustomMessageContent isTranscriptEntry listAllSessions
    listSessions listSessionsReadOnly mergeSessionRanking normalizeContinueSessionArgs normalizeCustomMessagePayload
    parseSessionContent rankSessionSearchMatches releaseComputerSessionsForOwner resolveBlobRefsInEntries
    resolveResumableSession sanitizeRehydratedOpenAIResponsesAssistantMessage stripImagesFromMessage
    toSessionScopedModels transcriptEntryMessage visitEntriesFromFile visitEntriesFromFileStream
    withFileMutationSession`,
  "use ctx.ui.theme instead.": `bindTheme enableAutoTheme ensureTheme ensureThemeSync fgOrPlain getAvailableSymbolPresets getAvailableThemes
    getAvailableThemesWithPaths getColorBlindMode getCurrentThemeName getEditorTheme getResolvedThemeColors
    getSymbolPresetOverride getSymbolTheme getThemeByName getThemeEpoch getThemeExportColors gradientEscape
    gradientLogo initThemeSync isLightTheme isValidSymbolPreset isValidThemeColor onThemeChange previewTheme
    setAutoThemeMapping setColorBlindMode setSymbolPreset setTheme setThemeInstance stopThemeWatcher theme`,
  "hookline loads hooks itself; `hookline hooks` says which. Give others with `-e`.": `EXTENSION_HANDLER_TIMEOUT_MS ExtensionRuntimeNotInitializedError SESSION_SHUTDOWN_HANDLER_TIMEOUT_MS
    bindPreparedExtensions discoverAgents discoverCommands discoverContextFiles discoverCustomTSCommands
    discoverExtensionPaths discoverExtensions discoverMCPServers discoverPromptTemplates
    discoverSessionExtensionPaths discoverSkills discoverSlashCommands discoverStartupLspServers
    emitSessionShutdownEvent getExtensionUISelectOptionLabel loadCliExtensionProviders loadEntriesFromFile
    loadEntriesFromFileStream loadExtensionFromFactory loadExtensions loadPromptTemplates loadSessionExtensions
    loadSessionFile loadSessionMessagesReadOnly testSetExtensionHandlerTimeoutMs
    testSetSessionShutdownHandlerTimeoutMs`,
  "put a key into models.json or the environment, and ask ctx.modelRegistry for it instead.": `AuthStorage LogoutAccountSelectorComponent SqliteAuthCredentialStore discoverAuthStorage isAuthenticated
    isNameClaimedByAuthoredSkill kNoAuth`,
  "start `hookline` with `--mode rpc` or `-p` as a program of its own instead.": `RpcCommandError runRootCommand runSubagentFollowUpTurn runSubprocess`,
  "ask with ctx.ui.select, ctx.ui.input or ctx.ui.editor instead.": `HookEditorComponent HookInputComponent HookSelectorComponent`,
};
