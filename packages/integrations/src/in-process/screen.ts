import type { HostServices } from "@hookline/runtime";
import type { Asking, AskOptions } from "./ui.ts";

/** Computes the value of a member of `ctx.ui` that needs a terminal, for a session without one. */
type Absent = (mode: HostServices["mode"]) => unknown;

const nothing: Absent = () => undefined;

/**
 * Members of `ctx.ui` that work in a terminal only, with what they return elsewhere.
 *
 * Source: spec/pi.md 2.4.
 */
export const screenParts: Readonly<Record<string, Absent>> = {
  setFooter: nothing,
  setHeader: nothing,
  setEditorComponent: nothing,
  getEditorComponent: nothing,
  setWorkingMessage: nothing,
  setWorkingVisible: nothing,
  setWorkingIndicator: nothing,
  setHiddenThinkingLabel: nothing,
  addAutocompleteProvider: nothing,
  onTerminalInput: () => () => {},
  getAllThemes: () => [],
  getTheme: nothing,
  setTheme: (mode) => ({
    success: false,
    error: mode === "rpc" ? "Theme switching not supported in RPC mode" : "UI not available",
  }),
  getToolsExpanded: () => false,
  setToolsExpanded: nothing,
};

/**
 * Makes `ctx.ui` for modules. Its methods work without it, as in `const { notify } = ctx.ui`. Without a screen, a
 * dialog counts as dismissed at once, and all other methods do nothing.
 */
export function createUi(asking: Asking, services: HostServices, parts = screenParts): Record<string, unknown> {
  const ui: Record<string, unknown> = {
    select: (title: string, options: readonly string[], dialog?: AskOptions) => asking.select(title, options, dialog),
    confirm: (title: string, message: string, dialog?: AskOptions) => asking.confirm(title, message, dialog),
    input: (title: string, placeholder?: string, dialog?: AskOptions) => asking.input(title, placeholder, dialog),
    // With `promptStyle`, Enter accepts the text, as in pi's editor.
    editor: (title: string, prefill?: string, dialog?: AskOptions) =>
      asking.editor(title, prefill, { promptStyle: true, ...dialog }),
    custom: (factory: unknown, options?: unknown) => asking.custom(factory, options),
    notify: (message: string, type: "info" | "warning" | "error" = "info") =>
      asking.screen("ui.notify")?.notify?.(message, type),
    setStatus: (key: string, text: string | undefined) => asking.screen("ui.setStatus")?.setStatus?.(key, text),
    setWidget: (key: string, content: unknown, options?: unknown) =>
      asking.screen("ui.setWidget")?.setWidget?.(key, content, options),
    setTitle: (title: string) => asking.screen("ui.setTitle")?.setTitle?.(title),
    setEditorText: (text: string) => asking.screen("ui.setEditorText")?.setEditorText?.(text),
    pasteToEditor: (text: string) => asking.screen("ui.pasteToEditor")?.pasteToEditor?.(text),
    getEditorText: () => asking.screen("ui.getEditorText")?.getEditorText?.() ?? "",
    get theme() {
      return services.ui?.theme ?? plainTheme;
    },
  };
  for (const [name, absent] of Object.entries(parts)) {
    ui[name] = (...args: never[]) => {
      const screen = asking.screen(`ui.${name}`)?.screen;
      return screen?.[name] === undefined ? absent(services.mode) : screen[name](...args);
    };
  }
  return ui;
}

const as = (_: unknown, text: unknown): string => String(text);
const plain = (text: unknown): string => String(text);

/** A theme for hosts without a screen. It has the members of pi's and omp's themes, but adds no colours. */
export const plainTheme: object = Object.freeze({
  name: "plain",
  fg: as,
  bg: as,
  bold: plain,
  italic: plain,
  underline: plain,
  inverse: plain,
  strikethrough: plain,
  dim: plain,
  getFgAnsi: () => "",
  getBgAnsi: () => "",
  getColorMode: () => "256color",
  getThinkingBorderColor: () => plain,
  getBashModeBorderColor: () => plain,
});
