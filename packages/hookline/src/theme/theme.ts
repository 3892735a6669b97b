import { basename, join } from "node:path";
import { diagnose, messageOf, parseJson } from "@hookline/ground";
import { kindAt, namesIn, type Searching, textAt } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import type { ResourcePlace } from "../prompt/markdown-files.ts";

/** A file with colours for the terminal, in pi's format: `{ name, vars?, colors }`. */
export interface ThemeFile {
  readonly name: string;
  readonly path: string;
  readonly vars: Readonly<Record<string, string | number>>;
  readonly colors: Readonly<Record<string, string | number>>;
}

/** Reads the themes in folders and files. Invalid ones are reported; of two with the same name, the first is used. */
export function findThemes(places: readonly ResourcePlace[], report: (diagnostic: Diagnostic) => void): ThemeFile[] {
  const found = new Map<string, ThemeFile>();
  for (const place of places) {
    for (const path of filesIn(place.path, { tier: place.tier, report })) {
      const theme = readTheme(path, report);
      if (theme !== undefined && !found.has(theme.name)) found.set(theme.name, theme);
    }
  }
  return [...found.values()];
}

function filesIn(path: string, searching: Searching): string[] {
  const kind = kindAt(path, searching);
  if (kind === "file") return [path];
  if (kind === "nothing") return [];
  return namesIn(path, searching)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(path, name));
}

function readTheme(path: string, report: (diagnostic: Diagnostic) => void): ThemeFile | undefined {
  try {
    const { name, vars = {}, colors }: Record<string, unknown> = parseJson(textAt(path)) as Record<string, unknown>;
    if (!isColours(colors) || !isColours(vars)) throw new Error('its "colors" and "vars" must map names to colours');
    return { name: typeof name === "string" ? name : basename(path, ".json"), path, vars, colors };
  } catch (thrown) {
    report(diagnose("LOAD_FAILED", { path, problem: messageOf(thrown) }));
    return undefined;
  }
}

function isColours(value: unknown): value is Record<string, string | number> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((colour) => typeof colour === "string" || typeof colour === "number")
  );
}
