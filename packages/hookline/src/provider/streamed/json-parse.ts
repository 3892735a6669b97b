import { ArgumentsText } from "./arguments.ts";

/**
 * Replaces `../utils/json-parse.js`, which pi-ai's clients import (scripts/replaced-modules.ts). The clients parse the
 * arguments after each chunk, and pi-ai's own function would read the whole text each time.
 */
export { parseJsonWithRepair, repairJson } from "@earendil-works/pi-ai/utils/json-parse";

/** Keeps the text, to be parsed when the arguments are read. */
export function parseStreamingJson(text: string | undefined): ArgumentsText {
  return new ArgumentsText(text ?? "");
}
