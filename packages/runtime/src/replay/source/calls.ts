import { type Fields, isFields } from "@hookline/ground";
import { type Content, textOf } from "../../catalog/message.ts";
import type { Branch, Moment } from "../moment.ts";
import { listIn, textIn } from "./lines.ts";

type Scene = Moment["scene"];

/** A call that guards judge in place of a model's call: a patch of two files becomes two edits. */
interface SourcePart {
  readonly tool: string;
  readonly args: Fields;
  /** Other names of the tool in the recorded agent; matchers are compared with them too. */
  readonly aliases?: readonly string[];
}

/** A tool call in a source file. */
export interface SourceCall {
  readonly line: number;
  /** The 1-based number of the call in its line; absent if a line is one call. */
  readonly part?: number;
  readonly t: number;
  readonly id: string;
  /** hookline's name of the tool. */
  readonly tool: string;
  /** The arguments with hookline's names; `undefined` if the model's cannot be read. */
  readonly args: Fields | undefined;
  /** The calls that guards judge instead of this one, such as an edit for each file of a patch. Default: this one. */
  readonly parts?: readonly SourcePart[];
  readonly scene: Scene;
  readonly branch?: Branch;
}

/** The result of a call. */
export interface SourceResult {
  readonly line: number;
  readonly part?: number;
  readonly t: number;
  readonly id: string;
  /** The name of the tool, if the source repeats it; else the call's is used. */
  readonly tool?: string | undefined;
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly scene: Scene;
  readonly branch?: Branch;
}

/** Matches the error that an agent gives for a call of a tool that it does not have. Its hooks saw no such call. */
const NOT_FOUND = /^(?:Tool \S+ not found\.?|unsupported (?:custom tool )?call: \S+|.*No such tool available: \S+.*)$/;

/** The number of calls that may wait for a result; older ones, left by interrupted replies, are dropped. */
const MOST_OPEN = 10_000;
/** The number of tool results that are held back until the model's reply ends. */
const MOST_RESULTS = 256;

/**
 * The calls of a session with their results. Holds back the calls of a reply until their results have been read,
 * because only a result shows whether the tool existed.
 */
export class Calls {
  readonly #known = new Map<string, SourceCall>();
  #waiting: SourceCall[] = [];
  #results: SourceResult[] = [];

  /** Adds a call; yields the calls of the previous reply. */
  *add(call: SourceCall): Generator<Moment> {
    if (this.#results.length > 0) yield* this.end();
    this.#waiting.push(call);
    if (this.#known.size >= MOST_OPEN) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(call.id, call);
  }

  /** Adds results of calls. If too many wait, yields them and their calls without waiting for the end of the reply. */
  *settle(results: readonly SourceResult[]): Generator<Moment> {
    this.#results.push(...results);
    if (this.#results.length > MOST_RESULTS) yield* this.end();
  }

  /** Yields the calls of the reply with their results; nothing that follows is a result of these calls. */
  *end(): Generator<Moment> {
    const [calls, results] = [this.#waiting, this.#results];
    [this.#waiting, this.#results] = [[], []];
    const missing = new Set(results.filter(isNotFound).map(({ id }) => id));
    for (const call of calls) for (const one of partsOf(call)) yield before(one, missing.has(call.id));
    for (const result of results) {
      const call = this.#known.get(result.id);
      this.#known.delete(result.id);
      yield after(result, call, missing.has(result.id));
    }
  }
}

function isNotFound({ content, isError }: SourceResult): boolean {
  return isError && NOT_FOUND.test(textOf(content).trim());
}

/** Returns the calls that guards judge for one call of the model; several have the ids `ID#1`, `ID#2`, and so on. */
function partsOf({ parts, ...call }: SourceCall): readonly (SourceCall & Pick<SourcePart, "aliases">)[] {
  if (parts === undefined) return [call];
  return parts.map((one, at) => ({ ...call, ...one, part: at + 1, id: `${call.id}#${at + 1}` }));
}

function before(
  { line, part, t, id, tool, args, aliases, scene, branch }: ReturnType<typeof partsOf>[number],
  isMissing: boolean,
): Moment {
  return {
    line,
    ...(part !== undefined && { part }),
    t,
    event: "tool.before",
    payload: args === undefined ? undefined : { toolCallId: id, tool, args, ...(aliases !== undefined && { aliases }) },
    scene,
    ...(branch !== undefined && { branch }),
    ...((isMissing || tool === "") && { notAsked: "unknown-tool" as const }),
  };
}

function after(result: SourceResult, call: SourceCall | undefined, isMissing: boolean): Moment {
  const { line, part, t, id, content, details, isError, scene, branch } = result;
  const tool = call?.tool ?? result.tool ?? "";
  return {
    line,
    ...(part !== undefined && { part }),
    t,
    event: "tool.after",
    payload: { toolCallId: id, tool, args: call?.args ?? {}, content, details, isError, blocked: false },
    scene,
    ...(branch !== undefined && { branch }),
    ...((isMissing || tool === "") && { notAsked: "unknown-tool" as const }),
  };
}

/** Converts the content of a message or result to hookline's blocks; what is neither text nor a picture is left out. */
export function contentOf(value: unknown): Content[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return listIn(value).flatMap((block): Content[] => {
    if (!isFields(block)) return [];
    const text = textIn(block["text"]);
    if (text !== undefined && TEXTS.has(block["type"])) return [{ type: "text", text }];
    if (block["type"] !== "image") return [];
    const source = isFields(block["source"]) ? block["source"] : block;
    const [data, mimeType] = [textIn(source["data"]), textIn(source["mimeType"] ?? source["media_type"])];
    return data === undefined || mimeType === undefined ? [] : [{ type: "image", data, mimeType }];
  });
}

const TEXTS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** Returns a person's prompt as a moment; `undefined` if it has neither text nor picture. */
export function promptOf(about: Omit<Moment, "event" | "payload">, value: unknown): Moment | undefined {
  const content = contentOf(value);
  const images = content.filter(({ type }) => type === "image");
  const text = textOf(content);
  if (text === "" && images.length === 0) return undefined;
  return { ...about, event: "prompt.before", payload: { text, ...(images.length > 0 && { images }) } };
}

/** Returns a moment that stands for an unreadable line or (`isPause`) for the present end of the file. */
export function unreadable(line: number, isPause = false): Moment {
  const none = { line, t: 0, event: "", payload: undefined, scene: {} };
  return isPause ? none : { ...none, notAsked: "unreadable-line" };
}
