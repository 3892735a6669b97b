import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Terminal } from "@earendil-works/pi-tui";
import { EXIT, type Io, shortPath } from "@hookline/ground/system";
import type { Agent } from "../../agent/agent.ts";
import { Roster } from "../../agent/roster.ts";
import { ApprovedTexts } from "../../consent/approved-texts.ts";
import { hooklineAbove } from "../../consent/started-by.ts";
import { ask } from "../../hook/ask.ts";
import { Patience } from "../../hook/patience.ts";
import { lendTerminal } from "../../lent/clipboard.ts";
import { missingModelText } from "../../provider/demo.ts";
import { secretRedactor } from "../../provider/secrets.ts";
import { readSettings } from "../../settings/settings.ts";
import { choosesModel, modelsOf } from "../../start/models.ts";
import { type Place, placeOf } from "../../start/place.ts";
import { openReview } from "../../start/review.ts";
import { Printed } from "../../tui/chat/printed.ts";
import { GitBranch } from "../../tui/git-branch.ts";
import { ActivityLog } from "../../tui/panel/activity-log.ts";
import { addPanel } from "../../tui/panel/commands.ts";
import { consentDialog } from "../../tui/panel/trust-dialog.ts";
import { trustSource } from "../../tui/panel/trust-source.ts";
import { addSelectors } from "../../tui/select/commands.ts";
import type { Show } from "../../tui/select/screen.ts";
import { oneLine } from "../../tui/shown.ts";
import { Stage } from "../../tui/stage.ts";
import { SubAgentLines } from "../../tui/subagent/lines.ts";
import { OwnTerminal } from "../../tui/terminal/terminal.ts";
import { themeNamed, useTheme } from "../../tui/theme/current.ts";
import { Themes } from "../../tui/themes.ts";
import { addUndo } from "../../tui/undo.ts";
import { Ending } from "../ending.ts";
import { type ModeRun, type Opened, openAgent } from "../open.ts";
import type { Person } from "../person.ts";
import { Completing } from "./completing.ts";
import { completions } from "./completions.ts";
import { AgentFacts } from "./facts.ts";
import { addInspect } from "./inspect.ts";
import { promptKeys, suspendKey } from "./keys.ts";
import { ChatShow } from "./show.ts";
import { Submitting } from "./submit.ts";
import { screenUi } from "./ui.ts";
import { Waiting } from "./waiting.ts";
import { welcome } from "./welcome.ts";

/** Runs the agent for a person at a terminal. */
export async function runInteractive(run: ModeRun): Promise<number> {
  const { args, io } = run;
  const place = await placeOf(args, io);
  // An error in the choice of a model is reported before the person is asked anything.
  if (choosesModel(args)) await modelsOf(args, io, place);
  const screen = new InteractiveRun(run, place);
  try {
    return await screen.run();
  } finally {
    await screen.close();
  }
}

/** The input and output of a run with a screen, and the terminal on which the screen is drawn. */
export interface ScreenIo extends Io {
  /** Makes the terminal. Default: the terminal of the process. */
  terminal?(): Terminal;
}

