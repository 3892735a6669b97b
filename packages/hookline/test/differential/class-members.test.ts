import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { laterNames } from "./later.ts";
import { describeWithPeer, IS_NEWER } from "./peer.ts";

/** Source text that gives the members of every class among a module's exports, inherited ones too. */
const MEMBERS = `(all) => {
  const found = {};
  for (const [name, value] of Object.entries(all)) {
    if (typeof value !== "function" || !/^class\\b/.test(Function.prototype.toString.call(value))) continue;
    found[name] = Object.getOwnPropertyNames(value).filter((key) => !["length", "name", "prototype"].includes(key));
    for (let part = value.prototype; part !== Object.prototype; part = Object.getPrototypeOf(part))
      found[name].push(...Object.getOwnPropertyNames(part));
  }
  return found;
}`;

type Members = Readonly<Record<string, readonly string[]>>;

function real(folder: string): Members {
  const path = pathToFileURL(join(folder, "dist/index.js")).href;
  const program = `console.log(JSON.stringify((${MEMBERS})(await import(${JSON.stringify(path)}))));process.exit(0);`;
  return JSON.parse(spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout);
}

async function ours(): Promise<Members> {
  const place = new Workplace();
  try {
    const file = join(place.top, "members.json");
    const path = place.write(
      "look.ts",
      `import * as all from "@earendil-works/pi-coding-agent";
import { writeFileSync } from "node:fs";
export default () => writeFileSync(${JSON.stringify(file)}, JSON.stringify((${MEMBERS})(all)));
`,
    );
    await place.run(["hooks", "list", "-e", path]);
    return JSON.parse(readFileSync(file, "utf8"));
  } finally {
    place.remove();
  }
}

/** The members that the package's own declarations keep private, whichever class they are of; `_` begins others. */
function privateNames(folder: string): Set<string> {
  const files = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => readFileSync(join(folder, "dist", name), "utf8"));
  const names = texts.flatMap((text) => [
    ...text.matchAll(/^\s+(?:private|protected) (?:static |readonly )?(?:get )?(\w+)/gm),
  ]);
  return new Set(names.map(([, name]) => name as string));
}

describeWithPeer("classes that modules import", (folder) => {
  test("have every public member that pi's have", async () => {
    const [theirs, own, hidden] = [real(folder), await ours(), privateNames(folder)];
    const shared = Object.entries(theirs).filter(([name]) => own[name] !== undefined);
    expect(shared.length).toBeGreaterThan(10);
    const missing = shared.flatMap(([name, members]) =>
      members
        .filter((member) => !own[name]?.includes(member) && !hidden.has(member) && !member.startsWith("_"))
        .map((member) => `${name}.${member}`),
    );
    expect(missing.sort()).toEqual(IS_NEWER ? laterNames("classes") : []);
  });
});
