import type { Scan } from "@hookline/runtime/dialect";
import type { Definition } from "./definition.ts";
import { dataFolder } from "./plugin-registry.ts";

/**
 * Returns the values of the placeholders and environment variables of a handler. Source: spec/claude.md 2, "Process".
 */
export function variablesOf(
  { plugin, skill }: Pick<Definition, "plugin" | "skill">,
  scan: Scan,
): Record<string, string> {
  return {
    CLAUDE_PROJECT_DIR: scan.cwd,
    ...(skill !== undefined && { CLAUDE_SKILL_DIR: skill.folder }),
    ...(plugin !== undefined && {
      CLAUDE_PLUGIN_ROOT: plugin.root,
      CLAUDE_PLUGIN_DATA: dataFolder(plugin, scan),
      ...Object.fromEntries(
        Object.entries(plugin.options).map(([key, value]) => [`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`, value]),
      ),
    }),
  };
}

const PLACEHOLDER = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|CLAUDE_SKILL_DIR)\}/g;

/** Fills in the placeholders in a text. Unknown ones are left to the shell. */
export function filled(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => variables[name] ?? whole);
}

/**
 * Fills in the placeholders in one argument of a program that is started without a shell, including
 * `${user_config.KEY}`.
 */
export function filledArgument(
  text: string,
  variables: Readonly<Record<string, string>>,
  options: Readonly<Record<string, string>> = {},
): string {
  return filled(text, variables).replace(/\$\{user_config\.(\w+)\}/g, (_, key: string) => options[key] ?? "");
}
