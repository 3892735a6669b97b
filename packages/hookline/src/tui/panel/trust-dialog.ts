import { place } from "@hookline/ground";
import { Choice } from "../select/choice.ts";
import { Deck } from "../select/deck.ts";
import { framed } from "../select/frame.ts";
import { fit, plainLine } from "../select/line.ts";
import { type Dialog, type DialogView, roomFor, type Screen } from "../select/screen.ts";
import { currentTheme } from "../theme/current.ts";
import type { TrustItem, TrustSheet, TrustSource } from "./panel-source.ts";
import { type ReviewActions, ReviewPage, waitingIn } from "./review-page.ts";

/**
 * The dialog of `/trust`: lists what in the project is approved, changed or pending; each file can be read, approved or
 * revoked.
 */
export function trustDialog(source: TrustSource, path: (path: string) => string): Dialog<void> {
  return (screen, done) => new TrustDialog(screen, source, path, done);
}

/** The input of `consentDialog`: a sheet for each file with definitions that are still pending. */
export interface ConsentParts {
  readonly sheets: readonly TrustSheet[];
  together(sheets: readonly TrustSheet[]): TrustSheet;
  path(path: string): string;
}

/**
 * Reviews everything that is pending, file by file; returns how many definitions were approved. Skipped ones are not
 * asked about again in this session.
 */
export function consentDialog(parts: ConsentParts): Dialog<number> {
  return (screen, done) => new ConsentDialog(screen, parts, done);
}

class ConsentDialog extends Deck {
  readonly #screen: Screen;
  readonly #parts: ConsentParts;
  readonly #done: (approved: number) => void;
  #approved = 0;

  constructor(screen: Screen, parts: ConsentParts, done: (approved: number) => void) {
    super();
    this.#screen = screen;
    this.#parts = parts;
    this.#done = done;
    this.#next(parts.sheets.filter(({ verdict }) => verdict !== "approved"));
  }

  /** Asks about the first of the remaining files; `at` is its position among all files. */
  #next(left: readonly TrustSheet[], at = 1): void {
    const [sheet, ...others] = left;
    if (sheet === undefined) {
      this.#done(this.#approved);
      return;
    }
    const count = waitingIn(sheet);
    const title = `This project wants to ${titleOf(sheet, this.#parts.path)}`;
    const files = left.length === 1 && at === 1 ? "" : `file ${at} of ${at + others.length}`;
    const go = (): void => this.#next(others, at + 1);
    this.#ask(title, files, sheet, go, {
      ...(others.length > 0 && {
        skipRest: () => this.#done(this.#approved),
        together: () => this.#all(left),
      }),
      ...(count > 1 && { oneByOne: () => this.#each(sheet, go) }),
    });
  }

  /** Asks about all remaining files at once. */
  #all(left: readonly TrustSheet[]): void {
    const sheet = this.#parts.together(left);
    const title = `This project wants to add ${waitingIn(sheet)} things from ${left.length} files`;
    this.#ask(title, "", sheet, () => this.#done(this.#approved), { oneByOne: () => this.#next(left) });
  }

  /** Asks the person to approve the pending definitions of a file one after the other. */
  #each(sheet: TrustSheet, then: () => void): void {
    const waiting = sheet.items.filter(({ verdict }) => verdict !== "approved");
    const next = (at: number): void => {
      const item = waiting[at];
      if (item === undefined) {
        then();
        return;
      }
      const title = `This project wants to ${titleOf(item, this.#parts.path)}`;
      const rest = at + 1 < waiting.length ? { skipRest: then } : {};
      this.#ask(title, `${at + 1} of ${waiting.length}`, item, () => next(at + 1), rest);
    };
    next(0);
  }

  #ask(title: string, remark: string, item: TrustItem | TrustSheet, then: () => void, actions: ReviewActions): void {
    const answered = (says: string | undefined): void => {
      if (says !== undefined) this.#approved += waitingIn(item);
      then();
      this.#screen.requestRender();
    };
    this.show(new ReviewView(this.#screen, { title, remark }, item, answered, actions));
    this.#screen.requestRender();
  }
}

