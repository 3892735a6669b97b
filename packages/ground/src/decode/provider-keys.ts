/** Names of model providers. A variable named `PROVIDER_API_KEY`, or with a similar ending, holds a key. */
const PROVIDERS: readonly string[] = [
  "AI21",
  "ANTHROPIC",
  "ANT_LING",
  "ARK",
  "AZURE",
  "AZURE_OPENAI",
  "BAICHUAN",
  "BASETEN",
  "CEREBRAS",
  "CLAUDE",
  "CODEX",
  "COHERE",
  "CO",
  "DASHSCOPE",
  "DEEPINFRA",
  "DEEPSEEK",
  "FIREWORKS",
  "GEMINI",
  "GLM",
  "GOOGLE",
  "GOOGLE_CLOUD",
  "GOOGLE_GENERATIVE_AI",
  "GROK",
  "GROQ",
  "HUGGINGFACE",
  "HUGGING_FACE_HUB",
  "HYPERBOLIC",
  "KIMI",
  "LITELLM",
  "LLAMA",
  "META",
  "MINIMAX",
  "MISTRAL",
  "MOONSHOT",
  "NEBIUS",
  "NOVITA",
  "NVIDIA",
  "OLLAMA",
  "OPENAI",
  "OPENCODE",
  "OPENROUTER",
  "PERPLEXITY",
  "QWEN",
  "RADIUS",
  "REPLICATE",
  "SAMBANOVA",
  "SILICONFLOW",
  "TOGETHER",
  "VERCEL_AI_GATEWAY",
  "AI_GATEWAY",
  "VOLCENGINE",
  "VOYAGE",
  "XAI",
  "XIAOMI",
  "ZAI",
  "ZHIPU",
  "ZHIPUAI",
];

/**
 * Variables with providers' keys whose names follow no rule. `GITHUB_TOKEN` is left out: it gives access to more than a
 * model, and scripts need it.
 */
const NAMES: ReadonlySet<string> = new Set([
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "CLOUDFLARE_API_KEY",
  "CLOUDFLARE_API_TOKEN",
  "COPILOT_GITHUB_TOKEN",
  "GITHUB_COPILOT_TOKEN",
  "HF_TOKEN",
]);

// Matches `OPENAI_API_KEY`, `OPENAI_API_KEY_2`, `ANTHROPIC_OAUTH_TOKEN`, `QWEN_TOKEN_PLAN_CN_API_KEY`, but not
// `CLAUDE_CODE_MAX_OUTPUT_TOKENS`.
const KEY_NAME = new RegExp(
  `^(?:${PROVIDERS.join("|")})(?:_[A-Z0-9]+)*_(?:API_?KEY|API_TOKEN|ADMIN_KEY|MASTER_KEY|SECRET_KEY|AUTH_TOKEN|OAUTH_TOKEN|ACCESS_TOKEN|TOKEN)(?:_[0-9]+)?$`,
);

/** Whether a variable of this name holds a model provider's key. */
export function isProviderKey(name: string): boolean {
  return name.length <= 256 && (NAMES.has(name) || KEY_NAME.test(name));
}
