import { textOf } from "../catalog/message.ts";

/** A block of content: text, or anything else, which this lens keeps unchanged. */
export interface Block {
  readonly type: string;
  readonly text?: unknown;
}

/** The content of a message. */
export type BlockContent = string | readonly Block[];

/**
 * Returns the content with `text` as its text; with the same text as before, `content` itself. Every block that is not
 * text stays in its place.
 *
 * If there are several text blocks, those that the new text begins or ends with stay; the rest of the text is put in
 * the place of the first changed block. `textOf` of the result is `text`.
 */
export function putText<C extends BlockContent>(text: string, content: C): C;
export function putText(text: string, content: BlockContent): BlockContent {
  if (typeof content === "string") return text;
  if (text === textOf(content)) return content;
  const texts = content.filter(isText);
  const { head, tail, middle } = fit(
    text,
    texts.map((block) => block.text),
  );
  const edited = middle === undefined ? undefined : { ...(texts[head] ?? { type: "text" }), text: middle };
  const out: Block[] = [];
  let nth = 0;
  let placed = edited === undefined;
  for (const block of content) {
    if (!isText(block)) {
      out.push(block);
      continue;
    }
    const keep = nth < head || nth >= texts.length - tail;
    if (!placed && nth >= head) {
      out.push(edited as Block);
      placed = true;
    }
    if (keep) out.push(block);
    nth += 1;
  }
  if (!placed) placeLast(out, edited as Block, texts.length);
  return out;
}

interface Fit {
  /** The numbers of text blocks that are kept at the beginning (`head`) and at the end (`tail`). */
  readonly head: number;
  readonly tail: number;
  /** The new text between the blocks that are kept; absent if there is none. */
  readonly middle: string | undefined;
}

/** Finds the text blocks that `whole` begins and ends with, so that only the part between them is new. */
function fit(whole: string, texts: readonly string[]): Fit {
  if (whole === "") return { head: 0, tail: 0, middle: undefined };
  let rest = whole;
  let head = 0;
  while (head < texts.length && rest.startsWith(`${texts[head]}\n`)) {
    rest = rest.slice((texts[head] as string).length + 1);
    head += 1;
  }
  if (head < texts.length && rest === texts[head]) return { head: head + 1, tail: 0, middle: undefined };
  let tail = 0;
  while (head + tail < texts.length) {
    const last = texts[texts.length - 1 - tail] as string;
    if (rest === last) return { head, tail: tail + 1, middle: undefined };
    if (!rest.endsWith(`\n${last}`)) break;
    rest = rest.slice(0, -last.length - 1);
    tail += 1;
  }
  return { head, tail, middle: rest };
}

/**
 * Inserts a new text after the last text block; if there is none, before everything except thinking, which must be
 * first.
 */
function placeLast(out: Block[], edited: Block, count: number): void {
  const last = out.findLastIndex(isText);
  const first = out.findIndex((block) => block.type !== "thinking");
  out.splice(count > 0 ? last + 1 : first === -1 ? out.length : first, 0, edited);
}

function isText(block: Block): block is Block & { readonly text: string } {
  return block.type === "text" && typeof block.text === "string";
}
