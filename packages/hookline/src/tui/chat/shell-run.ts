import { Container, Spacer, Text } from "@earendil-works/pi-tui";
import type { BashExecutionMessage } from "@hookline/runtime/engine";
import { oneLine, shown } from "../shown.ts";
import { truncateToVisualLines } from "../widget/visual-lines.ts";
import { Folding } from "./lazily.ts";
import type { Chat } from "./look.ts";

const SHOWN_LINES = 20;
/** How many characters of a running command's output are kept for the screen. */
const KEPT_CHARACTERS = 64 * 1024;

/** The output and the exit status of a person's command that has ended. */
type Ended = Omit<BashExecutionMessage, "role" | "command" | "timestamp">;

interface State {
  command: string;
  output: string;
  excluded: boolean;
  done: Ended | undefined;
}

/** A command that the person typed after `!` or `$`, while it runs and afterwards. */
export class ShellRun extends Folding {
  readonly #state: State;

  constructor(command: string, excluded: boolean, chat: Chat) {
    const state: State = { command, excluded, output: "", done: undefined };
    super(chat.look.expanded, (expanded) => drawn(state, expanded, chat));
    this.#state = state;
  }

  /** Draws a run that has already ended, from its message in the session. */
  static ended(message: BashExecutionMessage, chat: Chat): ShellRun {
    const run = new ShellRun(message.command, message.excludeFromContext === true, chat);
    run.end(message);
    return run;
  }

  append(delta: string): void {
    this.#state.output = (this.#state.output + delta).slice(-KEPT_CHARACTERS);
    this.changed();
  }

  end(message: Ended): void {
    this.#state.done = message;
    this.#state.output = message.output;
    this.changed();
  }
}

function drawn({ command, output, excluded, done }: State, expanded: boolean, chat: Chat): Container {
  const theme = chat.theme();
  const colour = excluded ? "dim" : "bashMode";
  const box = new Container();
  box.addChild(new Spacer(1));
  box.addChild(new Text(theme.fg(colour, theme.bold(`$ ${oneLine(command)}`)), 1, 0));
  const text = shown(output, "end").replaceAll("\t", "   ").trimEnd();
  const colored = text === "" ? "" : theme.fg("toolOutput", text.split("\n").join("\n"));
  if (expanded && colored !== "") box.addChild(new Text(colored, 1, 0));
  else if (colored !== "") {
    box.addChild({
      invalidate() {},
      render(width: number) {
        const { visualLines, skippedCount } = truncateToVisualLines(colored, SHOWN_LINES, width, 1);
        const rest = ` … ${skippedCount} lines above (Ctrl+O shows them)`;
        return skippedCount === 0 ? visualLines : [theme.fg("muted", rest.slice(0, width)), ...visualLines];
      },
    });
  }
  const facts = factsOf(done, excluded);
  if (facts !== "") box.addChild(new Text(theme.fg(done?.exitCode ? "error" : "muted", facts), 1, 0));
  return box;
}

function factsOf(done: Ended | undefined, excluded: boolean): string {
  if (done === undefined) return "running… (Esc interrupts)";
  const facts = [
    done.cancelled ? "cancelled" : "",
    done.exitCode ? `exit ${done.exitCode}` : "",
    done.truncated && done.fullOutputPath !== undefined ? `cut; all of it: ${oneLine(done.fullOutputPath)}` : "",
    excluded ? "not in the context" : "",
  ];
  const said = facts.filter((fact) => fact !== "").join(" · ");
  return said === "" ? "" : `(${said})`;
}
