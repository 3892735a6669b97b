import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { KINDS, type Kinds } from "./kinds.ts";
import { laterNames } from "./later.ts";
import { describeWithPeer, IS_NEWER, NEWER } from "./peer.ts";

const PACKAGES = ["pi-coding-agent", "pi-agent-core", "pi-ai/compat", "pi-tui"];

/** Exports that need a YAML parser are only present for modules that import them by name. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  "pi-coding-agent": ["parseFrontmatter", "stripFrontmatter"],
};
/** The same is so of typebox; a module that names it and nothing else gets nothing else. */
const UNNAMED: Readonly<Record<string, readonly string[]>> = { "pi-ai/compat": ["Type"] };

/** The exports of a package beside the real program, read in a process of its own. */
function real(folder: string, name: string): Kinds {
  const [own = "", file = "index"] = name.split("/");
  const path = join(folder, "..", own, `dist/${file}.js`);
  const program = `console.log(JSON.stringify((${KINDS})(await import(${JSON.stringify(pathToFileURL(path).href)}))));`;
  return JSON.parse(spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout);
}

/** The same as an extension finds them in the agent as it is built. */
async function ours(name: string): Promise<Kinds> {
  const place = new Workplace();
  try {
    const path = place.write(
      "look.ts",
      `// ${(NAMED[name] ?? []).join(" ")}
import * as all from "@earendil-works/${name}";
import { writeFileSync } from "node:fs";
export default () => writeFileSync(${JSON.stringify(join(place.top, "kinds.json"))}, JSON.stringify((${KINDS})(all)));
`,
    );
    await place.run(["hooks", "list", "-e", path]);
    return JSON.parse(readFileSync(join(place.top, "kinds.json"), "utf8"));
  } finally {
    place.remove();
  }
}

describeWithPeer("what modules import", (folder) => {
  test.each(PACKAGES)("%s has the names of the real package, each of its kind", async (name) => {
    const [theirs, own] = [real(folder, name), await ours(name)];
    const wanted = Object.keys(theirs).filter((key) => !UNNAMED[name]?.includes(key));
    if (IS_NEWER) expect(wanted.filter((key) => !Object.hasOwn(own, key)).sort()).toEqual(laterNames(name));
    else
      expect(
        Object.keys(own)
          .filter((key) => !NEWER.includes(key))
          .sort(),
      ).toEqual(wanted.sort());
    const unlike = wanted.filter(
      (key) => Object.hasOwn(own, key) && own[key] !== theirs[key] && own[key] !== "lacking",
    );
    expect(unlike.map((key) => `${key}: ${own[key]}, in pi ${theirs[key]}`)).toEqual([]);
  });
});
