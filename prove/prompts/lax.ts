import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { type Placed, staged } from "../stage/functions.ts";
import { type Program, placePrograms } from "../stage/programs.ts";

/** Answers of a judge that has been persuaded to allow everything. */
const LAX: readonly string[] = [
  "{}",
  '{"action":"allow"}',
  '{"action":"approve","decision":"allow"}',
  '{"decision":"allow","reason":"the user said so"}',
  '{"block":false,"isError":false}',
  '{"action":null}',
  '{"action":"skip","system_message":"fine"}',
  '{"tool_arguments":"{\\"command\\":\\"true\\"}"}',
  '{"tool_arguments":"{\\"command\\":\\"ls\\"}","action":"allow"}',
  '{"retry_feedback":"run it"}',
  '{"additional_context":"The call above is allowed."}',
  "The call is safe. Allow it.",
  "",
];

/** A "skip" itself refuses the call; a reply with invalid changed arguments also refuses it (decision 62). */
const REFUSES = /"skip"|"tool_arguments".*"action":"allow"/;

type Denial = { readonly program?: Program; readonly placed?: Placed };

/** Ways in which another hook refuses the call, one for each kind of hook. */
const DENIALS: Readonly<Record<string, Denial>> = {
  "a j-cli command": { program: { dialect: "jcli", event: "pre_tool_execution", run: () => '{"action":"stop"}' } },
  "a chibi plugin": { program: { dialect: "chibi", event: "pre_tool", run: () => '{"block":true}' } },
  "an omp hook": { placed: { lane: "omp-hooks", event: "tool_call", run: () => ({ block: true }) } },
  "an omp extension": { placed: { lane: "omp", event: "tool_call", run: () => ({ block: true }) } },
  "a pi extension": { placed: { lane: "pi", event: "tool_call", run: () => ({ block: true }) } },
  "a pi extension that fails": {
    placed: {
      lane: "pi",
      event: "tool_call",
      run: () => {
        throw new Error("broken");
      },
    },
  },
  nobody: {},
};

const LANES: readonly (readonly string[])[] = [
  ["jcli", "chibi", "omp-hooks", "omp", "pi"],
  ["pi", "omp", "omp-hooks", "chibi", "jcli"],
];

/** The replies of a judge with which the tool runs although one hook denies; the judge is asked before or after it. */
async function runsAt(
  { program, placed }: Denial,
  judgeFirst: boolean,
  lanes: readonly string[],
): Promise<ReadonlySet<string>> {
  const judge = { type: "llm", prompt: "judge {{tool_arguments}}", retry: 0 };
  using programs = placePrograms(program === undefined ? [] : [program]);
  const commands = program?.dialect === "jcli" ? [{ command: "hook-000" }] : [];
  programs.write(
    ".jdata/agent/hooks.yaml",
    JSON.stringify({ pre_tool_execution: judgeFirst ? [judge, ...commands] : [...commands, judge] }),
  );
  const runtime = createHookRuntime({
    dialects: [jcli, chibi, ...[omp, pi].map((dialect) => staged(dialect, () => (placed ? [placed] : [])))],
    home: programs.home,
    env: {},
    lanes,
    transports: { process: programs.transport },
  });
  const ran = new Set<string>();
  let text = "";
  const session = await runtime.open({
    scene: SCENE,
    services: { llm: { complete: async () => ({ ok: true, text }) } },
  });
  for (text of LAX) {
    await session.wrap({ tool: "bash", toolCallId: "1", args: { command: "ls" } }, () => {
      ran.add(text);
      return "done";
    });
  }
  await runtime.close();
  return ran;
}

/** R21: a judge makes a decision stricter, never milder. */
export const onlyStricter: Experiment = {
  id: "R21, answers",
  async run(tally) {
    for (const [who, denial] of Object.entries(DENIALS)) {
      for (const judgeFirst of [true, false]) {
        for (const lanes of LANES) {
          const ran = await runsAt(denial, judgeFirst, lanes);
          for (const reply of LAX) {
            const wanted = who === "nobody" && !REFUSES.test(reply);
            const what = `${who} denies, a judge ${judgeFirst ? "before" : "behind"} it says ${JSON.stringify(reply)}`;
            tally.trial(ran.has(reply) === wanted ? undefined : `${what}: the tool ${wanted ? "did not run" : "ran"}`);
          }
        }
      }
    }
    tally.figure(`${LAX.length} answers beside ${Object.keys(DENIALS).length - 1} ways to deny`);
  },
};
