import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { Files } from "../../../ground/src/file/files.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { dialects } from "../../../integrations/src/index.ts";
import { FrozenConsent } from "../../src/consent/lock-file.ts";
import { type Approval, TrustStore } from "../../src/consent/trust-store.ts";
import type { Dialect, DialectSettings } from "../../src/dialect/dialect.ts";
import type { Review } from "../../src/session/review.ts";
import { createHookRuntime, type HookRuntime } from "../../src/session/runtime.ts";
import type { HookSession } from "../../src/session/session.ts";

/** A project with an empty home beside it. Whatever of the project runs adds its name to `ran`. */
export class Project {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-consent-"));
  home = join(this.top, "home");
  cwd = join(this.top, "project");
  readonly marker = join(this.top, "ran.txt");

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.cwd);
  }

  get store(): TrustStore {
    return new TrustStore(join(this.home, ".hookline"));
  }

  path(path: string): string {
    return path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.cwd, path);
  }

  write(path: string, text: string, mode?: "x"): void {
    const full = this.path(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    if (mode === "x") chmodSync(full, 0o755);
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  /** Returns the parts that have run since the last call. */
  ran(): string[] {
    const names = existsSync(this.marker) ? readFileSync(this.marker, "utf8").trim().split("\n") : [];
    rmSync(this.marker, { force: true });
    return names;
  }

  async open(how: "trust" | "frozen" = "trust", inert = false, more: More = {}): Promise<Opened> {
    const diagnostics: Diagnostic[] = [];
    const consent = how === "trust" ? this.store : new FrozenConsent(this.cwd, systemFiles);
    const runtime = createHookRuntime({
      dialects: more.dialects ?? dialects,
      ...(more.lanes !== undefined && { lanes: more.lanes }),
      ...(more.files !== undefined && { files: more.files }),
      consent,
      home: this.home,
      env: { PATH: process.env["PATH"], HOME: this.home, ...more.env },
    });
    const session = await runtime.open({
      scene: { sessionId: "s", cwd: this.cwd, messages: () => [], systemPrompt: () => "" },
      inert,
      ...(more.settings !== undefined && { settings: more.settings }),
      ...(consent instanceof FrozenConsent && { expected: consent.expected }),
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    return { runtime, session, diagnostics, [Symbol.asyncDispose]: () => runtime.close() };
  }

  /** Approves everything, as `hookline trust approve` does. */
  async approve(): Promise<readonly Approval[]> {
    await using opened = await this.open("trust", true);
    const approvals = (await opened.session.review()).map(approvalOf);
    this.store.approve(approvals);
    return approvals;
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** How a session is opened besides. */
export interface More {
  readonly settings?: DialectSettings;
  readonly dialects?: readonly Dialect[];
  readonly lanes?: readonly string[];
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Opened extends AsyncDisposable {
  readonly runtime: HookRuntime;
  readonly session: HookSession;
  readonly diagnostics: readonly Diagnostic[];
}

export function approvalOf({ candidate, print }: Review): Approval {
  const { source } = candidate;
  return {
    ...print,
    dialect: source.dialect ?? print.lane,
    ...(source.line !== undefined && { line: source.line }),
    approvedAt: "2026-01-01T00:00:00.000Z",
  };
}

/** The project of the mutations: one hook of each dialect, each with files that it needs. */
export function furnished(): Project {
  const project = new Project();
  const mark = (name: string): string => `echo ${name} >> '${project.marker}'`;
  project.write(
    ".jcli/hooks.yaml",
    "pre_tool_execution:\n  - command: sh scripts/check.sh\n  - command: scripts/second.sh --flag\n",
  );
  project.write("scripts/check.sh", `. scripts/lib.sh\n${mark("jcli")}\necho '{}'\n`);
  project.write("scripts/lib.sh", `${mark("lib")}\n`);
  project.write("scripts/second.sh", `#!/bin/sh\n${mark("second")}\necho '{}'\n`, "x");
  const schema = '{"name":"p","description":"d","hooks":["pre_tool"]}';
  project.write(
    ".hookline/plugins/plugin",
    `#!/bin/sh\n${mark("plugin")}\n[ "$1" = --schema ] && echo '${schema}'\nexit 0\n`,
    "x",
  );
  const touch = (name: string): string =>
    `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(project.marker)}, "${name}\\n");\n`;
  project.write(
    ".pi/extensions/ext.ts",
    `${touch("pi")}import { rule } from "./lib/rule.ts";\nimport data from "./lib/data.json";\nimport { pack } from "pack";\nexport default function (pi) {\n  pi.on("tool_call", () => { rule(); data; pack(); return undefined; });\n  pi.on("turn_start", async () => { await import("./lib/late.ts"); });\n}\n`,
  );
  project.write(".pi/extensions/lib/rule.ts", `${touch("rule")}export { deep as rule } from "./deep.ts";\n`);
  project.write(".pi/extensions/lib/deep.ts", `${touch("deep")}export const deep = () => 1;\n`);
  project.write(".pi/extensions/lib/late.ts", `${touch("late")}export const late = 1;\n`);
  project.write(".pi/extensions/lib/data.json", '{"a":1}\n');
  project.write("node_modules/pack/package.json", '{"name":"pack","type":"module","exports":"./index.js"}');
  project.write("package-lock.json", '{"lockfileVersion":3,"packages":{"node_modules/pack":{"version":"1.0.0"}}}\n');
  project.write("node_modules/pack/index.js", `${touch("pack")}export const pack = () => 1;\n`);
  project.write(
    ".omp/hooks/pre/guard.ts",
    `${touch("omp")}export default function (pi) {\n  pi.on("tool_call", () => undefined);\n}\n`,
  );
  return project;
}

/** Asks about a tool call and begins a turn, which runs everything that the project has. */
export async function exercise({ session }: Pick<Opened, "session">): Promise<void> {
  await session.emit("tool.before", { toolCallId: "1", tool: "bash", args: { command: "ls" } });
  await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
}
