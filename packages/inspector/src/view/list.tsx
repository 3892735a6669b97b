import { useEffect, useRef, useState } from "preact/hooks";
import type { MomentItem } from "../../../hookline/src/inspect/api.ts";
import type { Windows } from "../data/windows.ts";
import { EventName } from "../part/event.tsx";
import { Marks } from "../part/marks.tsx";
import { Note } from "../part/note.tsx";
import { useRows } from "../part/virtual.ts";
import { address, go } from "../state/address.ts";
import { isIndexed } from "../state/page.ts";
import { counted, duration, thousandths, timeOf } from "../text/format.ts";
import { agentName, hookName } from "../text/hook.ts";
import { gravest } from "../text/mark.ts";
import { oneLine, visible } from "../text/visible.ts";

const ROW = 26;

/** Shows the moments that match the filter, one in each row. The arrow keys move between them. */
export function MomentList({ windows }: { readonly windows: Windows<MomentItem> }) {
  const total = windows.total.value;
  void windows.version.value;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRows(total ?? 0, { rowHeight: ROW }, () => scroller.current);
  const { n } = address.value;
  const shown = rows.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  const at = n === undefined ? undefined : windows.indexOf(n);
  useEffect(() => windows.want(first, last), [windows, first, last]);
  useFollowedEnd(scroller, total);
  useScrolledTo(windows, n, rows.scrollToIndex);
  const [aim, setAim] = useState<number>();
  const aimed = aim === undefined ? undefined : windows.at(aim);
  useEffect(() => {
    if (aimed === undefined) return;
    // The user may have pressed another key while the moment was loading.
    setAim((now) => (now === aim ? undefined : now));
    go({ n: aimed.n }, "replace");
  }, [aimed]);

  const select = (index: number): void => {
    const to = Math.max(0, Math.min((total ?? 1) - 1, index));
    rows.scrollToIndex(to);
    windows.load(to);
    setAim(to);
  };
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 1);
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => select(at === undefined ? first : at + 1),
    j: () => select(at === undefined ? first : at + 1),
    ArrowUp: () => select(at === undefined ? first : at - 1),
    k: () => select(at === undefined ? first : at - 1),
    PageDown: () => select((at ?? first) + page),
    PageUp: () => select((at ?? first) - page),
    Home: () => select(0),
    End: () => select((total ?? 1) - 1),
    Enter: () => document.getElementById("moment")?.focus(),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.ctrlKey || event.altKey || event.metaKey ? undefined : steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  };
  const onClick = ({ target }: MouseEvent): void => {
    const { n: chosen } = (target as Element).closest<HTMLElement>("[data-n]")?.dataset ?? {};
    if (chosen !== undefined) go({ n: Number(chosen) });
  };
  return (
    <section class="moments" aria-label="Moments">
      <p class="count" role="status">
        {total === undefined ? "Loading …" : counted(total, "moment")}
      </p>
      {total === 0 && <Note>No moment fits. “Show all” clears the filter.</Note>}
      <div
        ref={scroller}
        class="rows"
        role="listbox"
        tabIndex={0}
        aria-label="Moments"
        aria-activedescendant={at === undefined ? undefined : `moment-${n}`}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div role="presentation" style={{ height: `${rows.getTotalSize()}px` }}>
          {shown.map(({ index, start }) => (
            <Row
              key={index}
              item={windows.at(index)}
              index={index}
              total={total ?? 0}
              start={start}
              isOpen={index === at}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

type Acted = MomentItem & { readonly hook: string };

interface RowProps {
  readonly item: MomentItem | undefined;
  readonly index: number;
  readonly total: number;
  readonly start: number;
  readonly isOpen: boolean;
}

function Row({ item, index, total, start, isOpen }: RowProps) {
  const style = { transform: `translateY(${start}px)` };
  if (item === undefined) return <div class="row waiting" role="presentation" style={style} />;
  const mark = gravest(item.marks);
  return (
    <div
      id={`moment-${item.n}`}
      data-n={item.n}
      class={isOpen ? "row open" : "row"}
      role="option"
      tabIndex={-1}
      aria-selected={isOpen}
      aria-setsize={total}
      aria-posinset={index + 1}
      style={style}
    >
      <span class="time">
        {timeOf(item.t)}
        <span class="thousandths">{thousandths(item.t)}</span>
      </span>
      <EventName event={item.event} />
      <span class="about">
        {item.tool !== undefined && <span class="tool">{visible(item.tool)} </span>}
        {item.label !== undefined && <code>{oneLine(item.label)}</code>}
        {item.agent !== undefined && <span class="quiet"> {visible(agentName(item.agent))}</span>}
      </span>
      <span class="says">
        {mark !== undefined && <Marks marks={[mark]} />}
        {item.hook !== undefined && <span title={visible(item.hook)}> {visible(hookName(item as Acted))}</span>}
        {item.says !== undefined && <span class="quiet"> {oneLine(item.says)}</span>}
      </span>
      <span class="ms">{item.asked > 0 && duration(item.ms)}</span>
    </div>
  );
}

/** Keeps the end of a growing list in view as long as the user has scrolled to the end. */
function useFollowedEnd(scroller: { readonly current: HTMLElement | null }, total: number | undefined): void {
  const wasAtEnd = useRef(false);
  useEffect(() => {
    const place = scroller.current;
    if (place === null) return undefined;
    if (wasAtEnd.current) place.scrollTop = place.scrollHeight;
    const note = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = place;
      wasAtEnd.current = scrollTop > 0 && scrollTop + clientHeight > scrollHeight - ROW;
    };
    place.addEventListener("scroll", note, { passive: true });
    return () => place.removeEventListener("scroll", note);
  }, [scroller, total]);
}

/** Scrolls to the open moment when it changes, even if it is far away in the list. */
function useScrolledTo(windows: Windows<MomentItem>, n: number | undefined, scrollTo: (index: number) => void): void {
  useEffect(() => {
    let isOver = false;
    if (n !== undefined)
      void windows.locate(n).then((index) => {
        if (index !== undefined && !isOver) scrollTo(index);
      });
    return () => {
      isOver = true;
    };
  }, [windows, n, isIndexed(n), scrollTo]);
}
