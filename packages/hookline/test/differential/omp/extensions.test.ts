import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { testHooks } from "@hookline/runtime/testing";
import { describe, expect, test } from "vitest";
import { expectAlike } from "./alike.ts";
import { driveEach, modules, type Question, type Told } from "./drive.ts";
import { effectOf } from "./effect.ts";
import { askReal, peer } from "./peer.ts";
import { EXTENSION_EVENTS, extensionQuestions } from "./questions.ts";

/** Asks hookline's lane of omp's extensions. */
async function askOurs(questions: readonly Question[]): Promise<Told[]> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-omp-"));
  try {
    const files = Object.entries(modules(EXTENSION_EVENTS)).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return `omp:${join(folder, name)}`;
    });
    await using hooks = await testHooks({ files });
    return await driveEach(questions, async ({ event }, given) => {
      const { answer, hooks: runs } = await hooks.fire("omp", event, given);
      const failed = runs.filter(({ status }) => status === "failed");
      return { answer, errors: failed.map(({ hook, problem }) => [basename(hook.replace(/#.*/, "")), problem]) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf("absent" in peer)("an extension's handlers do as in oh-my-pi's own ExtensionRunner", () => {
  test("for every sequence of answers to every event", async () => {
    const real = askReal<Told[]>("real-extensions.ts", extensionQuestions);
    const ours = await askOurs(extensionQuestions);
    const form = (question: Question, told: Told): Told => ({ ...told, answer: effectOf(question, told.answer) });
    expect(expectAlike(extensionQuestions, real, ours, form)).toEqual(["addedContexts", "returnedInput"]);
  });
});
