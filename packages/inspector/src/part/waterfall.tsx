import { useState } from "preact/hooks";
import type { HookAsked } from "../../../hookline/src/inspect/api.ts";
import { go } from "../state/address.ts";
import { summary } from "../state/page.ts";
import { duration } from "../text/format.ts";
import { hookName, inFolder } from "../text/hook.ts";
import { wouldOf } from "../text/shadow.ts";
import { visible } from "../text/visible.ts";
import { type Bar, passesOf } from "../text/waterfall.ts";
import { Value } from "./value.tsx";

const SHOWN_WITHOUT_ASKING = 12;

/** Shows the hooks that were asked at a moment, in order, with their times and answers, in both passes. */
export function Waterfall({ hooks, ms }: { readonly hooks: readonly HookAsked[]; readonly ms: number }) {
  const passes = passesOf(hooks, ms);
  if (passes.length === 0) return <p class="quiet">No hook listens to this event.</p>;
  return (
    <>
      {passes.map(({ pass, bars, ms: all }) => (
        <div key={pass} class="pass">
          {passes.length > 1 && <h4>{pass === 1 ? "First pass" : "Second pass: again, about the changed value"}</h4>}
          <ol class="waterfall">
            {bars.map((bar, at) => (
              <Asked key={`${bar.hook.id}${at}`} bar={bar} all={all} isOpen={isShown(bar, bars)} />
            ))}
          </ol>
        </div>
      ))}
      <p class="quiet">Bars show the order and how long each hook ran. Lanes run one after another.</p>
    </>
  );
}

/** Whether the words of a hook are shown without asking: there are few hooks, or it is one of few that answered. */
function isShown(bar: Bar, bars: readonly Bar[]): boolean {
  const answered = bars.filter(({ hook }) => hook.answer !== undefined);
  return [bars, answered].some((some) => some.includes(bar) && some.length <= SHOWN_WITHOUT_ASKING);
}

const WORDS: Readonly<Record<HookAsked["status"], string>> = {
  answered: "answered",
  "no-answer": "said nothing",
  failed: "failed",
  "timed-out": "timed out",
  skipped: "did not run",
  "not-reached": "not reached",
  asked: "asked, said nothing",
};

function Asked({ bar, all, isOpen: wasOpen }: { readonly bar: Bar; readonly all: number; readonly isOpen: boolean }) {
  const { hook, run, index } = bar;
  const { status, answer, problem, stderr, why } = hook;
  const isMore = answer !== undefined || problem !== undefined || stderr !== undefined || why !== undefined;
  const [isOpen, setOpen] = useState(wasOpen || status === "failed" || status === "timed-out");
  const end = Math.max(all, 0.001);
  return (
    <li class={`hook ${status}${hook.shadow === true ? " shadow" : ""}`}>
      <div class="head">
        <button
          type="button"
          class="name"
          title={`${visible(hook.id)}: show only the moments of this hook`}
          onClick={() => go({ filter: { hook: hook.id }, brush: undefined })}
        >
          {visible(hookName({ hook: hook.id, source: hook.source }))}
        </button>
        <span class="status">
          {hook.shadow === true && "in shadow, "}
          {hook.shadow === true && status === "asked" ? "not answered" : WORDS[status]}
        </span>
        <span class="track" aria-hidden="true">
          {run !== undefined && (
            <span
              class="run"
              style={{ left: `${(run.from / end) * 100}%`, width: `max(2px, ${(run.ms / end) * 100}%)` }}
            />
          )}
        </span>
        <span class="ms">{run !== undefined && duration(run.ms)}</span>
      </div>
      <p class="where">
        <span>{visible(hook.lane)}</span> <span>{visible(inFolder(hook.source, summary.value?.source.cwd))}</span>
        {run !== undefined && run.from > 0 && <span class="after">began after {duration(run.from)}</span>}
      </p>
      {isMore && !isOpen && (
        <button type="button" class="more" onClick={() => setOpen(true)}>
          … what it said
        </button>
      )}
      {isMore && isOpen && (
        <div class="said">
          {why !== undefined && <p>{visible(why)}</p>}
          {hook.shadow === true && wouldOf(hook) !== undefined && (
            <p>
              <strong>{wouldOf(hook)}</strong>
            </p>
          )}
          {problem !== undefined && <p class="bad">{visible(problem)}</p>}
          {answer !== undefined && (
            <div>
              <Value value={answer} depth={1} at={`/hooks/${index}/answer`} />
            </div>
          )}
          {stderr !== undefined && (
            <div class="stderr">
              <span class="quiet">stderr</span> <Value value={stderr} at={`/hooks/${index}/stderr`} />
            </div>
          )}
        </div>
      )}
    </li>
  );
}
