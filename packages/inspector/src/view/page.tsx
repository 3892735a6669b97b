import { useEffect, useRef } from "preact/hooks";
import type { SourceKind } from "../../../hookline/src/inspect/api.ts";
import { Note, ViewNote } from "../part/note.tsx";
import { address, go, goToSource, isFiltered, VIEWS, type View } from "../state/address.ts";
import { isIndexing, list, problem, sources, story, summary } from "../state/page.ts";
import { counted } from "../text/format.ts";
import { oneLine, visible } from "../text/visible.ts";
import { FilterBar } from "./filter.tsx";
import { Head } from "./head.tsx";
import { HooksView } from "./hooks.tsx";
import { MomentList } from "./list.tsx";
import { OpenMoment } from "./moment.tsx";
import { ReplayView } from "./replay.tsx";
import { RequestView } from "./request.tsx";
import { SourcesView, whatOf } from "./sources.tsx";
import { Grave, StoryList } from "./story.tsx";
import { TimelineView } from "./timeline.tsx";

const NAMES: Readonly<Record<View, string>> = {
  story: "Story",
  timeline: "Timeline",
  request: "Model input",
  hooks: "Hooks",
  replay: "Replay",
};

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["1 2 3 4", "story, timeline, model input, hooks"],
  ["/", "search"],
  ["l", "to the story, or the list of moments"],
  ["j k, Home, End", "in the story: another step"],
  ["t", "to the timeline"],
  ["↑ ↓ or j k, Page, Home, End", "in the list: another moment"],
  ["Enter", "from the list to the moment"],
  ["Esc", "from a field to the list; closes the moment; clears the mark of the timeline"],
  ["← →, + −, 0", "in the timeline: move, zoom, show all"],
  ["b, Shift ← →, Enter", "in the timeline: mark a part, stretch it, zoom to it"],
  ["?", "this list"],
];

