import { textOf } from "../catalog/message.ts";

/** A piece of content as far as this lens looks into it: text, or anything else, which it keeps. */
export interface Block {
  readonly type: string;
  readonly text?: unknown;
}

/** Content as messages hold it. */
export type BlockContent = string | readonly Block[];

/**
 * The content with `text` as its text: an echo gives back `content` itself, every other block stays where it is.
 *
 * Of several text blocks those that the new text begins or ends with stay as they are;
 * the rest of it stands where the first changed one stood. `textOf` of the result is `text`.
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
  /** How many texts stay at the beginning and at the end. */
  readonly head: number;
  readonly tail: number;
  /** What stands between them; absent where nothing does. */
  readonly middle: string | undefined;
}

/** Finds the texts that `whole` begins and ends with, so that only what is between them is new. */
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

/** A new text behind the last text block; where there is none, before everything but thinking, which must come first. */
function placeLast(out: Block[], edited: Block, count: number): void {
  const last = out.findLastIndex(isText);
  const first = out.findIndex((block) => block.type !== "thinking");
  out.splice(count > 0 ? last + 1 : first === -1 ? out.length : first, 0, edited);
}

function isText(block: Block): block is Block & { readonly text: string } {
  return block.type === "text" && typeof block.text === "string";
}
