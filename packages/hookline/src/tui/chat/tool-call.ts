import { Box, type Component, Container, getCapabilities, Image, Spacer, Text } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import type { Content, ImageBlock } from "@hookline/runtime/engine";
import { TASK_TOOL } from "../../agent/task.ts";
import { isBuiltin } from "../../tool/names.ts";
import { isComponent, shield } from "../shield.ts";
import { oneLine, shown, shownWhole } from "../shown.ts";
import { type ToolView, toolView } from "../widget/tool-view.ts";
import { Folding } from "./lazily.ts";
import type { Chat } from "./look.ts";

const SHOWN_LINES = 10;

interface Result {
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError?: boolean;
}

interface State {
  args: unknown;
  result: Result | undefined;
  isPartial: boolean;
  isError: boolean;
  started: boolean;
  /** Values that a tool's own renderers keep between two frames. */
  readonly own: object;
  call: Component | undefined;
  drawn: Component | undefined;
}

type Draw = (...args: readonly unknown[]) => unknown;

/** Draws a tool call with its result, with the tool's own renderers if it has any. */
export class ToolCall extends Folding {
  readonly #state: State;
  readonly #chat: Chat;

  constructor(name: string, id: string, args: unknown, chat: Chat) {
    const state: State = {
      args,
      result: undefined,
      isPartial: true,
      isError: false,
      started: false,
      own: {},
      call: undefined,
      drawn: undefined,
    };
    super(chat.look.expanded, (expanded) => drawn({ name, id }, state, expanded, chat, () => this.changed()));
    this.#state = state;
    this.#chat = chat;
  }

  setArgs(args: unknown): void {
    this.#state.args = args;
    this.changed();
  }

  start(): void {
    this.#state.started = true;
    this.changed();
  }

  update(result: Result): void {
    this.#state.result = result;
    this.changed();
  }

