import { Editor, Input, matchesKey, SelectList, type TUI } from "@earendil-works/pi-tui";
import { cleanText } from "@hookline/ground";
import { oneLine } from "../shown.ts";
import { getEditorTheme, getSelectListTheme } from "../theme/styles.ts";
import type { Theme } from "../theme/theme.ts";
import type { Ask, Dialog } from "./dialogs.ts";
import { Frame } from "./frame.ts";

/** The screen and the theme with which questions are drawn. */
export interface Around {
  readonly tui: TUI;
  theme(): Theme;
}

const SGR = /\x1b\[[0-9;:]*m/g;

/** Matches an emoji with the invisible characters that join its parts; those hide no text, so they stay. */
const EMOJI = /(\p{RGI_Emoji})/v;

/** Cleans a text for a person's decision: shows every character, and removes colours (ruling 6e, R20). */
export function decisive(text: string): string {
  const parts = text.replaceAll(SGR, "").split(EMOJI);
  return parts.map((part, at) => (at % 2 === 1 ? part : cleanText(part, { controls: "show" }))).join("");
}

/** Cleans a text like `decisive`, and puts it on one line. */
function decisiveLine(text: string): string {
  return decisive(text.replace(/\s*\n\s*/g, " "));
}

/** Asks for one of several options. */
export function choosing(title: string, options: readonly string[], around: Around, message?: string): Ask<string> {
  return (close) => {
    const items = options.map((label, at) => ({ value: String(at), label: decisiveLine(label) }));
    const most = Math.max(3, Math.min(items.length, around.tui.terminal.rows - 10));
    const list = new SelectList(items, most, getSelectListTheme(), { maxPrimaryColumnWidth: 1000 });
    list.onSelect = ({ value }) => close(options[Number(value)]);
    list.onCancel = () => close(undefined);
    const hint = "↑↓ move · Enter choose · Esc cancel";
    const text = message === undefined ? {} : { message: decisive(message) };
    const frame = new Frame({ title: decisive(title), ...text, body: list, hint }, around.theme);
    return dialog(frame, (data) => list.handleInput(data));
  };
}

/** An answer to a question about a call: `edit` changes its arguments first, `why` says no with a reason. */
export type Answered = "yes" | "no" | "edit" | "why";

const ANSWERS: Readonly<Record<Answered, readonly [key: "y" | "n" | "e" | "w", label: string]>> = {
  yes: ["y", "Yes"],
  no: ["n", "No"],
  edit: ["e", "Edit the arguments…"],
  why: ["w", "No, and say why…"],
};

/** Asks a yes-or-no question about a text. */
export function confirming(title: string, message: string, around: Around): Ask<boolean> {
  const ask = answering(title, message, ["yes", "no"], around);
  return (close) => ask((answer) => close(answer === "yes"));
}

/** Asks for one of the given answers; Esc means no. */
export function answering(title: string, message: string, answers: readonly Answered[], around: Around): Ask<Answered> {
  return (close) => {
    const items = answers.map((value) => ({ value, label: ANSWERS[value][1] }));
    const list = new SelectList(items, items.length, getSelectListTheme());
    list.onSelect = ({ value }) => close(value as Answered);
    list.onCancel = () => close("no");
    const keys = answers.map((value) => `${ANSWERS[value][0]} ${value}`).join(" · ");
    const parts = { title: decisive(title), message: decisive(message), body: list };
    const frame = new Frame({ ...parts, hint: `${keys} · Enter choose · Esc no` }, around.theme);
    return dialog(frame, (data) => {
      const pressed = answers.find((value) => matchesKey(data, ANSWERS[value][0]));
      if (pressed === undefined) list.handleInput(data);
      else close(pressed);
    });
  };
}

/** Asks for a line of text. */
export function asking(title: string, placeholder: string | undefined, around: Around): Ask<string> {
  return (close) => {
    const placeholderStyle = (text: string): string => around.theme().fg("dim", text);
    const input = new Input(placeholder === undefined ? {} : { placeholder: oneLine(placeholder), placeholderStyle });
    input.onSubmit = (text) => close(text);
    input.onEscape = () => close(undefined);
    input.focused = true;
    const frame = new Frame({ title: decisive(title), body: input, hint: "Enter accept · Esc cancel" }, around.theme);
    return dialog(frame, (data) => {
      if (matchesKey(data, "ctrl+c")) close(undefined);
      else input.handleInput(data);
    });
  };
}

/** Asks for a text of several lines. In prompt style Enter accepts it, otherwise Ctrl+Enter or Ctrl+S. */
export function editing(title: string, prefill: string, promptStyle: boolean, around: Around): Ask<string> {
  return (close) => {
    const editor = new Editor(around.tui, getEditorTheme());
    editor.setText(cleanText(prefill));
    editor.focused = true;
    editor.disableSubmit = !promptStyle;
    editor.onSubmit = (text) => close(text);
    const accept = promptStyle ? "Enter accept · Shift+Enter new line" : "Ctrl+S or Ctrl+Enter accept · Enter new line";
    const frame = new Frame({ title: decisive(title), body: editor, hint: `${accept} · Esc cancel` }, around.theme);
    return dialog(frame, (data) => {
      if (matchesKey(data, "ctrl+c") || (matchesKey(data, "escape") && !editor.isShowingAutocomplete()))
        close(undefined);
      else if (!promptStyle && (matchesKey(data, "ctrl+s") || matchesKey(data, "ctrl+enter")))
        close(editor.getExpandedText());
      else if (!promptStyle && matchesKey(data, "enter")) editor.handleInput("\n");
      else editor.handleInput(data);
    });
  };
}

function dialog(frame: Frame, handleInput: (data: string) => void): Dialog {
  return {
    handleInput,
    invalidate: () => frame.invalidate(),
    render: (width) => frame.render(width),
    setSecondsLeft: (seconds) => frame.setSecondsLeft(seconds),
  };
}
