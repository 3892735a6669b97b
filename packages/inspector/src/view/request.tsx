import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation, ConversationPart } from "../../../hookline/src/inspect/api.ts";
import { pathOf } from "../data/path.ts";
import { Difference } from "../part/difference.tsx";
import { Note, ViewNote } from "../part/note.tsx";
import { SCROLLED } from "../part/scrolled.ts";
import { Text } from "../part/text.tsx";
import { address, go } from "../state/address.ts";
import { useAnswer } from "../state/answer.ts";
import { isIndexed, isIndexing, nameOf, summary } from "../state/page.ts";
import { clock, counted } from "../text/format.ts";
import { visible } from "../text/visible.ts";

const MOST_PARTS = 200;
/** A text that no hook changed shows this many characters at first. */
const UNTOUCHED = 300;

/** Shows a request as it was sent to the model. Parts that hooks changed name the hook. */
export function RequestView({ source }: { readonly source: string }) {
  const n = address.value.n ?? summary.value?.moments ?? 0;
  const isThere = isIndexed(n);
  const path = n === 0 || (!isThere && isIndexing()) ? undefined : pathOf(source, `conversation/${n}`);
  const { value, problem } = useAnswer<Conversation>(path, isThere);
  const [isOnlyChanged, setOnlyChanged] = useState(false);
  const [most, setMost] = useState(MOST_PARTS);
  useEffect(() => setMost(MOST_PARTS), [value?.request?.n]);
  const list = useRef<HTMLOListElement>(null);
  const lastChange = useRef(-1);
  const toNextChange = (): void => {
    const all = list.current?.querySelectorAll("li.added, li.removed, li.rewritten") ?? [];
    lastChange.current = all.length === 0 ? -1 : (lastChange.current + 1) % all.length;
    all[lastChange.current]?.scrollIntoView({ block: "start" });
  };
  if (problem !== undefined) return <Note isBad>{problem.message}</Note>;
  if (n === 0) return <Note>This source has no request to a model.</Note>;
  if (value === undefined) return <Note>Loading …</Note>;
  const { request, requests, parts, leftOut, model, missing } = value;
  const at = requests.findIndex((one) => one.n === request?.n);
  const step = (by: number): void => {
    const to = requests[at + by];
    if (to !== undefined) go({ n: to.n });
  };
  const changed = parts.filter(({ change }) => change !== undefined).length;
  const shown = isOnlyChanged ? parts.filter(({ change }) => change !== undefined) : parts;
  const first = Math.max(0, shown.length - most);
  return (
    <section class="conversation" aria-label="What the model saw" {...SCROLLED}>
      <ViewNote view="conversation" />
      {missing.map((text) => (
        <Note key={text}>{visible(text)}</Note>
      ))}
      {request !== undefined && (
        <div class="tools">
          <button type="button" disabled={at <= 0} onClick={() => step(-1)}>
            ◀ Previous request
          </button>
          <button type="button" disabled={at < 0 || at >= requests.length - 1} onClick={() => step(1)}>
            Next request ▶
          </button>
          <h2>
            Request at {clock(request.t)}
            {model !== undefined && <span class="quiet"> to {visible(model)}</span>}
          </h2>
          <button type="button" disabled={changed === 0} onClick={toNextChange}>
            Next change
          </button>
          <label>
            <input
              type="checkbox"
              checked={isOnlyChanged}
              onChange={({ currentTarget }) => setOnlyChanged(currentTarget.checked)}
            />{" "}
            only what hooks changed ({counted(changed)} of {counted(parts.length, "part")})
          </label>
        </div>
      )}
      {leftOut > 0 && <Note>{counted(leftOut, "earlier part is", "earlier parts are")} left out.</Note>}
      {first > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + MOST_PARTS)}>
          … {counted(first, "earlier part")}
        </button>
      )}
      <ol class="parts" ref={list}>
        {shown.slice(first).map((part, index, all) => {
          const key = `${request?.n}-${isOnlyChanged}-${first + index}`;
          if (!isPlainTool(part)) return <Part key={key} part={part} />;
          if (index > 0 && isPlainTool(all[index - 1])) return null;
          const end = all.findIndex((one, at) => at > index && !isPlainTool(one));
          return <Tools key={key} parts={all.slice(index, end < 0 ? undefined : end)} />;
        })}
      </ol>
    </section>
  );
}

function isPlainTool(part: ConversationPart | undefined): boolean {
  return part?.role === "tools" && part.change === undefined;
}

/** Shows neighbouring tools that no hook touched as one line of names, which can be opened. */
function Tools({ parts }: { readonly parts: readonly ConversationPart[] }) {
  return (
    <li class="said role-tools">
      <details>
        <summary>
          <span class="role">{counted(parts.length, "tool")}</span>{" "}
          <span class="tool">{parts.map(({ tool = "" }) => visible(tool)).join(", ")}</span>
        </summary>
        <ol class="parts">
          {parts.map((part, at) => (
            <Part key={at} part={part} />
          ))}
        </ol>
      </details>
    </li>
  );
}

function Part({ part }: { readonly part: ConversationPart }) {
  const { role, kind, text, tool, by = [], change, before, at, of } = part;
  return (
    <li class={`said role-${role} ${change ?? ""}`}>
      <p class="head">
        <span class="role">{role}</span>
        {kind !== "text" && <span class="quiet">{visible(kind)}</span>}
        {tool !== undefined && <span class="tool">{visible(tool)}</span>}
        {change !== undefined && (
          <span class={`change ${change}`}>
            {change} {by.length > 0 && <>by {visible(by.map(nameOf).join(", "))}</>}
          </span>
        )}
        {at !== undefined && (
          <button type="button" class="more" onClick={() => go({ view: "story", n: at })}>
            where it happened
          </button>
        )}
      </p>
      <div class="body">
        {change === "rewritten" && before !== undefined ? (
          <Difference before={before} after={text} />
        ) : change === "removed" ? (
          <del>
            <Text text={text} />
          </del>
        ) : (
          // A part that no hook changed is shortened until the user expands it.
          <Text text={text} {...(change === undefined && { first: UNTOUCHED })} />
        )}
        {of !== undefined && of > text.length && (
          <p class="quiet">
            Only the beginning: {counted(text.length)} of {counted(of, "character")}.
          </p>
        )}
      </div>
    </li>
  );
}
