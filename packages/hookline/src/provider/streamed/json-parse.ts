import { ArgumentsText } from "./arguments.ts";

/**
 * Stands where pi-ai's clients import `../utils/json-parse.js` (scripts/replaced-modules.ts). They ask for the arguments
 * at each piece of their text, and pi-ai's own function reads the whole text each time.
 */
export { parseJsonWithRepair, repairJson } from "@earendil-works/pi-ai/utils/json-parse";

/** Keeps the text for whoever reads the arguments. */
export function parseStreamingJson(text: string | undefined): ArgumentsText {
  return new ArgumentsText(text ?? "");
}
