import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { root } from "./step.ts";

/** Matches programs that this repository's machines have but a newcomer may lack. */
const HIDDEN =
  /^(jq|python[\d.]*|strace|tmux|faketime|gcc|g\+\+|cc|c\+\+|clang|make|curl|wget|rg|fd|bun|deno|yarn|pnpm)$/;

/** Variables of this environment that a newcomer may need to reach the registry. */
const NETWORK = /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_registry)$/i;

/** The result of a command. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** A person at a machine with the system's programs, git, npm and one Node, and an empty home folder. */
export class Newcomer {
  readonly top = realpathSync.native(mkdtempSync(join(tmpdir(), "hookline-fresh-")));
  readonly #bin = join(this.top, "bin");
  #homes = 0;

  /** `node` is a version from npm or the path of a program; without it, the system's Node is used. */
  constructor(node?: string) {
    // Tests that run as another user must be able to reach their programs.
    chmodSync(this.top, 0o755);
    mkdirSync(this.#bin);
    if (node !== undefined) this.#link("node", node.includes(sep) ? node : nodeOf(node, this.folder("node")));
    this.#link("pnpm", join(root, "node_modules/.bin/pnpm"));
    for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
      if (folder.split(sep).includes("node_modules") || !existsSync(folder)) continue;
      for (const name of readdirSync(folder)) if (!HIDDEN.test(name)) this.#link(name, join(folder, name));
    }
  }

  /** Creates an empty folder. */
  folder(name: string): string {
    const path = join(this.top, name);
    mkdirSync(path);
    return path;
  }

  /** Creates an empty home folder, without even npm's cache. */
  home(): string {
    this.#homes += 1;
    return this.folder(`home-${this.#homes}`);
  }

  /** Runs a line in a shell, exactly as typed. */
  run(line: string, cwd: string, home: string): Promise<Ran> {
    const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const child = spawn("/bin/sh", ["-c", line], {
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...Object.fromEntries(network),
          PATH: [this.#bin, join(home, "global/bin")].join(delimiter),
          HOME: home,
          LANG: "C.UTF-8",
          // Global installations go into the home folder, because the machine is not ours.
          npm_config_prefix: join(home, "global"),
        },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output, seconds: (performance.now() - started) / 1000 }));
    });
  }

  leave(): void {
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 });
  }

  #link(name: string, target: string): void {
    const path = join(this.#bin, name);
    if (!existsSync(path)) symlinkSync(target, path);
  }
}

/** Fetches a version of Node as a package that needs no install script; returns its program. */
function nodeOf(version: string, folder: string): string {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  execFileSync(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, `${name}@${version}`],
    {
      stdio: "ignore",
    },
  );
  return join(folder, "node_modules", name, "bin/node");
}
