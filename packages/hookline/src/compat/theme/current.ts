import { join } from "node:path";
import { findThemes, type ThemeFile } from "../../theme/theme.ts";
import { colourMode } from "./colours.ts";
import { PALETTES } from "./palette.ts";
import { resolvedColours, type Theme, themeOf } from "./theme.ts";

let current: Theme | undefined;

/** The theme that components without one of their own are drawn with; dark until another is chosen. */
export function currentTheme(): Theme {
  return (current ??= builtin("dark"));
}

/** Chooses the theme for components that are drawn from now on. */
export function useTheme(theme: Theme): void {
  current = theme;
}

/** Makes a theme of its file. */
export function themeFromFile({ name, path, vars, colors }: ThemeFile): Theme {
  const colours = { ...PALETTES.dark, ...resolvedColours(colors, vars) };
  return themeOf(colours, colourMode(process.env), { name, sourcePath: path });
}

/**
 * The theme of a name: one of those that are always there, or a file in the folder `themes` of one of the homes.
 * `undefined` where there is none, or where its file is broken.
 */
export function themeNamed(name: string, homes: readonly string[] = []): Theme | undefined {
  if (name === "dark" || name === "light") return builtin(name);
  const places = homes.map((home) => ({ path: join(home, "themes"), tier: "user" as const }));
  const file = findThemes(places, () => {}).find((theme) => theme.name === name);
  try {
    return file && themeFromFile(file);
  } catch {
    return undefined;
  }
}

function builtin(name: keyof typeof PALETTES): Theme {
  return themeOf(PALETTES[name], colourMode(process.env), { name });
}
