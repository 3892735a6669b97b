import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STUB_NAMES } from "../../../src/lent/stubs.ts";
import { Workplace } from "../../support/cli.ts";
import { KINDS, type Kinds } from "../kinds.ts";
import { peer } from "./peer.ts";

/** omp's packages, each with the file that the real one is read from. */
const PACKAGES: Readonly<Record<string, string>> = {
  "pi-coding-agent": "src/index.ts",
  "pi-coding-agent/extensibility/hooks": "src/extensibility/hooks/index.ts",
  "pi-coding-agent/extensibility/extensions": "src/extensibility/extensions/index.ts",
  "pi-utils": "src/index.ts",
  "pi-tui": "src/index.ts",
  "pi-ai": "src/index.ts",
  "pi-agent-core": "src/index.ts",
  "pi-natives": "native/index.js",
};

/** Names of the packages' own tests and builds, which no module of an author's uses. */
const OF_ITS_OWN = /^__/;

/** Stand-ins for what pi's own package exports, which omp's modules also find. */
const OF_PI = new Set(STUB_NAMES.map((name) => `pi-coding-agent ${name}`));

/** The exports of the real packages, read in one process. */
function real({ bun, folder }: { readonly bun: string; readonly folder: string }): Readonly<Record<string, Kinds>> {
  const files = Object.entries(PACKAGES).map(([name, file]) => {
    const [own = ""] = name.split("/");
    return [name, join(folder, "..", own, file)];
  });
  const program = `const all = {};
for (const [name, file] of ${JSON.stringify(files)}) all[name] = (${KINDS})(await import(file));
console.log(JSON.stringify(all));`;
  return JSON.parse(spawnSync(bun, ["-e", program], { encoding: "utf8" }).stdout);
}

/** The same as a module of omp finds them that mentions these names; a stand-in for what is omp's own is of the kind "lacking". */
async function ours(mentioned: readonly string[]): Promise<Readonly<Record<string, Kinds>>> {
  const place = new Workplace();
  try {
    const names = Object.keys(PACKAGES);
    const path = place.write(
      "look.ts",
      `// ${mentioned.join(" ")}
${names.map((name, i) => `import * as all${i} from "@oh-my-pi/${name}";`).join("\n")}
import { writeFileSync } from "node:fs";
const kinds = ${KINDS};
const found = { ${names.map((name, i) => `${JSON.stringify(name)}: kinds(all${i})`).join(", ")} };
export default () => writeFileSync(${JSON.stringify(join(place.top, "kinds.json"))}, JSON.stringify(found));
`,
    );
    await place.run(["hooks", "list", "-e", `omp:${path}`]);
    return JSON.parse(readFileSync(join(place.top, "kinds.json"), "utf8"));
  } finally {
    place.remove();
  }
}

test.skipIf("absent" in peer)(
  "a module finds every export of omp's packages, each of its kind or a stand-in",
  async () => {
    if ("absent" in peer) return;
    const theirs = real(peer);
    // Some parts are there only for modules that mention them.
    const own = await ours(Object.values(theirs).flatMap(Object.keys));
    for (const [name, kinds] of Object.entries(theirs)) {
      const wanted = Object.entries(kinds).filter(([key]) => !OF_ITS_OWN.test(key));
      expect(wanted.length).toBeGreaterThan(4);
      const unlike = wanted.filter(([key, kind]) => own[name]?.[key] !== kind && own[name]?.[key] !== "lacking");
      expect(unlike.map(([key, kind]) => `${name} ${key}: ${own[name]?.[key]}, in omp ${kind}`)).toEqual([]);
      // A name that a new release has no longer is no stand-in either.
      const stale = Object.entries(own[name] ?? {}).filter(([key, kind]) => kind === "lacking" && !(key in kinds));
      expect(stale.map(([key]) => `${name} ${key}`).filter((key) => !OF_PI.has(key))).toEqual([]);
    }
  },
);
