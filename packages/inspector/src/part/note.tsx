import type { ComponentChildren } from "preact";
import type { ViewName } from "../../../hookline/src/inspect/api.ts";
import { summary } from "../state/page.ts";

/** A line that says why there is nothing, or not all. */
export function Note({ children, isBad = false }: { readonly children: ComponentChildren; readonly isBad?: boolean }) {
  return (
    <p class={isBad ? "note bad" : "note"} role={isBad ? "alert" : undefined}>
      {children}
    </p>
  );
}

/** Says what to switch on if the source cannot fill a view. */
export function ViewNote({ view }: { readonly view: ViewName }) {
  const { because } = summary.value?.views[view] ?? {};
  return because === undefined ? null : <Note>{because}</Note>;
}
