import type { Scan } from "../dialect.ts";
import { type Imports, importsOf } from "./imports.ts";

/** A module's source as one load finds it. */
export interface ModuleText {
  readonly text: string;
  readonly imports: Imports;
}

/** By load, for one turn of the event loop: finding a module, choosing its dialect and loading it ask for the same text. */
let turn: WeakMap<Scan, Map<string, ModuleText | undefined>> | undefined;

/** The text of a file; `undefined` where it cannot be read. Read once for all that one load asks in one turn. */
export function moduleText(scan: Scan, path: string): ModuleText | undefined {
  const texts = turnOf(scan);
  const known = texts.get(path);
  if (known !== undefined || texts.has(path)) return known;
  const bytes = scan.files.read(path);
  const made = bytes === undefined ? undefined : readText(bytes);
  texts.set(path, made);
  return made;
}

/** A source as text, with what it imports. */
export function readText(bytes: Uint8Array): ModuleText {
  const text = new TextDecoder().decode(bytes);
  let imports: Imports | undefined;
  return {
    text,
    get imports() {
      imports ??= importsOf(text);
      return imports;
    },
  };
}

function turnOf(scan: Scan): Map<string, ModuleText | undefined> {
  if (turn === undefined) {
    turn = new WeakMap();
    setImmediate(forget).unref();
  }
  const known = turn.get(scan);
  if (known !== undefined) return known;
  const texts = new Map<string, ModuleText | undefined>();
  turn.set(scan, texts);
  return texts;
}

function forget(): void {
  turn = undefined;
}
