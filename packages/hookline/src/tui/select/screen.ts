import type { Component } from "@earendil-works/pi-tui";

/** The terminal in which a dialog is shown. */
export interface Screen {
  /** The terminal's current number of rows. */
  readonly rows: number;
  /** Schedules a redraw after a change. */
  requestRender(): void;
}

/** A component that replaces the editor until it calls `done`. */
export interface DialogView extends Component {
  focused?: boolean;
  /** Called when the dialog is removed, whoever removes it. */
  dispose?(): void;
}

/** Makes a dialog; `done` is called once, with undefined if the person cancels. */
export type Dialog<R> = (screen: Screen, done: (result?: R) => void) => DialogView;

/** Shows a dialog instead of the editor; returns the person's choice. */
export type Show = <R>(dialog: Dialog<R>) => Promise<R | undefined>;

/** Returns how many rows a dialog's list may fill, so that there is room for the conversation. */
export function roomFor(screen: Screen, others: number): number {
  return Math.max(3, Math.min(screen.rows - others - 3, Math.ceil(screen.rows * 0.6)));
}
