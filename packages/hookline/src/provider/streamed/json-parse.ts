import { ArgumentsText } from "./arguments.ts";

/**
 * Replaces `../utils/json-parse.js`, which pi-ai's clients import (scripts/replaced-modules.ts). They parse the
 * arguments after each chunk of text, and pi-ai's own function reads the whole text each time.
 */
export { parseJsonWithRepair, repairJson } from "@earendil-works/pi-ai/utils/json-parse";

/** Keeps the text until the arguments are read. */
export function parseStreamingJson(text: string | undefined): ArgumentsText {
  return new ArgumentsText(text ?? "");
}
