/** A block of code in a page, fenced or indented. */
export interface CodeBlock {
  readonly line: number;
  /** The language; empty for an indented block. */
  readonly language: string;
  /** The rest of the line after the language. */
  readonly info: string;
  readonly text: string;
  /** The preceding comment, which names what runs the block: `run by FILE` or `not run: REASON`. */
  readonly mark?: string;
}

const FENCED = /^(?<fence>`{3,})(?<language>\w*)(?<info>[^\n]*)\n(?<fenced>[\s\S]*?)^\k<fence>$/.source;
/** Matches an indented block, which follows an empty line. Indented text in a list belongs to the list. */
const INDENTED = /(?<=(?<!^[-*\d][^\n]*\n)\n\n|^\n)(?<indented>(?: {4}[^\n]*\n(?:\n(?= {4}))?)+)/.source;
const MARKED = /<!-- (?<mark>run by \S+|not run: [^>]+?) -->\s*$/;

/** Returns the code blocks of a Markdown page, in order. */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(new RegExp(`${FENCED}|${INDENTED}`, "gm"))].map((match) => {
    const { language = "", info = "", fenced, indented = "" } = match.groups ?? {};
    const before = page.slice(0, match.index);
    const mark = MARKED.exec(before)?.groups?.["mark"];
    return {
      line: before.split("\n").length,
      language,
      info,
      text: fenced ?? indented.replaceAll(/^ {4}/gm, ""),
      ...(mark !== undefined && { mark }),
    };
  });
}
