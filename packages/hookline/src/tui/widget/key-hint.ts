import { getKeybindings, type Keybinding } from "@earendil-works/pi-tui";
import { currentTheme } from "../theme/current.ts";
import { APP_KEYBINDINGS } from "./keybindings.ts";

/** Returns the keys of an action, separated by slashes: `ctrl+c/escape`. */
export function keyText(action: string): string {
  return shown(keysOf(action).join("/"));
}

/** Returns an action's keys and description, in the theme's colours. */
export function keyHint(action: string, description: string): string {
  return hint(keyText(action), description);
}

/** Returns a hint for a literal key such as `esc`, in the theme's colours. */
export function rawKeyHint(key: string, description: string): string {
  return hint(shown(key), description);
}

function hint(keys: string, description: string): string {
  const theme = currentTheme();
  return theme.fg("dim", keys) + theme.fg("muted", ` ${description}`);
}

/**
 * Returns an action's keys; the default keys if the active bindings are pi-tui's alone, which lack the agent's actions.
 */
function keysOf(action: string): readonly string[] {
  const bindings = getKeybindings();
  if (bindings.getDefinition(action as Keybinding) !== undefined) return bindings.getKeys(action as Keybinding);
  return [APP_KEYBINDINGS[action]?.defaultKeys ?? []].flat();
}

function shown(keys: string): string {
  return process.platform === "darwin" ? keys.replace(/(?<=^|[+/])alt(?=$|[+/])/gi, "option") : keys;
}
