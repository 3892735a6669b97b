import { currentTheme } from "../../compat/theme/current.ts";
import { Choice } from "../select/choice.ts";
import { Deck } from "../select/deck.ts";
import { framed, type Hint } from "../select/frame.ts";
import { fit, plainLine } from "../select/line.ts";
import { type Dialog, type DialogView, roomFor, type Screen } from "../select/screen.ts";
import type { TrustItem, TrustSource } from "./panel-source.ts";
import { ReviewPage } from "./review-page.ts";

/** `/trust`: what of the project was approved, has changed or is pending; each is read in full, approved or revoked. */
export function trustDialog(source: TrustSource, path: (path: string) => string): Dialog<void> {
  return (screen, done) => new TrustDialog(screen, source, path, done);
}

/**
 * Goes through everything that waits for a person's word, one after the other; gives how many were approved. What is
 * left for later is asked about no more here.
 */
export function consentDialog(items: readonly TrustItem[], path: (path: string) => string): Dialog<number> {
  return (screen, done) => {
    const deck = new Deck();
    const waiting = items.filter(({ verdict }) => verdict !== "approved");
    let approved = 0;
    const next = (at: number): void => {
      const item = waiting[at];
      if (item === undefined) {
        done(approved);
        return;
      }
      const title = `This project wants to run ${at + 1} of ${waiting.length}: ${path(item.path)}`;
      const answered = (says: string | undefined): void => {
        if (says !== undefined) approved += 1;
        next(at + 1);
        screen.requestRender();
      };
      const leaveRest = at + 1 < waiting.length ? () => done(approved) : undefined;
      deck.show(new ReviewView(screen, title, item, answered, leaveRest));
    };
    next(0);
    return deck;
  };
}

const VERDICT_COLOURS: Readonly<Record<TrustItem["verdict"], string>> = {
  approved: "success",
  changed: "warning",
  pending: "warning",
};

class TrustDialog extends Deck {
  readonly #screen: Screen;
  readonly #source: TrustSource;
  readonly #path: (path: string) => string;
  readonly #choice: Choice<TrustItem>;
  #says = "reading…";

  constructor(screen: Screen, source: TrustSource, path: (path: string) => string, done: () => void) {
    super();
    this.#screen = screen;
    this.#source = source;
    this.#path = path;
    this.#choice = new Choice<TrustItem>(
      screen,
      {
        title: "What may run in this project",
        rows: [],
        empty: "There is nothing to approve in this project.",
        does: "read it",
        remark: () => this.#says,
      },
      (item) => (item === undefined ? done() : this.#open(item)),
    );
    this.show(this.#choice);
    void this.#load();
  }

  #open(item: TrustItem): void {
    this.show(
      new ReviewView(this.#screen, this.#path(item.path), item, (says) => {
        this.show(this.#choice);
        void this.#load(says);
      }),
    );
  }

  async #load(says = ""): Promise<void> {
    try {
      const items = await this.#source.items();
      const theme = currentTheme();
      const rows = items.map((item) => ({
        value: item,
        text: this.#path(item.line === undefined ? item.path : `${item.path}:${item.line}`),
        note: item.dialect,
        lead: theme.fg(VERDICT_COLOURS[item.verdict], item.verdict.padEnd(10)),
      }));
      this.#choice.list.setRows(rows);
      this.#says = says;
    } catch (thrown) {
      this.#says = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.#screen.requestRender();
  }
}

/** One review in a frame of its own. */
class ReviewView implements DialogView {
  focused = false;
  readonly #title: string;
  readonly #page: ReviewPage;

  constructor(
    screen: Screen,
    title: string,
    item: TrustItem,
    done: (says: string | undefined) => void,
    leaveRest?: () => void,
  ) {
    this.#title = plainLine(title);
    const host = { room: () => roomFor(screen, 3), requestRender: () => screen.requestRender() };
    this.#page = new ReviewPage(item, host, done, leaveRest);
  }

  invalidate(): void {
    this.#page.invalidate();
  }

  handleInput(data: string): void {
    this.#page.handleInput(data);
  }

  render(width: number): string[] {
    const body = this.#page.render(width).map((line) => fit(line, width));
    const hints: readonly Hint[] = this.#page.hints();
    return framed({ title: this.#title, hints }, body, width);
  }
}
