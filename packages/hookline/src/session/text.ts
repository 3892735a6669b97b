/** Joins the text blocks of a message's content. Other blocks are left out; content of any other shape has no text. */
export function textIn(content: unknown, separator: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(
      (block): block is { type: "text"; text: string } => block?.type === "text" && typeof block.text === "string",
    )
    .map((block) => block.text)
    .join(separator);
}
