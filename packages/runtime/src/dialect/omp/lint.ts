import { diagnose } from "../../error/diagnostic.ts";
import { lineOf, type Owner } from "../inprocess/owner.ts";

/** A way of writing a hook that is legal and does not do what it seems to. */
interface Habit {
  readonly found: RegExp;
  readonly problem: string;
  readonly remedy: string;
}

const habits: readonly Habit[] = [
  {
    found: /\.role\s*[!=]==?\s*(["'])tool\1/,
    problem:
      'it looks for messages of the role "tool", and never finds one: results of tools are of the role "toolResult"',
    remedy: 'Compare with "toolResult".',
  },
];

/** Reports habits that a module's text shows, each with its first line. Source: decision 7. */
export function lintText(owner: Owner, text: string): void {
  for (const { found, problem, remedy } of habits) {
    const hit = found.exec(text);
    if (hit !== null) report(owner, lineOf(owner, hit[0]), problem, remedy);
  }
}

/** Reports a hook whose factory is asynchronous; it is waited for all the same (decision 22). */
export function lintAsync(owner: Owner): void {
  report(
    owner,
    lineOf(owner, "export default", "exports.default", "module.exports"),
    "its factory is asynchronous",
    "It was waited for; register handlers synchronously, since other hosts do not wait.",
  );
}

function report({ instance }: Owner, line: number, problem: string, remedy: string): void {
  const { source } = instance;
  instance.report(diagnose("LINT", { path: source.path, line, problem, remedy }, { source }));
}