/** Shows the whole page. */
export function Page() {
  const { source } = address.value;
  const help = useRef<HTMLDialogElement>(null);
  useKeys(() => help.current?.showModal());
  return (
    <>
      <Top onHelp={() => help.current?.showModal()} />
      {problem.value !== undefined && <Note isBad>{problem.value.message}</Note>}
      <main>
        {sources.value === undefined ? (
          problem.value === undefined && <Note>Loading …</Note>
        ) : source === undefined ? (
          <SourcesView />
        ) : (
          <Opened source={source} />
        )}
      </main>
      <dialog ref={help} aria-label="Keys">
        <h2>Keys</h2>
        <dl class="keys">
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}

function Top({ onHelp }: { readonly onHelp: () => void }) {
  const { source } = address.value;
  const all = sources.value?.sources ?? [];
  const one = summary.value?.source ?? all.find(({ id }) => id === source);
  return (
    <header class="top">
      <h1>hookline</h1>
      {all.length > 1 ? (
        <select
          aria-label="Session"
          value={source ?? ""}
          onChange={({ currentTarget }) => goToSource(currentTarget.value || undefined)}
        >
          <option value="">all sessions</option>
          {all.map(({ id, title, live }) => (
            <option key={id} value={id}>
              {oneLine(title, 60)}
              {live ? " (live)" : ""}
            </option>
          ))}
        </select>
      ) : (
        <span class="title">{one === undefined ? "" : oneLine(one.title, 80)}</span>
      )}
      {one !== undefined && (
        <span class="quiet">
          {summary.value?.live === true && <span class="live">live</span>} {whatOf(one)}
        </span>
      )}
      {source !== undefined && (
        <nav aria-label="Views">
          {offered().map((name) => (
            <button
              key={name}
              type="button"
              aria-current={name === shownView() ? "page" : undefined}
              onClick={() => go({ view: name })}
            >
              {NAMES[name]}
            </button>
          ))}
        </nav>
      )}
      <button type="button" aria-label="Keys" title="Keys" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

/** Returns the kind of the open source, if it is known. */
function kindOf(): SourceKind | undefined {
  const { source } = address.value;
  return (summary.value?.source ?? sources.value?.sources.find(({ id }) => id === source))?.kind;
}

/**
 * Returns the views of the open source. A replay's result has only the view `replay`, and no other source has that one.
 */
function offered(): readonly View[] {
  const isReplay = kindOf() === "replay";
  return VIEWS.filter((name) => (name === "replay") === isReplay);
}

/** Returns the view to show: that of the address, if the source has it. */
function shownView(): View {
  const { view } = address.value;
  const all = offered();
  return all.includes(view) ? view : (all[0] ?? "story");
}

/** Damaged lines are named at once if there are no more than these. */
const FEW_LINES = 3;

function Opened({ source }: { readonly source: string }) {
  const told = summary.value;
  if (told === undefined) return <Note>…</Note>;
  const { goneOn } = told;
  return (
    <>
      {goneOn !== undefined && (
        <Note>
          The terminal has left this session and has gone on with another one.{" "}
          <button type="button" class="more" onClick={() => goToSource(goneOn)}>
            Show that one
          </button>
        </Note>
      )}
      {told.torn && <Note>The last line of this recording is cut in the middle. Everything before it is shown.</Note>}
      {told.damaged > 0 && (
        <Note>
          <details open={told.damage.length <= FEW_LINES}>
            <summary>{counted(told.damaged, "line")} cannot be read</summary>
            {told.damage.map(({ line, problem: what }) => `line ${line}: ${visible(what)}`).join("; ")}
            {told.damaged > told.damage.length && "; …"}
          </details>
        </Note>
      )}
      {isIndexing() && <Note>Reading: {counted(told.moments, "moment")} so far.</Note>}
      <Chosen source={source} />
    </>
  );
}

function Chosen({ source }: { readonly source: string }) {
  const view = shownView();
  if (view === "story" || view === "timeline") return <Moments source={source} view={view} />;
  if (view === "request") return <RequestView source={source} />;
  return view === "hooks" ? <HooksView source={source} /> : <ReplayView source={source} />;
}

/** Shows the story, or the timeline with the list of moments, beside the open moment. */
function Moments({ source, view }: { readonly source: string; readonly view: "story" | "timeline" }) {
  const [told, moments, steps] = [summary.value, list.value, story.value];
  const { filter, n } = address.value;
  if (told === undefined) return <Note>Loading …</Note>;
  return (
    <>
      <Head summary={told} />
      {view === "story" && !isFiltered() && <Grave source={source} />}
      <ViewNote view={view} />
      {filter.q !== undefined && <ViewNote view="search" />}
      {view === "timeline" && <TimelineView source={source} summary={told} />}
      {view === "timeline" && <FilterBar summary={told} />}
      <div class={n === undefined ? "split" : "split opened"}>
        {view === "timeline"
          ? moments !== undefined && <MomentList windows={moments} />
          : steps !== undefined && <StoryList key={source} windows={steps} />}
        <OpenMoment />
      </div>
    </>
  );
}

/** Handles keyboard shortcuts, which work everywhere except in text fields. */
function useKeys(help: () => void): void {
  useEffect(() => {
    const focus = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.focus();
    const acts: Readonly<Record<string, () => void>> = {
      ...Object.fromEntries(VIEWS.map((view, at) => [String(at + 1), () => go({ view })])),
      "/": focus("#search"),
      t: focus(".lanes"),
      l: focus(".rows, .feed"),
      "?": help,
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
      if (isTyping && event.key === "Escape") acts["l"]?.();
      const act = isTyping || event.ctrlKey || event.altKey || event.metaKey ? undefined : acts[event.key];
      const view = VIEWS[Number(event.key) - 1];
      const isThere = view === undefined ? address.peek().source !== undefined : offered().includes(view);
      if (act === undefined || (!isThere && event.key !== "?")) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
}
