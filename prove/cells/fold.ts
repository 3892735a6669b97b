import type { LaneRow } from "@hookline/runtime/engine";

type Fold = LaneRow["fold"];
type Answers = readonly never[];

/** Makes a fold that sees the whole list of answers, for wrong rules that need all of them. */
function over(fold: Fold, result: (answers: Answers) => unknown): Fold {
  return {
    name: fold.name,
    empty: [],
    step: (state, answer) => [...(state as Answers), answer],
    settled: (state) => fold.settled(run(fold, state as Answers)),
    result: (state) => result(state as Answers),
  };
}

function run(fold: Fold, answers: Answers): unknown {
  let state = fold.empty;
  for (const answer of answers) state = fold.step(state, answer);
  return state;
}

/** Wrong folds, each with a description. */
export function wrongFolds({ fold }: LaneRow): [string, Fold][] {
  const all = (answers: Answers): unknown => fold.result(run(fold, answers));
  /** Returns the answers up to the one that settles the fold. */
  const counted = (answers: Answers): Answers => {
    const end = answers.findIndex((_, i) => fold.settled(run(fold, answers.slice(0, i + 1))));
    return end === -1 ? answers : answers.slice(0, end + 1);
  };
  const last = (answers: Answers): unknown => all(counted(answers).slice(-1));
  const settled = (answers: Answers): boolean => fold.settled(run(fold, answers));
  return [
    ["only the first answer", over(fold, (answers) => all(answers.slice(0, 1)))],
    ["only the last answer", over(fold, (answers) => all(answers.slice(-1)))],
    ["in reverse order", over(fold, (answers) => all(answers.toReversed()))],
    ["never settled", { ...fold, settled: () => false }],
    ["settled by any answer", { ...fold, settled: (state) => state !== fold.empty }],
    [
      "an end that drops what was said before",
      over(fold, (answers) => (settled(answers) ? last(answers) : all(answers))),
    ],
    [
      "an end that keeps what was said before",
      over(fold, (answers) => {
        if (!settled(answers)) return all(answers);
        const before = all(counted(answers).slice(0, -1));
        return { ...(before as object | undefined), ...(last(answers) as object | undefined) };
      }),
    ],
  ];
}
