import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { type Confirm, readRegular, writeRegular } from "@hookline/ground/system";
import { throwIfAborted } from "./abort.ts";
import { cwdOf } from "./context.ts";
import { describeChange } from "./diff.ts";
import { isRecord } from "./json-schema.ts";
import { withFileMutationQueue } from "./mutation-queue.ts";
import { resolveToCwd } from "./path.ts";
import { type Edit, replaceAll } from "./replace.ts";
import { textResult } from "./result.ts";
import { SettledPaths } from "./settled.ts";
import type { Tool } from "./tool.ts";
import { lineView } from "./view.ts";

/** The arguments with which a model calls `edit`. */
export type EditInput = { readonly path: string; readonly edits: readonly Edit[] };

/** The access to files. Missing operations use local files. */
export interface EditOperations {
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, content: string): Promise<void>;
  /**
   * Checks that the file can be read and written; must reject otherwise. If this function is missing but another
   * operation is given, nothing is checked.
   */
  access(path: string): Promise<void>;
}

/** How the tool `edit` accesses files. */
export interface EditToolOptions {
  readonly operations?: Partial<EditOperations> | undefined;
}

/**
 * Makes the tool that replaces texts in a file. A call changes the file completely or not at all: if writing fails, the
 * old content is restored. An abort has an effect until writing starts.
 */
export function createEditTool(cwd: string, options: EditToolOptions = {}): Tool<EditInput> {
  const { operations } = options;
  const isLocal = !operations?.readFile && !operations?.writeFile;
  const paths = new SettledPaths(cwd);
  const confirm: Confirm = (path, opened) => paths.confirm(path, opened);
  const check = async (path: string): Promise<void> => {
    if (operations?.access) await operations.access(path);
    else if (!operations?.readFile && !operations?.writeFile) await access(path, constants.R_OK | constants.W_OK);
  };
  const load = (path: string): Promise<Buffer> =>
    operations?.readFile ? operations.readFile(path) : readRegular(path, confirm);
  const save = (path: string, content: string): Promise<void> =>
    operations?.writeFile ? operations.writeFile(path, content) : writeRegular(path, content, confirm);
  return {
    name: "edit",
    label: "edit",
    description:
      "Change one file by replacing exact texts. Each edits[].oldText must occur in the original file exactly once, and " +
      "no two may overlap: join changes of neighbouring lines into one edit, and keep far ones apart.",
    promptSnippet: "Make precise file edits with exact text replacement, including multiple disjoint edits in one call",
    promptGuidelines: [
      "Use edit for precise changes; edits[].oldText must match the file exactly.",
      "Make several changes of one file in one edit call, with one entry in edits[] for each place.",
      "edits[] are all matched against the file as it is before the call; never let them overlap or nest.",
      "Keep edits[].oldText as short as is still unique in the file.",
    ],
    parameters: {
      type: "object",
      required: ["path", "edits"],
      properties: {
        path: { type: "string", description: "Path to the file to edit (relative or absolute)" },
        edits: {
          type: "array",
          description: "Replacements, each matched against the original file; they must not overlap.",
          items: {
            type: "object",
            required: ["oldText", "newText"],
            properties: {
              oldText: {
                type: "string",
                description: "Exact text to replace; it must be unique in the original file.",
              },
              newText: { type: "string", description: "Text to put in its place." },
            },
          },
        },
      },
    },
    prepareArguments: asEditList,
    ...paths.settling(isLocal),
    execute(_toolCallId, { path, edits }, signal, _onUpdate, context) {
      if (!Array.isArray(edits) || edits.length === 0) {
        return Promise.reject(new Error("Edit tool input is invalid. edits must contain at least one replacement."));
      }
      const target = resolveToCwd(path, cwdOf(context, cwd));
      return withFileMutationQueue(target, async () => {
        throwIfAborted(signal);
        await check(target).catch((error: unknown) => {
          throwIfAborted(signal);
          throw new Error(`Could not edit file: ${path}. ${reasonOf(error)}.`, { cause: error });
        });
        throwIfAborted(signal);
        const original = textOf(await load(target), path);
        throwIfAborted(signal);
        const mark = original.startsWith("\uFEFF") ? "\uFEFF" : "";
        const before = original.slice(mark.length);
        const after = replaceAll(before, edits, path);
        try {
          await save(target, mark + after);
        } catch (error) {
          await save(target, original).catch(() => undefined);
          throw error;
        }
        const details = describeChange(path, lineView(before).text, lineView(after).text);
        return textResult(`Successfully replaced ${edits.length} block(s) in ${path}.`, details);
      });
    },
  };
}

/** Decodes a file as UTF-8. Throws if it has other bytes, because writing it back would destroy them. */
function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`Could not edit file: ${path}. It is not UTF-8 text; change it with bash.`, { cause });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? `Error code: ${String(error.code)}` : String(error);
}

/**
 * Accepts what models send instead of a list of edits. This may be one edit, a list as JSON text, or `oldText` and
 * `newText` at the top level.
 */
function asEditList(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const { oldText, newText, ...rest } = raw;
  const edits = listOf(rest["edits"]);
  if (typeof oldText !== "string" || typeof newText !== "string") return { ...raw, ...(edits ? { edits } : {}) };
  return { ...rest, edits: [...(edits ?? []), { oldText, newText }] };
}

function listOf(edits: unknown): unknown[] | undefined {
  if (Array.isArray(edits)) return edits;
  if (typeof edits === "string") return listOf(parsed(edits));
  return isRecord(edits) && typeof edits["oldText"] === "string" && typeof edits["newText"] === "string"
    ? [edits]
    : undefined;
}

function parsed(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? undefined : value;
  } catch {
    return undefined;
  }
}
