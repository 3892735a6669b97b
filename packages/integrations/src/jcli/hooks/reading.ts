import { entriesOf, type Section, sectionsOf } from "./sections.ts";
import { type LineProblem, parseYaml, type RawNode, type RawPair } from "./yaml.ts";

/** The readable part of a configuration file: its top-level keys, in order. */
export interface Reading {
  readonly pairs: readonly RawPair[];
  readonly problems: readonly LineProblem[];
}

/**
 * Parses a `hooks.yaml`. If its YAML is broken, each section and then each entry is parsed separately, so that only the
 * broken parts are lost. Every problem has its line.
 */
export async function readHooksFile(text: string): Promise<Reading> {
  const whole = await parseYaml(text);
  if (whole.problems.length === 0) return topLevel(whole.root);
  const { pieces, strays } = sectionsOf(text);
  const read = await Promise.all(pieces.map(readSection));
  const problems = [...strays, ...read.flatMap((one) => one.problems)];
  return {
    pairs: read.flatMap((one) => one.pairs),
    problems: (problems.length > 0 ? problems : [...whole.problems]).sort((a, b) => a.line - b.line),
  };
}

function topLevel(root: RawNode | undefined): Reading {
  if (root === undefined || root.kind === "nothing") return { pairs: [], problems: [] };
  if (root.kind === "map") return { pairs: root.pairs, problems: [] };
  const problem =
    "the file must map event names to lists of hooks, as in `pre_tool_execution:` and below it `- command: …`";
  return { pairs: [], problems: [{ line: root.line, problem }] };
}

async function readSection(section: Section): Promise<Reading> {
  const { root, problems } = await parseYaml(section.lines.join("\n"), section.line);
  if (problems.length === 0 && root?.kind === "map" && root.pairs.length === 1)
    return { pairs: root.pairs, problems: [] };
  const { pieces, strays } = entriesOf(section);
  if (pieces.length === 0) return { pairs: [], problems: strays.length > 0 ? strays : firstOf(problems) };
  const parts = await Promise.all(
    pieces.map(async (piece) => {
      const part = await parseYaml(piece.lines.join("\n"), piece.line);
      const items = part.problems.length === 0 && part.root?.kind === "list" ? part.root.items : [];
      const wrong = items.length === 0 && part.problems.length === 0;
      return {
        items,
        problems: wrong ? [{ line: piece.line, problem: "it cannot be read as an entry" }] : firstOf(part.problems),
      };
    }),
  );
  const value: RawNode = { kind: "list", line: section.line, items: parts.flatMap(({ items }) => items) };
  const found = [...strays, ...parts.flatMap((part) => part.problems)];
  return {
    pairs: [{ key: section.key, line: section.line, value }],
    problems: found.length > 0 ? found : firstOf(problems),
  };
}

/** Keeps the first problem only, since a parser may report every further line after an error. */
function firstOf(problems: readonly LineProblem[]): readonly LineProblem[] {
  return problems.slice(0, 1);
}
