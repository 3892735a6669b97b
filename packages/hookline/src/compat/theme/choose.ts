import { themeNamed, useTheme } from "./current.ts";

/** Makes the function that chooses a theme by its name; of a name that nobody has it is the dark one. */
export function themeChooser({ hooklineHome }: { readonly hooklineHome: string }) {
  return {
    initTheme(name = "dark"): void {
      const theme = themeNamed(name, [hooklineHome]) ?? themeNamed("dark");
      if (theme !== undefined) useTheme(theme);
    },
  };
}
