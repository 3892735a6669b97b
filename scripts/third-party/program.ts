import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../step.ts";

/** A program that runs pi's extensions. */
export interface Program {
  readonly name: "hookline" | "pi";
  /** The program's settings folder, relative to the home folder. */
  readonly settings: string;
  /** Returns the program's command line for a client, with the values of `-e`, if any. */
  argv(extensions: readonly string[], trace: string): readonly string[];
}

/** Returns the arguments `-e FILE` for each extension. */
export function given(extensions: readonly string[]): readonly string[] {
  return extensions.flatMap((extension) => ["-e", extension]);
}

/** The built hookline, as a program that runs pi's extensions. */
export const hookline: Program = {
  name: "hookline",
  settings: ".hookline",
  argv: (extensions, trace) => [
    ...[process.execPath, join(root, "packages/hookline/bin/hookline.js")],
    ...["--model", "loop/m1", "--trust-project", "--trace", trace, "--mode", "rpc"],
    ...given(extensions),
  ],
};

/** Returns the real pi, from its package's folder. */
export function realPi(folder: string): Program {
  return {
    name: "pi",
    settings: ".pi/agent",
    argv: (extensions) => [
      ...[process.execPath, join(folder, "dist/cli.js")],
      ...["--provider", "loop", "--model", "m1", "--approve", "--mode", "rpc"],
      ...given(extensions),
    ],
  };
}

/** A separate home folder and project, isolated from this machine's environment; removed when disposed. */
export interface Place extends Disposable {
  readonly project: string;
  readonly trace: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Creates a place whose program uses the model at this address; `packages` is the folder of fetched packages. */
export function makePlace(program: Program, url: string, packages: string): Place {
  const home = mkdtempSync(join(tmpdir(), "hookline-third-"));
  const project = join(home, "project");
  const settings = join(home, program.settings);
  mkdirSync(settings, { recursive: true });
  // These folders exist for a person who has used pi.
  for (const folder of [join(project, ".pi"), join(home, ".pi/agent")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, "notes.txt"), "rivers\n");
  writeFileSync(join(settings, "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 1 } }));
  const models = [{ id: "m1" }, { id: "m2" }];
  const loop = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "k", models };
  writeFileSync(join(settings, "models.json"), JSON.stringify({ providers: { loop } }));
  if (program.name === "hookline") symlinkSync(packages, join(settings, "packages"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_CEILING_DIRECTORIES: dirname(home),
    PI_OFFLINE: "1",
    PI_SKIP_VERSION_CHECK: "1",
    PI_TELEMETRY: "0",
  };
  makeRepository(project, env);
  return {
    project,
    trace: join(home, "trace.jsonl"),
    env,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Creates a repository with one commit, if git is installed. */
function makeRepository(project: string, env: Readonly<Record<string, string>>): void {
  const who = ["-c", "user.name=A Person", "-c", "user.email=person@example.invalid"];
  try {
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      [...who, "commit", "-qm", "Begin"],
    ])
      execFileSync("git", args, { cwd: project, env, stdio: "ignore" });
  } catch {
    // Without git, the project is a plain folder.
  }
}