/** Returns the title of a review: what would be allowed, and where it is defined. */
function titleOf(item: TrustItem | TrustSheet, path: (path: string) => string): string {
  const at = path(place(item));
  const count = waitingIn(item);
  const does =
    item.kind === "hook" ? "run" : item.kind === "packages" ? "have packages fetched:" : `use the ${item.kind}`;
  return count === 1 ? `${does} ${at}` : `${does} ${at} (${count} entries)`;
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
  readonly #choice: Choice<TrustSheet>;
  #says = "reading…";

  constructor(screen: Screen, source: TrustSource, path: (path: string) => string, done: () => void) {
    super();
    this.#screen = screen;
    this.#source = source;
    this.#path = path;
    this.#choice = new Choice<TrustSheet>(
      screen,
      {
        title: "What may run in this project",
        rows: [],
        empty: "There is nothing to approve in this project.",
        does: "read it",
        remark: () => this.#says,
      },
      (sheet) => (sheet === undefined ? done() : this.#open(sheet)),
    );
    this.show(this.#choice);
    void this.#load();
  }

  #open(sheet: TrustSheet): void {
    const back = (says: string | undefined): void => {
      this.show(this.#choice);
      void this.#load(says);
    };
    const title = this.#path(sheet.path);
    const oneByOne = (): void => this.#entries(sheet);
    this.show(new ReviewView(this.#screen, { title }, sheet, back, sheet.items.length > 1 ? { oneByOne } : {}));
  }

  /** Lists the definitions in a file. Each one can be read, approved or revoked alone. */
  #entries(sheet: TrustSheet): void {
    const rows = sheet.items.map((item) => ({ value: item, ...this.#row(item) }));
    const title = `Entries of ${this.#path(sheet.path)}`;
    const list = new Choice<TrustItem>(this.#screen, { title, rows, empty: "", does: "read it" }, (item) => {
      if (item === undefined) {
        this.show(this.#choice);
        void this.#load();
        return;
      }
      const title = this.#path(place(item));
      this.show(
        new ReviewView(this.#screen, { title }, item, async (says) => {
          if (says === undefined) this.show(list);
          else await this.#again(sheet.path, says);
          this.#screen.requestRender();
        }),
      );
    });
    this.show(list);
  }

  /** Reads all definitions again after an approval or a revocation, and lists those of the file. */
  async #again(path: string, says: string): Promise<void> {
    await this.#load(says);
    const sheet = this.#choice.list.values.find((one) => one.path === path);
    if (sheet === undefined || sheet.items.length === 1) this.show(this.#choice);
    else this.#entries(sheet);
  }

  #row(item: TrustItem | TrustSheet): { text: string; note: string; lead: string } {
    const count = "items" in item ? item.items.length : 1;
    return {
      text: this.#path(place(item)),
      note: count === 1 ? item.dialect : `${item.dialect}, ${count} entries`,
      lead: currentTheme().fg(VERDICT_COLOURS[item.verdict], item.verdict.padEnd(10)),
    };
  }

  async #load(says = ""): Promise<void> {
    try {
      const sheets = await this.#source.sheets();
      this.#choice.list.setRows(sheets.map((sheet) => ({ value: sheet, ...this.#row(sheet) })));
      this.#says = says;
    } catch (thrown) {
      this.#says = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.#screen.requestRender();
  }
}

/** One review in its own frame. */
class ReviewView implements DialogView {
  focused = false;
  readonly #frame: { readonly title: string; readonly remark: string };
  readonly #page: ReviewPage;

  constructor(
    screen: Screen,
    frame: { readonly title: string; readonly remark?: string },
    item: TrustItem | TrustSheet,
    done: (says: string | undefined) => void,
    actions?: ReviewActions,
  ) {
    this.#frame = { title: plainLine(frame.title), remark: frame.remark ?? "" };
    const host = { room: () => roomFor(screen, 3), requestRender: () => screen.requestRender() };
    this.#page = new ReviewPage(item, host, done, actions);
  }

  invalidate(): void {
    this.#page.invalidate();
  }

  handleInput(data: string): void {
    this.#page.handleInput(data);
  }

  render(width: number): string[] {
    const body = this.#page.render(width).map((line) => fit(line, width));
    return framed({ ...this.#frame, hints: this.#page.hints() }, body, width);
  }
}
