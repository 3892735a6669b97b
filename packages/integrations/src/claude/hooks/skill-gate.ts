import { basename, relative, resolve } from "node:path";
import { textOf } from "@hookline/runtime";
import type { Instance, Scene, Surroundings } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import { inputOf, nameOf } from "./calls.ts";
import type { ClaudeEvent } from "./views.ts";

/** The definition of a detector for the first use of a skill. The skill's hooks run only afterwards. */
export interface FirstUse {
  readonly firstUseOf: string;
}

/** Distinguishes a `FirstUse` from the definition of a hook. */
export function isFirstUse(value: unknown): value is FirstUse {
  return typeof value === "object" && value !== null && "firstUseOf" in value;
}

const OPENED = "claude.skills";

/**
 * Detects the first use of a skill: a call by name, a read of its file, or a search whose result shows lines of it.
 * Source: spec/claude.md 1.
 */
export function watchSkill({ firstUseOf: path }: FirstUse, instance: Instance, around: Surroundings): void {
  const open = (): undefined => void openedIn(around).add(path);
  const isFile = (given: unknown): boolean => isSame(given, path, around);
  const on = (event: string, match: (told: ClaudeEvent) => boolean): void => {
    const filter = "the first use of this skill";
    instance.on({ event, run: open, match: match as (event: never) => boolean, filter });
  };
  on("UserPromptExpansion", (told) => isFile(told["command_source"]));
  on("PostToolUse", ({ tool_name: tool, tool_input: input = {}, tool_response: response }) =>
    tool === "Grep"
      ? shows(input, JSON.stringify(response), path, around)
      : tool === "Read" && isFile(input["file_path"]),
  );
}

/** Whether a skill has been used in this session. The messages of a resumed session are searched once. */
export function isInUse(path: string, around: Surroundings): boolean {
  const opened = openedIn(around);
  if (opened.has(path)) return true;
  const looked = lookedIn(around);
  if (looked.has(path)) return false;
  looked.add(path);
  if (wasUsed(path, around)) opened.add(path);
  return opened.has(path);
}

function openedIn({ shared }: Surroundings): Set<string> {
  return sharedOf(shared, OPENED, () => new Set<string>());
}

function lookedIn({ shared }: Surroundings): Set<string> {
  return sharedOf(shared, `${OPENED}.looked`, () => new Set<string>());
}

/** Whether a call in the conversation so far read the skill's file, or the host inserted the skill's text. */
function wasUsed(path: string, around: Surroundings): boolean {
  const { scene } = around;
  const put = `location="${path}"`;
  const searched = new Map<string, Readonly<Record<string, unknown>>>();
  return (scene.messages?.() ?? []).some((message) => {
    if (message.role === "user")
      return textOf(message.content).startsWith("<skill ") && textOf(message.content).includes(put);
    if (message.role === "toolResult" && nameOf(message.toolName) === "Grep") {
      const input = searched.get(message.toolCallId);
      return input !== undefined && shows(input, textOf(message.content), path, around);
    }
    if (message.role !== "assistant") return false;
    for (const block of message.content)
      if (block.type === "toolCall" && nameOf(block.name) === "Grep")
        searched.set(block.id, inputOf(block.name, block.arguments, scene.cwd));
    return message.content.some(
      (block) =>
        block.type === "toolCall" && nameOf(block.name) === "Read" && isRead(block.name, block.arguments, scene),
    );
  });

  function isRead(tool: string, args: Readonly<Record<string, unknown>>, { cwd }: Scene): boolean {
    return isSame(inputOf(tool, args, cwd)["file_path"], path, around);
  }
}

/** Whether a search's result shows lines of a file. Such lines begin with the path relative to the searched folder. */
function shows(
  { path: at }: Readonly<Record<string, unknown>>,
  text: string,
  path: string,
  around: Surroundings,
): boolean {
  const { cwd, files } = around.scan;
  const top = resolve(cwd, typeof at === "string" ? at : ".");
  const way = relative(files.real(top) ?? top, files.real(path) ?? path);
  const name = way === "" ? basename(path) : way;
  return !way.startsWith("..") && [":", "-"].some((mark) => text.includes(`${name}${mark}`));
}

function isSame(given: unknown, path: string, { scan: { files } }: Surroundings): boolean {
  return typeof given === "string" && (given === path || files.real(given) === (files.real(path) ?? path));
}
