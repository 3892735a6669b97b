import { join } from "node:path";
import type { Seen } from "./acts.ts";
import { type GuardDialect, guardPlace, HOOK_FILES, placeOf, WORDS } from "./guards.ts";
import { type Play, timesIn } from "./play.ts";

/** The result of one hook in a host, and what the report promised. */
export interface Cell {
  readonly act: string;
  readonly dialect: GuardDialect;
  /** Whether the report said that the hook works here; `own` if the host itself runs it without the bridge. */
  readonly promised: "works" | "lost" | "own";
  /** `failed` if neither the act happened nor a guard refused it, `none` if the host has no tool for the act. */
  readonly happened: "works" | "lost" | "failed" | "none";
  /** The host's tool, or a count. */
  readonly by?: string;
}

/** Whether the result is what the report promised. */
export function isTrue({ promised, happened }: Cell): boolean {
  return promised === "own" || happened === "none" || promised === happened;
}

/** The part of `bridge report HOST --json` that is read here. */
export interface Report {
  readonly hooks: readonly Reported[];
}

interface Reported extends Judged {
  readonly source: string;
  readonly native?: true;
  readonly events: readonly ({ readonly event: string } & Judged)[];
}

interface Judged {
  readonly state: string;
  readonly losses: readonly { readonly field: string; readonly why: string }[];
}

/** The facts from which a run is judged. */
interface Evidence {
  readonly home: string;
  readonly report: Report;
  readonly play: Play;
  readonly seen: Seen;
  /** Everything that the host printed. */
  readonly told: string;
  /** The output of `bridge status --json` after the run. */
  readonly status: string;
}

/** The part of `bridge status HOST --json` that is read here. */
interface Status {
  readonly hosts: readonly { readonly failed?: readonly { readonly source: string }[] }[];
}

/** The number of times that a stop hook which always objects may make a run continue. */
const CAPS = { claude: 8, jcli: 5 } as const;

/** Returns the cells of a run. */
export function cellsOf(evidence: Evidence): readonly Cell[] {
  return [...guardCells(evidence), ...hookCells(evidence)];
}

function guardCells({ home, report, play, seen }: Evidence): Cell[] {
  const controls = new Set(
    play.tried.flatMap(({ act, dialect, name }) => (dialect === undefined && act.did(seen, name) ? [act.name] : [])),
  );
  return play.tried.flatMap(({ act, dialect, name, tool, refused }): Cell[] => {
    if (dialect === undefined) {
      const happened = tool === undefined ? "none" : controls.has(act.name) ? "works" : "failed";
      // An act that nobody refuses must happen, or the refused tries prove nothing.
      return happened === "failed"
        ? [{ act: `${act.name} (allowed)`, dialect: "pi", promised: "works", happened }]
        : [];
    }
    if (tool === undefined) return [{ act: act.name, dialect, promised: "own", happened: "none" }];
    const event = act.kind === "spawn" && dialect === "omp" ? "before_subagent_spawn" : "tool_call";
    const promised = promiseOf(report, join(home, guardPlace(act.kind, dialect)), { event, tool });
    const did = act.did(seen, name);
    const happened = did ? "lost" : refused && controls.has(act.name) ? "works" : "failed";
    return [{ act: act.name, dialect, promised, happened, by: tool }];
  });
}

/** Returns the report's promise for a hook: if its losses name the tool, it is not asked about that tool's calls. */
function promiseOf(
  { hooks }: Report,
  place: string,
  { event, tool }: { readonly event?: string; readonly tool?: string } = {},
): Cell["promised"] {
  const hook = hooks.find(({ source }) => source === place);
  if (hook === undefined) return "lost";
  if (hook.native) return "own";
  const { state, losses } = hook.events.find((one) => one.event === event) ?? hook;
  const isLost = state === "absent" || losses.some(({ why }) => tool !== undefined && why.includes(`\`${tool}\``));
  return isLost ? "lost" : "works";
}

/** Returns the cells of the hooks that are not guards, and of the guard that fails. */
function hookCells({ home, report, play, seen, told, status }: Evidence): Cell[] {
  const fileOf = (name: string): string =>
    HOOK_FILES.find(({ path }) => path.endsWith(name))?.path ?? ".claude/settings.json";
  const cell = (act: string, dialect: GuardDialect, place: string, works: boolean, by?: string): Cell => ({
    act,
    dialect,
    promised: promiseOf(report, join(home, place)),
    happened: works ? "works" : "lost",
    ...(by !== undefined && { by }),
  });
  const sent = (text: string): boolean => seen.sent.some((one) => one.includes(text));
  const rounds = (dialect: keyof typeof CAPS): number =>
    Math.max(0, ...play.sent.map((text) => timesIn(text, WORDS.goOn[dialect])));
  const stop = (dialect: keyof typeof CAPS, path: string): Cell => {
    const count = rounds(dialect);
    const works = count > 0 && count <= CAPS[dialect];
    const one = cell("stop", dialect, placeOf(path, WORDS.goOn[dialect]), works, `${count} rounds`);
    return count > CAPS[dialect] ? { ...one, happened: "failed" } : one;
  };
  const broken = placeOf(".claude/settings.json", WORDS.fails);
  const [{ failed = [] } = {}] = (JSON.parse(status) as Status).hosts;
  const isTold = failed.some(({ source }) => source.endsWith(broken));
  const by = told.includes(WORDS.broken) ? "also by the agent" : "by bridge status alone";
  return [
    cell("rewrite", "omp", fileOf("rewrite.ts"), seen.file("marker.txt") === `${WORDS.rewritten}\n`),
    cell("redact", "pi", fileOf("redact.ts"), sent(WORDS.redacted) && !sent(WORDS.secret)),
    cell("context", "claude", placeOf(".claude/settings.json", WORDS.context), sent(WORDS.context)),
    stop("jcli", ".hookline/hooks.yaml"),
    stop("claude", ".claude/settings.json"),
    cell("guard fails", "claude", broken, isTold, isTold ? by : undefined),
  ];
}
