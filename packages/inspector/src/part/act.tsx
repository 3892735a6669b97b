import type { ActEdit, HookAct } from "../../../hookline/src/inspect/api.ts";
import { address, go } from "../state/address.ts";
import { summary } from "../state/page.ts";
import { duration } from "../text/format.ts";
import { hookName, inFolder } from "../text/hook.ts";
import { visible } from "../text/visible.ts";
import { AskedDifference, Difference } from "./difference.tsx";
import { EventName } from "./event.tsx";
import { Text } from "./text.tsx";

/** A reason shows this many characters at first. */
const REASON = 600;

/** Shows what one hook did: the hook, its action, its reason, and the values that it changed. */
export function Act({ act }: { readonly act: HookAct }) {
  const { n, event, hook, source, lane, did, says, why, of, edits, ms, again } = act;
  const folder = summary.value?.source.cwd;
  const name = (
    <button
      type="button"
      class="name"
      title={`${visible(hook)}: show only what it was asked about`}
      onClick={() => go({ filter: { hook }, brush: undefined })}
    >
      {visible(hookName(act))}
    </button>
  );
  if (again === true)
    return (
      <li class={`act again ${did}`}>
        {name} {visible(says)} as before
      </li>
    );
  return (
    <li class={`act ${did}`}>
      <p class="head">
        {name} <strong class="verb">{visible(says)}</strong>
        {ms !== undefined && <span class="ms">{duration(ms)}</span>}
      </p>
      {why !== undefined && (
        <blockquote class="why">
          <Text text={why} first={REASON} {...(of !== undefined && { of, onFull: () => go({ n }) })} />
        </blockquote>
      )}
      {edits.map((edit) => (
        <Edited key={edit.at} edit={edit} n={n} isNamed={edits.length > 1} />
      ))}
      <p class="foot">
        <EventName event={event} /> <span class="lane">{visible(lane)}</span>{" "}
        <span class="where">{visible(inFolder(source, folder))}</span>{" "}
        <button type="button" class="more" onClick={() => go({ n })}>
          details
        </button>
      </p>
    </li>
  );
}

function Edited({ edit, n, isNamed }: { readonly edit: ActEdit; readonly n: number; readonly isNamed: boolean }) {
  const { source = "" } = address.value;
  const { at, field, bytes } = edit;
  return (
    <div class="edit">
      {isNamed && <code class="path">{visible(field)}</code>}
      {bytes !== undefined ? (
        <AskedDifference whole={{ source, n, cut: [] }} at={`/edits/${at}`} bytes={bytes} />
      ) : "from" in edit || "to" in edit ? (
        <Difference before={edit.from} after={edit.to} />
      ) : (
        <p class="quiet">What it replaced is not kept: it may have held a secret.</p>
      )}
    </div>
  );
}
