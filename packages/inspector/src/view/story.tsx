import { useEffect, useRef, useState } from "preact/hooks";
import type { Story, StoryStep } from "../../../hookline/src/inspect/api.ts";
import { pathOf } from "../data/path.ts";
import type { Windows } from "../data/windows.ts";
import { Act } from "../part/act.tsx";
import { EventName } from "../part/event.tsx";
import { Note } from "../part/note.tsx";
import { SCROLLED } from "../part/scrolled.ts";
import { Text } from "../part/text.tsx";
import { useRows } from "../part/virtual.ts";
import { address, go, goToStep, isFiltered, stepsChosen } from "../state/address.ts";
import { useAnswer } from "../state/answer.ts";
import { growth, isIndexed, summary } from "../state/page.ts";
import { clock, counted, timeOf } from "../text/format.ts";
import { agentName, hookName } from "../text/hook.ts";
import { oneLine, start, visible } from "../text/visible.ts";

/** The estimated height of a step, in CSS pixels. Each step is measured when it is drawn. */
const STEP = 64;

/** The kinds of hooks' actions that the user should see first. */
const GRAVE = "refused,failed,timed-out";
const MOST_GRAVE = 3;

/** Shows the first refusals and failures, each with its reason. A click on one scrolls the story to its step. */
export function Grave({ source }: { readonly source: string }) {
  const { value } = useAnswer<Story>(pathOf(source, "story", { decision: GRAVE, count: MOST_GRAVE }), growth.value);
  if (value === undefined || value.total === 0) return null;
  const told = value.items.flatMap((step) => {
    const act = step.acts.find(({ did }) => GRAVE.split(",").includes(did));
    return act === undefined ? [] : [{ step, act }];
  });
  return (
    <ul class="grave" aria-label="Refused or failed">
      {told.map(({ step, act }) => (
        <li key={step.n}>
          <button type="button" class={act.did} onClick={() => goToStep(step.n)}>
            <strong>{visible(hookName(act))}</strong> <span class="verb">{visible(act.says.replace(/ it$/, ""))}</span>{" "}
            {step.kind === "call" ? (
              <code>{oneLine(`${step.tool ?? ""} ${step.text}`, 100)}</code>
            ) : (
              visible(step.event)
            )}
            {act.why !== undefined && <span class="why">: {oneLine(act.why)}</span>}
          </button>
        </li>
      ))}
      {value.total > MOST_GRAVE && (
        <li>
          <button type="button" class="more" onClick={() => go({ filter: { decision: GRAVE } })}>
            … {counted(value.total - MOST_GRAVE)} more
          </button>
        </li>
      )}
    </ul>
  );
}

