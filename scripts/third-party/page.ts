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
    "`npm run dev -- third-party` fetches packages by name and version into a cache, which is never committed, and runs them with hookline as they were published, each in a home of its own and without a network. A scripted model on loopback asks for two tool calls, then for each tool of the extension, once for every value of its first choice; each of its commands is typed; every question to the person is answered; then the session is compacted, forked, begun anew and taken up again, with another model and another thinking level. Events that none of this reaches are fired by hand; they have a star below. With `--pi` all of it is done a second time with the real pi 0.87.1, and what each tool gave, what each step showed and which errors came are compared; that a result which a tool marks as an error is one, as in pi since 0.99, is not counted as a difference. Repositories are handed in as clones (`--clones FOLDER`), given as a whole, and not compared: many extensions at once show what they show in another order each time. [`third-party/list.yaml`](../../third-party/list.yaml) is the list; add a name and a version. This page is written by `npm run dev -- third-party --write`.",
    "",
    `${outcomes.length} entries of ${packages.length} packages and repositories: ${fine.length} run without an error, ${outcomes.length - fine.length} do not, with the reason. ${sum(({ tools }) => tools.length)} tools were called ${sum(({ calls }) => calls)} times, ${sum(({ commands }) => commands.length)} commands typed, hooks asked ${sum(({ asked }) => asked)} times. Of ${compared.length} that were compared with pi, ${alike} did the same.`,
    "",
    `${packages.length - others.length - clones.length} packages are those of the authors of pi and oh-my-pi, with the extensions that they ship as examples; ${others.length} are by other people, and so are ${clones.length} repositories. Of ${others.length + absent.length} names that are known from READMEs and settings of other people, the registry that was asked had these ${others.length}; the ${absent.length} others are in the list as absent.`,
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
  return [...file, dialect, told.join(" "), String(asked), called, typed, besidePi(one), result(one)];
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
