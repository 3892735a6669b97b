import { useState } from "preact/hooks";
import type {
  ComparedSide,
  Comparison,
  Difference as Differing,
  HookAsked,
} from "../../../hookline/src/inspect/api.ts";
import { pathOf } from "../data/path.ts";
import { Difference } from "../part/difference.tsx";
import { Note } from "../part/note.tsx";
import { SCROLLED } from "../part/scrolled.ts";
import { useAnswer } from "../state/answer.ts";
import { changesOf } from "../text/changes.ts";
import { counted, duration } from "../text/format.ts";
import { shortName } from "../text/hook.ts";
import { wouldOf } from "../text/shadow.ts";
import { oneLine, visible } from "../text/visible.ts";

const COUNT = 100;
/** The class of moments about which a replay could not ask the hooks that it tries. */
const NOT_JUDGED = "notJudged";

/** Compares the results of hooks that were tried on a recording with the recorded ones. Shows only differences. */
export function ReplayView({ source }: { readonly source: string }) {
  const [from, setFrom] = useState(0);
  const { value, problem } = useAnswer<Comparison>(pathOf(source, "replay", { from, count: COUNT }));
  if (problem !== undefined) return <Note isBad>{problem.message}</Note>;
  if (value === undefined) return <Note>Loading …</Note>;
  const { same, total, items, counts } = value;
  return (
    <section class="replay" aria-label="Replay" {...SCROLLED}>
      <p class="facts">
        <span>
          {counted(total - (counts[NOT_JUDGED] ?? 0), "moment differs", "moments differ")}, {counted(same)} the same
        </span>
        {Object.entries(counts).map(([name, count]) => (
          <span key={name}>
            {visible(words(name))} <strong>{counted(count)}</strong>
          </span>
        ))}
        <span class="quiet">
          On the left what was recorded, or what today’s hooks say without the change; on the right the tried hooks.
        </span>
      </p>
      {total === 0 && <Note>Nothing differs.</Note>}
      <ol class="differences" start={value.from + 1}>
        {items.map((one, at) => (
          <li key={value.from + at}>
            <h2>
              {visible(one.event)} <code>{oneLine(one.label, 120)}</code>
              {one.differs.map((what) => (
                <span key={what} class="mark">
                  {visible(words(what))}
                </span>
              ))}
              <span class="where">{visible(one.where)}</span>
            </h2>
            {!one.differs.includes(NOT_JUDGED) && (
              <>
                <div class="two">
                  <Side title="before" side={one.before} />
                  <Side title="with the tried hooks" side={one.after} />
                </div>
                <Handed one={one} />
              </>
            )}
          </li>
        ))}
      </ol>
      {total > COUNT && (
        <div class="tools">
          <button type="button" disabled={from === 0} onClick={() => setFrom(Math.max(0, from - COUNT))}>
            ◀ Before
          </button>
          <button type="button" disabled={from + COUNT >= total} onClick={() => setFrom(from + COUNT)}>
            After ▶
          </button>
          <span class="quiet">
            {counted(from + 1)} to {counted(Math.min(total, from + COUNT))} of {counted(total)}
          </span>
        </div>
      )}
    </section>
  );
}

function Side({ title, side }: { readonly title: string; readonly side: ComparedSide | undefined }) {
  return (
    <div class="side">
      <h3>{title}</h3>
      {side === undefined ? (
        <p class="quiet">not there</p>
      ) : (
        <>
          <p>
            <span class={`decision ${side.decision}`}>{side.decision}</span>
            {side.reason !== undefined && <span> {visible(side.reason)}</span>}
            {side.person !== undefined && <span class="quiet"> a person said {visible(side.person)}</span>}
            {side.ms > 0 && <span class="quiet"> {duration(side.ms)}</span>}
          </p>
          <ul>
            {side.hooks.filter(spoke).map((hook, at) => (
              <li key={`${hook.id}${at}`}>
                {visible(shortName(hook.id))} <span class="quiet">{said(hook)}</span>
                {hook.problem !== undefined && <span class="bad"> {oneLine(hook.problem, 200)}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Compares what the recorded and the tried hooks changed in the event. Shows nothing if it is the same. */
function Handed({ one }: { readonly one: Differing }) {
  const [before, after] = [one.before?.handed, one.after?.handed];
  if (changesOf(before, after).length === 0) return null;
  const isCut = one.before?.cut === true || one.after?.cut === true;
  return (
    <>
      {isCut && <p class="quiet">Long values are compared by their beginnings. The moments show them in full.</p>}
      <Difference before={before ?? {}} after={after ?? {}} />
    </>
  );
}

/** Spells a difference's class, reason or hook for people: `newlyDenied` is "newly denied". */
function words(name: string): string {
  if (name.includes("#")) return shortName(name);
  return name.replace(/-|(?=[A-Z])/g, " ").toLowerCase();
}

function said(hook: HookAsked): string {
  return hook.shadow === true ? ["in shadow", hook.status, wouldOf(hook)].filter(Boolean).join(", ") : hook.status;
}

function spoke({ status }: HookAsked): boolean {
  return status === "answered" || status === "failed" || status === "timed-out";
}
