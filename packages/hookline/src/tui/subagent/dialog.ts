import { getKeybindings } from "@earendil-works/pi-tui";
import type { Agent } from "../../agent/agent.ts";
import { entryLine } from "../../agent/command/agents.ts";
import { Roster, type RosterEntry } from "../../agent/roster.ts";
import type { AgentDefinition } from "../../subagent/definition.ts";
import { startable } from "../../subagent/general.ts";
import { Page, type PageLine } from "../panel/page.ts";
import { framed, type Hint } from "../select/frame.ts";
import { plainLine } from "../select/line.ts";
import { List, type Row } from "../select/list.ts";
import { type Dialog, type DialogView, roomFor, type Screen } from "../select/screen.ts";
import { conversationLines } from "./conversation.ts";

/** The sub-agents and the definitions that the dialog shows. */
export interface AgentsSource {
  readonly roster: Roster;
  definitions(): readonly AgentDefinition[];
  /** Shortens a path for display: relative to the working folder, or beginning with `~`. */
  path(path: string): string;
}

/** Returns the sub-agents of a session, and the agents that it may start. */
export function agentsSource({ children, core }: Agent, path: (path: string) => string): AgentsSource {
  return {
    roster: children?.roster ?? new Roster(),
    path,
    definitions: () => [...startable(core.resources.agents).values()],
  };
}

type Item =
  | { readonly kind: "child"; readonly entry: RosterEntry }
  | { readonly kind: "definition"; readonly definition: AgentDefinition };

/**
 * The dialog of `/agents`: lists running and finished sub-agents, and agents that can be started. Enter opens a
 * conversation or a definition.
 */
export function agentsDialog(source: AgentsSource): Dialog<void> {
  return (screen, done) => new AgentsDialog(screen, source, done);
}

/** How often the running times of the sub-agents are redrawn, in ms. */
const TICK_MS = 1000;

class AgentsDialog implements DialogView {
  focused = false;
  readonly #source: AgentsSource;
  readonly #list: List<Item>;
  readonly #page: Page;
  readonly #undo: readonly (() => void)[];
  #open: Item | undefined;

  constructor(screen: Screen, source: AgentsSource, done: () => void) {
    this.#source = source;
    const room = (): number => roomFor(screen, 3);
    this.#page = new Page([], room);
    this.#list = new List<Item>({
      rows: [],
      room,
      search: false,
      empty: "There are no agents.",
      onPick: (item) => this.#show(item),
      onCancel: done,
    });
    const ticking = setInterval(() => screen.requestRender(), TICK_MS);
    this.#undo = [source.roster.listen(() => screen.requestRender()), () => clearInterval(ticking)];
  }

  invalidate(): void {
    this.#page.invalidate();
  }

  handleInput(data: string): void {
    if (this.#open === undefined) this.#list.handleInput(data);
    else if (getKeybindings().matches(data, "tui.select.cancel")) this.#open = undefined;
    else this.#page.handleInput(data);
  }

  render(width: number): string[] {
    const open = this.#open;
    if (open === undefined) return this.#listed(width);
    // A sub-agent may still be running, so its page is filled again at each frame.
    this.#page.setLines(linesOf(open, this.#source), { keepsPlace: true });
    const title = open.kind === "child" ? this.#lineOf(open.entry) : open.definition.name;
    const remark = open.kind === "child" ? open.entry.agent.model : this.#source.path(open.definition.source.path);
    return framed(
      { title: plainLine(title), remark: plainLine(remark), hints: PAGE_HINTS },
      this.#page.render(width),
      width,
    );
  }

  dispose(): void {
    for (const undo of this.#undo) undo();
  }

  #listed(width: number): string[] {
    const { roster, definitions, path } = this.#source;
    const { entries, running } = roster;
    const before = this.#list.selected;
    const rows: Row<Item>[] = [
      ...entries.map(
        (entry): Row<Item> => ({
          value: { kind: "child", entry },
          text: this.#lineOf(entry),
          ...(entry.outcome === undefined && { colour: "accent" }),
          ...(entry.outcome === "failed" && { colour: "error" }),
        }),
      ),
      ...definitions().map(
        (definition): Row<Item> => ({
          value: { kind: "definition", definition },
          text: `${definition.name}: ${definition.description}`,
          note: definition.source.tier === "builtin" ? "built in" : path(definition.source.path),
          colour: "muted",
        }),
      ),
    ];
    this.#list.setRows(rows, (item) => before !== undefined && keyOf(item) === keyOf(before));
    const remark = `${running.length} at work, ${entries.length - running.length} ended`;
    return framed({ title: "Sub-agents", remark, hints: LIST_HINTS }, this.#list.render(width), width);
  }

  #lineOf(entry: RosterEntry): string {
    return entryLine(entry, this.#source.roster.age(entry));
  }

  #show(item: Item): void {
    this.#open = item;
    this.#page.setLines(linesOf(item, this.#source));
  }
}

const LIST_HINTS: readonly Hint[] = [
  ["Enter", "open"],
  ["↑↓", "choose"],
  ["Esc", "close"],
];
const PAGE_HINTS: readonly Hint[] = [
  ["↑↓", "scroll"],
  ["Esc", "back"],
];

function keyOf(item: Item): string {
  return item.kind === "child" ? `child ${item.entry.agent.id}` : `definition ${item.definition.name}`;
}

function linesOf(item: Item, { path }: AgentsSource): readonly PageLine[] {
  if (item.kind === "child") {
    const lines = conversationLines(item.entry.messages);
    const { path: file } = item.entry.agent;
    const kept = file === undefined ? [] : [{ text: plainLine(`Kept in ${path(file)}`), colour: "dim", hang: 2 }];
    return lines.length === 0 ? [{ text: "It has said nothing yet.", colour: "muted" }, ...kept] : [...lines, ...kept];
  }
  const { description, tools, withoutTools, model, prompt } = item.definition;
  const facts = [
    description,
    `Tools: ${tools === undefined ? "those of the agent that starts it" : tools.join(", ") || "none"}`,
    ...(withoutTools === undefined ? [] : [`Never: ${withoutTools.join(", ")}`]),
    `Model: ${model ?? "that of the agent that starts it"}`,
  ];
  const line = (text: string): PageLine => ({ text: plainLine(text), hang: 2, isProse: true });
  return [...facts.map(line), { text: "" }, ...prompt.split("\n").map(line)];
}
