import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commandLine } from "./command-line.ts";
import { PACKAGES } from "./layers.ts";
import { root } from "./step.ts";
import { gitFiles } from "./tracked.ts";

/** The files that list each agent's folder, and the library's own list of dialects. */
const LISTS = [
  ...["abouts", "hosts", "imports", "index", "tools", "transcripts"].map((name) => `integrations/src/${name}.ts`),
  "runtime/src/dialects.ts",
];

/** Tests that read the lists and therefore cover the remaining agents. */
const TESTS = [
  "packages/bridge/test/",
  "packages/integrations/test/hosts/losses.test.ts",
  "packages/integrations/test/tool-names.test.ts",
  "packages/runtime/test/public.test.ts",
];

/** Commands with which a person sees the available agents. */
const CALLS: readonly (readonly string[])[] = [
  ["--help"],
  ["help", "bridge"],
  ["hooks", "--help"],
  ["hooks", "list"],
  ["doctor"],
  ["bridge", "status"],
  ["completion", "bash"],
];

/** Removes an agent's folder from a list: its imports, and each entry with one of the imported names. */
export function withoutFolder(list: string, agent: string): string {
  const isOf = (line: string): boolean => line.includes(`"./${agent}/`);
  const gone = [
    agent,
    ...list
      .split("\n")
      .filter((line) => isOf(line) && line.startsWith("import"))
      .flatMap(boundBy),
  ];
  const names = gone.join("|");
  return list
    .split("\n")
    .filter((line) => !isOf(line))
    .filter((line) => !new RegExp(`^\\s+(?:${names})(?:: (?:${names}))?,$`).test(line))
    .map((line) =>
      /^(?:import|\s*\*)/.test(line)
        ? line
        : line.replaceAll(new RegExp(`(?<=[[{,] ?)(?:${names}), |, (?:${names})(?= ?[\\]},])`, "g"), ""),
    )
    .join("\n");
}

/** Returns the names that an import binds. */
function boundBy(line: string): string[] {
  const list = /\{([^}]*)\}/.exec(line)?.[1] ?? "";
  return list.split(",").map((one) => one.replace(/^.* as /, "").trim());
}

/** Copies the repository's packages into a folder, without an agent. */
function copyWithout(agent: string): string {
  const copy = mkdtempSync(join(tmpdir(), "hookline-without-"));
  for (const path of gitFiles("*").filter((one) => existsSync(join(root, one)))) {
    if (new RegExp(`^packages/integrations/(?:src|test)/${agent}/`).test(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  for (const list of LISTS) {
    const path = join(copy, "packages", list);
    writeFileSync(path, withoutFolder(readFileSync(path, "utf8"), agent));
  }
  link(copy);
  return copy;
}

/** Links the repository's dependencies into a copy, except for the repository's own packages. */
function link(copy: string): void {
  const modules = join(copy, "node_modules");
  mkdirSync(join(modules, "@hookline"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "hookline" && name !== "@hookline" && !name.startsWith(".vite"))
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  for (const name of Object.keys(PACKAGES))
    symlinkSync(join(copy, "packages", name), join(modules, name === "hookline" ? name : join("@hookline", name)));
}

/** Checks whether everything else works without an agent's folder. Returns what does not. */
function problemsWithout(agent: string, copy: string): string[] {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: "utf8",
      env: { ...process.env, ...env },
      maxBuffer: 2 ** 28,
    });
  const steps: readonly (readonly [name: string, args: readonly string[]])[] = [
    ["gen", ["--conditions=hookline-source", "scripts/gen.ts"]],
    ["types", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "without.json"]],
    ["layers", ["--conditions=hookline-source", "scripts/layers.ts"]],
    ["tests", ["node_modules/vitest/vitest.mjs", "run", ...TESTS]],
  ];
  writeFileSync(
    join(copy, "without.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: ["packages/*/src"], exclude: ["packages/inspector"] }),
  );
  const failed = steps.flatMap(([name, args]) => {
    const { status, stdout, stderr } = run(args);
    process.stdout.write(`${status === 0 ? "ok    " : "FAILED"}  ${name}\n`);
    return status === 0 ? [] : [`${name}:\n${stdout.slice(-4000)}${stderr.slice(-4000)}`];
  });
  const home = join(copy, ".home");
  mkdirSync(home);
  const env = {
    HOME: home,
    HOOKLINE_HOME: join(home, ".hookline"),
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  };
  const named = CALLS.flatMap((words) => {
    const { stdout, stderr } = run(
      ["--conditions=hookline-source", "packages/hookline/test/agent/fixtures/cli.ts", ...words],
      env,
    );
    const lines = `${stdout}${stderr}`.split("\n").filter((line) => new RegExp(`\\b${agent}\\b`, "i").test(line));
    process.stdout.write(`${lines.length === 0 && stdout !== "" ? "ok    " : "FAILED"}  hookline ${words.join(" ")}\n`);
    if (stdout === "") return [`hookline ${words.join(" ")} printed nothing:\n${stderr.slice(-2000)}`];
    return lines.map((line) => `hookline ${words.join(" ")} still names it: ${line.trim().slice(0, 200)}`);
  });
  return [...failed, ...named];
}

if (import.meta.main) {
  const { words, values, refuse } = commandLine({
    name: "without",
    says: "Removes an agent's folder from a copy of the packages, and shows that everything else works without it.",
    options: { keep: { type: "boolean", says: "keep the copy, and print where it is" } },
    words: { called: "AGENT", says: "the agents to remove, each by itself" },
  });
  const known = readdirSync(join(root, "packages/integrations/src")).filter((name) => !name.includes("."));
  const strange = words.filter((word) => !known.includes(word));
  if (words.length === 0 || strange.length > 0) refuse(`Name agents: ${known.join(", ")}.`);
  for (const agent of words) {
    const copy = copyWithout(agent);
    process.stdout.write(`without ${agent}${values.keep === true ? ` (${copy})` : ""}\n`);
    const problems = problemsWithout(agent, copy);
    for (const problem of problems) process.stdout.write(`${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
    if (values.keep !== true) rmSync(copy, { recursive: true, force: true });
  }
}
