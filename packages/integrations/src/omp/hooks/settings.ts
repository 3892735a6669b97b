import { join } from "node:path";
import { decodeText, fromInstallation, type Tier } from "@hookline/ground";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import { fieldOf, lostFile, readJson } from "../../in-process/directory.ts";
import { agentDir } from "./capability.ts";

/** The ids that settings disable. A project's settings can disable only the project's own hooks. */
export interface Disabled {
  /** Returns the path of the settings file that disables an id; `undefined` if none does. */
  by(id: string, tier: Tier): string | undefined;
}

/** Leaves every hook and extension enabled. */
export const NOTHING_DISABLED: Disabled = { by: () => undefined };

/** The part of omp's settings that concerns hooks and extensions. */
export interface OmpSettings {
  readonly extensions: readonly { readonly entry: string; readonly tier: Tier; readonly path: string }[];
  readonly disabled: Disabled;
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Settings {
  readonly path: string;
  readonly tier: Tier;
  readonly value: unknown;
  lineOf(key: string): number;
}

/** Reads `settings.json` and `config.yml` of the project and of the user. Unusable parts are reported. */
export async function readSettings({ cwd, home, files }: Scan): Promise<OmpSettings> {
  const diagnostics: Diagnostic[] = [];
  const searched: string[] = [];
  const all: Settings[] = [];
  for (const [directory, tier] of [
    [join(cwd, ".omp"), "project"],
    [agentDir(home), "user"],
  ] as const) {
    for (const [name, read] of Object.entries(readers)) {
      const path = join(directory, name);
      searched.push(path);
      const found = await read(files, path);
      if (found === undefined) continue;
      if ("problem" in found) diagnostics.push(found.problem);
      else all.push({ path, tier, ...found });
    }
  }
  const listed = (key: string): { entry: string; tier: Tier; path: string }[] =>
    all.flatMap((settings) =>
      texts(settings, key, diagnostics).map((entry) => ({ entry, tier: settings.tier, path: settings.path })),
    );
  const off = listed("disabledExtensions");
  return {
    extensions: listed("extensions"),
    disabled: {
      by: (id, tier) => off.find((one) => one.entry === id && (one.tier === "user" || tier === "project"))?.path,
    },
    searched,
    diagnostics,
  };
}

type Reading = { readonly value: unknown; lineOf(key: string): number } | { readonly problem: Diagnostic } | undefined;

const readers: Readonly<Record<string, (files: Files, path: string) => Reading | Promise<Reading>>> = {
  "settings.json": readJson,
  "config.yml": readYaml,
};

async function readYaml(files: Files, path: string): Promise<Reading> {
  const bytes = files.read(path);
  if (bytes === undefined) {
    const problem = lostFile(files, path);
    return problem && { problem };
  }
  const decoded = decodeText(bytes);
  if (!decoded.ok) return { problem: diagnose("SYNTAX", { path, line: 1, problem: decoded.message }) };
  const { text } = decoded;
  const { LineCounter, parseDocument } = await fromInstallation("yaml", () => import("yaml"));
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [error] = document.errors;
  if (error !== undefined) {
    const problem = "it is not valid YAML";
    return { problem: diagnose("SYNTAX", { path, line: counter.linePos(error.pos[0]).line, problem }) };
  }
  const lineOf = (key: string): number => text.slice(0, Math.max(0, text.indexOf(key))).split("\n").length;
  return { value: document.toJS({ maxAliasCount: 100 }), lineOf };
}

function texts({ value, path, lineOf }: Settings, key: string, diagnostics: Diagnostic[]): string[] {
  const list = fieldOf(value, key) ?? [];
  const good = Array.isArray(list) ? list.filter((entry) => typeof entry === "string" && entry !== "") : [];
  if (!Array.isArray(list) || good.length < list.length) {
    const problem = `"${key}" is not a list of texts`;
    diagnostics.push(
      diagnose("BAD_ENTRY", { path, line: lineOf(key), problem, remedy: "Give a list of paths or ids as texts." }),
    );
  }
  return good as string[];
}
