import type { Agent } from "../../agent/agent.ts";
import { problemText } from "../../agent/problem.ts";
import { readUserCommand } from "../../agent/user-command.ts";
import type { Stage } from "../../tui/stage.ts";
import type { ChatShow } from "./show.ts";

/** From when on a command that still works is shown. */
const UNTOLD_MS = 750;

/** Takes what the person types to the agent, and shows what it came to. */
export class Submitting {
  readonly #agent: Agent;
  readonly #stage: Stage;
  readonly #show: ChatShow;

  constructor(agent: Agent, stage: Stage, show: ChatShow) {
    this.#agent = agent;
    this.#stage = stage;
    this.#show = show;
  }

  /** Takes a text; while a prompt runs it steers it, or with `followUp` waits for its end. */
  async take(typed: string, streaming: "steer" | "followUp" = "steer"): Promise<void> {
    const text = typed.trim();
    if (text === "") return;
    const { prompt, toasts, working } = this.#stage;
    prompt.remember(text);
    prompt.text = "";
    toasts.clear();
    // A command says nothing while it works; what takes long is to be seen.
    const untold = setTimeout(() => {
      if (text.startsWith("/") && this.#agent.isIdle && !this.#stage.dialogs.isBusy) working.show(`${text}…`);
    }, UNTOLD_MS);
    try {
      const own = readUserCommand(text);
      if (own !== undefined) {
        await this.#show.shell(own);
        return;
      }
      const result = await this.#agent.prompt(text, { source: "interactive", streaming });
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

  #failed(problem: string): void {
    // The reply tells itself what has broken it off.
    const last = this.#agent.messages().at(-1);
    if (last?.role !== "assistant" || last.stopReason !== "error") this.#stage.note(problem, "error");
  }
}
