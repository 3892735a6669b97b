import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Keybinding, type KeyId, matchesKey } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/ground";
import type { Agent } from "../../agent/agent.ts";
import { cycleModel, selectThinking } from "../../agent/select.ts";
import { copyToClipboard } from "../../lent/clipboard.ts";
import { levelsOf } from "../../provider/thinking.ts";
import type { PromptKeys } from "../../tui/prompt.ts";
import type { Stage } from "../../tui/stage.ts";
import { pasteImage } from "./paste-image.ts";
import { type ChatShow, lastReply } from "./show.ts";

/** The longest time between two presses of a key that count as a double press, in ms. */
const TWICE_MS = 600;

/** The agent, the screen and the functions that the key handlers of the prompt use. */
export interface KeyParts {
  readonly agent: Agent;
  readonly stage: Stage;
  readonly show: ChatShow;
  submit(text: string, streaming?: "steer" | "followUp"): void;
  /** Runs a command of the screen, such as `/model`. */
  command(name: string): void;
  /** Ends hookline. A second call does not wait for hooks. */
  quit(): void;
  isEnding(): boolean;
}

/** Makes the handlers for the keys of the prompt. */
export function promptKeys(parts: KeyParts): PromptKeys {
  const { agent, stage, show } = parts;
  const { prompt } = stage;
  const act =
    (work: () => unknown): (() => void) =>
    () => {
      Promise.resolve()
        .then(work)
        .catch((thrown: unknown) => stage.note(messageOf(thrown), "error"));
    };
  let clearedAt = 0;
  let escapedAt = 0;
  const actions: Readonly<Record<string, () => void>> = {
    "app.clear": () => {
      const now = performance.now();
      if (parts.isEnding()) parts.quit();
      else if (prompt.text !== "") prompt.text = "";
      else if (now - clearedAt < TWICE_MS) parts.quit();
      else stage.toasts.show("Press Ctrl+C again to quit");
      clearedAt = now;
    },
    "app.suspend": () => suspendProcess(stage),
    "app.thinking.cycle": act(async () => {
      const levels = levelsOf(agent.core.model);
      const level = levels[(levels.indexOf(agent.core.thinking) + 1) % levels.length];
      if (level === undefined || levels.length < 2) stage.toasts.show("This model does not show its thinking");
      else await selectThinking(agent, level);
    }),
    "app.thinking.toggle": () => {
      stage.look.hidesThinking = !stage.look.hidesThinking;
      stage.redraw();
      stage.toasts.show(stage.look.hidesThinking ? "Thinking is hidden" : "Thinking is shown");
    },
    "app.model.cycleForward": act(async () => {
      if ((await cycleModel(agent)) === undefined) stage.toasts.show("There is no other model with a key");
    }),
    "app.model.cycleBackward": act(async () => {
      if ((await cycleModel(agent, "backward")) === undefined) stage.toasts.show("There is no other model with a key");
    }),
    "app.model.select": () => parts.command("model"),
    "app.tools.expand": () => stage.setExpanded(!stage.look.expanded),
    "app.editor.external": act(() => editOutside(stage)),
    "app.message.copy": act(async () => {
      const text = lastReply(agent);
      if (text === undefined) return;
      await copyToClipboard(text);
      stage.toasts.show("The last reply is on the clipboard");
    }),
    "app.message.followUp": () => {
      const text = prompt.text;
      parts.submit(text, "followUp");
    },
    "app.message.dequeue": () => {
      const { steering, followUp } = agent.core.queues.clear();
      const waited = [...steering, ...followUp];
      if (waited.length > 0) prompt.text = [...waited, ...(prompt.text === "" ? [] : [prompt.text])].join("\n\n");
    },
    "app.agents.show": () => parts.command("agents"),
    "app.session.new": () => parts.submit("/new"),
    "app.session.tree": () => parts.command("tree"),
    "app.session.fork": () => parts.command("fork"),
    "app.session.resume": () => parts.command("resume"),
  };
  return {
    actions: new Map(Object.entries(actions)),
    onSubmit: (text) => parts.submit(text),
    onChange: (text) => stage.prompt.setBorder(borderOf(agent, stage, text)),
    onEscape() {
      if (show.runsShell) agent.userCommands.abort();
      else if (!agent.isIdle || agent.isOccupied) endRunning(parts);
      else if (prompt.text === "") {
        const now = performance.now();
        if (now - escapedAt < TWICE_MS) parts.command("tree");
        escapedAt = now;
      }
    },
    onExit: () => parts.quit(),
    onPasteImage: act(() => pasteImage(stage)),
    onShortcut: (data) => extensionShortcut(agent, data),
  };
}

/** Aborts running work and puts queued texts back into the editor. */
function endRunning({ agent, stage: { prompt } }: KeyParts): void {
  const { steering, followUp } = agent.core.queues.texts;
  const waited = [...steering, ...followUp];
  agent.abort();
  if (waited.length > 0) prompt.text = [...waited, ...(prompt.text === "" ? [] : [prompt.text])].join("\n\n");
}

function borderOf(agent: Agent, { chat }: Stage, text: string): (text: string) => string {
  const theme = chat.theme();
  return /^[!$]/.test(text) ? theme.getBashModeBorderColor() : theme.getThinkingBorderColor(agent.core.thinking);
}

function extensionShortcut(agent: Agent, data: string): boolean {
  const shortcuts = agent.core.hooks.contributions.all<{ handler(): Promise<void> }>("shortcut");
  for (const [key, { value }] of shortcuts) {
    if (!matchesKey(data, key as KeyId)) continue;
    void value.handler();
    return true;
  }
  return false;
}

/** Suspends the process at Ctrl+Z while a dialog or panel gets the keyboard input. */
export function suspendKey(stage: Stage, data: string): { readonly consume: true } | undefined {
  if (!stage.dialogs.asks || !stage.keys.matches(data, "app.suspend" as Keybinding)) return undefined;
  suspendProcess(stage);
  return { consume: true };
}

/** Suspends the process as Ctrl+Z does in other programs. The screen is redrawn when the process resumes. */
function suspendProcess(stage: Stage): void {
  if (process.platform === "win32") return;
  const resume = stage.suspend();
  const awake = setInterval(() => {}, 2 ** 30);
  process.once("SIGCONT", () => {
    clearInterval(awake);
    resume();
  });
  process.kill(0, "SIGTSTP");
}

/** Opens the typed text in the external editor that the environment names. */
async function editOutside(stage: Stage): Promise<void> {
  const wanted = process.env["VISUAL"] || process.env["EDITOR"];
  if (!wanted) throw new Error("There is no editor to open. Set VISUAL or EDITOR.");
  const folder = mkdtempSync(join(tmpdir(), "hookline-edit-"));
  const file = join(folder, "prompt.md");
  writeFileSync(file, stage.prompt.text, { mode: 0o600 });
  const [program = "", ...args] = wanted.split(/\s+/);
  const resume = stage.suspend();
  try {
    const code = await new Promise<number | null>((done, failed) => {
      const child = spawn(program, [...args, file], { stdio: "inherit" });
      child.on("error", failed);
      child.on("close", done);
    });
    if (code === 0) stage.prompt.text = readFileSync(file, "utf8").replace(/\n$/, "");
  } finally {
    resume();
    rmSync(folder, { recursive: true, force: true });
  }
}
