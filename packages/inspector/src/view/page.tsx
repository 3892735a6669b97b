import { useEffect, useRef } from "preact/hooks";
import type { SourceKind } from "../../../hookline/src/inspect/api.ts";
import { Note, ViewNote } from "../part/note.tsx";
import { address, go, goToSource, VIEWS, type View } from "../state/address.ts";
import { open } from "../state/approvals.ts";
import { list, problem, sources, summary } from "../state/page.ts";
import { counted } from "../text/format.ts";
import { markCounts } from "../text/mark.ts";
import { oneLine, visible } from "../text/visible.ts";
import { ApprovalsView } from "./approvals.tsx";
import { CompareView } from "./compare.tsx";
import { ConversationView } from "./conversation.tsx";
import { FilterBar } from "./filter.tsx";
import { HooksView } from "./hooks.tsx";
import { MomentList } from "./list.tsx";
import { OpenMoment } from "./moment.tsx";
import { SourcesView, whatOf } from "./sources.tsx";
import { TimelineView } from "./timeline.tsx";

const NAMES: Readonly<Record<View, string>> = {
  timeline: "Timeline",
  conversation: "Conversation",
  hooks: "Hooks",
  compare: "Compare",
  approvals: "Approvals",
};

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["1 2 3 4", "timeline, conversation, hooks, compare"],
  ["5", "approvals, if this machine belongs to a fleet"],
  ["/", "search"],
  ["t", "to the timeline"],
  ["l", "to the list of moments"],
  ["↑ ↓ or j k, Page, Home, End", "in the list: another moment"],
  ["Enter", "from the list to the moment"],
  ["Esc", "from a field to the list; closes the moment; clears the mark of the timeline"],
  ["← →, + −, 0", "in the timeline: move, zoom, show all"],
  ["b, Shift ← →, Enter", "in the timeline: mark a part, stretch it, zoom to it"],
  ["?", "this list"],
];

/** The whole page. */
export function Page() {
  const { source } = address.value;
  const help = useRef<HTMLDialogElement>(null);
  useKeys(() => help.current?.showModal());
  return (
    <>
      <Top onHelp={() => help.current?.showModal()} />
      {problem.value !== undefined && <Note isBad>{problem.value.message}</Note>}
      <main>
        {sources.value !== undefined &&
          (shownView() === "approvals" && sources.value.approvals !== undefined ? (
            <ApprovalsView place={sources.value.approvals} />
          ) : source === undefined ? (
            <SourcesView />
          ) : (
            <Opened source={source} />
          ))}
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
          {summary.value?.live === true && <span class="live">live</span>}{" "}
          {[whatOf(one), markCounts(summary.value?.marks ?? {})].filter(Boolean).join(" · ")}
        </span>
      )}
      {(source !== undefined || sources.value?.approvals !== undefined) && (
        <nav aria-label="Views">
          {offered().map((name) => (
            <button
              key={name}
              type="button"
              aria-current={name === shownView() ? "page" : undefined}
              onClick={() => go({ view: name })}
            >
              {source === undefined && name === "timeline" ? "Sessions" : NAMES[name]}
              {name === "approvals" && open.value.length > 0 && ` (${open.value.length})`}
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

/** What the source that is open is, as far as it is known. */
function kindOf(): SourceKind | undefined {
  const { source } = address.value;
  return (summary.value?.source ?? sources.value?.sources.find(({ id }) => id === source))?.kind;
}

/** An export has nothing to compare with, and a replay's result nothing else; only in a fleet there are approvals. */
function offered(): readonly View[] {
  const { approvals, exported = false } = sources.value ?? {};
  const fleet: readonly View[] = approvals === undefined ? [] : ["approvals"];
  if (address.value.source === undefined) return ["timeline", ...fleet];
  if (kindOf() === "replay") return ["compare", ...fleet];
  return VIEWS.filter((name) => (name === "compare" ? !exported : name !== "approvals" || fleet.length > 0));
}

/** The view that the page shows: the one of the address, where there is such a one. */
function shownView(): View {
  const { view } = address.value;
  const all = offered();
  return all.includes(view) ? view : (all[0] ?? "timeline");
}

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
          {counted(told.damaged, "line")} cannot be read:{" "}
          {told.damage.map(({ line, problem: what }) => `line ${line}: ${visible(what)}`).join("; ")}
        </Note>
      )}
      {told.indexed < told.bytes && <Note>Reading: {counted(told.moments, "moment")} so far.</Note>}
      <Chosen source={source} />
    </>
  );
}

function Chosen({ source }: { readonly source: string }) {
  const view = shownView();
  if (view === "timeline") return <Moments source={source} />;
  if (view === "conversation") return <ConversationView source={source} />;
  return view === "hooks" ? <HooksView source={source} /> : <CompareView source={source} />;
}

function Moments({ source }: { readonly source: string }) {
  const [told, windows] = [summary.value, list.value];
  if (told === undefined || windows === undefined) return null;
  return (
    <>
      <ViewNote view="timeline" />
      <TimelineView source={source} summary={told} />
      <FilterBar summary={told} />
      <ViewNote view="search" />
      <div class={address.value.n === undefined ? "split" : "split opened"}>
        <MomentList windows={windows} />
        <OpenMoment />
      </div>
    </>
  );
}

/** Keys that work everywhere but where one types. */
function useKeys(help: () => void): void {
  useEffect(() => {
    const focus = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.focus();
    const acts: Readonly<Record<string, () => void>> = {
      ...Object.fromEntries(VIEWS.map((view, at) => [String(at + 1), () => go({ view })])),
      "/": focus("#search"),
      t: focus(".lanes"),
      l: focus(".rows"),
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