/** One run with a screen, from the first frame until the terminal is given back. */
class InteractiveRun {
  readonly #run: ModeRun;
  readonly #place: Place;
  readonly #late: { agent?: Agent } = {};
  readonly #branch: GitBranch;
  readonly #facts: AgentFacts;
  readonly #stage: Stage;
  readonly #themes: Themes;
  readonly #person: Person;
  readonly #undo: (() => void)[] = [];
  readonly #waiting = new Waiting((about) => {
    const { agent } = this.#late;
    if (agent !== undefined) void ask(agent.core, "notify", about);
  });
  #printed: Printed | undefined;
  #isEnding = false;
  #isStalled = (): boolean => false;

  constructor(run: ModeRun, place: Place) {
    this.#run = run;
    this.#place = place;
    const io: ScreenIo = run.io;
    const { cwd } = place;
    this.#branch = new GitBranch(cwd);
    this.#facts = new AgentFacts(cwd, place.home, this.#branch);
    const wanted = place.settings.user.get("theme");
    const theme = typeof wanted === "string" ? wanted : usualTheme(io.env["COLORFGBG"]);
    const chosen = themeNamed(theme, [place.hooklineHome]);
    if (chosen !== undefined) useTheme(chosen);
    const late = this.#late;
    const own = io.terminal?.() ?? new OwnTerminal();
    if (own instanceof OwnTerminal) {
      this.#undo.push(() => own.close());
      this.#isStalled = () => own.isStalled;
    }
    const contributed = (kind: "tool-renderer" | "markdown-transformer") =>
      [...(late.agent?.core.hooks.contributions.all<never>(kind).values() ?? [])].map(({ value }) => value);
    this.#stage = new Stage({
      terminal: own,
      cwd,
      path: (path) => shortPath(path, { cwd, home: place.home }),
      plain: (io.env["NO_COLOR"] ?? "") !== "",
      facts: () => this.#facts.now,
      header: welcome(() => {
        const { agent } = late;
        if (agent === undefined) return undefined;
        const { hooks, model, resources } = agent.core;
        const { skills, contextFiles } = resources;
        const name = `${model.provider}/${model.id}`;
        return { report: hooks.report, model: name, skills: skills.length, contextFiles: contextFiles.length };
      }),
      tool: (name) => late.agent?.tools().get(name)?.tool,
      toolRenderers: () => contributed("tool-renderer"),
      transformers: () => contributed("markdown-transformer"),
      renderer: (kind, type) => late.agent?.core.hooks.contributions.all<never>(kind).get(type),
    });
    const stage = this.#stage;
    this.#themes = new Themes(
      () => late.agent?.core.resources.themes ?? [],
      () => stage.redraw(),
    );
    this.#undo.push(this.#branch.watch(() => stage.screen.requestRender()));
    this.#person = {
      tell: (line) =>
        stage.note(line, /^error\b/.test(line) ? "error" : /^(warning\b|⚠)/.test(line) ? "warning" : "info"),
      answer: (text) => stage.output(text),
    };
  }

  async run(): Promise<number> {
    const run = this.#run;
    const stage = this.#stage;
    const patience = new Patience();
    const ending = new Ending((line) => this.#person.tell(line), { patience });
    this.#start();
    const quit = (): void => this.#quit();
    const keys = { ...IDLE_KEYS, onEscape: () => patience.end(), onExit: quit };
    stage.prompt.bind({ ...keys, actions: new Map([["app.clear", quit]]) });
    await askConsent(run, stage);
    const completing = new Completing(stage);
    const ui = screenUi({
      stage,
      themes: this.#themes,
      branch: this.#branch,
      providerCount: () => this.#providers(),
      addCompletions: (wrap) => completing.add(wrap),
      clearCompletions: () => completing.clear(),
      waiting: this.#waiting,
      lend: () => ending.lend(() => this.#late.agent?.abort()),
    });
    const activity = new ActivityLog(secretRedactor(run.io.env));
    const opened = await openAgent(run, { mode: "tui", person: this.#person, ui, patience, ending, watch: activity });
    ending.begin(opened.assembled);
    const { agent } = opened.assembled;
    this.#late.agent = agent;
    this.#facts.follow(agent);
    this.#undo.push(agent.core.hooks.background.listen(() => stage.screen.requestRender()));
    const show: Show = (dialog) => stage.dialogs.show(dialog);
    const lines = new SubAgentLines(agent.children?.roster ?? new Roster(), () => stage.screen.requestRender());
    stage.subAgents.show(lines);
    this.#undo.push(lines.begin());
    addPanel(opened.assembled, { show, quit, activity, env: run.io.env });
    const tell = (text: string): void => this.#person.tell(text);
    this.#undo.push(addInspect(opened.assembled, { activity, env: run.io.env, tell }));
    const { cwd, home, hooklineHome } = this.#place;
    addSelectors(agent, {
      show,
      themes: this.#themes,
      place: { hooklineHome, cwd },
    });
    const settings = () => readSettings(hooklineHome, cwd, run.io.managed, home);
    addUndo(agent, { show, place: { cwd, home, hooklineHome }, settings });
    completing.begin(completions(agent));
    const code = await this.#talk(opened, ending);
    stage.working.show("Ending…");
    stage.dialogs.close();
    await ending.close(opened.assembled);
    const ended = await opened.closeTrace(code);
    // The last message has not been drawn yet.
    stage.screen.renderNow();
    await this.#leave(agent, opened.problems);
    return ended;
  }

  /** Gives the terminal back. Late answers of the terminal are read first, so that the shell does not get them. */
  async close(): Promise<void> {
    await this.#stage.end();
    this.#themes.close();
    this.#branch.close();
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }

  #start(): void {
    const stage = this.#stage;
    stage.start();
    stage.screen.terminal.setTitle(`hookline – ${this.#facts.now.cwd}`);
    const back = (): void => stage.stop();
    process.on("uncaughtExceptionMonitor", back);
    process.on("exit", back);
    this.#undo.push(
      () => process.removeListener("uncaughtExceptionMonitor", back),
      () => process.removeListener("exit", back),
      stage.screen.addInputListener((data) => suspendKey(stage, data)),
      lendTerminal((data) => stage.screen.terminal.write(data)),
      divertOutput((line) => this.#print(line)),
    );
  }

  /** Takes prompts until the person or a signal ends the run. */
  async #talk({ assembled, problems, words }: Opened, ending: Ending): Promise<number> {
    if (problems.length > 0) return EXIT.usage;
    const { agent } = assembled;
    const stage = this.#stage;
    const show = new ChatShow(agent, stage);
    this.#undo.push(show.begin());
    const submitting = new Submitting(agent, stage, show);
    const submit = (text: string, streaming?: "steer" | "followUp"): void => void submitting.take(text, streaming);
    const keys = promptKeys({
      agent,
      stage,
      show,
      submit,
      command: (name) => submit(`/${name}`),
      quit: () => this.#quit(),
      isEnding: () => this.#isEnding,
    });
    stage.prompt.bind(keys);
    this.#undo.push(
      agent.listen(({ type }) => {
        if (type === "thinking_level_changed") keys.onChange(stage.prompt.text);
        if (type === "agent_start") this.#waiting.busy();
        if (type === "agent_settled") this.#waiting.settled();
      }),
      () => this.#waiting.busy(),
      stage.screen.addInputListener(() => {
        this.#waiting.key();
        return undefined;
      }),
    );
    if (this.#isEnding) agent.requestEnd();
    keys.onChange(stage.prompt.text);
    stage.screen.requestRender();
    const { missingModel } = assembled;
    if (missingModel !== undefined) {
      stage.note(missingModelText(missingModel), "warning");
      if (words.length === 0) submit("/hooks");
    }
    void this.#first(words, submitting, agent);
    return Promise.race([ending.signalled, endOf(agent)]);
  }

  /** Runs the prompts of the command line, one after the other. */
  async #first(words: readonly string[], submitting: Submitting, agent: Agent): Promise<void> {
    for (const text of words) {
      await agent.waitForIdle();
      if (!agent.endWanted) await submitting.take(text);
    }
  }

  /** Ends hookline. A second call does not wait for hooks. */
  #quit(): void {
    if (this.#isEnding) process.kill(process.pid, "SIGINT");
    this.#isEnding = true;
    this.#stage.dialogs.close();
    const { agent } = this.#late;
    agent?.abort();
    agent?.requestEnd();
    if (agent === undefined) this.#stage.toasts.show("Quits when the hooks are loaded; press again to quit at once");
  }

  /** Gives the terminal back and prints the last lines on it. */
  async #leave(agent: Agent, problems: readonly string[]): Promise<void> {
    const { store } = agent.core;
    const id = store.getSessionId();
    const file = store.getSessionFile();
    const hasSaid = agent.messages().length > 0 && file !== undefined && existsSync(file);
    await this.close();
    if (this.#isStalled()) return;
    const { io } = this.#run;
    for (const problem of problems) io.err(`${oneLine(problem)}\n`);
    if (hasSaid) io.out(`To continue this session: hookline --resume ${id}\n`);
  }

  /** Shows a line that a module has printed, in one block with the lines directly before it. */
  #print(line: string): void {
    const { transcript, chat, screen } = this.#stage;
    if (this.#printed === undefined || transcript.blocks.at(-1) !== this.#printed) {
      this.#printed = new Printed(chat);
      transcript.add(this.#printed);
    }
    this.#printed.append(line);
    screen.requestRender();
  }

  #providers(): number {
    const models = this.#late.agent?.registry.getAvailable() ?? [];
    return new Set(models.map(({ provider }) => provider)).size;
  }
}

