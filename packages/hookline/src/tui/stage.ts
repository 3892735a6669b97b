import {
  type Component,
  Container,
  Spacer,
  setCapabilityOverrides,
  setKeybindings,
  type Terminal,
  type TUI,
  truncateToWidth,
} from "@earendil-works/pi-tui";
import { Folding } from "./chat/lazily.ts";
import type { Chat, Look } from "./chat/look.ts";
import { type Level, note, output } from "./chat/note.ts";
import { Dialogs } from "./dialog/dialogs.ts";
import { type Facts, Footer } from "./footer.ts";
import { Prompt } from "./prompt.ts";
import { Screen } from "./screen.ts";
import { oneLine } from "./shown.ts";
import { currentTheme } from "./theme/current.ts";
import type { Theme } from "./theme/theme.ts";
import { Slot, Transcript } from "./transcript.ts";
import { createKeybindings } from "./widget/keybindings.ts";
import { Widgets } from "./widgets.ts";
import { Working } from "./working.ts";

/** Facts for the screen, which reads them at each frame, so these functions must be cheap. */
export interface StageParts {
  readonly terminal: Terminal;
  readonly cwd: string;
  /** Shortens a path for display: relative to the working folder, or beginning with `~`. */
  path(path: string): string;
  /** Whether to draw without colours. */
  readonly plain: boolean;
  facts(): Facts;
  readonly header: Component;
  tool(name: string): object | undefined;
  renderer: Chat["renderer"];
  transformers: Chat["transformers"];
  toolRenderers: Chat["toolRenderers"];
}

/** The text shown instead of hidden thinking. */
export const HIDDEN_THINKING = "Thinking...";

/** Longer messages are not shown as toasts but stay, to be read at leisure. */
const TOAST_CHARACTERS = 100;

/** Everything on the screen, from the header to the footer, and which part has the keyboard focus. */
export class Stage {
  readonly screen: Screen;
  readonly keys = createKeybindings();
  readonly header = new Slot();
  readonly transcript = new Transcript();
  /** The messages that will be sent once the running prompt has ended. */
  readonly pending = new Slot();
  readonly working: Working;
  /** The sub-agents' activity. */
  readonly subAgents = new Slot();
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
    // Links are not clickable: a person must see the target, and a model's text must not choose what a click opens.
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
      path: (path) => parts.path(path),
      theme,
      requestRender: () => screen.requestRender(),
      redraw() {
        transcript.invalidate();
        screen.requestRender();
      },
      tool: (name) => parts.tool(name),
      renderer: (kind, type) => parts.renderer(kind, type),
      transformers: () => parts.transformers(),
      toolRenderers: () => parts.toolRenderers(),
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
    this.usualFooter = new Footer(
      () => parts.facts(),
      () => this.dialogs.waiting,
      this.statuses,
      theme,
    );
    this.footer.show(this.usualFooter);
    const place = new Container();
    this.dialogs = new Dialogs(screen, place, this.prompt.editor, () => this.prompt.text !== "");
    this.prompt.onReplaced = (editor) => this.dialogs.setBase(editor);
    const column: readonly Component[] = [
      transcript,
      this.pending,
      new Spacer(1),
      this.working,
      this.subAgents,
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

  /** Takes over the terminal and draws. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.screen.start();
    this.dialogs.focus();
  }

  /** Stops, after reading the terminal's pending input, so that the shell does not get that input. */
  async end(): Promise<void> {
    if (this.#isOn) await this.screen.terminal.drainInput();
    this.stop();
  }

  /** Restores the terminal; drawn lines stay on it. */
  stop(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.working.show(undefined);
    this.screen.stop();
  }

  /** Leaves the terminal to another program, such as an external editor. The returned function takes it back. */
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

  /** Shows a lasting message. */
  note(text: string, level: Level = "info"): void {
    this.add(note(text, level, this.chat));
  }

  /** Shows a message that disappears by itself if it is short and not a problem. */
  notify(text: string, level: Level): void {
    if (level === "info" && text.length <= TOAST_CHARACTERS && !text.includes("\n")) this.toasts.show(text);
    else this.note(text, level);
  }

  /** Shows a command's output. */
  output(text: string): void {
    this.add(output(text, this.chat));
  }

  /** Shows tool results in full or in part. */
  setExpanded(expanded: boolean): void {
    this.look.expanded = expanded;
    for (const block of this.transcript.blocks) if (block instanceof Folding) block.setExpanded(expanded);
    this.transcript.redraw();
  }

  /** Removes everything that hooks have put around the editor, and replaces a hook's editor by the usual one. */
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

  /** Redraws everything, for example in another theme. */
  redraw(): void {
    this.screen.invalidate();
    this.transcript.redraw();
  }
}

const STAY_MS = 6000;
const MOST = 3;

/** Short lines above the editor that disappear by themselves. */
class Toasts implements Component {
  readonly #tui: TUI;
  readonly #theme: () => Theme;
  #lines: string[] = [];

  constructor(tui: TUI, theme: () => Theme) {
    this.#tui = tui;
    this.#theme = theme;
  }

  show(text: string): void {
    const line = oneLine(text);
    this.#lines = [...this.#lines, line].slice(-MOST);
    this.#tui.requestRender();
    setTimeout(() => {
      const at = this.#lines.indexOf(line);
      if (at >= 0) this.#lines.splice(at, 1);
      this.#tui.requestRender();
    }, STAY_MS).unref();
  }

  clear(): void {
    this.#lines = [];
  }

  invalidate(): void {}

  render(width: number): string[] {
    const theme = this.#theme();
    return this.#lines.map((line) => theme.fg("accent", truncateToWidth(` ⓘ ${line}`, width)));
  }
}
