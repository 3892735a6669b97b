import type { Ran } from "./host.ts";
import { at, type Vector } from "./vector.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The expectations of a vector for one interception or record. */
interface Expected {
  readonly interception_point: string;
  readonly context?: Fields;
  readonly context_must_contain?: readonly string[];
  readonly context_must_not_contain?: readonly string[];
  readonly assert?: Fields;
  readonly present?: readonly string[];
  readonly absent?: readonly string[];
}

/** The expectations of a vector for a run. */
export interface Expectation {
  readonly run_outcome: string;
  readonly final_output?: string | null;
  readonly sequence_strict?: boolean;
  readonly interceptions?: readonly Expected[];
  readonly interceptions_absent?: readonly string[];
  readonly tool_invocations?: readonly object[];
  readonly tool_not_invoked?: readonly string[];
  readonly identities_equal?: boolean;
  readonly records?: readonly Expected[];
}

const json = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Says in which ways a run is not what its vector expects; empty if it is. Posture: a refusal by the host goes on. */
export function differences({ expect: wanted }: Vector, ran: Ran): string[] {
  const problems: string[] = [];
  const hold = (what: string, actual: unknown, expected: unknown): void => {
    if (json(actual) !== json(expected)) problems.push(`${what} is ${json(actual)}, not ${json(expected)}`);
  };
  hold("run_outcome", ran.outcome, wanted.run_outcome);
  if ("final_output" in wanted) hold("final_output", ran.output, wanted.final_output);
  const names = ran.interceptions.map((context) => context["interception_point"]);
  const { sequence_strict: isStrict = true, interceptions = [] } = wanted;
  if (isStrict)
    hold(
      "the order of interceptions",
      names,
      interceptions.map((one) => one.interception_point),
    );
  scan("interception", interceptions, ran.interceptions, problems, (one, context) => [
    ...Object.entries(one.context ?? {}).flatMap(([path, value]) => unlike(context, path, value)),
    ...(one.context_must_contain ?? []).filter((text) => !json(context).includes(text)),
    ...(one.context_must_not_contain ?? []).filter((text) => json(context).includes(text)),
  ]);
  for (const absent of wanted.interceptions_absent ?? [])
    if (names.includes(absent)) problems.push(`${absent} was intercepted`);
  if ("tool_invocations" in wanted) hold("tool_invocations", ran.invocations, wanted.tool_invocations);
  for (const name of wanted.tool_not_invoked ?? [])
    if (ran.invocations.some((one) => one.name === name)) problems.push(`${name} ran`);
  if ("identities_equal" in wanted)
    hold(
      "identities_equal",
      ran.records.every((one) => one["input_identity"] === one["enforced_identity"]),
      wanted.identities_equal,
    );
  scan("record", wanted.records ?? [], ran.records, problems, (one, record) => [
    ...Object.entries(one.assert ?? {}).flatMap(([path, value]) => unlike(record, path, value)),
    ...(one.present ?? []).filter((path) => at(record, path) === undefined),
    ...(one.absent ?? []).filter((path) => at(record, path) !== undefined),
  ]);
  const sequences = ran.records.map((one) => one["sequence"]);
  hold(
    "sequence",
    sequences,
    sequences.map((_, n) => n),
  );
  return problems;
}

function unlike(value: unknown, path: string, expected: unknown): string[] {
  const actual = at(value, path);
  return json(actual) === json(expected) ? [] : [`${path} is ${json(actual)}, not ${json(expected)}`];
}

/** Finds each expected one after the one before it, as the kit does. */
function scan(
  what: string,
  expected: readonly Expected[],
  actual: readonly Fields[],
  problems: string[],
  check: (one: Expected, candidate: Fields) => readonly string[],
): void {
  let from = 0;
  for (const one of expected) {
    const candidates = actual.slice(from).filter((two) => two["interception_point"] === one.interception_point);
    const found = candidates.find((two) => check(one, two).length === 0);
    if (found === undefined)
      problems.push(
        `no ${what} of ${one.interception_point}: ${candidates[0] ? check(one, candidates[0]).join("; ") : "there is none"}`,
      );
    else from = actual.indexOf(found) + 1;
  }
}