/** Key handlers while there is no agent yet. Typed text stays in the editor. */
const IDLE_KEYS = {
  onSubmit: () => {},
  onChange: () => {},
  onPasteImage: () => {},
  onShortcut: () => false,
};

/** Resolves when someone has asked the agent to end and it is idle. */
async function endOf(agent: Agent): Promise<number> {
  await new Promise<void>((resolve) => agent.onEndWanted(resolve));
  await agent.waitForIdle();
  return EXIT.fine;
}

/** Chooses the light or dark theme. `grounds` is `COLORFGBG`, where some terminals report `foreground;background`. */
function usualTheme(grounds: string | undefined): string {
  return /[;](7|15)$/.test(grounds ?? "") ? "light" : "dark";
}

type Write = typeof process.stdout.write;

/**
 * Passes each line that modules write to stdout or stderr to `line` instead; returns a function that ends this. The
 * screen is not affected, because it writes to a file descriptor.
 */
function divertOutput(line: (text: string) => void): () => void {
  const undo = [process.stdout, process.stderr].map((stream) => {
    const own = Object.getOwnPropertyDescriptor(stream, "write");
    let rest = "";
    const diverted = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
      const lines = (rest + (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))).split("\n");
      rest = lines.pop() ?? "";
      for (const one of lines) line(one);
      const told = typeof encoding === "function" ? encoding : done;
      if (typeof told === "function") queueMicrotask(told as () => void);
      return true;
    }) as Write;
    stream.write = diverted;
    return () => {
      if (rest !== "") line(rest);
      if (stream.write !== diverted) return;
      if (own === undefined) Reflect.deleteProperty(stream, "write");
      else Object.defineProperty(stream, "write", own);
    };
  });
  return () => {
    for (const one of undo) one();
  };
}

/** Shows the person everything that this project would run, and asks for approval before any of it is loaded. */
async function askConsent({ args, io }: ModeRun, stage: Stage): Promise<void> {
  const decided = (["frozen", "trust-project", "no-hooks"] as const).some((flag) => args.flags[flag] === true);
  if (decided) return;
  const redact = secretRedactor(io.env);
  const quiet = { ...io, err: (text: string) => stage.note(redact(text.trim()), "warning") };
  const { runtime, session, place, store } = await openReview(args, quiet);
  const { cwd, hooklineHome } = place;
  try {
    // If a hook or an agent has started this process, a program may answer instead of a person, so nobody is asked.
    if (hooklineAbove(hooklineHome, io.env) !== undefined) return;
    const texts = new ApprovedTexts(hooklineHome);
    const trust = trustSource({ hooks: session, store, texts, cwd, refusal: undefined, reload: async () => {} });
    const sheets = await trust.sheets();
    if (sheets.every(({ verdict }) => verdict === "approved")) return;
    const path = (path: string): string => (path.startsWith(cwd) ? relative(cwd, path) : path);
    await stage.dialogs.show(consentDialog({ sheets, together: trust.together, path }));
  } finally {
    await runtime.close();
  }
}
