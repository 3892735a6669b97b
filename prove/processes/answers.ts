import { inspect, isDeepStrictEqual } from "node:util";
import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { messageOf } from "../../packages/ground/src/error/error.ts";
import {
  CHECKS,
  chibiMeaning,
  JCLI_NAMES,
  jcliMeaning,
  looseMeaning,
  type Meaning,
  ompCallMeaning,
  piInputMeaning,
  storedMeaning,
} from "./answer-rules.ts";
import { functionStage, type Moment, programStage, type Stage } from "./answer-stage.ts";
import { randomOutput, randomReturn } from "./answer-values.ts";
import type { Experiment, Tally } from "./experiment.ts";
import { folder } from "./ground.ts";

const call = { toolCallId: "c", tool: "bash", args: { command: "ls" } };
const MOMENTS = {
  before: { event: "tool.before", payload: call },
  after: {
    event: "tool.after",
    payload: {
      ...call,
      content: [{ type: "text", text: "out" }],
      details: { exitCode: 0 },
      isError: false,
      blocked: false,
    },
  },
  prompt: { event: "prompt.before", payload: { text: "do it" } },
  input: { event: "input", payload: { text: "do it", source: "interactive" } },
  stop: {
    event: "agent.stop",
    payload: { prompt: "do it", reply: "done", messages: [], retryCount: 0, stopHookActive: false },
  },
} satisfies Readonly<Record<string, Moment>>;

/** One hook event of a dialect, and the meaning of its answers. */
interface Asked {
  readonly name: string;
  readonly moment: Moment;
  stage(): Promise<Stage>;
  random(): unknown;
  meaning(said: unknown): Meaning;
  /** Converts a clean answer to the form in which the hook returns it. */
  spell(clean: object): unknown;
}

const json = (clean: object): Buffer => Buffer.from(JSON.stringify(clean));

function ofJcli(name: string, moment: Moment): Asked {
  const home = folder();
  return {
    name,
    moment,
    async stage() {
      const files = { ".jdata/agent/hooks.yaml": `${name}:\n  - command: "true"\n` };
      return closing(await programStage(home, { dialect: jcli, files }, moment), home);
    },
    random: () => randomOutput(JCLI_NAMES),
    meaning: (said) => jcliMeaning(said as Buffer, name),
    spell: json,
  };
}

function ofChibi(name: "pre_tool" | "pre_tool_output" | "pre_message", moment: Moment): Asked {
  const home = folder();
  const schema = JSON.stringify({ name: "t", description: "d", hooks: [name] });
  return {
    name,
    moment,
    stage: async () =>
      closing(await programStage(home, { dialect: chibi, files: { ".chibi/plugins/t": schema } }, moment), home),
    random: () => randomOutput(Object.keys(CHECKS[name])),
    meaning: (said) => chibiMeaning(said as Buffer, CHECKS[name]),
    spell: json,
  };
}

function ofModule(
  dialect: typeof pi,
  name: string,
  moment: Moment,
  names: readonly string[],
  meaning: (said: unknown) => Meaning,
): Asked {
  return {
    name,
    moment,
    stage: () => functionStage({ dialect, lane: dialect.id, name }, moment),
    random: () => randomReturn(names),
    meaning,
    spell: (clean) => clean,
  };
}

function loose(dialect: typeof pi, name: string, moment: Moment): Asked {
  const checks = CHECKS[`${dialect.id} ${name}` as keyof typeof CHECKS];
  const meaning = name === "tool_call" ? looseMeaning : storedMeaning;
  return ofModule(dialect, name, moment, Object.keys(checks), (said) => meaning(said, checks));
}

function closing(stage: Stage, home: Disposable): Stage {
  return {
    ask: stage.ask,
    async close() {
      await stage.close();
      home[Symbol.dispose]();
    },
  };
}

