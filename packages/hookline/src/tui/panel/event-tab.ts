import { whyNot } from "../../hook/in-shadow.ts";
import type { Hint } from "../select/frame.ts";
import { plainLine } from "../select/line.ts";
import { List } from "../select/list.ts";
import { Page, type PageLine } from "./page.ts";
import type { ExplainableEvent, Explained, PanelSource } from "./panel-source.ts";
import { handleKey, listHints, pageHints, type Tab, type TabHost } from "./tab.ts";

/** Lists the hooks that would run for an event and a sample tool, in order, and says why the others would not. */
export class EventTab implements Tab {
  readonly name = "Event";
  readonly #source: PanelSource;
  readonly #host: TabHost;
  readonly #list: List<ExplainableEvent>;
  #tool = 0;
  #open: { readonly event: ExplainableEvent; readonly page: Page } | undefined;

  constructor(source: PanelSource, host: TabHost, close: () => void) {
    this.#source = source;
    this.#host = host;
    this.#list = new List<ExplainableEvent>({
      rows: source.events().map((event) => ({
        value: event,
        text: event.name,
        note: event.hooks === 0 ? "nobody" : event.hooks === 1 ? "1 hook" : `${event.hooks} hooks`,
        ...(event.hooks === 0 && { colour: "dim" }),
      })),
      room: () => host.room() - 2,
      search: true,
      empty: "There is no event.",
      onPick: (event) => this.#explain(event),
      onCancel: close,
    });
  }

  remark(): string {
    const tool = this.#source.tools()[this.#tool];
    if (this.#open === undefined) return "type to search";
    return this.#open.event.hasTool && tool !== undefined ? `sample tool: ${plainLine(tool)}` : "";
  }

  hints(): readonly Hint[] {
    if (this.#open === undefined) return listHints(["enter", "who would run"]);
    return this.#open.event.hasTool ? pageHints(["←→", "another tool"]) : pageHints();
  }

  handleInput(data: string): boolean {
    return handleKey(data, this.#list, this.#open?.page, {
      step: (by) => this.#otherTool(by),
      close: () => (this.#open = undefined),
    });
  }

  render(width: number): string[] {
    return this.#open === undefined ? this.#list.render(width) : this.#open.page.render(width);
  }

  /** Discards the drawn page, since widths and colours may have changed. */
  invalidate(): void {
    this.#open?.page.invalidate();
  }

  #otherTool(by: 1 | -1): void {
    const { length } = this.#source.tools();
    if (length === 0 || this.#open?.event.hasTool !== true) return;
    this.#tool = (this.#tool + by + length) % length;
    this.#explain(this.#open.event);
  }

  #explain(event: ExplainableEvent): void {
    const page = new Page([{ text: "Looking…", colour: "muted" }], () => this.#host.room() - 1);
    this.#open = { event, page };
    const show = (lines: readonly PageLine[]): void => {
      page.setLines(lines);
      this.#host.requestRender();
    };
    this.#source.explain(event.name, this.#source.tools()[this.#tool] ?? "bash").then(
      (explained) => show(linesOf(explained, this.#source)),
      (thrown: unknown) =>
        show([{ text: plainLine(thrown instanceof Error ? thrown.message : String(thrown)), colour: "error" }]),
    );
  }
}

function linesOf({ event, subject, plan, others }: Explained, source: PanelSource): PageLine[] {
  const about = subject === undefined ? "" : ` (${plainLine(String(subject))})`;
  const lines: PageLine[] = [
    {
      text: `${plan.length === 0 ? "No hook" : plan.length} would be asked about ${plainLine(event)}${about}`,
      isBold: true,
    },
  ];
  for (const [at, one] of plan.entries()) {
    lines.push({
      text: `${String(at + 1).padStart(3)}  ${one.dialect}  ${plainLine(source.path(one.source))}`,
      colour: "success",
      hang: 5,
    });
    lines.push({ text: `     ${plainLine(source.path(one.why))}`, colour: "muted", hang: 5, isProse: true });
  }
  if (others.length > 0) lines.push({ text: "" }, { text: "Not asked", isBold: true });
  for (const one of others) {
    lines.push({ text: `  –  ${plainLine(source.path(one.source))}`, hang: 5 });
    lines.push({ text: `     ${plainLine(source.path(whyNot(one.why)))}`, colour: "muted", hang: 5, isProse: true });
  }
  return lines;
}
