import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Tool, ToolResult } from "../../src/tool/tool.ts";

/** Makes a folder that is gone after the test; a name that ends in a slash is a folder. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-tool-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(path, content);
  }
  return root;
}

/** More files than `grep` searches without a filter, which come before most others. */
export const BEFORE: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 400 }, (_, index) => [`${1000 + index}.txt`, "nothing\n"]),
);

/** Every file below a folder with its bytes as Latin-1 text. */
export function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(root, name)).isFile())
      .map((name) => [name, readFileSync(join(root, name), "latin1")]),
  );
}

/** Options for a call besides its arguments. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onUpdate?: (partial: ToolResult) => void;
  readonly context?: unknown;
}

/** Runs one call. */
export function run<P>(tool: Tool<P>, params: P, options: RunOptions = {}): Promise<ToolResult> {
  return tool.execute("call-1", params, options.signal, options.onUpdate, options.context);
}

/** The text of a call's result; an error is its text behind `Error: `. */
export async function textFrom<P>(tool: Tool<P>, params: P, options: RunOptions = {}): Promise<string> {
  try {
    const { content } = await run(tool, params, options);
    return content.map((block) => (block.type === "text" ? block.text : `<${block.mimeType}>`)).join("\n");
  } catch (error) {
    return `Error: ${(error as Error).message}`;
  }
}

/** Lines `1` to `count`. */
export function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 1}`).join("\n");
}

/** Everything that a source gives, in its order. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
