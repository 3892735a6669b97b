import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import type { DialectSettings } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { expect, test } from "vitest";
import { missingHook } from "../../src/cli/hooks.ts";
import { MISCONFIGURED, type Misconfigured } from "./misconfigured.ts";

/** Causes for which a hook does not fire, each with its remedy, as `hookline hooks` reports them. */
type Told = { readonly what: string; readonly remedy: string }[];

function toldOf(session: HookSession): Told {
  const { report } = session;
  const sources = report.sources
    .filter(({ remedy }) => remedy !== undefined)
    .map(({ path, line, state, reason = "", remedy = "" }) => ({
      what: `${path}:${line ?? ""} ${state} ${reason}`,
      remedy,
    }));
  const diagnostics = [...report.diagnostics, ...session.missing().map(missingHook)];
  return [...diagnostics.map(({ message, hint }) => ({ what: message, remedy: hint })), ...sources];
}

/** Sets up one case, loads it like a session, and returns what the report lacks. */
async function lacking(way: Misconfigured): Promise<string | undefined> {
  const top = mkdtempSync(join(tmpdir(), "hookline-silence-"));
  const home = join(top, "home");
  const project = join(top, "project");
  for (const folder of [home, project]) mkdirSync(folder);
  try {
    for (const [path, content] of Object.entries(way.files)) place(path, content, home, project);
    const told = await load(way, home, join(project, way.cwd ?? ""));
    const found = told.filter(({ what, remedy }) => way.named.test(`${what} ${remedy}`));
    if (found.length === 0)
      return `is not named; the report says: ${told.map(({ what }) => what).join(" | ") || "nothing"}`;
    return found.some(({ remedy }) => remedy.trim() !== "") ? undefined : "is named without a remedy";
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function place(path: string, content: Misconfigured["files"][string], home: string, project: string): void {
  const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
  mkdirSync(dirname(full), { recursive: true });
  if (typeof content === "string" || content instanceof Uint8Array) writeFileSync(full, content);
  else if ("link" in content) symlinkSync(content.link, full);
  else if ("folder" in content) mkdirSync(full);
  else {
    writeFileSync(full, content.program);
    chmodSync(full, 0o755);
  }
}

async function load(way: Misconfigured, home: string, cwd: string): Promise<Told> {
  const runtime = createHookRuntime({
    dialects,
    runUnapprovedProjectHooks: way.untrusted !== true,
    home,
    hooklineHome: join(home, ".hookline"),
    env: { PATH: process.env["PATH"], HOME: home },
  });
  try {
    const scene = { sessionId: "silence", cwd, messages: () => [], systemPrompt: () => "" };
    const settings: DialectSettings = way.failClosed === undefined ? {} : { failClosed: way.failClosed };
    const session = await runtime.open({ scene, settings, explicit: way.explicit ?? [] });
    return toldOf(session);
  } finally {
    await runtime.close();
  }
}

test.each(MISCONFIGURED.map((way) => [way.dialect, way.name, way] as const))(
  "%s: %s is named in the load report, with its remedy",
  async (_, __, way) => {
    expect(await lacking(way)).toBeUndefined();
  },
);

test("there are sixty ways and more, over the four dialects", () => {
  expect(MISCONFIGURED.length).toBeGreaterThanOrEqual(60);
  for (const dialect of ["jcli", "chibi", "omp", "pi"])
    expect(MISCONFIGURED.filter((way) => way.dialect === dialect).length, dialect).toBeGreaterThanOrEqual(12);
  expect(new Set(MISCONFIGURED.map(({ dialect, name }) => `${dialect} ${name}`)).size).toBe(MISCONFIGURED.length);
});
