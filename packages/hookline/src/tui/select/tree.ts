import type { SessionTreeNode } from "../../session/tree.ts";
import { currentTheme } from "../theme/current.ts";
import { Choice, isKey } from "./choice.ts";
import { Deck, LineInput } from "./deck.ts";
import { fit, plainLine } from "./line.ts";
import type { Row } from "./list.ts";
import type { Dialog, Screen } from "./screen.ts";
import { TREE_VIEWS, type TreeRow, type TreeView, treeRows } from "./tree-rows.ts";

/** The parts of the session's tree that the dialog needs. */
export interface TreeSource {
  readonly leafId: string | null;
  roots(): readonly SessionTreeNode[];
  /** Returns the ids of the entries from the root to the session's position. */
  path(): readonly string[];
  setLabel(id: string, label: string | undefined): void;
  /** Returns how many entries would no longer be in the conversation after a move to `targetId`. */
  left(targetId: string): number;
}

/** The entry that the person chose, and whether to summarize the abandoned branch. */
export interface TreeMove {
  readonly targetId: string;
  readonly summarize: boolean;
  readonly customInstructions?: string;
}

/** Lets the person choose an entry to continue from, and whether to summarize the abandoned branch. */
export function chooseTreeEntry(source: TreeSource): Dialog<TreeMove> {
  return (screen, done) => new TreeDialog(screen, source, done);
}

class TreeDialog extends Deck {
  readonly #screen: Screen;
  readonly #source: TreeSource;
  readonly #done: (move?: TreeMove) => void;
  readonly #folded = new Set<string>();
  readonly #path: ReadonlySet<string>;
  readonly #choice: Choice<TreeRow>;
  #rows: readonly TreeRow[] = [];
  #view: TreeView = "conversation";

  constructor(screen: Screen, source: TreeSource, done: (move?: TreeMove) => void) {
    super();
    this.#screen = screen;
    this.#source = source;
    this.#done = done;
    this.#path = new Set(source.path());
    this.#choice = new Choice<TreeRow>(
      screen,
      {
        title: "The session's tree",
        rows: [],
        empty: "There is nothing to show in this view.",
        does: "go there",
        hints: [
          ["←→", "fold"],
          ["ctrl+l", "label"],
          ["ctrl+o", "view"],
        ],
        remark: () => this.#view,
        onKey: (data, row) => this.#onKey(data, row),
        draw: (row, isSelected, width) => drawn(row.value, isSelected, width),
      },
      (row) => (row === undefined ? done() : this.#go(row.id)),
    );
    this.#fill(source.leafId);
    this.show(this.#choice);
  }

  #onKey(data: string, row: TreeRow | undefined): boolean {
    if (isKey(data, "ctrl+o")) {
      this.#view = TREE_VIEWS[(TREE_VIEWS.indexOf(this.#view) + 1) % TREE_VIEWS.length] ?? "conversation";
      this.#fill(row?.id ?? null);
      return true;
    }
    if (row === undefined) return false;
    if (isKey(data, "ctrl+l")) this.#label(row);
    else if (isKey(data, "left")) this.#fold(row);
    else if (isKey(data, "right")) this.#unfold(row);
    else return false;
    return true;
  }

  /** Folds the entries below a branch's start; on other entries, selects the start of the branch. */
  #fold(row: TreeRow): void {
    if (row.folds && !row.isFolded) {
      this.#folded.add(row.id);
      this.#fill(row.id);
      return;
    }
    const at = this.#rows.indexOf(row);
    const above = this.#rows.slice(0, at).findLast((other) => other.folds && other.depth <= row.depth);
    if (above !== undefined) this.#choice.list.select((other) => other === above);
  }

  /** Unfolds a folded row; on other rows, selects the start of the next branch. */
  #unfold(row: TreeRow): void {
    if (this.#folded.delete(row.id)) {
      this.#fill(row.id);
      return;
    }
    const next = this.#rows.slice(this.#rows.indexOf(row) + 1).find((other) => other.folds);
    if (next !== undefined) this.#choice.list.select((other) => other === next);
  }

  #label(row: TreeRow): void {
    const question = {
      title: `A label for: ${row.text}`,
      says: "Leave it empty to remove the label.",
      value: row.label ?? "",
    };
    this.show(
      new LineInput(question, (text) => {
        if (text !== undefined) this.#source.setLabel(row.id, text.trim() === "" ? undefined : text.trim());
        this.#fill(row.id);
        this.show(this.#choice);
      }),
    );
  }

  #go(targetId: string): void {
    const left = targetId === this.#source.leafId ? 0 : this.#source.left(targetId);
    if (left === 0) {
      this.#done({ targetId, summarize: false });
      return;
    }
    const says = left === 1 ? "1 entry is left behind" : `${left} entries are left behind`;
    const ask = new Choice<"no" | "yes" | "wish">(
      this.#screen,
      {
        title: `Summarise the branch that you are leaving? ${says}`,
        rows: [
          { value: "no", text: "No summary" },
          { value: "yes", text: "Summarise it" },
          { value: "wish", text: "Summarise it, and say what to keep" },
        ],
        empty: "",
        search: false,
        does: "take",
      },
      (answer) => {
        if (answer === undefined) this.show(this.#choice);
        else if (answer === "wish") this.#askWish(targetId, () => this.show(ask));
        else this.#done({ targetId, summarize: answer === "yes" });
      },
    );
    this.show(ask);
  }

  #askWish(targetId: string, back: () => void): void {
    const question = { title: "What should the summary keep?" };
    this.show(
      new LineInput(question, (text) => {
        if (text === undefined) back();
        else this.#done({ targetId, summarize: true, ...(text.trim() !== "" && { customInstructions: text.trim() }) });
      }),
    );
  }

  /** Rebuilds the rows and selects an entry or, if it is hidden, its nearest visible ancestor. */
  #fill(selected: string | null): void {
    this.#rows = treeRows({
      roots: this.#source.roots(),
      path: this.#path,
      folded: this.#folded,
      view: this.#view,
    });
    const { list } = this.#choice;
    list.setRows(this.#rows.map((row): Row<TreeRow> => ({ value: row, text: row.text, search: row.label ?? "" })));
    const wanted = this.#rows.find(({ id }) => id === selected) ?? this.#rows.find(({ isHere }) => isHere);
    list.select((row) => row === wanted);
  }
}

function drawn(row: TreeRow, isSelected: boolean, width: number): string {
  const theme = currentTheme();
  // The indentation is limited, so that deep trees leave room for the texts.
  const most = Math.max(2, Math.floor(width / 6));
  const indent = row.depth <= most ? "  ".repeat(row.depth) : `${"  ".repeat(most - 1)}…${row.depth} `;
  const fold = row.folds ? (row.isFolded ? "▸ " : "▾ ") : row.onPath ? "• " : "· ";
  const label = row.label === undefined ? "" : `${theme.fg("warning", `[${plainLine(row.label)}]`)} `;
  const text = plainLine(row.text);
  const colour = isSelected ? "accent" : row.onPath ? (row.isUser ? "text" : "muted") : "dim";
  const hidden = row.hidden === 0 ? "" : theme.fg("dim", ` (${row.hidden} more)`);
  const here = row.isHere ? theme.fg("success", " ← here") : "";
  const head = `${theme.fg("dim", indent)}${theme.fg(row.onPath ? "accent" : "dim", fold)}${label}`;
  const tail = hidden + here;
  return tail === "" ? head + theme.fg(colour, text) : fit(head + theme.fg(colour, text), width - 16) + tail;
}
