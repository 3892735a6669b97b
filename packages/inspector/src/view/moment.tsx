import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { EditMade, Moment } from "../../../hookline/src/inspect/api.ts";
import { pathOf } from "../data/path.ts";
import { AskedDifference, Difference } from "../part/difference.tsx";
import { EventName } from "../part/event.tsx";
import { Marks } from "../part/marks.tsx";
import { Note, ViewNote } from "../part/note.tsx";
import { Value, WholeOf } from "../part/value.tsx";
import { Waterfall } from "../part/waterfall.tsx";
import { address, go } from "../state/address.ts";
import { useAnswer } from "../state/answer.ts";
import { isIndexed, isIndexing, nameOf, revision } from "../state/page.ts";
import { clock, counted, duration } from "../text/format.ts";
import { visible } from "../text/visible.ts";

/** Shows everything that is known about one moment. */
export function MomentPane({ source, n }: { readonly source: string; readonly n: number }) {
  const isThere = isIndexed(n);
  const path = isThere || !isIndexing() ? pathOf(source, `moments/${n}`) : undefined;
  const { value, problem } = useAnswer<Moment>(path, `${revision.value} ${isThere}`);
  const close = (): void => {
    go({ n: undefined });
    document.querySelector<HTMLElement>(".rows, .feed")?.focus();
  };
  return (
    <section
      class="pane"
      id="moment"
      tabIndex={-1}
      aria-label="Moment"
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      {path === undefined && <Note>Loading …</Note>}
      {problem !== undefined && <Note isBad>{problem.message}</Note>}
      {value !== undefined && <Told moment={value} source={source} close={close} />}
    </section>
  );
}

function Told({
  moment: { item, line, moment, cut, missing, related },
  source,
  close,
}: {
  readonly moment: Moment;
  readonly source: string;
  readonly close: () => void;
}) {
  const { scene, hooks, edits, outcome, payload, redacted = [], diagnostics = [], asked } = moment;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["time", clock(moment.t)],
    ["took", duration(moment.ms)],
    ["turn", moment.turn === undefined ? undefined : String(moment.turn)],
    ["line", line === undefined ? undefined : String(line)],
    ["model", scene.model],
    ["context", scene.context],
    ["sub-agent", scene.agent],
    ["folder", scene.cwd],
  ];
  const answered = Object.entries(outcome);
  return (
    <WholeOf.Provider value={{ source, n: item.n, cut }}>
      <header>
        <h2>
          <EventName event={moment.event} /> {item.tool !== undefined && <span class="tool">{visible(item.tool)}</span>}
        </h2>
        <Marks marks={item.marks} />
        <button type="button" onClick={() => go({ view: "request" })}>
          What the model saw
        </button>
        <button type="button" onClick={close} aria-label="Close the moment">
          ✕
        </button>
      </header>
      <p class="facts">
        <span class="number">#{item.n}</span>
        {facts.map(
          ([name, text]) =>
            text !== undefined && (
              <span key={name}>
                <span class="quiet">{name}</span> {visible(text)}
              </span>
            ),
        )}
      </p>
      <ViewNote view="moment" />
      {missing.map((text) => (
        <Note key={text}>{visible(text)}</Note>
      ))}
      {redacted.length > 0 && (
        <Note>Redacted: {visible(redacted.join(", "))} stands as the last redactor left it.</Note>
      )}
      {diagnostics.map(({ code, message }) => (
        <Note key={code + message} isBad>
          {visible(`${code}: ${message}`)}
        </Note>
      ))}
      {edits.length > 0 && (
        <Part title="Changes" count={edits.length}>
          {edits.map((edit, at) => (
            <Edited key={`${edit.hook}${at}`} edit={edit} at={`/edits/${at}`} />
          ))}
        </Part>
      )}
      <Part title="Hooks" count={hooks.length}>
        <Waterfall hooks={hooks} ms={moment.ms} />
      </Part>
      <Part title="Result">
        {answered.length === 0 ? (
          <span class="quiet">Nobody said anything.</span>
        ) : (
          <Value value={outcome} at="/outcome" />
        )}
        {asked !== undefined && (
          <p>
            Asked: <strong>{asked.answer}</strong>
            {asked.by === "nobody" ? ", because nobody could answer." : `, said by ${visible(asked.by)}.`}
          </p>
        )}
      </Part>
      {payload !== undefined && (
        <Part title="Payload">
          <Value value={payload} at="/payload" />
        </Part>
      )}
      {related.length > 1 && (
        <Part title="The same call" count={related.length}>
          <ul class="related">
            {related.map((one) => (
              <li key={one.n}>
                <button type="button" class="more" disabled={one.n === item.n} onClick={() => go({ n: one.n })}>
                  {clock(one.t)} <EventName event={one.event} />
                </button>
                <Marks marks={one.marks} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </WholeOf.Provider>
  );
}

function Part({
  title,
  count,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="part">
      <h3>
        {title} {count !== undefined && <span class="quiet">{counted(count)}</span>}
      </h3>
      {children}
    </div>
  );
}

function Edited({ edit, at }: { readonly edit: EditMade; readonly at: string }) {
  const whole = useContext(WholeOf);
  const cut = whole?.cut.filter(({ path }) => path.startsWith(`${at}/`)) ?? [];
  return (
    <div class="edit">
      <p>
        <strong>{visible(nameOf(edit.hook))}</strong> changed <code>{visible(edit.field)}</code>
        {edit.pass === 2 && <span class="quiet"> in the second pass</span>}
      </p>
      {whole !== undefined && cut.length > 0 ? (
        <AskedDifference whole={whole} at={at} bytes={cut.reduce((sum, { bytes }) => sum + bytes, 0)} />
      ) : "from" in edit || "to" in edit ? (
        <Difference before={edit.from} after={edit.to} />
      ) : (
        <p class="quiet">What it was before and after is not kept: it may have held a secret.</p>
      )}
    </div>
  );
}

/** Shows the moment that the address names. */
export function OpenMoment() {
  const { source, n } = address.value;
  return source === undefined || n === undefined ? null : <MomentPane source={source} n={n} />;
}
