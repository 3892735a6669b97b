import type { Component } from "@earendil-works/pi-tui";
import { getKeybindings, matchesKey } from "@earendil-works/pi-tui";
import type { UndoOffer } from "@hookline/guards/parts";
import type { Agent } from "../agent/agent.ts";
import type { BuiltinCommand } from "../agent/submit.ts";
import { guardSession } from "../settings/parts.ts";
import type { Settings } from "../settings/settings.ts";
import { Page } from "./panel/page.ts";
import { choose } from "./select/choice.ts";
import { framed } from "./select/frame.ts";
import { fit, plainLine } from "./select/line.ts";
import { type Dialog, roomFor, type Screen, type Show } from "./select/screen.ts";
import { currentTheme } from "./theme/current.ts";

/** Parts of a screen that `/undo` needs. */
export interface UndoParts {
  readonly show: Show;
  readonly place: Readonly<Record<"cwd" | "home" | "hooklineHome", string>>;
  /** Reads the settings as they are now. */
  settings(): Settings;
}

/**
 * Adds `/undo`, which is `hookline undo` on the screen: without arguments it asks for a checkpoint. It shows what will
 * change before anything changes. No prompt runs meanwhile.
 */
export function addUndo(agent: Agent, parts: UndoParts): void {
  const command: BuiltinCommand = {
    name: "undo",
    description: "bring back what calls changed: choose a checkpoint, or give its number",
    async run(args) {
      if (agent.isEnding) await agent.waitForIdle();
      if (!agent.isIdle) throw new Error("The model is working. Esc stops it; then type /undo.");
      return agent.occupy(() => undone(agent, parts, args));
    },
  };
  agent.commands.set(command.name, command);
}

async function undone(agent: Agent, { show, place, settings }: UndoParts, args: string): Promise<string | undefined> {
  const { settingsIn, undoCommand, undoOffers } = await import("@hookline/guards/parts");
  const { cwd, home: personHome, hooklineHome: home } = place;
  const own = settingsIn("undo", {}, guardSession(place, settings));
  const where = { cwd, home, personHome, settings: own };
  let words = args.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) {
    const runs = agent.core.hooks.hooks().some(({ hook }) => hook.carries?.name === "undo");
    const offers = await undoOffers(where);
    if ("because" in offers) throw new Error(offers.because);
    if (offers.length === 0) return runs ? NOTHING : NOT_ADDED;
    const chosen = await show(chooseCheckpoint(offers, runs));
    if (chosen === undefined) return undefined;
    words = [`${chosen}`];
  }
  const texts = { out: "", err: "" };
  const code = await undoCommand(words, {
    ...where,
    typed: "/undo",
    out: (text) => void (texts.out += text),
    err: (text) => void (texts.err += text),
    ask: async (question) => {
      const will = texts.out;
      texts.out = "";
      return (await show(confirmUndo(question, will))) === true;
    },
  });
  if (code !== 0 && texts.err !== "") throw new Error(texts.err.trimEnd());
  return texts.out.trimEnd();
}

const NOTHING =
  "Nothing to undo: no checkpoint differs from what is there. Type /undo again after a call has changed something.";
const NOT_ADDED =
  "Nothing to undo: the guard undo does not run here, so calls get no checkpoint. Type `!!hookline guards add undo`, then /reload.";

/** The maximum number of lines about the selected checkpoint. */
const MOST_LINES = 4;

/** Lets the person choose a checkpoint; returns its number. */
function chooseCheckpoint(offers: readonly UndoOffer[], runs: boolean): Dialog<number> {
  return choose<number>({
    title: "Undo",
    rows: offers.map(({ number, before, age }) => ({
      value: number,
      text: `${number}  before: ${before}`,
      note: age,
    })),
    empty: "",
    does: "see what will change",
    remark: () => (runs ? "" : "the guard undo does not run: calls get no checkpoint"),
    about(number, width) {
      const does = offers.find((one) => one.number === number)?.does() ?? [];
      const shown = does.length > MOST_LINES ? does.slice(0, MOST_LINES - 1) : does;
      const more = does.length - shown.length;
      const lines = [...shown, ...(more > 0 ? [`and ${more} more`] : [])];
      return lines.map((line) => fit(currentTheme().fg("muted", `   ${plainLine(line)}`), width));
    },
  });
}

/** Shows what undoing will change; returns whether the person wants it. */
function confirmUndo(question: string, will: string): Dialog<boolean> {
  return (screen, done) => new UndoPage(screen, question, will, done);
}

class UndoPage implements Component {
  readonly #question: string;
  readonly #page: Page;
  readonly #done: (yes: boolean) => void;

  constructor(screen: Screen, question: string, will: string, done: (yes: boolean) => void) {
    const lines = will.trimEnd().split("\n");
    this.#question = question;
    this.#done = done;
    this.#page = new Page(
      // Each line gets its indentation back, because `plainLine` and `trim` remove it.
      lines.map((line) => ({ text: ` ${/^ */.exec(line)?.[0]}${plainLine(line.trim())}` })),
      () => roomFor(screen, 4),
    );
  }

  invalidate(): void {
    this.#page.invalidate();
  }

  handleInput(data: string): void {
    if (matchesKey(data, "y")) this.#done(true);
    else if (matchesKey(data, "n") || getKeybindings().matches(data, "tui.select.cancel")) this.#done(false);
    else this.#page.handleInput(data);
  }

  render(width: number): string[] {
    const hints = [
      ["y", "go back"],
      ["esc", "change nothing"],
      ["↑↓", "scroll"],
    ] as const;
    return framed({ title: this.#question, hints }, this.#page.render(width), width);
  }
}
