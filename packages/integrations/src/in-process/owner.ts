import type { Instance, Surroundings } from "@hookline/runtime/dialect";
import { moduleText } from "./module-text.ts";

/** A loaded module, for which an API object is made. */
export interface Owner {
  readonly around: Surroundings;
  readonly instance: Instance;
  /** The name by which modules call the API object, such as `pi`; used in reports. */
  readonly name: string;
  /** Whether the module's factory has finished. Before that, actions throw. Set by `loadFactory`. */
  bound: boolean;
}

const texts = new WeakMap<Owner, string>();

/** Returns the 1-based line of the module's file that first contains one of the texts; 1 if none does. */
export function lineOf(owner: Owner, ...wanted: readonly string[]): number {
  let text = texts.get(owner);
  if (text === undefined) {
    text = moduleText(owner.around.scan, owner.instance.source.path)?.text ?? "";
    texts.set(owner, text);
  }
  for (const part of wanted) {
    const at = text.indexOf(part);
    if (at >= 0) return linesBefore(text, at) + 1;
  }
  return 1;
}

function linesBefore(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
