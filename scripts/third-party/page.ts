/** An extension of a package. */
export interface Listed {
  readonly path: string;
  /** Why it does not run here as it was published; without it, it must. */
  readonly why?: string;
}

/** A package as it was published by somebody else. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly by: string;
  readonly extensions: readonly Listed[];
}

/** What came of one extension. */
export interface Outcome {
  readonly package: string;
  readonly path: string;
  readonly dialect: string;
  readonly state: string;
  readonly events: readonly string[];
  /** How often its hooks were asked. */
  readonly heard: number;
  readonly failed: number;
  /** Whether it came out as the list says. */
  readonly asListed: boolean;
  readonly problem?: string;
  readonly why?: string;
}

/** The page with the results. */
export function page(packages: readonly Package[], outcomes: readonly Outcome[]): string {
  const fine = outcomes.filter(({ why, asListed }) => why === undefined && asListed);
  const asked = fine.filter(({ heard }) => heard > 0).length;
  const not = outcomes.length - fine.length;
  return [
    "# Hooks of other people",
    "",
    "`npm run third-party` fetches packages by name and version into a cache, which is never committed, and runs what they hold with hookline as it was published: each extension is loaded, listed, and taken through two prompts with two tool calls, in a home of its own and without a network. [`third-party/list.yaml`](../../third-party/list.yaml) is the list; add a name, a version and the files. This page is written by `npm run third-party -- --write`.",
    "",
    `${outcomes.length} extensions of ${packages.length} packages: ${asked} run and were asked, ${fine.length - asked} load and wait for a command, a tool call or a key, ${not} do not run, with the reason.`,
    "",
    "The packages are those that the authors of pi and oh-my-pi publish; what others publish under keywords such as `pi-package` has no place in the list yet.",
    "",
    ...packages.flatMap((one) =>
      section(
        one,
        outcomes.filter((outcome) => outcome.package === one.name),
      ),
    ),
  ].join("\n");
}

function section({ name, version, by }: Package, outcomes: readonly Outcome[]): string[] {
  return [
    `## ${name} ${version}`,
    "",
    `By ${by}.`,
    "",
    "| file | runs as | events | asked | result |",
    "|---|---|---|---|---|",
    ...outcomes.map(
      (one) =>
        `| \`${one.path}\` | ${one.dialect} | ${one.events.map((event) => `\`${event}\``).join(" ")} | ${one.heard} | ${result(one)} |`,
    ),
    "",
  ];
}

function result({ why, asListed, failed, heard, problem = "" }: Outcome): string {
  if (!asListed) return `not as listed: ${problem === "" ? `${failed} failed` : problem}`;
  if (why !== undefined) return `does not run: ${why}`;
  return heard > 0 ? "runs" : "loads";
}
