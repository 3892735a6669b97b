import { type Component, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { VERSION } from "@hookline/ground";
import { abouts } from "@hookline/integrations/abouts";
import type { LoadReport } from "@hookline/runtime/session";
import { hookCounts } from "../../item/summary.ts";
import { oneLine } from "../../tui/shown.ts";
import { currentTheme } from "../../tui/theme/current.ts";

/** The dialects' folders in a home folder, as one text: `~/.claude ~/.pi …`. */
const HOMES = [...new Set(Object.values(abouts).map(({ folders }) => `~/${folders.home}`))].join(" ");

/** Facts that the first lines of the screen show. */
export interface WelcomeFacts {
  readonly report: LoadReport;
  readonly model: string;
  readonly skills: number;
  readonly contextFiles: number;
}

/** Draws the first lines of the screen: hooks found, how to choose a model, where hooks come from. */
export function welcome(facts: () => WelcomeFacts | undefined): Component {
  // The text is drawn for every frame but seldom changes, so the last result is reused.
  let last: { readonly said: string; readonly width: number; readonly drawn: string[] } | undefined;
  return {
    invalidate() {},
    render(width) {
      const theme = currentTheme();
      const title = theme.fg("accent", theme.bold(`hookline ${VERSION}`));
      const keys = theme.fg("dim", "/ commands · @ files · ! shell · Esc interrupts · Ctrl+D quits");
      const known = facts();
      const lines = known === undefined ? [theme.fg("dim", "Loading hooks…")] : welcomeLines(known);
      const all = [`${title}  ${keys}`, ...lines.map((line) => theme.fg("muted", line))];
      const said = all.join("\n");
      if (last?.said !== said || last.width !== width) {
        const wrapped = all.flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - 1)));
        last = { said, width, drawn: wrapped.map((line) => ` ${line}`) };
      }
      return last.drawn;
    },
  };
}

function welcomeLines({ report, model, skills, contextFiles }: WelcomeFacts): string[] {
  const { found, runs } = hookCounts(report);
  const more = [
    contextFiles > 0 ? `${contextFiles} context file${contextFiles === 1 ? "" : "s"}` : "",
    skills > 0 ? `${skills} skill${skills === 1 ? "" : "s"}` : "",
  ].filter((part) => part !== "");
  const sources = `${found} hook source${found === 1 ? "" : "s"}`;
  const hooks = found === 0 ? "no hooks here" : runs === found ? `${sources}, all run` : `${runs} of ${sources} run`;
  return [
    `Found: ${[hooks, ...more].join(", ")}. See /hooks.`,
    `Model: ${oneLine(model)}. Ctrl+P for the next one, /model to choose.`,
    ...(found === 0 ? [`Hooks are looked for in ${HOMES} and, once approved, in this project.`] : []),
  ];
}
