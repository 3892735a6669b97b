import type { Message } from "@hookline/runtime";

/** The files that a part of the conversation has touched, as hooks of pi and omp see them. Source: spec/pi.md 1.2. */
export interface FileOperations {
  readonly read: Set<string>;
  readonly written: Set<string>;
  readonly edited: Set<string>;
}

/** File names as the details of a summary store them. */
export interface FileLists {
  /** Files that were read but not changed. */
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

const KIND_OF_TOOL: Readonly<Record<string, keyof FileOperations>> = { read: "read", write: "written", edit: "edited" };

/** Collects the files that tool calls touched, and those in the details of an earlier summary (`before`). */
export function fileOperations(messages: readonly Message[], before?: unknown): FileOperations {
  const operations: FileOperations = { read: new Set(), written: new Set(), edited: new Set() };
  const known = (before ?? {}) as { readonly readFiles?: unknown; readonly modifiedFiles?: unknown };
  for (const path of texts(known.readFiles)) operations.read.add(path);
  for (const path of texts(known.modifiedFiles)) operations.edited.add(path);
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall") continue;
      const kind = KIND_OF_TOOL[block.name];
      const path = block.arguments?.["path"];
      if (kind !== undefined && typeof path === "string") operations[kind].add(path);
    }
  }
  return operations;
}

/** Returns sorted lists of read and of modified files. A file that was read and modified is only in the second one. */
export function fileLists({ read, written, edited }: FileOperations): FileLists {
  const modified = new Set([...edited, ...written]);
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

/** Formats the lists of files for the end of a summary; empty if there are no files. */
export function listedFiles({ readFiles, modifiedFiles }: FileLists): string {
  const list = (name: string, paths: readonly string[]): string =>
    paths.length === 0 ? "" : `\n\n<${name}>\n${paths.join("\n")}\n</${name}>`;
  return list("read-files", readFiles) + list("modified-files", modifiedFiles);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
