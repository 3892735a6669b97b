import { keptIn, messageOf, previewOf } from "@hookline/ground";
import type { Instance } from "@hookline/runtime/dialect";
import { diagnose, place } from "@hookline/runtime/dialect";
import type { TraceContext } from "@hookline/runtime/engine";
import { keepText } from "@hookline/runtime/engine";
import { isFailing, type Report, readRaw } from "./answer.ts";
import { type CommandRun, runCommand } from "./command.ts";
import type { Definition } from "./definition.ts";
import { CLAUDE_SIZE_LIMITS } from "./size-limits.ts";
import type { ClaudeEvent } from "./views.ts";

/** Introduces the hook's own text when a background hook wakes the model. */
const WOKEN = "A hook that ran in the background reports:";

/**
 * Starts a command without waiting for it. Its answer counts from the next prompt on and can no longer refuse anything.
 * Source: spec/claude.md 2, `async` and `asyncRewake`.
 */
export function startInBackground(
  definition: Definition,
  told: ClaudeEvent,
  run: Omit<CommandRun, "signal">,
  { instance, trace }: { readonly instance: Instance; readonly trace: TraceContext | undefined },
): void {
  const { around, label } = run;
  const { event } = definition;
  const failed = (problem: string): void => {
    const { source } = instance;
    instance.report(
      diagnose("HOOK_THREW", { hook: label, place: place(source), event, problem }, { source, hook: label, event }),
    );
  };
  around.background.start(instance, { label, event }, async (signal) => {
    try {
      const report = await runCommand(definition, told, { note: () => {}, pass: 1, trace }, { ...run, signal });
      if (isFailing(report) || (report.exit === 2 && definition.wakes === undefined))
        failed(`exit code ${report.exit}`);
      ended(definition, report, { ...run, instance });
    } catch (thrown) {
      if (!signal.aborted) failed(messageOf(thrown));
    }
  });
}

type Ended = Omit<CommandRun, "signal"> & { readonly instance: Instance };

function ended({ event, wakes }: Definition, report: Report, { around, label, instance }: Ended): void {
  const { conversation, ui } = around.services;
  const { exit = 0, stderr = "" } = report;
  const short = (field: string, text: string): string => {
    if (text.length <= CLAUDE_SIZE_LIMITS.claudeText.most) return text;
    const { privateFiles, scene } = around;
    const { source } = instance;
    const path = keepText(text, scene, privateFiles);
    if (path !== undefined && scene.sessionFile === undefined) instance.own(() => privateFiles.remove(path));
    const details = { hook: label, place: place(source), event, field, length: text.length, where: keptIn(path) };
    instance.report(diagnose("TEXT_CUT", details, { source, hook: label, event }));
    return previewOf(text, path);
  };
  if (wakes !== undefined && exit === 2) {
    const content = reminder([wakes.message ?? WOKEN, short("stderr", stderr.trim())]);
    conversation?.sendMessage(
      { customType: "claude", content, display: false },
      { triggerTurn: true, deliverAs: "followUp", sender: label },
    );
    if (wakes.summary !== undefined) ui?.notify?.(wakes.summary, "info");
    return;
  }
  const reading = readRaw(event, { ...report, exit: 0 });
  if (!reading.ok) return;
  if (reading.notice !== undefined) ui?.notify?.(short("systemMessage", reading.notice), "info");
  const text = reading.answer?.additionalContext;
  if (text !== undefined)
    conversation?.sendMessage(
      { customType: "claude", content: reminder([short("additionalContext", text)]), display: false },
      { deliverAs: "nextTurn", sender: label },
    );
}

function reminder(texts: readonly string[]): string {
  return `<system-reminder>\n${texts.filter((text) => text !== "").join("\n")}\n</system-reminder>`;
}
