import { themeNamed, useTheme } from "./current.ts";

/** Returns a function that selects a theme by name; an unknown name selects the dark theme. */
export function themeChooser({ hooklineHome }: { readonly hooklineHome: string }) {
  return {
    initTheme(name = "dark"): void {
      const theme = themeNamed(name, [hooklineHome]) ?? themeNamed("dark");
      if (theme !== undefined) useTheme(theme);
    },
  };
}
