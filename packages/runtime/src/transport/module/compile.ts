import { Script } from "node:vm";
import { messageOf } from "@hookline/ground";
import { LoadFailure } from "./failure.ts";
import type { Code } from "./readings.ts";
import { nameScript, positionOf } from "./scripts.ts";
import type { ScriptStore } from "./store.ts";

/** Compiles a file's script. Its name in stack traces leads to the source file and to the entry of the load. */
export function compileScript(path: string, entry: string, code: Code, store: ScriptStore | undefined): Script {
  const { key, map, compiled } = code;
  const { script, shift } = code.transformed;
  const filename = nameScript({ file: path, entry, shift, map: () => map ?? store?.map(key) });
  try {
    return new Script(script, { filename, ...(compiled === undefined ? {} : { cachedData: compiled }) });
  } catch (thrown) {
    throw new LoadFailure("transform", messageOf(thrown), { ...(positionOf(thrown) ?? { file: path }), cause: thrown });
  }
}

/**
 * Stores a script that was just transformed, or whose cached compiled form V8 refused. Best called after its first run.
 */
export function keepCompiled(code: Code, script: Script, store: ScriptStore | undefined): void {
  const refused = script.cachedDataRejected === true;
  if (store === undefined || (code.compiled !== undefined && !refused)) return;
  const map = code.map ?? store.map(code.key) ?? "";
  store.put(code.key, { transformed: code.transformed, compiled: script.createCachedData(), map }, refused);
}
