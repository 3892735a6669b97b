import type { Component } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/ground";

/** The maximum number of lines that a hook's component may draw. */
const MOST_LINES = 5000;

/** Called with a message when a hook's component has failed. */
export type Faults = (problem: string) => void;

const shielded = new WeakSet<object>();

/**
 * Makes a hook's component harmless for the screen: an error while it draws or handles a key is reported, and shown in
 * its place. The object stays the same one, because hooks compare and focus it.
 */
export function shield<C extends Component>(component: C, who: string, faults: Faults): C {
  if (shielded.has(component)) return component;
  shielded.add(component);
  let failed: string | undefined;
  const fail = (what: string, thrown: unknown): void => {
    const problem = `${who} failed to ${what}: ${messageOf(thrown)}`;
    if (failed !== problem) faults(problem);
    failed = problem;
  };
  const draw = component.render;
  const render = (width: number): string[] => {
    try {
      const lines: unknown = draw.call(component, width);
      if (!Array.isArray(lines)) throw new Error("render did not return a list of lines");
      return lines.slice(0, MOST_LINES).flatMap((line) => String(line).split("\n"));
    } catch (thrown) {
      fail("draw", thrown);
      return [failed ?? who];
    }
  };
  const guarded = (name: "handleInput" | "invalidate", what: string): void => {
    const own = component[name] as ((data?: string) => void) | undefined;
    if (typeof own !== "function") return;
    const call = (data?: string): void => {
      try {
        own.call(component, data);
      } catch (thrown) {
        fail(what, thrown);
      }
    };
    put(component, name, call);
  };
  put(component, "render", render);
  guarded("handleInput", "take a key");
  guarded("invalidate", "draw anew");
  if (typeof component.invalidate !== "function") put(component, "invalidate", () => {});
  return component;
}

function put(component: object, name: string, value: unknown): void {
  Object.defineProperty(component, name, { value, writable: true, configurable: true });
}

/** Whether a value is a component of pi-tui: it has the method `render`. */
export function isComponent(value: unknown): value is Component {
  return typeof (value as Partial<Component> | null)?.render === "function";
}
