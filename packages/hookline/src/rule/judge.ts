import type { LlmTransport } from "@hookline/runtime";
import type { ReadyRule, Rule } from "./rule.ts";

/** The probability from which the model's answer to a rule's question counts as yes. */
const YES = 0.7;
const TIMEOUT_MS = 30_000;
const SHOWN_CHARACTERS = 20_000;

const SYSTEM =
  'You judge one question about a text. Answer with JSON and nothing else: {"probability": p}, where p between 0 and 1 says how likely the answer is yes.';

/** Asks a model each rule's question about a reply's text; returns the rules with a yes. A failure counts as no. */
export async function judged(
  rules: readonly ReadyRule[],
  text: string,
  llm: LlmTransport,
  signal: AbortSignal,
): Promise<Rule[]> {
  const asked = rules.filter(
    ({ rule, scopes }) => rule.question !== undefined && scopes.some(({ part }) => part === "text"),
  );
  if (text.trim() === "") return [];
  const verdicts = await Promise.all(
    asked.map(async ({ rule }) => {
      const report = await llm.complete({
        system: SYSTEM,
        prompt: `<text>\n${text.slice(0, SHOWN_CHARACTERS)}\n</text>\n\nQuestion: ${rule.question}`,
        temperature: 0,
        maxTokens: 100,
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      return report.ok && probabilityIn(report.text) >= YES ? rule : undefined;
    }),
  );
  return verdicts.filter((rule) => rule !== undefined);
}

function probabilityIn(text: string): number {
  try {
    const { probability } = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    return typeof probability === "number" ? probability : 0;
  } catch {
    return 0;
  }
}
