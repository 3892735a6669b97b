import type { Component, OverlayHandle, OverlayOptions } from "@earendil-works/pi-tui";
import { cleanText, isFields, messageOf, readJson } from "@hookline/ground";
import type { HostUi } from "@hookline/runtime";
import type { DialogOptions } from "@hookline/runtime/engine";
import type { Ask } from "../../tui/dialog/dialogs.ts";
import { answering, asking, choosing, confirming, editing } from "../../tui/dialog/questions.ts";
import type { GitBranch } from "../../tui/git-branch.ts";
import type { EditorFactory } from "../../tui/prompt.ts";
import { isComponent, shield } from "../../tui/shield.ts";
import { oneLine, styledLine } from "../../tui/shown.ts";
import { HIDDEN_THINKING, type Stage } from "../../tui/stage.ts";
import { currentTheme } from "../../tui/theme/current.ts";
import type { Themes } from "../../tui/themes.ts";

import type { Wrap } from "./completing.ts";
import type { Waiting } from "./waiting.ts";

type Disposable = Component & { dispose?(): void; readonly width?: unknown };

interface CustomOptions {
  readonly overlay?: boolean;
  readonly overlayOptions?: OverlayOptions | (() => OverlayOptions);
  onHandle?(handle: OverlayHandle): void;
}

/** The screen, the themes and the functions on which `screenUi` builds the user interface for hooks. */
export interface UiParts {
  readonly stage: Stage;
  readonly themes: Themes;
  readonly branch: GitBranch;
  /** Returns the number of providers with an available model, for footers of extensions. */
  providerCount(): number;
  /** Adds an extension's completions to those of the editor. */
  addCompletions(wrap: Wrap): void;
  /** Removes the completions that extensions have added. */
  clearCompletions(): void;
  /** Tracks how long a question has been unanswered. */
  readonly waiting: Waiting;
  /** Leaves interrupts to another program that uses the terminal; returns a function that takes them back. */
  lend(): () => void;
}

/** Makes the dialogs, notices and widgets with which hooks use the terminal. Source: spec/pi.md 2.4, seed 002. */
export function screenUi(parts: UiParts): HostUi {
  const { stage, themes } = parts;
  const { screen, dialogs, prompt } = stage;
  const around = { tui: screen, theme: currentTheme };
  const faults = (problem: string): void => stage.note(problem, "error");
  const draw = (what: string, factory: unknown, ...more: readonly unknown[]): Disposable | undefined => {
    if (typeof factory !== "function") return undefined;
    try {
      const component: unknown = factory(screen, currentTheme(), ...more);
      return isComponent(component) ? shield(component, what, faults) : undefined;
    } catch (thrown) {
      faults(`${what} could not be drawn: ${messageOf(thrown)}`);
      return undefined;
    }
  };
  const ask = <T>(title: unknown, question: Ask<T>, options?: DialogOptions): Promise<T | undefined> =>
    parts.waiting.during(oneLine(String(title)), dialogs.ask(question, options));
  const listeners = new Set<() => void>();
  let header: Disposable | undefined;
  let footer: Disposable | undefined;
  return {
    select: (title, options, dialog) => ask(title, choosing(String(title), options.map(String), around), dialog),
    confirm: async (title, message, dialog) =>
      (await ask(title, confirming(String(title), String(message ?? ""), around), dialog)) === true,
    async approve(title, message, args, dialog) {
      const answer = await ask(title, answering(title, message, ["yes", "no", "edit", "why"], around), dialog);
      if (answer === "why") {
        const reason = await ask(title, asking("Why not? The model is told.", undefined, around), dialog);
        return { approved: false, ...(reason && { reason }) };
      }
      if (answer !== "edit") return { approved: answer === "yes" };
      const text = JSON.stringify(args, null, 2);
      const edited = await ask(title, editing("The call runs with these arguments", text, false, around), dialog);
      const read = edited === undefined ? undefined : readArgs(edited);
      if (read === undefined && edited !== undefined)
        stage.note("The call was refused: its arguments are not JSON.", "warning");
      return { approved: read !== undefined, args: read };
    },
    input: (title, placeholder, dialog) => ask(title, asking(String(title), placeholder, around), dialog),
    editor: (title, prefill = "", dialog) =>
      ask(title, editing(String(title), String(prefill), dialog?.promptStyle === true, around), dialog),
    custom: (factory, options) => custom(parts, factory, (options ?? {}) as CustomOptions),
    notify: (message, type) => stage.notify(String(message), type ?? "info"),
    setStatus(key, text) {
      if (text === undefined || text === null) stage.statuses.delete(key);
      else stage.statuses.set(key, styledLine(text));
      screen.requestRender();
    },
    setWidget(key, content, options) {
      const { placement } = (options ?? {}) as { readonly placement?: unknown };
      stage.widgets.set(key, content, placement === "belowEditor" ? "belowEditor" : "aboveEditor");
    },
    setTitle: (title) => screen.terminal.setTitle(String(title)),
    terminalSequence: (sequence) => screen.terminal.write(sequence),
    setEditorText(text) {
      prompt.text = String(text);
    },
    pasteToEditor: (text) => prompt.paste(String(text)),
    getEditorText: () => prompt.text,
    get theme() {
      return currentTheme();
    },
    screen: {
      clear() {
        for (const one of [header, footer]) one?.dispose?.();
        header = footer = undefined;
        stage.header.show(stage.usualHeader);
        stage.footer.show(stage.usualFooter);
        stage.clearForeign();
        for (const undo of listeners) undo();
        listeners.clear();
        parts.clearCompletions();
      },
      suspend: (tool?: unknown) => {
        const resume = stage.suspend();
        const take = parts.lend();
        // Writes to the terminal itself, because text that is written to stdout or stderr goes into the conversation.
        const { terminal } = screen;
        if (typeof tool === "string") terminal.write(`${cleanText(tool)} has the terminal; Ctrl+C ends it\n`);
        const text = new TextDecoder();
        return {
          write: (chunk: Uint8Array) => terminal.write(text.decode(chunk, { stream: true })),
          resume() {
            take();
            resume();
          },
        };
      },
      setHeader(factory: unknown) {
        header?.dispose?.();
        header = draw("The header of an extension", factory);
        stage.header.show(header ?? stage.usualHeader);
        screen.requestRender();
      },
      setFooter(factory: unknown) {
        footer?.dispose?.();
        footer = draw("The footer of an extension", factory, footerData(parts));
        stage.footer.show(footer ?? stage.usualFooter);
        screen.requestRender();
      },
      setEditorComponent: (factory: unknown) => prompt.replace(factory as EditorFactory | undefined),
      getEditorComponent: () => prompt.factory,
      setWorkingMessage: (text?: unknown) => stage.working.setMessage(text === undefined ? undefined : String(text)),
      setWorkingVisible: (visible: unknown) => stage.working.setVisible(visible !== false),
      setWorkingIndicator: (indicator: unknown) => stage.working.setIndicator(indicator as undefined),
      setHiddenThinkingLabel(label?: unknown) {
        stage.look.thinkingLabel = label === undefined ? HIDDEN_THINKING : styledLine(String(label));
        stage.redraw();
      },
      addAutocompleteProvider: (wrap: unknown) => parts.addCompletions(wrap as Wrap),
      onTerminalInput(listener: unknown) {
        const undo = listen(stage, listener, faults);
        listeners.add(undo);
        return () => {
          undo();
          listeners.delete(undo);
        };
      },
      getAllThemes: () => themes.all(),
      getTheme: (name: unknown) => themes.named(String(name)),
      setTheme: (theme: unknown) => themes.choose(theme),
      getToolsExpanded: () => stage.look.expanded,
      setToolsExpanded: (expanded: unknown) => stage.setExpanded(expanded === true),
    },
  };
}

