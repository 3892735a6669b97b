import type {
  AutocompleteProvider,
  Component,
  EditorComponent,
  EditorTheme,
  KeybindingsManager,
  TUI,
} from "@earendil-works/pi-tui";
import { cleanText, messageOf } from "@hookline/ground";
import { type Faults, isComponent, shield } from "./shield.ts";
import { getEditorTheme } from "./theme/styles.ts";
import { CustomEditor } from "./widget/custom-editor.ts";

/** pi's `EditorFactory`, which makes an editor that replaces the usual one. */
export type EditorFactory = (tui: TUI, theme: EditorTheme, keys: KeybindingsManager) => EditorComponent;

/** The functions that keys call in any editor, the usual one or an extension's. */
export interface PromptKeys {
  readonly actions: ReadonlyMap<string, () => void>;
  onSubmit(text: string): void;
  onChange(text: string): void;
  onEscape(): void;
  onExit(): void;
  onPasteImage(): void;
  /** Called with each key; returns true if an extension's shortcut used it. */
  onShortcut(data: string): boolean;
}

/** The person's editor: the usual one, or an extension's. */
export class Prompt {
  readonly #tui: TUI;
  readonly #keys: KeybindingsManager;
  readonly #faults: Faults;
  readonly #history: string[] = [];
  #editor: EditorComponent;
  #factory: EditorFactory | undefined;
  #bound: PromptKeys | undefined;
  #completions: AutocompleteProvider | undefined;
  #border: ((text: string) => string) | undefined;
  /** Called with the editor that has replaced another. */
  onReplaced: ((editor: Component) => void) | undefined;

  constructor(tui: TUI, keys: KeybindingsManager, faults: Faults) {
    this.#tui = tui;
    this.#keys = keys;
    this.#faults = faults;
    this.#editor = new CustomEditor(tui, getEditorTheme(), keys);
  }

  get editor(): EditorComponent {
    return this.#editor;
  }

  get factory(): EditorFactory | undefined {
    return this.#factory;
  }

  /** The current text, with folded pastes in full. */
  get text(): string {
    return this.#editor.getExpandedText?.() ?? this.#editor.getText();
  }

  set text(text: string) {
    this.#editor.setText(cleanText(text));
    this.#tui.requestRender();
  }

  /** Inserts a text as a paste by the person: a long text is folded. */
  paste(text: string): void {
    this.#editor.handleInput(`\x1b[200~${cleanText(text)}\x1b[201~`);
    this.#tui.requestRender();
  }

  remember(text: string): void {
    this.#history.push(text);
    this.#editor.addToHistory?.(text);
  }

  bind(keys: PromptKeys): void {
    this.#bound = keys;
    this.#wire();
  }

  complete(completions: AutocompleteProvider): void {
    this.#completions = completions;
    this.#editor.setAutocompleteProvider?.(completions);
  }

  /** Colours the editor's border, which shows the thinking level, or that a shell command is being typed. */
  setBorder(colour: (text: string) => string): void {
    this.#border = colour;
    if (this.#editor.borderColor !== undefined) this.#editor.borderColor = colour;
    this.#tui.requestRender();
  }

  /** Replaces the usual editor with an extension's; restores the usual one if `factory` is undefined. */
  replace(factory: EditorFactory | undefined): void {
    const made = this.#make(factory);
    if (made === undefined) return;
    this.#factory = factory;
    const text = this.text;
    this.#editor = made;
    for (const line of this.#history) made.addToHistory?.(line);
    this.#wire();
    made.setText(text);
    this.onReplaced?.(made);
  }

  #make(factory: EditorFactory | undefined): EditorComponent | undefined {
    if (typeof factory !== "function") return new CustomEditor(this.#tui, getEditorTheme(), this.#keys);
    try {
      const made = factory(this.#tui, getEditorTheme(), this.#keys);
      if (!isComponent(made)) throw new Error("it did not return a component");
      return shield(made, "The editor of an extension", this.#faults);
    } catch (thrown) {
      this.#faults(`The editor of an extension could not be made: ${messageOf(thrown)}`);
      return undefined;
    }
  }

  #wire(): void {
    const editor = this.#editor;
    if (this.#completions !== undefined) editor.setAutocompleteProvider?.(this.#completions);
    if (this.#border !== undefined && editor.borderColor !== undefined) editor.borderColor = this.#border;
    const bound = this.#bound;
    if (bound === undefined) return;
    editor.onSubmit = (text) => bound.onSubmit(text);
    editor.onChange = (text) => bound.onChange(text);
    // An extension's editor without `onAction`, which `CustomEditor` has, gets none of the agent's key actions.
    const custom = editor as Partial<CustomEditor>;
    if (typeof custom.onAction !== "function") return;
    for (const [action, act] of bound.actions) custom.onAction(action, act);
    custom.onEscape = () => bound.onEscape();
    custom.onCtrlD = () => bound.onExit();
    custom.onPasteImage = () => bound.onPasteImage();
    custom.onExtensionShortcut = (data) => bound.onShortcut(data);
  }
}
