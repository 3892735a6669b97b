import { entryPlaces, pointerPart } from "@hookline/ground";
import type { Definition } from "./definition.ts";
import { type EntryReading, type EntryRules, readEntry, shape } from "./entry.ts";
import { fieldsOf, guessEvent, isAnswered, RESULT_FIELDS } from "./fields.ts";
import { filterProblems } from "./filter.ts";
import { bad, type Finding, isFatal, lint } from "./finding.ts";
import { readHooksFile } from "./reading.ts";
import { parseYaml, type RawNode, type RawPair } from "./yaml.ts";

/** One hook that a file defines or tries to define. Plain data that depends only on the file's text. */
export interface FoundHook {
  readonly line: number;
  /** The hook's JSON pointer, if other hooks begin on the same line. */
  readonly pointer?: string;
  readonly events: readonly string[];
  /** The definition of the hook; absent if the hook cannot run, for the reasons in the findings. */
  readonly definition: Definition | undefined;
  /** The reason, other than a mistake in the file, why the hook never runs. */
  readonly unreachable: string | undefined;
  readonly findings: readonly Finding[];
}

/** A parsed configuration file. */
export interface FileReading {
  readonly hooks: readonly FoundHook[];
  /** Problems that belong to no hook of the file. */
  readonly findings: readonly Finding[];
}

/** Reads a `hooks.yaml`: event names, each with a list of hooks. Source: seed 003; spec/jcli.md 2.2. */
export async function readHooks(text: string, rules: EntryRules): Promise<FileReading> {
  const { pairs, problems } = await readHooksFile(text);
  const findings: Finding[] = problems.map(({ line, problem }) => ({ line, code: "SYNTAX", details: { problem } }));
  const hooks: (FoundHook & { readonly pointer: string })[] = [];
  const first = new Map<string, number>();
  for (const pair of pairs) {
    const before = first.get(pair.key);
    if (before === undefined) first.set(pair.key, pair.line);
    else
      findings.push(
        lint(
          pair.line,
          `"${pair.key}" appears twice, first in line ${before}`,
          "The hooks of both run; put them under one.",
        ),
      );
    const block = readBlock(pair, rules);
    const earlier = hooks.filter(({ pointer }) => pointer?.startsWith(pointerOf(pair.key, "")) === true).length;
    hooks.push(...block.hooks.map((hook, at) => ({ ...hook, pointer: pointerOf(pair.key, earlier + at) })));
    findings.push(...block.findings);
  }
  const told = withoutNeedless(hooks);
  return { hooks: told, findings: [...findings, ...soleJudges(told)] };
}

function pointerOf(key: string, index: number | ""): string {
  return `/${pointerPart(key)}/${index}`;
}

/** Drops the JSON pointers of hooks that are alone on their lines, and adds the others to the hooks' findings. */
function withoutNeedless(hooks: readonly (FoundHook & { readonly pointer: string })[]): FoundHook[] {
  const lines = new Map(hooks.map(({ pointer, line }) => [pointer, line]));
  const at = entryPlaces(lines.keys(), (pointer) => lines.get(pointer) as number);
  return hooks.map(({ pointer: full, findings, ...hook }) => {
    const { pointer } = at(full);
    if (pointer === undefined) return { ...hook, findings };
    const own = findings.map((one) => (one.line === hook.line ? { ...one, pointer } : one));
    return { ...hook, pointer, findings: own };
  });
}

/** Reads a `HOOK.yaml`, which newer releases of j-cli use: one hook with the list of its events. */
export async function readHookFolder(text: string, rules: EntryRules): Promise<FileReading> {
  const { root, problems } = await parseYaml(text);
  if (problems.length > 0)
    return {
      hooks: [],
      findings: problems.slice(0, 1).map(({ line, problem }) => ({ line, code: "SYNTAX", details: { problem } })),
    };
  if (root?.kind !== "map")
    return {
      hooks: [],
      findings: [bad(root?.line ?? 1, "the file is not a map", 'Write "events:", a list, and "command: …".')],
    };
  const read = readEntry(root, rules, ["events", "name", "description", "runtime"]);
  const events = eventsOf(
    root.pairs.find(({ key }) => key === "events"),
    root.line,
  );
  const findings = [...read.findings, ...events.findings];
  return { hooks: [found({ ...read, findings }, events.names)], findings: [] };
}

