import type { InspectedSource, ViewName, ViewState } from "./api.ts";

const FULL: ViewState = { state: "full" };
const RECORD = "Record with `hookline --record`, or switch `record` on in your settings, to have it.";

const empty = (because: string): ViewState => ({ state: "empty", because });
const part = (because: string): ViewState => ({ state: "part", because });

type Views = Readonly<Record<ViewName, ViewState>>;

const NO_REPLAY = empty("Only the result of `hookline replay --out FILE` shows what other hooks would have decided.");

const ALL: Views = {
  story: FULL,
  timeline: FULL,
  moment: FULL,
  conversation: FULL,
  hooks: FULL,
  search: FULL,
  replay: NO_REPLAY,
};

const LOG: Views = {
  ...ALL,
  story: part(`Prompts, commands and results were not recorded: only decisions were logged. ${RECORD}`),
  moment: part(`Only decisions were logged, with sizes and digests for values. ${RECORD}`),
  timeline: part(`Only guarded calls and decisions were logged. ${RECORD}`),
  conversation: empty(`Only decisions were logged, and no messages. ${RECORD}`),
  search: part("Only names and words of decisions can be searched: values were logged as sizes and digests."),
};

const TRACE: Views = {
  ...ALL,
  story: part(`A trace has no prompts, commands and results. ${RECORD}`),
  timeline: part("A trace has only moments at which hooks were asked, without tool names."),
  moment: part(
    "A trace has what hooks said and changed, and no payloads. Record with `hookline --record` to have them.",
  ),
  conversation: empty(`A trace has no messages. ${RECORD}`),
};

const NO_HOOKS = "A session's file does not say which hooks were asked.";

const SESSION: Views = {
  ...ALL,
  story: part(`${NO_HOOKS} Prompts, calls and results are shown. ${RECORD}`),
  timeline: part(`${NO_HOOKS} ${RECORD}`),
  moment: part(`${NO_HOOKS} ${RECORD}`),
  conversation: part(
    "Messages are shown as the session kept them; changes that hooks made to single requests are not shown.",
  ),
  hooks: empty(`${NO_HOOKS} ${RECORD} \`hookline replay\` says what today's hooks would do.`),
};

const NOT_HERE = empty(
  "A replay's result has only the moments at which the two sides differ, or that were judged. Open the recording or session that was replayed.",
);
const REPLAY: Views = {
  story: NOT_HERE,
  timeline: NOT_HERE,
  moment: NOT_HERE,
  conversation: NOT_HERE,
  hooks: NOT_HERE,
  search: NOT_HERE,
  replay: FULL,
};

const BY_LEVEL: Readonly<Record<NonNullable<InspectedSource["level"]>, Views>> = {
  all: ALL,
  decisions: {
    ...ALL,
    timeline: part(
      "Events for each token, requests as they were sent, and headers were not recorded. `--record=all` has them.",
    ),
  },
  log: LOG,
};

/** Returns whether a source has the data of each view, and what to switch on if not. */
export function viewsOf({ kind, level }: Pick<InspectedSource, "kind" | "level">): Views {
  if (kind === "trace") return TRACE;
  if (kind === "session") return SESSION;
  if (kind === "replay") return REPLAY;
  if (kind === "running")
    return {
      ...ALL,
      moment: part(
        "Moments that were not recorded have no payloads. `/inspect record` records everything from now on.",
      ),
    };
  return BY_LEVEL[level ?? "all"];
}