/** Parses a tool call's arguments that a person has edited; undefined if they are not a JSON object. */
function readArgs(text: string): Readonly<Record<string, unknown>> | undefined {
  const read = readJson(text);
  return read.ok && isFields(read.value) ? read.value : undefined;
}

/** Adds an extension's key listener. If it throws, it gets no more keys, and the key is not consumed. */
function listen({ screen }: Stage, listener: unknown, faults: (problem: string) => void): () => void {
  if (typeof listener !== "function") return () => {};
  const undo = screen.addInputListener((data) => {
    try {
      return listener(data) as undefined;
    } catch (thrown) {
      undo();
      faults(`A key listener failed and was removed: ${messageOf(thrown)}`);
      return undefined;
    }
  });
  return undo;
}

function footerData({ stage, branch, providerCount }: UiParts): object {
  return {
    getGitBranch: () => branch.name,
    getExtensionStatuses: () => new Map(stage.statuses),
    getAvailableProviderCount: () => providerCount(),
    onBranchChange: (changed: () => void) => branch.watch(changed),
  };
}

/** Shows a hook's component in place of the editor or on top of everything, until the component calls `done`. */
async function custom(
  { stage }: UiParts,
  factory: unknown,
  { overlay = false, overlayOptions, onHandle }: CustomOptions,
): Promise<unknown> {
  if (typeof factory !== "function") throw new TypeError("ui.custom needs a function that returns a component");
  const { screen, dialogs, keys } = stage;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  let component: Disposable | undefined;
  let remove = (): void => {};
  let isDone = false;
  const done = (result: unknown): void => {
    if (isDone) return;
    isDone = true;
    remove();
    resolve(result);
    try {
      component?.dispose?.();
    } catch {
      // The component is no longer on the screen, so its error does not matter.
    }
  };
  try {
    const made: unknown = await factory(screen, currentTheme(), keys, done);
    if (!isComponent(made)) throw new TypeError("the function given to ui.custom returned no component");
    component = shield(made as Disposable, "A component of an extension", (problem) => stage.note(problem, "error"));
    if (isDone) component.dispose?.();
    else if (overlay) {
      const wanted = typeof overlayOptions === "function" ? overlayOptions() : overlayOptions;
      const { width } = component;
      const handle = screen.showOverlay(component, wanted ?? (typeof width === "number" ? { width } : {}));
      remove = () => handle.hide();
      onHandle?.(handle);
    } else remove = dialogs.push(component);
  } catch (thrown) {
    isDone = true;
    remove();
    reject(thrown);
  }
  return promise;
}
