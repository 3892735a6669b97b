import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead } from "@hookline/ground";
import { type Confirm, readRegular } from "@hookline/ground/system";
import { abortable } from "./abort.ts";
import { cwdOf, modelRefusesImages } from "./context.ts";
import { imageTypeOf } from "./image.ts";
import { resolveToCwd } from "./path.ts";
import { textResult } from "./result.ts";
import { SettledPaths } from "./settled.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** The largest image that every provider accepts, in base64 characters. */
const MAX_IMAGE_CHARS = 4.5 * 1024 * 1024;

/** The arguments with which a model calls `read`. Lines count from 1. */
export type ReadInput = { readonly path: string; readonly offset?: number; readonly limit?: number };

/** The access to files. Missing operations use local files. */
export interface ReadOperations {
  readFile(path: string): Promise<Buffer>;
  /** Checks that the file can be read; must reject otherwise. If only `readFile` is given, nothing is checked. */
  access(path: string): Promise<void>;
  /** Detects an image. The default looks at the first bytes. */
  detectImageMimeType?(path: string): Promise<string | null | undefined>;
}

/** How the tool `read` accesses files. */
export interface ReadToolOptions {
  readonly operations?: Partial<ReadOperations> | undefined;
}

/** Makes the tool that shows a text file or a part of it, or an image. */
export function createReadTool(cwd: string, options: ReadToolOptions = {}): Tool<ReadInput> {
  const { operations } = options;
  const isLocal = !operations?.readFile && !operations?.access;
  const paths = new SettledPaths(cwd);
  const confirm: Confirm = (path, opened) => paths.confirm(path, opened);
  const load = async (path: string): Promise<Buffer> => {
    if (operations?.access) await operations.access(path);
    else if (!operations?.readFile) await access(path, constants.R_OK);
    return operations?.readFile ? operations.readFile(path) : readRegular(path, confirm);
  };
  return {
    name: "read",
    label: "read",
    description:
      `Show the contents of a file: text, or an image (jpg, png, gif, webp) as an attachment. Text stops after ` +
      `${DEFAULT_MAX_LINES} lines or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first; go on with offset and limit.`,
    promptSnippet: "Read file contents",
    promptGuidelines: ["Use read rather than cat or sed to look at files."],
    parameters: {
      type: "object",
      required: ["path"],
      properties: {
        path: { type: "string", description: "Path to the file to read (relative or absolute)" },
        offset: { type: "number", description: "Line number to start reading from (1-indexed)" },
        limit: { type: "number", description: "Maximum number of lines to read" },
      },
    },
    ...paths.settling(isLocal, { tries: true }),
    execute: (_toolCallId, input, signal, _onUpdate, context) =>
      abortable(signal, async () => {
        const path = resolveToCwd(input.path, cwdOf(context, cwd));
        const bytes = await load(path);
        const mimeType = operations?.detectImageMimeType
          ? await operations.detectImageMimeType(path)
          : imageTypeOf(bytes);
        return mimeType
          ? imageResult(bytes, mimeType, modelRefusesImages(context))
          : slice(bytes.toString("utf8"), input);
      }),
  };
}

function imageResult(bytes: Buffer, mimeType: string, refused: boolean): ToolResult {
  const note = [`Read image file [${mimeType}]`];
  const data = bytes.toString("base64");
  const tooLarge = data.length >= MAX_IMAGE_CHARS;
  if (tooLarge) {
    note.push(
      `[Image omitted: ${formatSize(data.length)} inline, over the limit of ${formatSize(MAX_IMAGE_CHARS)}. Make it smaller first.]`,
    );
  }
  if (refused) note.push("[Current model does not support images. The image will be omitted from this request.]");
  const text = { type: "text", text: note.join("\n") } as const;
  return { content: tooLarge ? [text] : [text, { type: "image", data, mimeType }], details: undefined };
}

function slice(text: string, { path, offset, limit }: ReadInput): ToolResult {
  const lines = text.split("\n");
  const start = Math.max(0, Math.floor(offset ?? 1) - 1);
  if (start >= lines.length) {
    throw new Error(`Offset ${offset} is beyond end of file (${lines.length} lines total)`);
  }
  const end = limit === undefined ? lines.length : Math.min(start + Math.max(0, Math.floor(limit)), lines.length);
  const truncation = truncateHead(lines.slice(start, end).join("\n"));
  if (truncation.firstLineExceedsLimit)
    return textResult(longLineNotice(lines[start] ?? "", start + 1, path), { truncation });
  if (truncation.truncated) {
    const last = start + truncation.outputLines;
    const why = truncation.truncatedBy === "lines" ? "" : ` (${formatSize(DEFAULT_MAX_BYTES)} limit)`;
    const notice = `[Showing lines ${start + 1}-${last} of ${lines.length}${why}. Use offset=${last + 1} to continue.]`;
    return textResult(`${truncation.content}\n\n${notice}`, { truncation });
  }
  if (end === lines.length) return textResult(truncation.content);
  return textResult(
    `${truncation.content}\n\n[${lines.length - end} more lines in file. Use offset=${end + 1} to continue.]`,
  );
}

function longLineNotice(line: string, number: number, path: string): string {
  const size = formatSize(Buffer.byteLength(line));
  const limit = formatSize(DEFAULT_MAX_BYTES);
  return `[Line ${number} is ${size}, exceeds ${limit} limit. Use bash: sed -n '${number}p' ${path} | head -c ${DEFAULT_MAX_BYTES}]`;
}
