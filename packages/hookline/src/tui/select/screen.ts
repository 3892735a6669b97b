import type { Component } from "@earendil-works/pi-tui";

/** What a dialog knows of the terminal that it is drawn on. */
export interface Screen {
  /** Rows of the terminal as it is now. */
  readonly rows: number;
  /** Has what changed by itself drawn soon. */
  requestRender(): void;
}

/** A component that stands in the place of the editor until it calls `done`. */
export interface DialogView extends Component {
  focused?: boolean;
  /** Called when the dialog is taken away, whoever closed it. */
  dispose?(): void;
}

/** Makes a dialog; `done` is called once, with nothing when the person gave up. */
export type Dialog<R> = (screen: Screen, done: (result?: R) => void) => DialogView;

/** Shows a dialog in the place of the editor; gives what the person chose. */
export type Show = <R>(dialog: Dialog<R>) => Promise<R | undefined>;

/** The rows that a dialog may fill with its list: it leaves room for what was said before. */
export function roomFor(screen: Screen, others: number): number {
  return Math.max(3, Math.min(screen.rows - others - 3, Math.ceil(screen.rows * 0.6)));
}