  /** Shows the result. `hooks` are the hooks that refused the call, by file and line. */
  end(result: Result, isError: boolean, hooks: readonly string[] = []): void {
    const names = hooks.map((hook) => oneLine(this.#chat.path(hook))).join(", ");
    const text = `✗ ${names}: ${textOf(result.content)}`;
    const shown = hooks.length === 0 ? result : { ...result, content: [{ type: "text" as const, text }] };
    Object.assign(this.#state, { result: shown, isError, isPartial: false, started: true });
    this.changed();
  }
}

/** The renderers of a tool, some of which may be missing. */
interface Renderers {
  readonly renderCall?: Draw;
  readonly renderResult?: Draw;
  readonly renderShell?: string;
}

/**
 * Asks extensions in order for a tool's renderers; each may call `next` for the following extension's, or the tool's
 * own.
 */
function renderersOf(name: string, chat: Chat): Renderers {
  const asks = chat.toolRenderers();
  const from = (at: number): Renderers | undefined => {
    const resolve = asks[at];
    if (resolve === undefined) return chat.tool(name);
    try {
      return resolve(name, () => from(at + 1)) as Renderers | undefined;
    } catch (thrown) {
      chat.faults(`An extension's choice of a renderer for "${oneLine(name)}" failed: ${messageOf(thrown)}`);
      return from(at + 1);
    }
  };
  return from(0) ?? {};
}

function drawn(
  { name, id }: { readonly name: string; readonly id: string },
  state: State,
  expanded: boolean,
  chat: Chat,
  changed: () => void,
): Component {
  const theme = chat.theme();
  const tool = renderersOf(name, chat);
  const ground = state.isPartial ? "toolPendingBg" : state.isError ? "toolErrorBg" : "toolSuccessBg";
  const outer = new Container();
  const isSelf = tool.renderShell === "self";
  const box = isSelf ? new Container() : new Box(1, 1, (text) => chat.theme().bg(ground, text));
  if (!isSelf) outer.addChild(new Spacer(1));
  outer.addChild(box);
  const context = (lastComponent: Component | undefined): object => ({
    args: state.args,
    toolCallId: id,
    invalidate() {
      changed();
      chat.requestRender();
    },
    lastComponent,
    state: state.own,
    cwd: chat.cwd,
    executionStarted: state.started,
    argsComplete: state.started,
    isPartial: state.isPartial,
    expanded,
    showImages: true,
    isError: state.isError,
  });
  const who = `The renderer of "${oneLine(name)}"`;
  const own = (draw: Draw | undefined, ...args: readonly unknown[]): Component | undefined => {
    if (typeof draw !== "function") return undefined;
    try {
      const component = draw(...args);
      return isComponent(component) ? shield(component, who, chat.faults) : undefined;
    } catch (thrown) {
      chat.faults(`${who} failed: ${messageOf(thrown)}`);
      return undefined;
    }
  };
  const plain = plainView(name);
  state.call = own(tool.renderCall, state.args, theme, context(state.call));
  box.addChild(state.call ?? plain.renderCall(inertArgs(state.args), theme));
  const { result } = state;
  if (result === undefined) return outer;
  const options = { expanded, isPartial: state.isPartial };
  const { content, details } = result;
  state.drawn = own(tool.renderResult, { content, details }, options, theme, context(state.drawn));
  box.addChild(state.drawn ?? plain.renderResult(inertResult(name, result, state.isError), options, theme));
  for (const block of content) if (block.type === "image") outer.addChild(picture(block, chat));
  return outer;
}

function picture({ data, mimeType }: ImageBlock, chat: Chat): Component {
  const canShow = getCapabilities().images === "iterm2" || mimeType === "image/png";
  const say = (text: string): string => chat.theme().fg("toolOutput", text);
  if (!canShow) return new Text(say(`[a picture: ${oneLine(mimeType)}]`), 1, 0);
  return new Image(data, mimeType, { fallbackColor: say }, { maxWidthCells: 60 });
}

/** Draws a tool that has no renderers of its own. */
function plainView(name: string): ToolView {
  if (isBuiltin(name)) return toolView(name);
  return {
    renderCall(args, theme) {
      const said = taskOf(name, args) ?? JSON.stringify(args) ?? "";
      const subject = said === "{}" ? "" : ` ${said.length > 200 ? `${said.slice(0, 199)}…` : said}`;
      return new Text(theme.fg("toolTitle", theme.bold(oneLine(name))) + theme.fg("toolOutput", subject), 0, 0);
    },
    renderResult({ content }, { expanded }, theme) {
      const lines = textOf(content).trimEnd().split("\n");
      const kept = expanded ? lines : lines.slice(0, SHOWN_LINES);
      const rest = lines.length - kept.length;
      const noteOf = rest === 0 ? [] : [theme.fg("muted", `... (${rest} more lines, Ctrl+O shows them)`)];
      return new Text([...kept.map((line) => theme.fg("toolOutput", line)), ...noteOf].join("\n"), 0, 0);
    },
  };
}

/** Returns the agent and the task of a call that starts a sub-agent; undefined for other calls. */
function taskOf(name: string, args: unknown): string | undefined {
  const { subagent_type: type, description } = (args ?? {}) as Readonly<Record<string, unknown>>;
  if (name !== TASK_TOOL || typeof description !== "string") return undefined;
  return typeof type === "string" ? `${type}: ${description}` : description;
}

function inertArgs(args: unknown): unknown {
  if (typeof args === "string") return shownWhole(args);
  if (typeof args !== "object" || args === null) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [oneLine(name), typeof value === "string" ? shownWhole(value) : value]),
  );
}

/** Cuts and cleans a tool's result: keeps its text and, unless the call failed, its diff. */
function inertResult(name: string, { content, details }: Result, isError: boolean): Result {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = shown(texts.join("\n"), name === "bash" ? "end" : "start");
  const diff = (details as { readonly diff?: unknown } | null | undefined)?.diff;
  const kept = typeof diff === "string" && !isError ? { details: { diff: shown(diff) } } : {};
  return { content: text === "" ? [] : [{ type: "text", text }], ...kept };
}
