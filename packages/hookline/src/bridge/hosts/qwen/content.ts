import { type Fields, isFields } from "../../payload.ts";

/** The result of a tool: a text, or parts of which the texts are kept. */
export function contentOf(response: Fields): readonly { readonly type: "text"; readonly text: string }[] {
  const { llmContent } = response;
  if (typeof llmContent === "string") return [{ type: "text", text: llmContent }];
  const parts = Array.isArray(llmContent) ? llmContent : [llmContent ?? ""];
  return parts.map((part: unknown) => {
    if (isFields(part) && typeof part["text"] === "string") return { type: "text", text: part["text"] };
    return { type: "text", text: typeof part === "string" ? part : JSON.stringify(part) };
  });
}
