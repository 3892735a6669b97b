import { type Fields, isFields } from "../../payload.ts";

/** The result of a call as the model would be shown it. */
export function resultIn(payload: Fields): { readonly text: string; readonly isError: boolean } {
  const { toolResult, error } = payload;
  const { textResultForLlm: text, resultType } = isFields(toolResult) ? toolResult : {};
  if (typeof text === "string") return { text, isError: resultType !== "success" };
  const message = isFields(error) ? error["message"] : error;
  return { text: typeof message === "string" ? message : "", isError: true };
}
