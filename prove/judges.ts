import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { recursion } from "./judges/recursion.ts";
import { FAULTS, startJudges } from "./judges/server.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

/** Failure policies of definitions, and whether the tool runs after a failure. */
const POLICIES = [
  { retry: 1, onError: "skip", runs: true },
  { retry: 0, onError: "abort", runs: false },
  { retry: 2, onError: "abort", runs: false },
] as const;
type Policy = (typeof POLICIES)[number];

const REPLIES = [
  { text: "look", toolCalls: [{ name: "bash", arguments: { command: "echo ran > ran.txt" } }] },
  { text: "done" },
];

/** Makes a judge of tool calls fail in one way; returns any wrong outcome. */
async function judge(name: string, { retry, onError, runs }: Policy): Promise<string | undefined> {
  const [fault, named] = FAULTS[name] as (typeof FAULTS)[string];
  await using server = await startJudges(REPLIES, fault);
  using place = new Place();
  place.provider(server.url);
  place.write(
    ".jcli/hooks.yaml",
    `pre_tool_execution:
  - type: llm
    prompt: "judge {{tool_name}}"
    timeout: 2
    retry: ${retry}
    on_error: ${onError}
pre_llm_request:
  - command: echo fired >> fired.txt
`,
  );
  const ran = await runAgent(place, ["--trust-project", "--model", "loop/model", "-p", "go"]);
  const said = ran.err.slice(0, 400);
  if (server.judged !== retry + 1) return `was asked ${server.judged} times, not ${retry + 1}: ${said}`;
  if (server.offered) return "was offered tools";
  if (existsSync(place.path("ran.txt")) !== runs) return `the tool ${runs ? "did not run" : "ran"}: ${said}`;
  if (!named.test(ran.err)) return `is not named as ${named.source}: ${said}`;
  const fired = readFileSync(place.path("fired.txt"), "utf8").split("\n").length - 1;
  if (fired !== server.turns) return `hooks fired ${fired} times for ${server.turns} requests of the conversation`;
  const told = /made by the experiment/.test(ran.err);
  if (told) return "the provider's own words were shown";
  if (name.startsWith("answers") && usages(place) !== retry + 1)
    return `${usages(place)} of ${retry + 1} calls are counted`;
  return undefined;
}

/** Returns the number of judges' requests whose tokens the session has counted. */
function usages(place: Place): number {
  const root = join(place.hookline, "sessions");
  const [name = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".jsonl"));
  const lines = readFileSync(join(root, name), "utf8").split("\n").slice(0, -1);
  return lines.filter((line) => (JSON.parse(line) as { kind?: string }).kind === "judge").length;
}

const everyFault: Experiment = {
  id: "R44",
  async run(tally, { full }) {
    const trials = Object.keys(FAULTS).flatMap((name, index) =>
      POLICIES.filter((_, at) => full || 2 * at === index % 6).map((policy) => ({ name, policy })),
    );
    await each(trials, 3, async ({ name, policy }) => {
      const problem = await judge(name, policy);
      tally.trial(problem && `a judge that ${name}, retry ${policy.retry}, ${policy.onError}: ${problem}`);
    });
  },
};

export const claim: Claim = {
  name: "judges",
  says: "a model that judges and fails, over HTTP, is asked as often as configured, and then its policy decides",
  run: (size) => findingOf([everyFault, recursion], size),
};
