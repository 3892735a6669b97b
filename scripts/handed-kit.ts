import { join } from "node:path";
import type { Plugin } from "esbuild";
import { namesOf } from "./faces.ts";
import { root } from "./step.ts";

const KIT = "packages/fleet/src/kit.ts";

/**
 * Leaves hookline's code out of the fleet's package: hookline passes the exports of `kit.ts` when it loads the package.
 */
export const handedKit: Plugin = {
  name: "handed-kit",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]fleet[\\/]src[\\/]kit\.ts$/ }, ({ path }) => {
      if (path !== join(root, KIT)) return undefined;
      const names = namesOf(KIT).flatMap(({ name, kind }) => (/^(?:class|const|function)$/.test(kind) ? [name] : []));
      return {
        loader: "js",
        contents: `export let ${names.join(", ")}; export const take = (kit) => { ({ ${names.join(", ")} } = kit); };`,
      };
    });
  },
};
