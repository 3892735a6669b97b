import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GUARD_FILE } from "@hookline/integrations/abouts";
import { expectedWord, type GuardCase } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import type { CaseFile, HookCase } from "./case-file.ts";

/** Lists the files of a folder's own guards. */
export function guardsOf(cwd: string): string[] {
  const folder = join(cwd, ".hookline", "guards");
  try {
    return readdirSync(folder)
      .filter((name) => GUARD_FILE.test(name))
      .map((name) => join(folder, name))
      .sort();
  } catch {
    return [];
  }
}

/** Returns a `CaseFile` for a guard's file. It has no cases yet, because the guard that carries them is not loaded. */
export function guardFile(path: string): CaseFile | undefined {
  if (!GUARD_FILE.test(path)) return undefined;
  return { path, hooks: [`hookline:${path}`], fixtures: {}, cases: [], problems: [] };
}

/** Returns the cases that loaded guards carry; each asks only its own guard. */
export function carriedCases(session: Pick<HookSession, "hooks">): HookCase[] {
  return session.hooks().flatMap(({ hook: { id, event, source, carries } }) =>
    (carries?.cases ?? []).map((one): HookCase => {
      const { name = summaryOf(one), tool, args, payload = {}, expect } = one;
      const verdict = expectedWord(one);
      return {
        path: source.path,
        line: source.line ?? 1,
        name: `${carries?.name}: ${name}`,
        event,
        payload,
        expect: { ...(typeof expect === "object" && expect), ...(verdict !== undefined && { verdict }) },
        only: id,
        ...(tool !== undefined && { tool }),
        ...(args !== undefined && { args }),
      };
    }),
  );
}

/** Makes a name for a case without one: its first argument or field if that is a text, otherwise the tool. */
function summaryOf({ args, payload, tool = "" }: GuardCase): string {
  const [first] = Object.values(args ?? payload ?? {});
  return typeof first === "string" ? first : tool;
}
