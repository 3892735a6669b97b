/** The wire formats of requests, by the name of their API. */
export type Api = "openai-completions" | "anthropic-messages" | "openai-responses" | "google-generative-ai";

type Part = Readonly<Record<string, unknown>>;

/** Returns why a strict provider would refuse a request's conversation; `undefined` if it would accept it. */
export function refusal(api: Api, body: Part): string | undefined {
  return CHECKS[api](body);
}

const CHECKS: Readonly<Record<Api, (body: Part) => string | undefined>> = {
  "openai-completions": (body) =>
    paired(
      listOf(body["messages"]).map((message) => ({
        calls: listOf(message["tool_calls"]).map(({ id }) => String(id)),
        results: message["role"] === "tool" ? [String(message["tool_call_id"])] : [],
      })),
    ),
  // Anthropic treats consecutive messages of one role as one.
  "anthropic-messages": (body) =>
    paired(
      listOf(body["messages"]).map(({ content }) => ({
        calls: partsOf(content, "tool_use").map(({ id }) => String(id)),
        results: partsOf(content, "tool_result").map((part) => String(part["tool_use_id"])),
      })),
    ),
  "openai-responses": (body) =>
    paired(
      listOf(body["input"]).map((item) => ({
        calls: item["type"] === "function_call" ? [String(item["call_id"])] : [],
        results: item["type"] === "function_call_output" ? [String(item["call_id"])] : [],
      })),
    ),
  // Google matches calls and results by their order.
  "google-generative-ai": (body) => {
    let open = 0;
    for (const { parts } of listOf(body["contents"])) {
      const results = listOf(parts).filter((part) => part["functionResponse"] !== undefined).length;
      if (results > open) return "there are results that no call asked for";
      open -= results;
      if (open > 0 && results === 0) return `${open} calls have no result`;
      open += listOf(parts).filter((part) => part["functionCall"] !== undefined).length;
    }
    return open === 0 ? undefined : `${open} calls at the end have no result`;
  },
};

interface Step {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** Checks that each call has one result before the next message, and each result has a call. */
function paired(steps: readonly Step[]): string | undefined {
  const open = new Set<string>();
  for (const { calls, results } of steps) {
    for (const id of results) if (!open.delete(id)) return `a result for ${id}, which no call has`;
    if (results.length === 0 && calls.length === 0 && open.size > 0) return `${open.size} calls have no result`;
    for (const id of calls) {
      if (open.has(id)) return `two calls have the id ${id}`;
      open.add(id);
    }
  }
  return open.size === 0 ? undefined : `${open.size} calls at the end have no result`;
}

function listOf(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value : [];
}

function partsOf(content: unknown, type: string): readonly Part[] {
  return listOf(content).filter((part) => part["type"] === type);
}