const DIALECTS: Readonly<Record<string, () => readonly Asked[]>> = {
  jcli: () => [
    ofJcli("pre_tool_execution", MOMENTS.before),
    ofJcli("post_tool_execution", MOMENTS.after),
    ofJcli("pre_send_message", MOMENTS.prompt),
    ofJcli("stop", MOMENTS.stop),
  ],
  chibi: () => [
    ofChibi("pre_tool", MOMENTS.before),
    ofChibi("pre_tool_output", MOMENTS.after),
    ofChibi("pre_message", MOMENTS.prompt),
  ],
  omp: () => [
    ofModule(omp, "tool_call", MOMENTS.before, Object.keys(CHECKS["omp tool_call"]), ompCallMeaning),
    loose(omp, "tool_result", MOMENTS.after),
    loose(omp, "input", MOMENTS.input),
  ],
  pi: () => [
    loose(pi, "tool_call", MOMENTS.before),
    loose(pi, "tool_result", MOMENTS.after),
    ofModule(pi, "input", MOMENTS.input, ["action", "text", "images"], piInputMeaning),
  ],
};

/** R10: an answer is used as its dialect's own description says, or not at all. */
export const answers: Experiment = {
  id: "R10",
  paths: [],
  async run(tally, { full }) {
    for (const [dialect, all] of Object.entries(DIALECTS)) {
      const before = tally.n;
      const asked = all();
      const counts = { nothing: 0, broken: 0, refused: 0, withheld: 0, answer: 0 };
      for (const one of asked) await tryOut(one, Math.ceil((full ? 10_000 : 600) / asked.length), tally, counts);
      const broken = counts.broken + counts.refused + counts.withheld;
      const kinds = `${counts.answer} answers, ${broken} broken, ${counts.nothing} nothing`;
      tally.figure(`${dialect}: ${tally.n - before} outputs (${kinds})`);
    }
  },
};

async function tryOut(
  asked: Asked,
  times: number,
  tally: Tally,
  counts: Record<Meaning["kind"], number>,
): Promise<void> {
  const stage = await asked.stage();
  const nothing = (await stage.ask(asked.spell({}))).answer;
  for (let trial = 0; trial < times; trial++) {
    const said = asked.random();
    const meaning = asked.meaning(said);
    counts[meaning.kind] += 1;
    tally.trial(await problemOf(asked, stage, said, meaning, nothing));
  }
  await stage.close();
}

async function problemOf(
  { name, spell }: Asked,
  stage: Stage,
  said: unknown,
  meaning: Meaning,
  nothing: unknown,
): Promise<string | undefined> {
  const told = `${name}, ${Buffer.isBuffer(said) ? JSON.stringify(said.toString("latin1").slice(0, 200)) : printed(said)}`;
  try {
    const outcome = await stage.ask(said);
    if (meaning.kind === "refused")
      return isRefused(outcome.answer) ? undefined : `${told}: came to ${printed(outcome.answer)}`;
    if (meaning.kind === "withheld")
      return isWithheld(outcome.answer) ? undefined : `${told}: came to ${printed(outcome.answer)}`;
    const expected = meaning.kind === "answer" ? (await stage.ask(spell(meaning.clean))).answer : nothing;
    const codes = outcome.diagnostics.map(({ code }) => code);
    if (!isDeepStrictEqual(outcome.answer, expected)) return `${told}: came to ${printed(outcome.answer)}`;
    if (codes.includes("HOOK_BAD_ANSWER") !== (meaning.kind === "broken"))
      return `${told}: is ${meaning.kind}, reported as ${codes.join(", ") || "fine"}`;
    if (meaning.kind === "answer" && meaning.odd && !codes.includes("HOOK_ODD_ANSWER"))
      return `${told}: nothing is reported`;
    return undefined;
  } catch (thrown) {
    return `${told}: threw ${messageOf(thrown)}`;
  }
}

function isRefused(answer: object): boolean {
  const { decision, reason = "" } = answer as { readonly decision?: string; readonly reason?: string };
  return decision === "deny" && reason.includes("the changed call cannot run");
}

function isWithheld(answer: object): boolean {
  const { content = [], isError } = answer as { readonly content?: readonly { text?: string }[]; isError?: boolean };
  return isError === true && content.length === 1 && content[0]?.text?.startsWith("The result is withheld") === true;
}

function printed(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY }).slice(0, 300);
}
