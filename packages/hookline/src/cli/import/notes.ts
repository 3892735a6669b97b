import type { Place } from "../../start/place.ts";
import { foreignFiles } from "./found.ts";

/** The sentence that follows notes about other programs' hooks: it names the command that translates them. */
export const IMPORT_SAYS = "`hookline hooks import` says which of them can be translated.";

/** Returns a line for each file of hooks that another program runs but hookline does not. */
export function foreignNotes({ cwd, home }: Place, env: Readonly<Record<string, string | undefined>>): string[] {
  return foreignFiles(cwd, home, env)
    .filter(({ host, hooks, isOff }) => host.speaks !== "own" && hooks.length > 0 && !isOff)
    .map(({ host, path, hooks }) => {
      const count = hooks.length === 1 ? "1 hook" : `${hooks.length} hooks`;
      return `${path} has ${count} of ${host.label}, which hookline does not run`;
    });
}