function readBlock({ key, line, value }: RawPair, rules: EntryRules): FileReading {
  const entries = value.kind === "list" ? value.items.map((item) => readEntry(item, rules)) : [];
  if (fieldsOf(key) === undefined) {
    const unknown = {
      line,
      code: "UNKNOWN_HOOK_EVENT",
      details: { event: key, guess: guessEvent(key) },
    } as const;
    const hooks = entries.map(
      (entry): FoundHook => ({
        line: entry.line,
        events: [key],
        definition: undefined,
        unreachable: `j-cli has no event "${key}"`,
        findings: [],
      }),
    );
    return { hooks, findings: [unknown, ...misplacedList(value, line)] };
  }
  if (value.kind === "list") return { hooks: entries.map((entry) => found(entry, [key])), findings: [] };
  if (value.kind === "nothing") return { hooks: [], findings: [] };
  return {
    hooks: [],
    findings: [
      bad(
        line,
        `${key} must hold a list of hooks, not ${shape(value)}`,
        'Begin each hook with "- ", a dash and a space.',
      ),
    ],
  };
}

/** Reports a layout that j-cli's own guide once showed: a single list, with the event inside each entry. */
function misplacedList(value: RawNode, line: number): Finding[] {
  const inside =
    value.kind === "list" &&
    value.items.some((item) => item.kind === "map" && item.pairs.some(({ key }) => key === "event"));
  return inside
    ? [
        bad(
          line,
          "each hook names its event inside, where j-cli does not read it",
          "Make each event name a key at the left margin, with its hooks below.",
        ),
      ]
    : [];
}

function eventsOf(pair: RawPair | undefined, line: number): { names: string[]; findings: Finding[] } {
  const value = pair?.value;
  const items = value?.kind === "list" ? value.items : [];
  const names = items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
  if (names.length === 0 || names.length !== items.length)
    return {
      names: [],
      findings: [
        bad(pair?.line ?? line, "events must be a list of event names", 'Write "events: [pre_tool_execution]".'),
      ],
    };
  const findings = items.flatMap((item): Finding[] => {
    if (item.kind !== "text" || fieldsOf(item.text) !== undefined) return [];
    return [
      {
        line: item.line,
        code: "UNKNOWN_HOOK_EVENT",
        details: { event: item.text, guess: guessEvent(item.text) },
      },
    ];
  });
  return { names: [...new Set(names)].filter((name) => fieldsOf(name) !== undefined), findings };
}

/** Combines an entry with its events, and looks for likely mistakes. */
function found(entry: EntryReading, events: readonly string[]): FoundHook {
  const { line, definition: given, findings } = entry;
  const costly = findings.some((finding) => isFatal(finding) && finding.code !== "UNKNOWN_HOOK_EVENT");
  if (given === undefined || costly || events.length === 0)
    return { line, events, definition: undefined, unreachable: undefined, findings };
  const definition: Definition = { events, ...given };
  const filters = events.map((event) => filterProblems(definition.filter, event));
  const notes = filters.flatMap((problems) =>
    problems.map(
      ({ never, problem, remedy }): Finding => ({
        line,
        code: never ? "UNREACHABLE" : "LINT",
        details: { problem, remedy },
      }),
    ),
  );
  const dead = filters.every((problems) => problems.some(({ never }) => never));
  const reason = filters[0]?.find(({ never }) => never)?.problem;
  return {
    line,
    events,
    definition,
    unreachable: dead ? reason : undefined,
    findings: [...findings, ...notes, ...unread(definition, line)],
  };
}

/** Reports a hook whose answer will be ignored, because its events only inform (ruling 36a). */
function unread({ events, type, text }: Definition, line: number): Finding[] {
  const ignored = events.filter((event) => !isAnswered(event));
  if (ignored.length === 0) return [];
  const named = RESULT_FIELDS.filter((field) => new RegExp(`["'\\\\]${field}["'\\\\]`).test(text));
  if (type !== "llm" && named.length === 0) return [];
  const what = type === "llm" ? "what the model answers" : `the answer (${named.join(", ")})`;
  return [
    lint(
      line,
      `${what} is ignored at ${ignored.join(", ")}`,
      "Move the hook to an event that reads answers, such as pre_llm_request.",
    ),
  ];
}

/** Reports if tool calls are guarded only by a model whose failure lets them pass. */
function soleJudges(hooks: readonly FoundHook[]): Finding[] {
  const guards = hooks.filter(({ definition }) => definition?.events.includes("pre_tool_execution"));
  const [only] = guards;
  if (
    only === undefined ||
    guards.some(({ definition }) => definition?.type !== "llm" || definition.onError === "abort")
  )
    return [];
  return [
    {
      ...lint(
        only.line,
        "only a model judges tool calls here, and a call passes when it fails",
        'Add "on_error: abort", or a guard of type bash.',
      ),
      ...(only.pointer !== undefined && { pointer: only.pointer }),
    },
  ];
}
