import { join } from "node:path";
import { findThemes, type ThemeFile } from "../../theme/theme.ts";
import { colourMode } from "./colours.ts";
import { PALETTES } from "./palette.ts";
import { resolvedColours, type Theme, themeOf } from "./theme.ts";

let current: Theme | undefined;

/** Returns the theme for components without one of their own; the dark one until another is chosen. */
export function currentTheme(): Theme {
  return (current ??= builtin("dark"));
}

/** Sets the theme for components that are drawn from now on. */
export function useTheme(theme: Theme): void {
  current = theme;
}

/** Makes a theme from its file. */
export function themeFromFile({ name, path, vars, colors }: ThemeFile): Theme {
  const colours = { ...PALETTES.dark, ...resolvedColours(colors, vars) };
  return themeOf(colours, colourMode(process.env), { name, sourcePath: path });
}

/**
 * Returns the theme with a name: a built-in one, or a file in the folder `themes` of one of the home folders.
 * `undefined` if there is none, or if its file is invalid.
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
