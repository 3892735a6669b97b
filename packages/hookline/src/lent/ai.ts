import type { Lent } from "./modules.ts";
import { type Exports, type Mentions, mentioned, type Part } from "./part.ts";

/** Exports of `pi-ai` that need little code. All others load the clients and the catalog of models. */
const small: readonly Part<Lent>[] = [
  { names: ["uuidv7"], load: () => import("@earendil-works/pi-ai/utils/uuid") },
  {
    names: ["createAssistantMessageEventStream", "AssistantMessageEventStream", "EventStream"],
    load: () => import("@earendil-works/pi-ai/utils/event-stream"),
  },
  {
    names: [
      "collapseSystemMessages",
      "getCurrentSystemPrompt",
      "getCurrentTools",
      "getCurrentSystemMessage",
      "normalizeContext",
      "resolveTranscript",
    ],
    load: () => import("@earendil-works/pi-ai/utils/transcript"),
  },
  { names: ["isContextOverflow", "getOverflowPatterns"], load: () => import("@earendil-works/pi-ai/utils/overflow") },
  { names: ["parseStreamingJson"], load: () => import("@earendil-works/pi-ai/utils/json-parse") },
];

/** Exports of `pi-ai` that the pi dialect provides. A module that uses only these needs nothing from this file. */
const OF_DIALECT = ["StringEnum", "Type", "calculateCost"];

const whole: Part<Lent> = {
  names: `
    anthropicMessagesApi azureOpenAIResponsesApi bedrockConverseStreamApi googleGenerativeAIApi googleVertexApi
    mistralConversationsApi openAICodexResponsesApi openAICompletionsApi openAIResponsesApi piMessagesApi
    complete completeSimple stream streamSimple streamAnthropic streamAzureOpenAIResponses streamGoogle
    streamGoogleVertex streamMistral streamOpenAICodexResponses streamOpenAICompletions streamOpenAIResponses
    streamSimpleAnthropic streamSimpleAzureOpenAIResponses streamSimpleGoogle streamSimpleGoogleVertex
    streamSimpleMistral streamSimpleOpenAICodexResponses streamSimpleOpenAICompletions streamSimpleOpenAIResponses
    registerApiProvider unregisterApiProviders getApiProvider getApiProviders registerBuiltInApiProviders
    resetApiProviders registerFauxProvider getModel getModels getProviders ANTHROPIC_API_KEY_ENV
    ANTHROPIC_AUTH_TOKEN_ENV ANTHROPIC_OAUTH_TOKEN_ENV findEnvKeys getEnvApiKey generateImages
    generateImagesOpenRouter getImageModel getImageModels getImageProviders getImagesApiProvider
    registerBuiltInImagesApiProviders registerImagesApiProvider setBedrockProviderModule createInitialSystemMessage
    declarationsEqual getDeclaredTools getInitialSystemMessage getToolStateChanges hasNonAdditiveToolChanges
    hasToolRedefinitions resolveTranscriptTools toToolDeclaration withoutInitialSystemMessage contentText
    getSystemMessageText renderSystemMessageUpdate isRecoverableLength DEFAULT_MAX_AGENT_RETRY_DELAY_MS
    isRetryableAssistantError retryAssistantCall retryDelayMs parseJsonWithRepair repairJson
    appendAssistantMessageDiagnostic createAssistantMessageDiagnostic extractDiagnosticError formatThrownValue
    AssistantMessageFrameEncoder reduceAssistantMessageFrames validateToolArguments validateToolCall
    cleanupSessionResources registerSessionResourceCleanup ModelsError clampThinkingLevel createModels createProvider
    getSupportedThinkingLevels hasApi modelsAreEqual InMemoryModelsStore createImagesModels createImagesProvider
    createFauxCore fauxAssistantMessage fauxProvider fauxText fauxThinking fauxToolCall defaultProviderAuthContext
    InMemoryCredentialStore envApiKeyAuth lazyOAuth lazyApi lazyStream
  `
    .trim()
    .split(/\s+/),
  load: async (lent) => (await import("./ai-whole.ts")).wholeAi(lent),
};

/** The names of all `pi-ai` exports that this file provides, besides those of the dialect. */
export const AI_NAMES: readonly string[] = [...small, whole].flatMap(({ names }) => names);

/** Returns the exports of `pi-ai` and `pi-ai/compat` that a module may use. */
export async function aiExports(lent: Lent, mentions: Mentions): Promise<Exports> {
  const isKnown = AI_NAMES.some(mentions) || !OF_DIALECT.some(mentions);
  return isKnown ? mentioned([...small, whole], lent, mentions) : {};
}
