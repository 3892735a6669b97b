import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./step.ts";
import type { Tried } from "./use-conformance.ts";

const FILES = join(root, "packages/hookline/test/upgrade/files-of-0.1.0.json");
const STALE = "dist/of-0.1.0.js";

/**
 * Installs the packed agent over a 0.1.0 whose files are in the home folder, like an update. The old version is today's
 * under a different version number and with a file that today's does not have; its stored files are those that 0.1.0
 * wrote.
 */
export function useOver(place: string, hookline: string, version: string): Tried[] {
  const top = join(place, "over");
  const [home, project, former, prefix] = ["home", "project", "former", "prefix"].map((name) => join(top, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, project, former]) mkdirSync(folder, { recursive: true });
  writeFiles(top, project);
  for (const name of ["bin", "dist", "package.json"])
    cpSync(join(root, "packages/hookline", name), join(former, name), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(former, "package.json"), "utf8")) as object;
  writeFileSync(join(former, "package.json"), JSON.stringify({ ...manifest, version: "0.1.0", devDependencies: {} }));
  writeFileSync(join(former, STALE), "");
  const run = (line: string): string =>
    spawnSync("sh", ["-c", line], {
      cwd: project,
      encoding: "utf8",
      env: { ...process.env, HOME: home },
    }).stdout.trim();
  const install = (what: string): string =>
    run(`npm install -g --prefix '${prefix}' --ignore-scripts --no-audit --no-fund '${what}'`);
  const agent = join(prefix, "bin/hookline");
  const installed = (path: string): boolean => existsSync(join(prefix, "lib/node_modules/hookline", path));

  run(`cd '${former}' && npm pack --pack-destination '${top}'`);
  install(join(top, "hookline-0.1.0.tgz"));
  const wasThere = installed(STALE);
  install(join(place, hookline));
  const { summary } = JSON.parse(run(`'${agent}' hooks --json`)) as { readonly summary: Record<string, number> };
  const { sessions } = JSON.parse(run(`'${agent}' sessions --json`)) as { readonly sessions: readonly object[] };
  const { hooks } = JSON.parse(run(`'${agent}' hooks stats --json`)) as { readonly hooks: readonly object[] };
  writeFileSync(join(project, "script.yaml"), "replies:\n  - text: It goes on.\n");
  return [
    ["over 0.1.0: the new version takes the place of the old one", wasThere && !installed(STALE)],
    [`over 0.1.0: it is ${version}`, run(`'${agent}' --version`) === version],
    ["over 0.1.0: what was approved runs", summary["runs"] === 5],
    ["over 0.1.0: the counters and sessions are there", hooks.length === 5 && sessions.length === 3],
    [
      "over 0.1.0: a session goes on by the lock",
      run(`'${agent}' --frozen --script script.yaml -c -p More`) === "It goes on.",
    ],
  ];
}

function writeFiles(top: string, project: string): void {
  const folder = `--${project.replace(/^\//, "").replaceAll(/[/:]/g, "-")}--`;
  const files = JSON.parse(readFileSync(FILES, "utf8")) as Record<
    string,
    { readonly text: string; readonly mode?: string }
  >;
  for (const [path, { text, mode }] of Object.entries(files)) {
    const full = join(top, path.replace("{SESSIONS}", folder));
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text.replaceAll("{TOP}", top));
    if (mode !== undefined) chmodSync(full, Number.parseInt(mode, 8));
  }
}
