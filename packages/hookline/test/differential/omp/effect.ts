import type { Question } from "./drive.ts";

type Fields = Readonly<Record<string, any>>;

/**
 * Returns the changes of an answer, in one form for both programs. Fields that are equal to the event's are left out,
 * since one program returns the whole event and the other only changes.
 */
export function effectOf({ event, fields }: Question, answer: unknown): unknown {
  if (answer === "«undefined»" || answer === undefined) return {};
  const given = fields as Fields;
  const said = answer as Fields;
  switch (event) {
    case "tool_call":
      return said["block"]
        ? { block: true, reason: String(said["reason"] || "«none»").replace(/\/\S*\//, "") }
        : changed({ input: said["input"], additionalContext: joined(said["additionalContext"]) }, given);
    case "tool_result":
      return changed({ content: said["content"], details: said["details"], isError: said["isError"] }, given);
    case "context":
      return changed({ messages: Array.isArray(said) ? said : said["messages"] }, given);
    case "before_agent_start":
      return changed({ messages: said["messages"] ?? said["message"], systemPrompt: said["systemPrompt"] }, given);
    case "before_provider_request":
      return changed({ payload: said["payload"] }, given);
    case "resources_discover":
      return Object.fromEntries(
        Object.entries(said).flatMap(([name, list]) => (list.flat().length > 0 ? [[name, list.flat()]] : [])),
      );
    case "input":
      return said["handled"] ? { handled: true } : changed({ text: said["text"], images: said["images"] }, given);
    default:
      return said;
  }
}

/** Texts that several handlers add come as a list from one program and as one text from the other. */
function joined(texts: unknown): unknown {
  return Array.isArray(texts) ? texts.join("\n\n") : texts;
}

function changed(now: Fields, before: Fields): Fields {
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => value !== undefined && value !== "«undefined»" && !isSame(value, before[name]),
    ),
  );
}

/** Equal as JSON is, whatever the order of the fields. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [name, sorted(part)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
