import {
  type Component,
  Container,
  Spacer,
  setCapabilityOverrides,
  setKeybindings,
  type Terminal,
} from "@earendil-works/pi-tui";
import { currentTheme } from "../compat/theme/current.ts";
import type { Theme } from "../compat/theme/theme.ts";
import { createKeybindings } from "../compat/ui/keybindings.ts";
import type { Chat, Look } from "./chat/look.ts";
import { isFoldable } from "./chat/look.ts";
import { type Level, note, output } from "./chat/note.ts";
import { Dialogs } from "./dialog/dialogs.ts";
import { type Facts, Footer } from "./footer.ts";
import { Prompt } from "./prompt.ts";
import { Screen } from "./screen.ts";
import { Toasts } from "./toasts.ts";
import { Slot, Transcript } from "./transcript.ts";
import { Widgets } from "./widgets.ts";
import { Working } from "./working.ts";

/** What the screen shows that it cannot know itself; asked for at each frame, so it must be cheap. */
export interface StageParts {
  readonly terminal: Terminal;
  readonly cwd: string;
  /** Draws without colours. */
  readonly plain: boolean;
  facts(): Facts;
  /** What stands above everything. */
  readonly header: Component;
  tool(name: string): object | undefined;
  renderer: Chat["renderer"];
  transformers: Chat["transformers"];
}

/** What stands in the place of hidden thinking. */
export const HIDDEN_THINKING = "Thinking...";

/** A toast is for a line; what is longer is to be read at leisure. */
const TOAST_CHARACTERS = 100;

/** Everything on the screen, from the header to the footer, and who has the keys. */
export class Stage {
  readonly screen: Screen;
  readonly keys = createKeybindings();
  readonly header = new Slot();
  readonly transcript = new Transcript();
  /** What waits for the running prompt. */
  readonly pending = new Slot();
  readonly working: Working;
  readonly toasts: Toasts;
  readonly widgets: Widgets;
  readonly prompt: Prompt;
  readonly dialogs: Dialogs;
  readonly footer = new Slot();
  readonly chat: Chat;
  readonly look: Look = { expanded: false, hidesThinking: false, thinkingLabel: HIDDEN_THINKING };
  readonly usualFooter: Footer;
  readonly usualHeader: Component;
  readonly statuses = new Map<string, string>();
  #isOn = false;

  constructor(parts: StageParts) {
    // A link's target is for the person to read; text of a model must not choose what a click opens.
    setCapabilityOverrides({ hyperlinks: false });
    setKeybindings(this.keys);
    const { transcript } = this;
    const faults = (problem: string): void => this.note(problem, "error");
    const onFrame = (): void => transcript.settle();
    this.screen = new Screen(parts.terminal, { plain: parts.plain, onFrame, faults });
    const { screen } = this;
    const theme = (): Theme => currentTheme();
    this.chat = {
      look: this.look,
      cwd: parts.cwd,
      theme,
      requestRender: () => screen.requestRender(),
      tool: (name) => parts.tool(name),
      renderer: (kind, type) => parts.renderer(kind, type),
      transformers: () => parts.transformers(),
      faults,
    };
    this.usualHeader = parts.header;
    this.header.show(parts.header);
    transcript.attach(screen);
    transcript.add(this.header);
    this.working = new Working(screen, theme);
    this.toasts = new Toasts(screen, theme);
    this.widgets = new Widgets(screen, theme, faults);
    this.prompt = new Prompt(screen, this.keys, faults);
    this.usualFooter = new Footer(() => parts.facts(), this.statuses, theme);
    this.footer.show(this.usualFooter);
    const place = new Container();
    this.dialogs = new Dialogs(screen, place, this.prompt.editor, () => this.prompt.text !== "");
    this.prompt.onReplaced = (editor) => this.dialogs.setBase(editor);
    const column: readonly Component[] = [
      transcript,
      this.pending,
      new Spacer(1),
      this.working,
      this.toasts,
      this.widgets.at("aboveEditor"),
      place,
      this.widgets.at("belowEditor"),
      this.footer,
    ];
    for (const part of column) screen.addChild(part);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Takes the terminal and draws. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.screen.start();
    this.dialogs.focus();
  }

  /** Gives the terminal back as it was; what was drawn stays where it is. */
  stop(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.working.show(undefined);
    this.screen.stop();
  }

  /** Lends the terminal to somebody else, such as a program that asks the person itself; gives what takes it back. */
  suspend(): () => void {
    const wasOn = this.#isOn;
    if (wasOn) {
      this.#isOn = false;
      this.screen.stop();
    }
    return () => {
      if (!wasOn || this.#isOn) return;
      this.#isOn = true;
      this.screen.start();
      this.transcript.redraw();
    };
  }

  add(component: Component): void {
    this.transcript.add(component);
    this.screen.requestRender();
  }

  /** Says something to the person, to stay. */
  note(text: string, level: Level = "info"): void {
    this.add(note(text, level, this.chat));
  }

  /** Says something that may go away by itself where it is short and no problem. */
  notify(text: string, level: Level): void {
    if (level === "info" && text.length <= TOAST_CHARACTERS && !text.includes("\n")) this.toasts.show(text);
    else this.note(text, level);
  }

  /** Shows what a command gave. */
  output(text: string): void {
    this.add(output(text, this.chat));
  }

  /** Shows results of tools in full, or in part again. */
  setExpanded(expanded: boolean): void {
    this.look.expanded = expanded;
    for (const block of this.transcript.blocks) if (isFoldable(block)) block.setExpanded(expanded);
    this.transcript.redraw();
  }

  /** Takes away what hooks have put around the editor, and the editor itself where it is theirs. */
  clearForeign(): void {
    this.widgets.clear();
    this.statuses.clear();
    this.working.setMessage(undefined);
    this.working.setVisible(true);
    this.working.setIndicator(undefined);
    this.look.thinkingLabel = HIDDEN_THINKING;
    if (this.prompt.factory !== undefined) this.prompt.replace(undefined);
    this.screen.requestRender();
  }

  /** Draws everything anew, such as in another theme. */
  redraw(): void {
    this.screen.invalidate();
    this.transcript.redraw();
  }
}
