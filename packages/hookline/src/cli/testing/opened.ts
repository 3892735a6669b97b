import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { HooklineError, type Scene } from "@hookline/runtime";
import type { Lane } from "@hookline/runtime/engine";
import { type HookSession, wholeOf } from "@hookline/runtime/session";
import { testHooks } from "@hookline/runtime/testing";
import { guardsFor } from "../../lent/modules.ts";
import type { Arguments } from "../../start/args.ts";
import { openHooks } from "../open-hooks.ts";
import type { CaseFile } from "./case-file.ts";

/** Loaded hooks for the cases of a file. */
export interface Opened {
  readonly session: HookSession;
  readonly lanes: readonly Lane[];
  readonly scene: Scene;
  /** The folder with the file's fixtures; absent if it has none. */
  readonly fixtures?: string;
  close(): Promise<void>;
}

/**
 * Loads the hooks that a file of cases is about: those that it names, in an empty home folder, or those of the folder
 * with their current approvals. Throws if a named hook cannot be loaded.
 */
export async function openFor(file: CaseFile, args: Arguments, io: Io): Promise<Opened> {
  const fixtures = Object.keys(file.fixtures).length === 0 ? undefined : makeFixtures(file);
  const remove = (): void => {
    if (fixtures !== undefined) rmSync(fixtures, { recursive: true, force: true });
  };
  try {
    const opened = file.hooks === undefined ? await openHere(args, io) : await openNamed(file, file.hooks, args, io);
    const close = async (): Promise<void> => {
      await opened.close();
      remove();
    };
    return { ...opened, close, ...(fixtures !== undefined && { fixtures }) };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

type Bare = Omit<Opened, "fixtures">;

async function openHere(args: Arguments, io: Io): Promise<Bare> {
  const { session, runtime, scene, close } = await openHooks(args, io);
  return { session, lanes: runtime.lanes, scene, close };
}

async function openNamed({ path }: CaseFile, hooks: readonly string[], args: Arguments, io: Io): Promise<Bare> {
  const cwd = typeof args.flags["cwd"] === "string" ? resolve(io.cwd, args.flags["cwd"]) : io.cwd;
  const files = hooks.map((text) => {
    const [, prefix = "", written = text] = /^([a-z]+:)(.*)$/.exec(text) ?? [];
    return `${prefix}${resolve(dirname(path), written)}`;
  });
  const opened = await testHooks({ files, scene: { cwd }, env: io.env, services: { modules: guardsFor({ cwd }) } });
  const broken = opened.report.sources.filter(({ state }) => state !== "runs");
  if (broken.length > 0) {
    await opened.close();
    throw new Error(broken.map((one) => `${one.path} does not run: ${one.reason ?? one.state}`).join("; "));
  }
  return { session: wholeOf(opened.session), lanes: opened.lanes, scene: opened.scene, close: () => opened.close() };
}

function makeFixtures({ fixtures, path }: CaseFile): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-fixtures-"));
  for (const [name, text] of Object.entries(fixtures)) {
    const full = resolve(folder, name);
    try {
      if (!full.startsWith(folder + sep)) throw new Error("its path leads out of the fixtures' folder");
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      const problem = `names the fixture "${name}", which cannot be made: ${messageOf(thrown)}`;
      throw new HooklineError("INVALID_OPTION", { option: path, problem, remedy: "Correct its name." });
    }
  }
  return folder;
}
