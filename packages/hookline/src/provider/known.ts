/** A hosted provider that works without configuration. */
export interface KnownProvider {
  readonly title: string;
  readonly api: string;
  readonly baseUrl: string;
  /** Environment variables that may hold the provider's key; the first one that is set is used. */
  readonly keys: readonly string[];
  /** The model that is used if a key but no model is given. */
  readonly model: string;
  /** The keys of a request's body that ask for one JSON object as the reply. */
  readonly json?: Readonly<Record<string, unknown>>;
}

const completions = "openai-completions";
const messages = "anthropic-messages";
const responses = "openai-responses";

function row(
  title: string,
  api: string,
  baseUrl: string,
  keys: string | readonly string[],
  model: string,
  json?: KnownProvider["json"],
): KnownProvider {
  return { title, api, baseUrl, keys: typeof keys === "string" ? [keys] : keys, model, ...(json && { json }) };
}

const JSON_OBJECT = { type: "json_object" };

/** Hosted providers by name. If several keys are set and no model is named, the first provider with a key is used. */
export const KNOWN: Readonly<Record<string, KnownProvider>> = {
  anthropic: row("Anthropic", messages, "https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-opus-4-8"),
  openai: row("OpenAI", responses, "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5.5", {
    text: { format: JSON_OBJECT },
  }),
  google: row(
    "Google Gemini",
    "google-generative-ai",
    "https://generativelanguage.googleapis.com/v1beta",
    ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    "gemini-3.1-pro-preview",
  ),
  xai: row("xAI", responses, "https://api.x.ai/v1", "XAI_API_KEY", "grok-4.7"),
  mistral: row(
    "Mistral",
    "mistral-conversations",
    "https://api.mistral.ai",
    "MISTRAL_API_KEY",
    "devstral-medium-latest",
  ),
  deepseek: row("DeepSeek", completions, "https://api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek-v4-pro", {
    response_format: JSON_OBJECT,
  }),
  moonshotai: row("Moonshot AI", completions, "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "kimi-k2.6"),
  zai: row("Z.AI", completions, "https://api.z.ai/api/coding/paas/v4", "ZAI_API_KEY", "glm-5.3"),
  minimax: row("MiniMax", messages, "https://api.minimax.io/anthropic", "MINIMAX_API_KEY", "MiniMax-M2.7"),
  groq: row("Groq", completions, "https://api.groq.com/openai/v1", "GROQ_API_KEY", "openai/gpt-oss-120b", {
    response_format: JSON_OBJECT,
  }),
  cerebras: row("Cerebras", completions, "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", "gpt-oss-120b"),
  openrouter: row(
    "OpenRouter",
    completions,
    "https://openrouter.ai/api/v1",
    "OPENROUTER_API_KEY",
    "moonshotai/kimi-k2.6",
  ),
  "vercel-ai-gateway": row(
    "Vercel AI Gateway",
    messages,
    "https://ai-gateway.vercel.sh",
    "AI_GATEWAY_API_KEY",
    "zai/glm-5.1",
  ),
  together: row("Together AI", completions, "https://api.together.ai/v1", "TOGETHER_API_KEY", "moonshotai/Kimi-K2.6"),
  fireworks: row(
    "Fireworks",
    messages,
    "https://api.fireworks.ai/inference",
    "FIREWORKS_API_KEY",
    "accounts/fireworks/models/kimi-k2p6",
  ),
  baseten: row("Baseten", completions, "https://inference.baseten.co/v1", "BASETEN_API_KEY", "zai-org/GLM-5.2"),
  huggingface: row("Hugging Face", completions, "https://router.huggingface.co/v1", "HF_TOKEN", "moonshotai/Kimi-K2.6"),
  nvidia: row(
    "NVIDIA",
    completions,
    "https://integrate.api.nvidia.com/v1",
    "NVIDIA_API_KEY",
    "nvidia/nemotron-3-super-120b-a12b",
  ),
};

/** Returns the known provider with exactly this name, if any. */
export function knownProvider(name: string): KnownProvider | undefined {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
}
