import type { Lacking } from "../../../in-process/stub.ts";

const KEEP = "keep files in a folder of your own instead.";
const OTHERWISE = "use Node's own modules, pi.exec or a package of your own instead.";

/** Lists exports of omp's pi-utils 18.2.3 that only work in omp. Using one throws an error with its key as advice. */
export const LACKING: Lacking = {
  [KEEP]: `getAuthBrokerSnapshotCachePath getAutoQaDbPath getAutoresearchDbPath getAutoresearchDir
    getAutoresearchProjectDir getAutoresearchRunDir getAvatarCacheDir getBaseConfigRoot getBrowserProfilesDir
    getBrowserRelayDir getCommitCacheDbPath getComposerCacheDir getCrashLogPath getCustomSessionFilesDir
    getDaemonRuntimeDir getDaemonRuntimeRoot getDebugLogPath getDocsRsCacheDir getDocumentConversionCacheDir
    getFastembedCacheDir getFastembedRuntimeDir getGithubCacheDbPath getGlobalDaemonRuntimeDir
    getGlobalDaemonRuntimeRoot getGpuCachePath getLastChangelogVersionPath getLegacyPiExtensionCacheDbPath
    getLogPath getMarketplacesRegistryPath getNativesDir getPluginsLockfile getPluginsNodeModules
    getPluginsPackageJson getProfileRootDir getProjectPluginOverridesPath getProviderInFlightRoot
    getPuppeteerDir getPythonEnvDir getPythonGatewayDir getRemoteDir getRemoteHostDir
    getSecretPlaceholderKeyPath getSecurityDir getSecurityProjectDir getSshControlDir getStatsDbPath
    getTerminalSessionsDir getTinyModelsCacheDir getTinyWorkerRuntimeDir getWorktreeDir refreshDirsFromEnv
    setAgentDir setProjectDir setWorktreesDir`,
  [OTHERWISE]: `AsyncDrain BINARY_SNIFF_BYTES ChildProcess ConcatSink DEFAULT_TAB_WIDTH Exception ExtraCaError
    FrontmatterError IMAGE_METADATA_HEADER_BYTES IncomingArray IncomingDoc IncomingFeed IncomingJson
    IncomingJsonError IncomingObject IncomingString MAIN_CONFIG_FILENAMES MAX_TAB_WIDTH MAX_TIMER_DELAY_MS
    MIN_BUN_VERSION MIN_TAB_WIDTH NonZeroExitError STREAMING_JSON_PARSE_MIN_GROWTH SUPPORTED_IMAGE_MIME_TYPES
    Serial Snowflake TempDir USER_AGENT WORKER_HOST_SELECTOR_PREFIX WhichCachePolicy acquireFileLock adjustHsv
    annotateSqliteError buildPathTree checkpointWal classifyJsonPrefix colorLuma compareVersions
    consumeWorkerInbox currentLoopPhase declareWorkerHostEntry directoryExists directoryIsEnterable
    directoryIsEnterableSync directoryIsMissing ensureRuntimeInstalled extractHttpStatusFromError
    extractMermaidBlocks extractRetryHint fetchWithRetry filterChildShellEnv filterProcessEnv formatGroupedPaths
    getActiveProfile getAppName getDbBusyTimeoutMs getEditorConfigFormatting getInstallId getSafeProjectCwd
    hashPath hexToHsv hexToOklch hexToRgb hslToHex hsvToHex hsvToRgb installRuntimeModuleResolver
    installWorkerInbox isBunTestRuntime isCompiledBinary isExecutable isFullyQualifiedPath isInteractiveHost
    isMacosMallocStackLoggingEnvName isProbablyBinary isProbablyBinaryHeader isProbablyBinarySync
    isRetryableError isRetryableStatus isSafeEnvName isSafeEnvValue isSqliteBusyError isSqliteCorruptionError
    isTerminalHeadless isTerminalStderrSuppressed isUnexpectedSocketCloseMessage isWorkerHostSelector isWsl
    materializeString mathBlockAt mathOpenerAt mathSpanAt mathStartIndex normalizeFrontmatterKeys
    normalizePathForComparison normalizeProfileName oklchCusp oklchToHex openSqliteDatabase
    openSqliteDatabaseSync parseEnvFile parseImageMetadata parseJsonWithRepair parseStreamingJson
    parseStreamingJsonThrottled peekFile peekFileEnds peekFileSync peekFileTail popLoopPhase postmortem procmgr
    prompt ptree pushLoopPhase readImageMetadata readImageMetadataSync readJsonl readLines readSseEvents
    readSseJson readSseJsonOrText relativeLuminance relativePathWithinNormalizedRoot relativePathWithinRoot
    removeSyncWithRetries removeWithRetries renderMermaidAscii renderMermaidAsciiSafe repairJson
    resolveEquivalentPath resolveExtraCa resolveProfileEnv resolveRuntimeModule restoreTerminalStderr rgbToHex
    rgbToHsv selectConditionalTarget setInteractiveHost setProcessName setProfile setTerminalHeadless shiftHue
    sleepLong splitBareSpecifier stripGitRepoLocationEnv stripWindowsExtendedLengthPathPrefix
    suppressTerminalStderr takeRecentLoopPhase walkPathTree whichFresh windowsPathToWslMount withExtraCaInit
    withFileLock withFileLockSync workerHostEntry wrapFetchForExtraCa writeRuntimeManifest`,
};
