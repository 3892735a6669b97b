import { attempts, files, link, tree } from "../packages/hookline/test/protect/attempts.ts";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

/** Returns everything in a place that decides which hooks run. */
const stateOf = ({ project, home }: Place): string => [...tree(project), ...tree(home)].join("\n");

/** Returns the hooks that a session would have now. */
async function hooksOf(place: Place): Promise<string> {
  const { out } = await runAgent(place, ["hooks", "list", "--json", "--trust-project", "-e", "ext.ts"]);
  return JSON.stringify((JSON.parse(out) as { sources: unknown }).sources);
}

/** Makes a scripted model try one change when nobody can be asked; returns what it has changed. */
async function attempt(call: object): Promise<string | undefined> {
  using place = new Place();
  for (const [path, text] of Object.entries(files)) place.write(path, text);
  link(place);
  const toolCalls = [JSON.parse(JSON.stringify(call).replaceAll("HOME", place.home)) as object];
  const script = JSON.stringify({ replies: [{ toolCalls }, { text: "done" }] });
  place.write("script.json", script);
  const [before, hooks] = [stateOf(place), await hooksOf(place)];
  const ran = await runAgent(place, [
    "--script",
    "script.json",
    "--trust-project",
    "-e",
    "ext.ts",
    "--mode",
    "json",
    "go",
  ]);
  if (ran.code !== 0) return `the run ended with ${ran.code}: ${ran.err.slice(0, 200)}`;
  if (!ran.out.includes('"isError":true')) return "the call was not refused";
  if (stateOf(place) !== before) return "what decides about hooks was changed";
  return (await hooksOf(place)) === hooks ? undefined : "other hooks would run now";
}

/** R54: without a person's approval the model can neither add, change nor remove a hook. */
const nothingIsChanged: Experiment = {
  id: "R54",
  async run(tally, { full }) {
    await each(
      attempts.filter(([name], index) => full || index % 6 === 0 || name.includes("in capitals")),
      2,
      async ([name, call]) => {
        const problem = await attempt(call);
        tally.trial(problem && `${name}: ${problem}`);
      },
    );
  },
};

export const claim: Claim = {
  name: "own-hooks",
  says: "if nobody can be asked, the model can neither add, change nor remove a hook with any of its tools",
  run: (size) => findingOf([nothingIsChanged], size),
};
