import type { CustomMessage } from "@hookline/runtime/engine";
import type { SessionEntry } from "../session/entry.ts";
import type { ReadyRule, Rule, RuleSettings } from "./rule.ts";

/** The type of the messages and entries that record which rules were shown to the model. */
export const INJECTION = "ttsr-injection";

/** Returns the message to the model after rules have stopped its reply; hidden from the screen. */
export function interruption(rules: readonly Rule[]): CustomMessage {
  const texts = rules.map(
    ({ name, path, content }) =>
      `<system-interrupt reason="rule_violation" rule="${name}" path="${path}">\n${content}\n</system-interrupt>`,
  );
  return {
    role: "custom",
    customType: INJECTION,
    content: [
      ...texts,
      "Your last reply was stopped because it broke the above. Start it again and follow the rule.",
    ].join("\n\n"),
    display: false,
    details: { rules: rules.map(({ name }) => name) },
    timestamp: Date.now(),
  };
}

/** Returns the message about rules that a reply broke without being stopped, sent with the next turn. */
export function ruleNote(rules: readonly Rule[]): CustomMessage {
  return { ...interruption(rules), content: reminder(rules) };
}

/** Returns the text that is put before the result of a call whose arguments broke rules. */
export function reminder(rules: readonly Rule[]): string {
  return rules
    .map(({ name, path, content }) => `<system-reminder rule="${name}" path="${path}">\n${content}\n</system-reminder>`)
    .join("\n\n");
}

/** Returns the rules not yet shown on this branch. With `after-gap`, also those shown over `repeatGap` messages ago. */
export function armed(
  rules: readonly ReadyRule[],
  branch: readonly SessionEntry[],
  { repeatMode, repeatGap }: Pick<RuleSettings, "repeatMode" | "repeatGap">,
): ReadyRule[] {
  const since = new Map<string, number>();
  let messages = 0;
  for (const entry of branch.toReversed()) {
    if (entry.type === "message" || entry.type === "custom_message") messages += 1;
    for (const name of toldIn(entry)) if (!since.has(name)) since.set(name, messages);
  }
  return rules.filter(({ rule: { name } }) => {
    const gap = since.get(name);
    return gap === undefined || (repeatMode === "after-gap" && gap > repeatGap);
  });
}

function toldIn(entry: SessionEntry): readonly string[] {
  if (entry.type !== "custom" && entry.type !== "custom_message") return [];
  if (entry.customType !== INJECTION) return [];
  const data = (entry.type === "custom" ? entry.data : entry.details) as { readonly rules?: unknown } | undefined;
  return Array.isArray(data?.rules) ? data.rules.filter((name) => typeof name === "string") : [];
}
