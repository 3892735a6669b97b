import {
  Editor,
  type EditorOptions,
  type EditorTheme,
  type Keybinding,
  type KeybindingsManager,
  matchesKey,
  type TUI,
} from "@earendil-works/pi-tui";
import { APP_KEYBINDINGS } from "./keybindings.ts";

/** Key actions that `handleInput` checks itself, before all others. */
const FIRST = new Set(["app.interrupt", "app.exit", "app.clipboard.pasteImage"]);

/**
 * The prompt's editor with the agent's keys, from which extensions derive their own. Keys without an action go to the
 * editor.
 */
export class CustomEditor extends Editor {
  readonly actionHandlers = new Map<string, () => void>();
  onEscape?: (() => void) | undefined;
  onCtrlD?: (() => void) | undefined;
  onPasteImage?: (() => void) | undefined;
  /** Returns true if an extension's shortcut consumed the key. */
  onExtensionShortcut?: ((data: string) => boolean | undefined) | undefined;
  readonly #keybindings: KeybindingsManager;

  constructor(tui: TUI, theme: EditorTheme, keybindings: KeybindingsManager, options?: EditorOptions) {
    super(tui, theme, options);
    this.#keybindings = keybindings;
  }

  /** Does nothing, because the agent shows its activity above the editor and never in its border. */
  setWorkingStatusIndicator(_indicator: unknown): void {}

  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }

  override handleInput(data: string): void {
    if (this.onExtensionShortcut?.(data)) return;
    if (this.#is(data, "app.clipboard.pasteImage")) this.onPasteImage?.();
    else if (this.#is(data, "app.interrupt")) this.#interrupt(data);
    else if (this.#is(data, "app.exit") && this.getText() === "")
      (this.onCtrlD ?? this.actionHandlers.get("app.exit"))?.();
    else {
      const handler = this.#isHistory(data) ? undefined : this.#actionFor(data);
      if (handler === undefined) super.handleInput(data);
      else handler();
    }
  }

  #interrupt(data: string): void {
    const handler = this.onEscape ?? this.actionHandlers.get("app.interrupt");
    if (handler === undefined || this.isShowingAutocomplete()) super.handleInput(data);
    else handler();
  }

  #actionFor(data: string): (() => void) | undefined {
    for (const [action, handler] of this.actionHandlers) {
      if (!FIRST.has(action) && this.#is(data, action)) return handler;
    }
    return undefined;
  }

  /** Returns whether a key is bound to the prompt history. Then the key does not trigger an action of the agent. */
  #isHistory(data: string): boolean {
    return this.#is(data, "tui.editor.historyPrevious") || this.#is(data, "tui.editor.historyNext");
  }

  /**
   * Returns whether a key is bound to an action. Bindings that an extension made may lack the agent's actions; then the
   * default keys count.
   */
  #is(data: string, action: string): boolean {
    const isKnown = this.#keybindings.getDefinition(action as Keybinding) !== undefined;
    if (isKnown) return this.#keybindings.matches(data, action as Keybinding);
    return [APP_KEYBINDINGS[action]?.defaultKeys ?? []].flat().some((key) => matchesKey(data, key));
  }
}
