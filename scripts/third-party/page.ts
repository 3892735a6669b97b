import type { List, Package } from "./list.ts";
import type { Outcome } from "./outcome.ts";

/** Returns the page with the results. */
export function page({ packages, absent }: List, outcomes: readonly Outcome[]): string {
  const others = packages.filter(({ extensions, clone }) => extensions === undefined && clone !== true);
  const clones = packages.filter(({ clone }) => clone === true);
  const fine = outcomes.filter(({ why, asListed }) => why === undefined && asListed);
  const compared = outcomes.filter(({ unlike }) => unlike !== undefined);
  const alike = compared.filter(({ unlike = [] }) => unlike.length === 0).length;
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + of(one), 0);
  return [
    "# Hooks of other people",
    "",
    "Whether hookline runs the hooks and extensions that other people have published for pi and oh-my-pi, unchanged: what each package did, and whether it did the same in pi.",
    "",
    "`npm run dev -- third-party` fetches the packages of [`third-party/list.yaml`](../../third-party/list.yaml), by name and version, into a cache that is never committed. Each runs with hookline in a home folder of its own, without a network. A scripted model on this machine asks for two tool calls, then for each tool of the extension, once for every value of its first choice. Each command of the extension is typed, and every question to the person is answered. Then the session is compacted, forked, begun anew and resumed, with another model and another thinking level. Events that none of this reaches are fired by hand. With `--pi` all of it is done a second time with the real pi 0.87.1, and the results of tools, the screens and the errors are compared. One difference is not counted: hookline takes a result as an error if the tool marks it so, as pi does since 0.99. `--clones FOLDER` gives the clones of the repositories in the list; all extensions of a repository run together, and are not compared, because many extensions at once show things in another order each time. `npm run dev -- third-party --write` writes this page.",
    "",
    "The columns: *runs as* is the [dialect](dialects.md) that runs the file. *Events* are those that the extension listens to; a star marks an event that was fired by hand. *Asked* is how often its hooks were asked. *Tools* and *commands* are those that it offers, all of which were used. *Beside pi* is the comparison with pi. *Result*: `runs` means without an error; `loads` means that it loaded without an error, and there was nothing of it to ask, call or type; `runs, without X` means that X, which it imports, does not exist in hookline. A dash means: none, or not compared.",
    "",
    `${outcomes.length} entries of ${packages.length} packages and repositories: ${fine.length} run or load without an error, ${outcomes.length - fine.length} do not, for the reason in the last column. ${sum(({ tools }) => tools.length)} tools were called ${sum(({ calls }) => calls)} times, ${sum(({ commands }) => commands.length)} commands were typed, and hooks were asked ${sum(({ asked }) => asked)} times. ${compared.length} entries were compared with pi; ${alike} did the same.`,
    "",
    `${packages.length - others.length - clones.length} packages are those of the authors of pi and oh-my-pi, with the extensions that they ship as examples; ${others.length} packages and ${clones.length} repositories are by other people. READMEs and settings of other people name ${others.length + absent.length} packages; the registry had ${others.length} of them, and the list names the ${absent.length} others as absent.`,
    "",
    ...packages.flatMap((one) =>
      section(
        one,
        outcomes.filter((outcome) => outcome.package === one.name),
      ),
    ),
  ].join("\n");
}

function section({ name, version, by, extensions }: Package, outcomes: readonly Outcome[]): string[] {
  return [
    `## ${name} ${version}`,
    "",
    `By ${by}.`,
    "",
    `| ${extensions === undefined ? "runs" : "file | runs"} as | events | asked | tools | commands | beside pi | result |`,
    `|---|---|---|---|---|---|${extensions === undefined ? "---|" : "---|---|"}`,
    ...outcomes.map((one) => `| ${cells(one).join(" | ")} |`),
    "",
  ];
}

function cells(one: Outcome): string[] {
  const { path, dialect, events, byHand, asked, tools, calls, commands } = one;
  const told = events.map((event) => (byHand.includes(event) ? `\`${event}\`*` : `\`${event}\``));
  const called = tools.length === 0 ? "" : `${tools.map((tool) => `\`${tool}\``).join(" ")}: ${times(calls)}`;
  const typed = commands.map((command) => `\`/${command}\``).join(" ");
  const file = path === undefined ? [] : [`\`${path}\``];
  return [...file, dialect, told.join(" "), String(asked), called, typed, besidePi(one), result(one)].map(
    (cell) => cell || "–",
  );
}

function times(count: number): string {
  return count === 1 ? "1 call" : `${count} calls`;
}

function besidePi({ unlike, differs }: Outcome): string {
  if (unlike === undefined) return "";
  return unlike.length === 0 ? "the same" : `not the same: ${differs ?? unlike.join("; ")}`;
}

function result({ why, asListed, problems, lacks, asked, calls, commands }: Outcome): string {
  if (!asListed) return `not as listed: ${problems.join("; ")}`;
  if (why !== undefined) return `does not run: ${why}`;
  const without = lacks.length === 0 ? "" : `, without ${lacks.map((name) => `\`${name}\``).join(", ")}`;
  return `${asked + calls + commands.length > 0 ? "runs" : "loads"}${without}`;
}
