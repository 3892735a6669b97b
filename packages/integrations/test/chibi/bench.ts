import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { approveEverything } from "../../../runtime/src/consent/consent.ts";
import type { DialectSettings, Scan } from "../../../runtime/src/dialect/dialect.ts";
import type { Scene } from "../../../runtime/src/hook/lane.ts";
import type { HostServices } from "../../../runtime/src/port/host.ts";
import type { ProcessTransport } from "../../../runtime/src/port/process.ts";
import { createHookRuntime } from "../../../runtime/src/session/runtime.ts";
import type { HookSession } from "../../../runtime/src/session/session.ts";
import { createProcessTransport } from "../../../runtime/src/transport/process/transport.ts";
import { about } from "../../src/chibi/about.ts";
import { chibi } from "../../src/chibi/hooks/index.ts";

/** A home folder of its own, with room for plugins. */
export class Bench {
  readonly root = mkdtempSync(join(tmpdir(), "hookline-chibi-"));
  readonly home = join(this.root, "home");
  readonly cwd = join(this.root, "project");
  readonly plugins = join(this.home, ".chibi", "plugins");
  readonly hooklineHome = join(this.home, ".hookline");

  constructor() {
    for (const folder of [this.cwd, this.plugins, this.hooklineHome]) mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
  }

  /** Writes an executable; `name` may hold folders, and may be absolute. */
  write(name: string, text: string, mode = 0o755): string {
    const path = name.startsWith("/") ? name : join(this.plugins, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  /** A shell plugin with one tool: what it does as a hook, and as a tool. */
  plugin(name: string, hooks: readonly string[], hook: string, tool = "echo tool"): string {
    const schema = { name, description: `about ${name}`, hooks };
    return this.write(name, script(JSON.stringify(schema), hook, tool));
  }

  /** A plugin as the seed prints it. */
  sample(name: string): string {
    return this.write(name, readFileSync(join(import.meta.dirname, "fixtures", name), "utf8"));
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), "utf8");
  }

  scan(more: Partial<Scan> = {}): Scan {
    const { home, cwd, hooklineHome } = this;
    return { cwd, home, hooklineHome, env: {}, files: systemFiles, explicit: [], settings: {}, ...more };
  }

  processes(env: Readonly<Record<string, string>> = {}): ProcessTransport {
    const transport = createProcessTransport({
      clock: systemClock,
      protocol: about.variables,
      env: { ...process.env, HOME: this.home, ...env },
    });
    onTestFinished(() => transport.close());
    return transport;
  }

  async open(about: Opening = {}): Promise<{ readonly session: HookSession; readonly diagnostics: Diagnostic[] }> {
    const diagnostics: Diagnostic[] = [];
    const runtime = createHookRuntime({
      dialects: [chibi],
      home: this.home,
      hooklineHome: this.hooklineHome,
      env: {},
      consent: approveEverything,
      transports: { process: about.process ?? this.processes(about.env) },
    });
    const session = await runtime.open({
      scene: { sessionId: "s", cwd: this.cwd, ...about.scene },
      settings: about.settings ?? {},
      services: about.services ?? {},
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    onTestFinished(() => runtime.close());
    return { session, diagnostics };
  }
}

export interface Opening {
  readonly scene?: Partial<Scene>;
  readonly settings?: DialectSettings;
  readonly services?: HostServices;
  readonly env?: Readonly<Record<string, string>>;
  readonly process?: ProcessTransport;
}

/** Whether a program that the seed's own plugins need is on this machine. */
export function has(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

/** The text of a shell plugin in the order of the field: schema, hook, tool. */
export function script(schema: string, hook: string, tool = "echo tool"): string {
  return `#!/bin/bash
if [[ "$1" == "--schema" ]]; then
  cat <<'EOF'
${schema}
EOF
  exit 0
fi
if [[ -n "$CHIBI_HOOK" ]]; then
${hook}
exit 0
fi
${tool}
`;
}
