import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { oneLine, styledLine } from "./shown.ts";
import type { Theme } from "./theme/theme.ts";

/** The facts about the session that the footer shows. */
export interface Facts {
  readonly cwd: string;
  readonly branch: string | null;
  readonly session: string | undefined;
  readonly model: string | undefined;
  readonly thinking: string | undefined;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly cost: number;
  readonly contextPercent: number | null | undefined;
  readonly contextWindow: number | undefined;
  readonly context: string | undefined;
  /** The number of running hooks, and how long the first has been running; absent if none has run for long. */
  readonly running: { readonly count: number; readonly ms: number } | undefined;
  /** The names of the background hooks. */
  readonly background: readonly string[];
  /** Hooks that the project requires but that do not run; the person continues without them. */
  readonly without: readonly string[];
}

/** The lines below the editor: folder, session, model, usage, hooks that run, and hooks' status texts. */
export class Footer implements Component {
  readonly #facts: () => Facts;
  readonly #questions: () => number;
  readonly #theme: () => Theme;
  readonly #statuses: ReadonlyMap<string, string>;

  /** `questions` returns the number of questions that wait behind the one on the screen. */
  constructor(facts: () => Facts, questions: () => number, statuses: ReadonlyMap<string, string>, theme: () => Theme) {
    this.#facts = facts;
    this.#questions = questions;
    this.#statuses = statuses;
    this.#theme = theme;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const theme = this.#theme();
    const dim = (text: string): string => theme.fg("dim", text);
    const facts = this.#facts();
    const { cwd, branch, session, context, running: waited, background, without } = facts;
    const place = [
      oneLine(cwd) + (branch === null ? "" : ` (${oneLine(branch)})`),
      ...(context === undefined || context === "default" ? [] : [`@${oneLine(context)}`]),
      ...(session === undefined ? [] : [oneLine(session)]),
    ].join(" · ");
    const lines = [dim(truncateToWidth(place, width, "…")), this.#use(facts, width)];
    const lacking = `⚠ without this project's required ${without.length === 1 ? "hook" : "hooks"}: ${without.map(oneLine).join(", ")}`;
    if (without.length > 0) lines.push(theme.fg("warning", truncateToWidth(lacking, width, "…")));
    const questions = this.#questions();
    if (questions > 0) {
      const text = `? ${questions === 1 ? "1 question waits" : `${questions} questions wait`} behind what is open`;
      lines.push(theme.fg("warning", truncateToWidth(text, width, "…")));
    }
    if (waited !== undefined) {
      const text = `⋯ ${waited.count === 1 ? "1 hook" : `${waited.count} hooks`} running ${Math.floor(waited.ms / 1000)} s · /hooks`;
      lines.push(theme.fg("warning", truncateToWidth(text, width, "…")));
    }
    const [first, ...others] = background;
    const running = others.length === 0 ? `${first}` : `${background.length} hooks; /hooks lists them`;
    if (first !== undefined) lines.push(dim(truncateToWidth(`⋯ in the background: ${oneLine(running)}`, width, "…")));
    const statuses = statusLine(this.#statuses, width);
    return statuses === "" ? lines : [...lines, statuses];
  }

  #use(facts: Facts, width: number): string {
    const theme = this.#theme();
    const { tokens, cost, contextPercent, contextWindow, model, thinking } = facts;
    const parts = [
      ...(tokens.input + tokens.output > 0 ? [`↑${short(tokens.input)} ↓${short(tokens.output)}`] : []),
      ...(cost > 0 ? [`$${cost.toFixed(3)}`] : []),
    ].map((part) => theme.fg("dim", part));
    if (contextWindow !== undefined) {
      const share = contextPercent == null ? "?" : `${contextPercent.toFixed(1)}%`;
      const full = contextPercent ?? 0;
      const colour = full > 90 ? "error" : full > 70 ? "warning" : "dim";
      parts.push(theme.fg(colour, `${share}/${short(contextWindow)}`));
    }
    const left = parts.join(" ");
    const name =
      oneLine(model ?? "no model") +
      (thinking === undefined ? "" : ` • ${thinking === "off" ? "thinking off" : thinking}`);
    const room = width - visibleWidth(left) - 2;
    if (room < 8) return truncateToWidth(left, width, "…");
    const right = truncateToWidth(name, room, "…");
    const gap = " ".repeat(Math.max(1, width - visibleWidth(left) - visibleWidth(right)));
    return left + gap + theme.fg("dim", right);
  }
}

/** Formats hooks' status texts as one line: ordered by key, each cleaned separately, cut to the width. */
export function statusLine(statuses: ReadonlyMap<string, string>, width: number): string {
  const texts = [...statuses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => styledLine(text))
    .filter((text) => text !== "");
  return truncateToWidth(texts.join(" "), width, "…");
}

/** Formats a number of tokens in a few characters. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
