import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Place, type Ran, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { KINDS, type Kind, put } from "./places/kinds.ts";
import { PLACES, type SearchedPlace } from "./places/table.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each, works } from "./stage/ground.ts";

/** Time limit of a run with a reload in it, on a busy machine. */
const LIMIT_MS = 60_000;
const NOBODY = "65534";

const SCRIPT = "replies:\n  - { text: done, repeat: true }\n";
const mark = (name: string): string =>
  `import { writeFileSync } from "node:fs";\nexport default (api) => { api.on("turn_start", () => writeFileSync("ran-${name}", "")); };\n`;
const PLUGIN = `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"mine","description":"d","parameters":{"type":"object","properties":{}},"hooks":["pre_message"]}' && exit
touch ran-chibi
`;

/** A person's hooks, one of each kind; each creates a file when it runs. */
const MINE: Readonly<Record<string, readonly [path: string, text: string, mode?: number]>> = {
  pi: ["~/.pi/agent/extensions/mine.js", mark("pi")],
  "omp-hook": ["~/.omp/agent/hooks/pre/mine.js", mark("omp-hook")],
  omp: ["~/.omp/agent/extensions/mine.js", mark("omp")],
  jcli: ["~/.jdata/agent/hooks.yaml", "pre_send_message:\n  - command: touch ran-jcli; echo '{}'\n"],
  chibi: ["~/.chibi/plugins/mine", PLUGIN, 0o755],
};

/**
 * Returns what is wrong with a run that found something odd. `mustTell`: the odd thing is in a place for definitions,
 * so it must be reported.
 */
function problemWith({ code, err, signal }: Ran, place: Place, path: string, mustTell: boolean): string | undefined {
  if (signal !== null) return `it did not end within ${LIMIT_MS / 1000} s`;
  if (/^\s+at .+:\d+:\d+\)?$/m.test(err)) return `it ended with a stack: ${err.slice(-300)}`;
  const silent = Object.keys(MINE).filter((name) => !existsSync(place.path(`ran-${name}`)));
  if (code === 0 && silent.length > 0) return `${silent.join(", ")} did not run: ${err.slice(-300)}`;
  if (code === 0) return mustTell && !err.includes(basename(path)) ? `it was not told: ${err.slice(-300)}` : undefined;
  // A run that needs a person's decision must name the file, and send nothing.
  const name = path.split("/").findLast((part) => !part.startsWith("odd")) ?? path;
  return code === 1 && err.includes(name) ? undefined : `it ended with ${code}: ${err.slice(-300)}`;
}

async function trial(
  { path, text, onDemand }: SearchedPlace,
  kind: Kind,
  asNobody: boolean,
): Promise<string | undefined> {
  using place = new Place();
  place.write("script.yaml", SCRIPT);
  for (const [own, content, mode] of Object.values(MINE)) place.write(own, content, mode);
  put(kind, place.path(path), text);
  if (asNobody) execFileSync("chown", ["-R", "-h", `${NOBODY}:${NOBODY}`, place.top]);
  const drop = asNobody ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
  const ran = await runAgent(place, ["--trust-project", "--script", "script.yaml", "-p", "/reload", "hello"], {
    wrapper: ["timeout", "-s", "KILL", String(LIMIT_MS / 1000), ...drop],
  });
  // `timeout` ends itself with the signal that it sends, so the shell reports 137 for SIGKILL.
  const late = ran.code === 137 ? { ...ran, signal: "SIGKILL" as const } : ran;
  const problem = problemWith(late, place, path, kind.isWrong === true && text !== "" && onDemand !== true);
  return problem && `${kind.name} at ${path}: ${problem}`;
}

const starts: Experiment = {
  id: "R57, R58, places",
  async run(tally, { full }) {
    const isRoot = process.getuid?.() === 0;
    const canDrop = isRoot && works("setpriv", "--version");
    if (isRoot && !canDrop) tally.skip("what has no permission: this is root, and setpriv is not installed");
    const kinds = KINDS.filter(({ needsUser }) => needsUser === undefined || !isRoot || canDrop);
    const all = PLACES.flatMap((place) =>
      // The odd thing must not replace the folder with the person's own definitions.
      kinds.map((kind) => ({ place, kind })),
    ).filter(({ place: { path } }) => !Object.values(MINE).some(([own]) => dirname(own) === path));
    const chosen = full ? all : all.filter((_, index) => index % 17 === 0);
    await each(chosen, 3, async ({ place, kind }) => {
      tally.trial(await trial(place, kind, isRoot && kind.needsUser === true));
    });
    tally.figure(`${PLACES.length} places, ${kinds.length} things in them`);
  },
};

export const claim: Claim = {
  name: "places",
  says: "whatever is found where a file or folder is searched, a start and a reload end in time, the person's hooks run, and what cannot be read is reported",
  run: (size) => findingOf([starts], size),
};
