import type { Lacking } from "../../../in-process/stub.ts";

/** Lists exports of omp's pi-tui 18.2.3 that pi's lacks. Using one throws an error with its key as advice. */
export const LACKING: Lacking = {
  "omp's terminal is its own; draw with the components that pi-tui of pi has, in ctx.ui.custom.": `BUILTIN_EDITOR_BORDER_STYLES CURSOR_SHAPE_CODES DECSACE_DEFAULT DECSACE_RECT DEFAULT_MAX_INLINE_IMAGES
    DEFAULT_TAB_WIDTH Ellipsis FuzzyText ImageBudget ImageProtocol KITTY_PLACEHOLDER KITTY_PLACEHOLDER_MAX_CELLS
    MATH_FONT_COMMANDS NotifyProtocol SKILL_NAMESPACE SPINNER_ADVANCE_MS STDOUT_BACKLOG_CLEAR_BYTES
    StdoutStallWatchdog TERMINAL TERMINAL_ID TUI TabBar TerminalInfo TuiDebugServer addKeyAliases analyzeBgFillLine
    applyBackgroundToLine autolinkSchemeScanIndex bandComposerStyle borderlessComposerStyle boxComposerStyle
    buildDesktopNotifyCommand canonicalKeyId chunkForConPTY classifyTerminalMultiplexer claudeComposerStyle
    clearRenderCache coalesceAdjacentSgr decodePrintableKey detectKittyUnicodePlaceholdersSupport
    detectRectangularSgrSupport detectStyledUnderlineSupport detectTerminalId emergencyTerminalRestore encodeDeccara
    encodeKittyDeleteAllImages encodeKittyDeleteImage encodeKittyDeletePlacement encodeKittyPlaceholderGrid
    encodeKittyPlacement encodeKittyPlacementLine encodeKittyTransmit encodeKittyVirtualPlacement encodeTextSized
    extractMarkdownLinks extractPrintableText extractSegments fastLineStartHazard fieldComposerStyle
    findLeadingSlashCommandStart findTrailingSlashCommandStart fuzzyRank getComposerStyle
    getHangulCompatibilityJamoWidth getKittyGraphics getMarkdownLinkUrls getPaddingX getPublishedLineWidths
    getSegmenter getSettingItemFilterText getTerminalId getTerminalInfo getTtyPath getWidthConfigEpoch
    getWordNavKind hasLinuxDesktopSession hyperlinksUserOverride isBareMathEnvironment isBuiltinComposerStyle
    isConPTYHosted isDirectoryCompletionValue isFilledComposerStyle isImageProtocolForced isInsideHerdr
    isInsideTerminalMultiplexer isInsideTmux isInsideZellij isNotificationSuppressed isOsc66Line isOsc99Supported
    isPaseoEmbedder isPunctuationChar isTuiTight isWhitespaceChar isWindowsTerminalPreviewSixelSupported
    isWindowsTerminalSession isWordNavJoiner kittyPlaceholdersFit latexColorScope latexToBlock latexToUnicode
    matchesRawBackspace midPromptSkillTokenMatches moveWordLeft moveWordRight normalizeTerminalOutput osc66MaxScale
    padding parseKittyDirectPlacementLine parseKittySequence parseSgrMouse piComposerStyle planDeccaraFills
    publishLineWidths railComposerStyle registerComposerStyle renderInlineMarkdown renderKittyPlaceholderLines
    renderMathInText renderTopRule replaceTabs resetDesktopNotifierCache resetFuzzyIndexCache
    resetHangulCompatibilityJamoWidthForTests resolveDesktopNotifier resolveImageProtocol resolveWarpImageProtocol
    routeSelectListMouse routeSgrMouseInput ruleComposerStyle scoreCommandTextMatch sendDesktopNotification
    setAltScreenActive setHangulCompatibilityJamoWidth setKittyGraphics setOsc99Supported setTerminalDeccara
    setTerminalHyperlinks setTerminalImageProtocol setTerminalScreenToScrollback setTerminalTextSizing setTuiTight
    shouldDeliverDesktopNotification shouldEnableHyperlinksByDefault shouldEnableSynchronizedOutputByDefault
    sliceWithWidth synchronizedOutputUserOverride urlTokenPossible wrapTmuxPassthrough writeThroughActiveTerminal`,
};
