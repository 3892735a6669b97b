import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks } from "./code-blocks.ts";
import { root } from "./step.ts";

/** A description of a check, and whether it held. */
export type Tried = readonly [what: string, holds: boolean];

/** Matches what the package's page promises about its two commands: how many cases pass, and how many are skipped. */
const PROMISED = /passes (\d+) cases and skips (one|\d+)/;

/**
 * Installs the packed `@hookline/conformance` in an empty folder and follows its page there
 * (packages/conformance/README.md): it tests the small runtime alone, and hookline once `@hookline/runtime` is
 * installed too.
 */
export function useConformance(
  place: string,
  tarballs: { readonly conformance: string; readonly runtime: string },
): Tried[] {
  const folder = join(place, "conformance");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "name": "other", "private": true, "type": "module" }\n');
  const page = readFileSync(join(root, "packages/conformance/README.md"), "utf8");
  const blocks = codeBlocks(page).filter(({ mark }) => mark === "run by scripts/packages.ts");
  const [small, ...commands] = blocks.map(({ text }) => text);
  writeFileSync(join(folder, "small.mjs"), small ?? "");
  const [askSmall = "", askOurs = ""] = commands.map((text) => text.trim());
  const run = (line: string): { readonly code: number | null; readonly out: string } => {
    const { status, stdout, stderr } = spawnSync("sh", ["-c", line], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    return { code: status, out: stdout + stderr };
  };
  const install = (name: string): void =>
    void run(`npm install --ignore-scripts --no-audit --no-fund ${join(place, name)}`);

  install(tarballs.conformance);
  const [, held = "", left = ""] = PROMISED.exec(page) ?? [];
  const asked = run(askSmall);
  const counted = `pi        ${held} held, 0 differ, ${left === "one" ? 1 : left} left out\n`;
  const broken = run(
    `sed 's/"handled"/"never"/' small.mjs > broken.mjs; ${askSmall.replace("small.mjs", "broken.mjs")}`,
  );
  const table = run(`${askSmall.replace(" -- ", " --markdown -- ")}`);
  const alone = run(askOurs);
  const data = `const load = (path) => import("@hookline/conformance/" + path, { with: { type: "json" } });
    const [{ default: catalog }, { default: cases }, { default: pi }] = await Promise.all(["catalog.json", "cases/pi/input.json", "requirements/pi.json"].map(load));
    const known = new Set(pi.requirements.map(({ id }) => id));
    const { default: schema } = await load(catalog.events.find(({ name }) => name === "input").schema);
    console.log(cases.cases.flatMap(({ cites }) => cites).every((id) => known.has(id)) && schema.type === "object");`;
  writeFileSync(join(folder, "data.mjs"), data);
  const read = run("node data.mjs");
  install(tarballs.runtime);
  const ours = run(askOurs);
  const rows = ours.out.trim().split("\n");
  return [
    ["conformance: the page's small runtime holds what the page says", asked.code === 0 && asked.out === counted],
    [
      "conformance: a runtime with a mistake is told of it",
      broken.code === 1 && /^pi\.input\.handled: /m.test(broken.out),
    ],
    ["conformance: the table to show", table.code === 0 && table.out.includes(`| pi | ${held} | 0 | `)],
    ["conformance: without the library, hookline cannot be asked", alone.code === 1],
    ["conformance: catalog, schemas, requirements and cases are read by name", read.out.trim() === "true"],
    [
      `conformance: hookline holds every case of ${rows.length} dialects`,
      ours.code === 0 && rows.length >= 6 && rows.every((row) => / [1-9]\d* held, 0 differ, 0 left out$/.test(row)),
    ],
  ];
}
