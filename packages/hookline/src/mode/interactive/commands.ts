import { splitCommand } from "../../loop/submit.ts";

/** What a command of the screen does; it has no arguments. */
export type ScreenCommand = () => Promise<void>;

/** Commands that open something on the screen where the same command with arguments, or elsewhere, answers in text. */
export class ScreenCommands {
  readonly #commands = new Map<string, ScreenCommand>();
  readonly #says = new Map<string, string>();

  add(name: string, says: string, run: ScreenCommand): void {
    this.#commands.set(name, run);
    this.#says.set(name, says);
  }

  /** The command that a text calls; undefined for one with arguments and for everything else. */
  find(text: string): ScreenCommand | undefined {
    const split = splitCommand(text);
    return split === undefined || split.args.trim() !== "" ? undefined : this.#commands.get(split.name);
  }

  /** Names and what they do. */
  list(): readonly (readonly [name: string, says: string])[] {
    return [...this.#says];
  }
}
