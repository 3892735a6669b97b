/**
 * Names of the newest release of pi that hookline does not have: exports by package, members of classes that modules
 * import, and members of the objects that extensions are given. The packages but the first are lent to extensions as
 * they are, in release 0.87.1; the deviation is `laterNames` of conformance/requirements/pi.yaml.
 */
const LATER: Readonly<Record<string, string>> = {
  "pi-coding-agent": "",
  "pi-agent-core": "DEFAULT_AGENT_IDENTITY runToolCall",
  "pi-ai/compat":
    "AI_TELEMETRY_SCHEMA ANTHROPIC_FEDERATION_RULE_ID_ENV ANTHROPIC_IDENTITY_TOKEN_FILE_ENV ANTHROPIC_ORGANIZATION_ID_ENV ANTHROPIC_SERVICE_ACCOUNT_ID_ENV ANTHROPIC_WORKSPACE_ID_ENV CACHE_WARMING_IDLE_CONTINUATION_PROBABILITY CACHE_WARMING_MAX_AGE_MS CACHE_WARMING_MAX_IDLE_AGE_MS CACHE_WARMING_MINIMUM_EXPECTED_SAVINGS PI_AI_VERSION PI_ATTRIBUTION StreamingJsonParser ToolCallArgumentsStream evaluateCacheWarming formatUserAgent getAttributionHeaders getCacheWarmingDelayMs getCacheWarmingRequestOptions getClientVersion getIdentityHeaders getModelType getOpenCodeSessionHeaders getPromptCacheTtlMs isCacheWarmingReplayable isModelType mergeClientIdentity parseToolCallArguments setBedrockProviderLoader withClientIdentity",
  "pi-tui":
    "backgroundAnsi colorToHex colorToOkhsl colorToOklch colorToRgb foregroundAnsi formatProgramStatus getSelectPageIndex getTerminalColorMode indexedColor isAppleTerminalSession mixColors okhslColor oklabToOkhslLightness oklchColor parseColor renderFakeCursor replaceControlCharacters rgbColor setImageTranscoder styleText styleTextWithAnsi",
  classes:
    "CustomEditor.capturesViewportInput CustomEditor.isInSlashCommandNameContext ModelRegistry.findOfType ModelRegistry.getModelsOfType ModelRegistry.getAvailableOfType ModelRegistry.getModelOfType ModelRegistry.classify ModelRegistry.generateImages ModelRegistry.registerVirtualModel ModelRegistry.unregisterVirtualModel ModelRuntime.getModelsOfType ModelRuntime.getModelOfType ModelRuntime.getAllModels ModelRuntime.getAvailableOfType ModelRuntime.getAllAvailable ModelRuntime.settleCredentialWrites ModelRuntime.generateImages ModelRuntime.classify ModelRuntime.registerVirtualModel ModelRuntime.unregisterVirtualModel ModelRuntime.resolveModel ModelRuntime.getPhysicalModel SettingsManager.getSettings SettingsManager.getExtensionChangelogVersion SettingsManager.setExtensionChangelogVersion SettingsManager.getSessionShareDestination SettingsManager.setSessionShareDestination SettingsManager.getOrCreateDeviceId SettingsManager.getFullscreenWheelScrollLines SettingsManager.setFullscreenWheelScrollLines Theme.appearance Theme.colors Theme.style",
  objects:
    "modelRegistry.findOfType modelRegistry.getModelsOfType modelRegistry.getAvailableOfType modelRegistry.getModelOfType modelRegistry.classify modelRegistry.generateImages modelRegistry.registerVirtualModel modelRegistry.unregisterVirtualModel",
};

/** The names that hookline lacks, sorted. A name that it has, or that pi no longer has, must leave the list. */
export function laterNames(where: string): readonly string[] {
  return (LATER[where] ?? "")
    .split(" ")
    .filter((name) => name !== "")
    .sort();
}
