import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHookRuntime } from "@hookline/runtime/session";
import { type Lent, lentModule } from "../../src/lent/modules.ts";
import type { Exports } from "../../src/lent/part.ts";
import type { Model } from "../../src/provider/provider.ts";
import { ModelRegistry } from "../../src/provider/registry.ts";
import type { ScriptReply } from "../../src/provider/reply.ts";
import { createScriptProvider, scriptModel } from "../../src/provider/script.ts";

/** A place from which modules are lent, with a folder that is removed after the test. */
export interface LentPlace extends AsyncDisposable {
  readonly lent: Lent;
  readonly folder: string;
  /** Answered by the replies that were given. */
  readonly model: Model;
  /** The exports of a package for a module that mentions these words, or everything. */
  use(specifier: string, ...words: string[]): Promise<any>;
}

/** Makes it. */
export function lentPlace(replies: readonly ScriptReply[] = []): LentPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-lent-")));
  const runtime = createHookRuntime({ dialects: [], env: { PATH: process.env["PATH"] ?? "" }, home: folder });
  const script = { replies };
  const registry = new ModelRegistry({ env: {}, script: createScriptProvider(script, "replies") });
  const lent = { cwd: folder, hooklineHome: join(folder, ".hookline"), processes: runtime.processes, registry };
  return {
    folder,
    lent,
    model: scriptModel(script, "replies"),
    use(specifier, ...words) {
      const full = `@earendil-works/${specifier}`;
      const found =
        words.length === 0 ? lentModule(lent, full) : lentModule(lent, full, (word) => words.includes(word));
      return found as Promise<Exports>;
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