/** Shows the texts and calls of a session, with the hooks' actions beside them. */
export function StoryList({ windows }: { readonly windows: Windows<StoryStep> }) {
  const total = windows.total.value;
  void windows.version.value;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRows(total ?? 0, { rowHeight: STEP, overscan: 12 }, () => scroller.current);
  const shown = rows.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => windows.want(first, last), [windows, first, last]);
  const [aim, setAim] = useState<number>();
  useEffect(() => {
    const step = aim === undefined ? null : scroller.current?.querySelector<HTMLElement>(`[data-index="${aim}"]`);
    step?.focus({ preventScroll: true });
  }, [aim, first, last]);

  const { at } = address.value;
  const isKnown = total !== undefined;
  useEffect(() => {
    let isOver = false;
    if (at !== undefined && isKnown)
      void windows.locate(at).then((index) => {
        if (index !== undefined && !isOver) goTo(index);
      });
    return () => {
      isOver = true;
    };
  }, [windows, at, isKnown, isIndexed(at), stepsChosen.value]);

  const goTo = (index: number): void => {
    const to = Math.max(0, Math.min((windows.total.peek() ?? 1) - 1, index));
    rows.scrollToIndex(to, { align: "center" });
    setAim(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { dataset } = (event.target as Element).closest<HTMLElement>("[data-index]") ?? {};
    const at = Number(dataset?.["index"] ?? first - 1);
    const to = { j: at + 1, k: at - 1, Home: 0, End: (total ?? 1) - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <section class="story" aria-label="Story">
      <p class="count" role="status">
        {total === undefined ? "Loading …" : counted(total, "step")}
        {total !== undefined && Object.keys(address.value.filter).length > 0 && " that fit"}
      </p>
      {total === 0 && <Nothing />}
      <div
        ref={scroller}
        class="feed"
        role="feed"
        hidden={total === 0}
        aria-label="Steps"
        onKeyDown={onKeyDown}
        {...SCROLLED}
      >
        <div role="presentation" style={{ height: `${rows.getTotalSize()}px` }}>
          {shown.map(({ index, start, key }) => {
            const step = windows.at(index);
            return (
              <article
                key={key}
                ref={rows.measureElement}
                data-index={index}
                class={step === undefined ? "step waiting" : classOf(step)}
                tabIndex={-1}
                aria-posinset={index + 1}
                aria-setsize={total}
                aria-label={step === undefined ? "Loading" : labelOf(step)}
                style={{ transform: `translateY(${start}px)` }}
              >
                {step !== undefined && <Step step={step} />}
              </article>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function Nothing() {
  if (isFiltered()) return <Note>Nothing fits. “Show all” clears the filter.</Note>;
  return (
    <Note>{summary.value?.live === true ? "Nothing has been said yet." : "Nothing was said or called here."}</Note>
  );
}

function classOf({ kind, acts, isRefused }: StoryStep): string {
  return `step ${kind}${acts.length > 0 ? " touched" : ""}${isRefused === true ? " refused" : ""}`;
}

const WHO: Readonly<Record<StoryStep["kind"], string>> = { prompt: "Prompt", reply: "Model", call: "Call", moment: "" };

function labelOf({ kind, event, tool, text }: StoryStep): string {
  return [WHO[kind] || visible(event), visible(tool ?? ""), oneLine(text, 80)].filter(Boolean).join(" ");
}

function Step({ step }: { readonly step: StoryStep }) {
  const { kind, acts, t, n } = step;
  return (
    <>
      <button type="button" class="more time" title={`${clock(t)}: details`} onClick={() => go({ n })}>
        {timeOf(t)}
      </button>
      <div class="told">{kind === "call" ? <Call step={step} /> : <Said step={step} />}</div>
      {acts.length > 0 && (
        <ul class="acts" aria-label="What hooks did">
          {acts.map((act, at) => (
            <Act key={`${act.n} ${act.hook} ${at}`} act={act} />
          ))}
        </ul>
      )}
    </>
  );
}

function Said({ step: { kind, event, agent, text, of, request, n } }: { readonly step: StoryStep }) {
  return (
    <>
      <p class="head">
        <span class="who">{kind === "moment" ? <EventName event={event} /> : WHO[kind]}</span>
        {agent !== undefined && <span class="quiet">{visible(agentName(agent))}</span>}
        {request !== undefined && (
          <button type="button" class="more" onClick={() => go({ view: "request", n: request })}>
            what the model saw
          </button>
        )}
      </p>
      {text !== "" && (
        <div class="body">
          <Whole text={text} of={of} n={n} />
        </div>
      )}
    </>
  );
}

/** Shows a call as one line that can be opened to show its result. The result is open if hooks acted on the call. */
function Call({ step: { tool = "", agent, text, of, result, isRefused, acts, n } }: { readonly step: StoryStep }) {
  const line = (
    <>
      <span class="tool">{visible(tool)}</span> <code class="command">{visible(start(text, 400))}</code>
      {agent !== undefined && <span class="quiet"> {visible(agentName(agent))}</span>}
      {isRefused === true && <span class="mark refused">did not run</span>}
      {result?.isError === true && <span class="mark failed">error</span>}
    </>
  );
  if (result === undefined && text.length <= 400) return <p class="line">{line}</p>;
  return (
    <details open={acts.length > 0 && result !== undefined}>
      <summary class="line">{line}</summary>
      {text.length > 400 && <Whole text={text} of={of} n={n} />}
      {result !== undefined && (
        <div class="result">
          {result.text === "" ? (
            <span class="quiet">no output</span>
          ) : (
            <Whole text={result.text} of={result.of} n={n} />
          )}
        </div>
      )}
    </details>
  );
}

/** Shows a text that may be cut, with a button that opens its moment, where the whole text is. */
function Whole({ text, of, n }: { readonly text: string; readonly of: number | undefined; readonly n: number }) {
  return <Text text={text} {...(of !== undefined && { of, onFull: () => go({ n }) })} />;
}
