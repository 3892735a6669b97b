/**
 * The effect of the tools that guards know, by the names that hooks see. `search` may show lines of any file below a
 * folder; `none` neither shows a file's content nor changes a file. Any other tool may change something.
 */
export const TOOLS: Readonly<Record<string, "write" | "read" | "search" | "none">> = {
  ...{ write: "write", edit: "write", NotebookEdit: "write" },
  ...{ read: "read", NotebookRead: "read", grep: "search" },
  ...{ find: "none", ls: "none", fetch: "none", WebSearch: "none", todo: "none", ask: "none" },
};
