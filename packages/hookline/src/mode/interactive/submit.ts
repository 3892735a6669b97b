import { existsSync } from "node:fs";
import type { Agent } from "../../agent/agent.ts";
import { problemText } from "../../agent/problem.ts";
import type { UnknownCommand } from "../../agent/unknown-command.ts";
import { readUserCommand } from "../../agent/user-command.ts";
import { errorWords } from "../../provider/error-words.ts";
import { confirming } from "../../tui/dialog/questions.ts";
import type { Stage } from "../../tui/stage.ts";
import { currentTheme } from "../../tui/theme/current.ts";
import type { ChatShow } from "./show.ts";

/** A command that runs longer than this is shown as running, in ms. */
const UNTOLD_MS = 750;

/** Sends the typed texts to the agent and shows the results. */
export class Submitting {
  readonly #agent: Agent;
  readonly #stage: Stage;
  readonly #show: ChatShow;

  constructor(agent: Agent, stage: Stage, show: ChatShow) {
    this.#agent = agent;
    this.#stage = stage;
    this.#show = show;
  }

  /** Sends a text. While a prompt runs, the text steers that prompt, or waits for its end with `followUp`. */
  async take(typed: string, streaming: "steer" | "followUp" = "steer"): Promise<void> {
    const text = typed.trim() === "?" ? "/help" : typed.trim();
    if (text === "") return;
    const { prompt, toasts, working } = this.#stage;
    prompt.remember(text);
    prompt.text = "";
    toasts.clear();
    // Commands show nothing while they run, so a slow one is announced.
    const untold = setTimeout(() => {
      if (text.startsWith("/") && this.#agent.isIdle && !this.#stage.dialogs.isBusy) working.show(`${text}…`);
    }, UNTOLD_MS);
    try {
      const own = readUserCommand(text);
      if (own !== undefined) {
        await this.#show.shell(own);
        return;
      }
      const isPrompt = (unknown: UnknownCommand): Promise<boolean> => this.#isPrompt(unknown, text);
      const result = await this.#agent.prompt(text, { source: "interactive", streaming, isPrompt });
      if (result.kind === "failed") this.#failed(result.error);
      else if (result.kind === "stopped") this.#stage.note(result.reason, "warning");
      else if (result.kind === "command") this.#show.newEntries();
    } catch (thrown) {
      this.#stage.note(problemText(thrown), "error");
    } finally {
      clearTimeout(untold);
      if (this.#agent.isIdle) working.show(undefined);
    }
  }

  /** Asks the person whether a text with an unknown command is a prompt. If not, it goes back into the editor. */
  async #isPrompt({ typed, near }: UnknownCommand, text: string): Promise<boolean> {
    // A text that starts with an existing path is a prompt about that path.
    if (existsSync(typed)) return true;
    const { dialogs, prompt, screen } = this.#stage;
    const around = { tui: screen, theme: currentTheme };
    const sends = await dialogs.ask(
      confirming(`${typed} is not a command. Send it to the model?`, `Did you mean ${near}?`, around),
    );
    if (sends !== true && prompt.text === "") prompt.text = text;
    return sends === true;
  }

  #failed(problem: string): void {
    // Shows the problem unless it is already on the screen, below a cut-off reply or a failed compaction.
    if (this.#show.lastError?.endsWith(problem) !== true) this.#stage.note(errorWords(problem), "error");
  }
}
