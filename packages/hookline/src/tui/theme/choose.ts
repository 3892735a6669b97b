import { themeNamed, useTheme } from "./current.ts";

/** Makes the function that selects a theme by name; an unknown name selects the dark one. */
export function themeChooser({ hooklineHome }: { readonly hooklineHome: string }) {
  return {
    initTheme(name = "dark"): void {
      const theme = themeNamed(name, [hooklineHome]) ?? themeNamed("dark");
      if (theme !== undefined) useTheme(theme);
    },
  };
}
