/** Settings that keep git from starting the programs in a repository's own configuration, except for its filters. */
const QUIET = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.untrackedCache=keep",
  "diff.external=",
  "core.quotePath=false",
  "gc.auto=0",
];

/** git's arguments that list the names of a repository's filters, a line each. */
export const LIST_FILTERS = [
  ...["config", "--name-only", "--get-regexp"],
  String.raw`^filter\..*\.(clean|smudge|process|required)$`,
];

/**
 * Returns git's options for asking about a repository without starting a program that it configures; `filters` is what
 * `LIST_FILTERS` printed there. They do not hold in submodules, whose state must not be asked for.
 */
export function quietOptions(filters: string | undefined): readonly string[] {
  const off = (filters ?? "")
    .split("\n")
    .filter((name) => name !== "")
    .map((name) => `${name}=${name.endsWith("required") ? "false" : ""}`);
  return [...[...QUIET, ...off].flatMap((setting) => ["-c", setting]), "--no-optional-locks"];
}
