/**
 * All names that telemetry uses. Those of `gen_ai` are from the GenAI semantic conventions, which are still in
 * development and change. They were read from `schema-snapshot/registry.yaml` of this commit of
 * `open-telemetry/semantic-conventions-genai`, and a test compares them with it. There are no conventions for hooks
 * yet, so those names are hookline's own.
 */
export const CONVENTIONS = {
  repository: "open-telemetry/semantic-conventions-genai",
  commit: "debdd770b8c0da9c814a495d55a1f678b5d34e4c",
  /** The URL of the schema that the instrumentation scope declares. */
  schemaUrl: "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev",
} as const;

/** The name of the instrumentation scope of all signals. */
export const SCOPE = "hookline";

/** The attributes of the GenAI conventions. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  agent: "gen_ai.agent.name",
  agentId: "gen_ai.agent.id",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  temperature: "gen_ai.request.temperature",
  stream: "gen_ai.request.stream",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",
  tool: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  input: "gen_ai.input.messages",
  output: "gen_ai.output.messages",
  system: "gen_ai.system_instructions",
} as const;

/** Values of `gen_ai.operation.name`, with which the names of spans also start. */
export const OPERATIONS = { prompt: "invoke_agent", request: "chat", call: "execute_tool" } as const;

/** The conventions' names of providers for which hookline has another name. */
export const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  "azure-openai-responses": "azure.ai.openai",
  "openai-codex": "openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** The attributes of the general conventions, which are stable. */
export const GENERAL = { error: "error.type", address: "server.address", port: "server.port" } as const;

/** The names of spans and attributes about hooks. */
export const HOOKLINE = {
  dispatch: "hook.dispatch",
  run: "hook.run",
  event: "hookline.event",
  decision: "hookline.decision",
  pass: "hookline.pass",
  hooks: "hookline.hooks",
  hook: "hookline.hook.id",
  lane: "hookline.hook.lane",
  dialect: "hookline.hook.dialect",
  status: "hookline.hook.status",
  source: "hookline.hook.source",
  editedFields: "hookline.hook.edited_fields",
} as const;

/** The metrics, with their units. */
export const METRICS = {
  hookDuration: { name: "hookline.hook.duration", unit: "s" },
  decisions: { name: "hookline.decisions", unit: "{decision}" },
  failures: { name: "hookline.hook.failures", unit: "{failure}" },
  tokenUsage: { name: "gen_ai.client.token.usage", unit: "{token}" },
  operationDuration: { name: "gen_ai.client.operation.duration", unit: "s" },
} as const;
