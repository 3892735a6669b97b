import { readFileSync } from "node:fs";

/** A guard that refuses pushes, waits as commands say, and notes each command that it lets through before it answers. */
export const notingGuard = (notes: string): string => `import { appendFileSync } from "node:fs";
export default (pi) =>
  pi.on("tool_call", async (event) => {
    const { command } = event.input;
    const [, ms] = /sleep (\\d+)/.exec(command) ?? [];
    if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    if (command.includes("git push")) return { block: true, reason: "pushing is for people" };
    appendFileSync(${JSON.stringify(notes)}, command + "\\n");
  });
`;

/** The commands that such a guard has let through. */
export function notedIn(notes: string): ReadonlySet<string> {
  return new Set(readFileSync(notes, "utf8").split("\n"));
}
