import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { systemFiles } from "../../packages/ground/src/file/system-files.ts";
import { exercise, furnished, type Project } from "../../packages/runtime/test/config/kit.ts";
import { MUTATIONS, PARTS, type Part } from "../../packages/runtime/test/config/mutations.ts";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";

/** Opens a session of the project in its current state, asks every hook, and returns which parts ran. */
async function ran(project: Project): Promise<string[]> {
  await using opened = await project.open();
  await exercise(opened);
  return [...new Set(project.ran())];
}

/** The marks of hooks that ran without approval, or that were approved but did not run. */
function problemOf(found: readonly string[], stops: readonly Part[]): string | undefined {
  const parts = Object.keys(PARTS) as Part[];
  const agreed = new Set<string>(parts.filter((part) => !stops.includes(part)).flatMap((part) => [...PARTS[part]]));
  const unasked = found.filter((name) => !agreed.has(name));
  if (unasked.length > 0) return `${unasked.join(", ")} ran without consent`;
  // Node keeps an installed package for as long as the process lives.
  const idle = [...agreed].filter((name) => name !== "pack" && !found.includes(name));
  return idle.length > 0 ? `${idle.join(", ")} did not run any more, although nothing of it was changed` : undefined;
}

const ALL = Object.keys(PARTS) as Part[];

/** Copies of a project elsewhere, which nobody has approved. */
const COPIES: Readonly<Record<string, (project: Project) => string>> = {
  "a copy of the project": ({ top }) => join(top, "copy"),
  "a folder whose name differs in case": ({ top }) => join(top, "Project"),
  "a project below the approved one": ({ cwd }) => join(cwd, "nested"),
};

/** R53: after any change of an approved project, nothing runs that nobody has approved. */
const changesAreAskedAbout: Experiment = {
  id: "R53",
  async run(tally) {
    const fresh = furnished();
    tally.trial(problemOf(await ran(fresh), ALL));
    fresh.remove();
    for (const { name, stops, apply } of MUTATIONS) {
      const project = furnished();
      await project.approve();
      apply(project);
      const problem = problemOf(await ran(project), stops);
      tally.trial(problem && `${name}: ${problem}`);
      project.remove();
    }
    for (const [name, target] of Object.entries(COPIES)) {
      const project = furnished();
      await project.approve();
      const copy = target(project);
      const original = join(project.top, "original");
      cpSync(project.cwd, original, { recursive: true });
      mkdirSync(copy, { recursive: true });
      cpSync(original, copy, { recursive: true });
      project.cwd = copy;
      const problem = problemOf(await ran(project), ALL);
      tally.trial(problem && `${name}: ${problem}`);
      project.remove();
    }
    tally.figure(`${MUTATIONS.length} changes and ${Object.keys(COPIES).length} copies`);
  },
};

/** Files that a hook starts, sources or imports late, each with the mark that it leaves when it runs. */
const STARTED: Readonly<Record<string, string>> = {
  "scripts/check.sh": "jcli",
  "scripts/lib.sh": "lib",
  "scripts/second.sh": "second",
  ".hookline/plugins/plugin": "plugin",
  ".pi/extensions/lib/late.ts": "late",
};

/** What happens to a file while a session that has loaded its hook is open. */
const MEANWHILE: Readonly<Record<string, (path: string, changed: string) => void>> = {
  "is written over": (path, changed) => writeFileSync(path, changed),
  "is replaced by another": (path, changed) => {
    writeFileSync(`${path}.new`, changed, { mode: statSync(path).mode });
    renameSync(`${path}.new`, path);
  },
  "becomes a link": (path, changed) => {
    writeFileSync(`${path}.else`, changed, { mode: statSync(path).mode });
    rmSync(path);
    symlinkSync(`${path}.else`, path);
  },
};

/** What is wrong after a file of an open session has been changed. */
async function problemWith(file: string, change: (path: string, changed: string) => void): Promise<string | undefined> {
  const project = furnished();
  try {
    await project.approve();
    await using opened = await project.open();
    const mark = STARTED[file] as string;
    // A module that was imported once is not imported again.
    if (mark !== "late") await exercise(opened);
    if (mark !== "late" && !project.ran().includes(mark)) return "it did not run before";
    const path = project.path(file);
    change(path, readFileSync(path, "utf8").replaceAll(mark, "changed"));
    const call = { toolCallId: "1", tool: "bash", args: { command: "ls" } };
    const { answer } = await opened.session.emit("tool.before", call);
    await opened.session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    if (project.ran().includes("changed")) return "its new bytes ran";
    // A judgement lacks only what a guard starts.
    return mark === "late" || answer.decision === "deny" ? undefined : "the call went on without its guard";
  } finally {
    project.remove();
  }
}

/** R53: bytes that change while a session runs are not run either. */
const bytesAreLookedAtAgain: Experiment = {
  id: "R53, changed during a session",
  async run(tally) {
    for (const file of Object.keys(STARTED)) {
      for (const [what, change] of Object.entries(MEANWHILE)) {
        const problem = await problemWith(file, change);
        tally.trial(problem && `${file} ${what}: ${problem}`);
      }
    }
    tally.figure(`${Object.keys(STARTED).length} files, ${Object.keys(MEANWHILE).length} ways to change each`);
  },
};

/** R53: bytes that change after they were checked and before they are loaded are not run. */
const bytesOfModulesAreThoseLookedAt: Experiment = {
  id: "R53, changed before it is loaded",
  async run(tally) {
    for (const [file, mark] of [
      [".pi/extensions/ext.ts", "pi"],
      [".pi/extensions/lib/rule.ts", "rule"],
      [".pi/extensions/lib/deep.ts", "deep"],
      [".omp/hooks/pre/guard.ts", "omp"],
    ] as const) {
      const project = furnished();
      await project.approve();
      const path = project.path(file);
      const before = readFileSync(path);
      writeFileSync(path, before.toString().replaceAll(`"${mark}\\n"`, '"changed\\n"'));
      // To the check, the file looks unchanged.
      const files = { ...systemFiles, read: (at: string) => (at === path ? before : systemFiles.read(at)) };
      const { store: consent, home, cwd } = project;
      const runtime = createHookRuntime({
        dialects,
        consent,
        home,
        files,
        env: { PATH: process.env["PATH"], HOME: home },
      });
      const session = await runtime.open({ scene: { ...SCENE, cwd } });
      await exercise({ session });
      tally.trial(project.ran().includes("changed") ? `${file}: its new bytes ran` : undefined);
      await runtime.close();
      project.remove();
    }
  },
};

/** What happens to a project that was approved. */
export const changes: readonly Experiment[] = [
  changesAreAskedAbout,
  bytesAreLookedAtAgain,
  bytesOfModulesAreThoseLookedAt,
];
