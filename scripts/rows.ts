import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HOSTS } from "@hookline/integrations/hosts";
import { dialects } from "@hookline/runtime/dialects";
import { catalog } from "@hookline/runtime/engine";
import { strayCites, unasked } from "../conformance/report.ts";
import { readCases, readRequirements } from "../conformance/requirement.ts";
import { takes } from "../packages/hookline/src/start/args.ts";
import { COMMANDS, type CommandAbout } from "../packages/hookline/src/start/commands.ts";
import { FLAGS, type Flag } from "../packages/hookline/src/start/flags.ts";
import { BUILTIN } from "../packages/hookline/src/tool/names.ts";
import { EVENTS, SILENT } from "../packages/integrations/src/claude/hooks/fields.ts";
import { commandLine } from "./command-line.ts";
import { unsampled } from "./event-samples.ts";
import { root } from "./step.ts";
import { gitFiles } from "./tracked.ts";

interface Finding {
  readonly id: string;
  readonly why: string;
}

/** Returns the sources of the agent and of what it loads as one text, except files whose paths match. */
function textOf(without: RegExp): string {
  return ["packages/hookline/src/*.ts", "packages/fleet/src/*.ts"]
    .flatMap(gitFiles)
    .filter((path) => !without.test(path) && existsSync(join(root, path)))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
}

/** Returns events that the agent's sources never name, so that nothing fires them. */
export function unfired(names: Iterable<string> = catalog.keys()): Finding[] {
  const text = textOf(/\/src\/(?:bridge|inspect)\//);
  return [...names]
    .filter((name) => !text.includes(`"${name}"`))
    .map((name) => ({ id: name, why: "the agent does not fire it" }));
}

const GOLDEN = "packages/hookline/test/golden/scenarios";

/** Events that occur before there is a session to record, or outside of one, with the tests that show them instead. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  "project.trust": "start/project-trust.programs.test.ts",
  "mcp.elicit": "mcp/mcp.programs.test.ts",
  "mcp.elicited": "mcp/mcp.programs.test.ts",
  "mcp.notification": "mcp/mcp.programs.test.ts",
  "mcp.change": "mcp/mcp.programs.test.ts",
  notify: "tui/notify.test.ts",
  "config.change": "agent/config-change.test.ts",
};

/** Returns events that no recorded run shows. */
export function unseen(names: Iterable<string> = catalog.keys()): Finding[] {
  const heard = readdirSync(join(root, GOLDEN))
    .filter((file) => file.endsWith(".txt"))
    .flatMap((file) => readFileSync(join(root, GOLDEN, file), "utf8").match(/^ *[a-z]+(?:\.[a-z-]+)?/gm) ?? []);
  const shown = new Set([...heard.map((name) => name.trim()), ...Object.keys(SHOWN_ELSEWHERE)]);
  return [...names]
    .filter((name) => !shown.has(name))
    .map((name) => ({ id: name, why: `no recorded run shows it: let one in ${GOLDEN} fire it, and record again` }));
}

/** Returns options that nothing reads. */
export function unread(names: readonly string[] = Object.keys(FLAGS)): Finding[] {
  const text = textOf(/\/start\/(?:fleet-)?flags\.ts$/);
  return names
    .filter((name) => !text.includes(`"${name}"`))
    .filter((name) => !new RegExp(`\\{[^{}]*\\b${name}\\b[^{}]*\\} = [\\w.]*(?:flags|lists)\\b`).test(text))
    .map((name) => ({ id: `--${name}`, why: "nothing reads it" }));
}

/** Returns options of subcommands that a usage line does not show; the agent's own options are shown by `--help`. */
export function unshown(
  commands: readonly CommandAbout[] = COMMANDS,
  flags: Readonly<Record<string, Flag>> = FLAGS,
): Finding[] {
  const own = Object.entries(flags).filter(([, { of, everywhere }]) => !everywhere && of?.includes("agent") === false);
  return commands
    .filter(({ usage }) => !usage.includes("[options]"))
    .flatMap(({ name: command, usage }) =>
      own
        .filter(([name, flag]) => takes(flag, command) && !new RegExp(`--${name}(?![\\w-])`).test(usage))
        .map(([name]) => ({ id: `--${name}`, why: `the usage of "${command}" in commands.ts does not show it` })),
    );
}

/** Returns built-in tools without tests of their own. */
export function untested(tools: readonly string[] = Object.keys(BUILTIN)): Finding[] {
  return tools
    .map((tool) => ({ id: tool, path: `packages/hookline/test/tool/${tool}.test.ts` }))
    .filter(({ path }) => !existsSync(join(root, path)))
    .map(({ id, path }) => ({ id, why: `the tool has no tests: add ${path}` }));
}

const README = "packages/integrations/src/claude/README.md";

/** Returns events of Claude Code on which its tables and its README disagree. */
export function untold(
  fields: readonly string[] = Object.keys(EVENTS),
  silent: readonly string[] = Object.keys(SILENT),
): Finding[] {
  const claude = dialects.find(({ id }) => id === "claude");
  const rows = new Set(claude?.lanes.flatMap((lane) => lane.rows.map(({ name }) => name)));
  const page = readFileSync(join(root, README), "utf8");
  const [never = ""] = /^These never fire here.*/m.exec(page) ?? [];
  return [
    ...fields
      .filter((name) => !rows.has(name))
      .map((name) => ({ id: `claude:${name}`, why: "fields.ts has it, and no row in events.ts is of it" })),
    ...fields
      .filter((name) => !page.replace(never, "").includes(`\`${name}\``))
      .map((name) => ({ id: `claude:${name}`, why: `the events in ${README} lack it` })),
    ...silent
      .filter((name) => !never.includes(`\`${name}\``))
      .map((name) => ({ id: `claude:${name}`, why: `the events that never fire in ${README} lack it` })),
  ];
}

/** Returns hosts that the guide of the bridge does not name. */
export async function unnamed(hosts: typeof HOSTS = HOSTS): Promise<Finding[]> {
  const guide = readFileSync(join(root, "docs/guide/bridge.md"), "utf8");
  const all = await Promise.all(Object.values(hosts).map((load) => load()));
  return all
    .filter(({ label }) => !guide.includes(`| ${label}`))
    .map(({ name, label }) => ({ id: name, why: `no table of docs/guide/bridge.md has a row for ${label}` }));
}

if (import.meta.main) {
  commandLine({
    name: "rows",
    says: "Lists what an event, a row of a dialect, an option or a tool needs beside itself and does not have.",
  });
  const uncovered = dialects.flatMap((dialect) => unasked(readCases(dialect.id), dialect));
  const stray = dialects.flatMap(({ id }) =>
    strayCites(readCases(id), new Set(readRequirements(id).requirements.map((requirement) => requirement.id))),
  );
  const found = [
    ...uncovered,
    ...stray,
    ...unfired(),
    ...unseen(),
    ...unread(),
    ...unshown(),
    ...untested(),
    ...untold(),
    ...unsampled(catalog.values()),
    ...(await unnamed()),
  ];
  for (const { id, why } of found) {
    process.stderr.write(`${id}: ${why}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(`${found.length} things are missing\n`);
}
