import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "@hookline/ground";
import { findThemes, type ThemeFile } from "../theme/theme.ts";
import { currentTheme, themeFromFile, themeNamed, useTheme } from "./theme/current.ts";
import { Theme } from "./theme/theme.ts";

/** How long to wait after a change, in ms, because an editor writes a file in several steps. */
const SETTLE_MS = 80;

const BUILTIN = ["dark", "light"] as const;

/** The result of choosing a theme, in pi's shape. */
export interface Chosen {
  readonly success: boolean;
  readonly error?: string;
}

/** The themes of a session; the current theme's file is watched, so that changes show at once. */
export class Themes {
  readonly #files: () => readonly ThemeFile[];
  readonly #changed: () => void;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(files: () => readonly ThemeFile[], changed: () => void) {
    this.#files = files;
    this.#changed = changed;
  }

  all(): { readonly name: string; readonly path: string | undefined }[] {
    const files = this.#files().filter(({ name }) => !BUILTIN.includes(name as "dark"));
    return [...BUILTIN.map((name) => ({ name, path: undefined })), ...files.map(({ name, path }) => ({ name, path }))];
  }

  named(name: string): Theme | undefined {
    const file = this.#files().find((one) => one.name === name);
    if (file === undefined) return themeNamed(name);
    try {
      return themeFromFile(file);
    } catch {
      return undefined;
    }
  }

  /** The name of the theme in use. */
  get current(): string {
    return currentTheme().name ?? "";
  }

  names(): readonly string[] {
    return this.all().map(({ name }) => name);
  }

  /** Draws everything in another theme from now on; an unknown name changes nothing. */
  use(name: string): void {
    this.choose(name);
  }

  /** Switches to a theme, given its name or a theme object that a module has made. */
  choose(wanted: unknown): Chosen {
    const theme = typeof wanted === "string" ? this.named(wanted) : isTheme(wanted) ? wanted : undefined;
    if (theme === undefined) return { success: false, error: `Theme not found: ${String(wanted)}` };
    this.#put(theme);
    return { success: true };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #put(theme: Theme): void {
    useTheme(theme);
    this.#changed();
    this.#watcher?.close();
    const { sourcePath } = theme;
    if (sourcePath === undefined) return;
    try {
      // Many editors replace the file when they save it, so its folder is watched.
      this.#watcher = watch(dirname(sourcePath), { persistent: false }, () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#again(sourcePath), SETTLE_MS).unref();
      });
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // If the folder cannot be watched, the theme stays as last read.
    }
  }

  /** Reads the current theme's file again; a temporarily broken file changes nothing. */
  #again(path: string): void {
    if (currentTheme().sourcePath !== path) return;
    const [file] = findThemes([{ path, tier: "user" }], () => {});
    try {
      if (file === undefined) return;
      useTheme(themeFromFile(file));
      this.#changed();
    } catch (thrown) {
      process.emitWarning(`The theme ${path} stays as it was: ${messageOf(thrown)}`);
    }
  }
}

/** Whether a value is a theme. Modules may have their own copy of the class, so its members are checked. */
function isTheme(value: unknown): value is Theme {
  const { fg, bg } = (value ?? {}) as Partial<Theme>;
  return value instanceof Theme || (typeof fg === "function" && typeof bg === "function");
}
