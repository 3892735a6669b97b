import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { At, HostAdapter, Need, Scope } from "@hookline/bridge/kit";
import { contentsOf, moduleAdapter, objectIn, settingsIn } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";
import { host } from "./index.ts";
import { pluginText } from "./plugin.ts";

/** Installs into OpenCode's folders of plugins, which it loads without asking for trust, even in a project. */
export const adapter: HostAdapter = {
  ...moduleAdapter(host, (scope, at) => join(folderOf(scope, at), "plugin", "hookline-bridge.js"), pluginText),
  trust: {},
  needs: (scope, at) => (hasPackage(folderOf(scope, at)) ? undefined : packageOf(folderOf(scope, at), at)),
};

/** The package that OpenCode installs into each folder with plugins before it starts, even if no plugin imports it. */
const PACKAGE = "@opencode-ai/plugin";

/** The arguments of npm. Without `--fetch-retries=0` it would try for over a minute if there is no network. */
const NPM = ["install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"];

/** The time limit for npm, in ms. */
const FETCHING_MS = 120_000;

function folderOf(scope: Scope, { home, cwd, env }: At): string {
  return scope === "user" ? join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode") : join(cwd, ".opencode");
}

/**
 * Whether OpenCode leaves a folder as it is. It installs packages if there is no `node_modules`, or if the lock file
 * lacks a dependency.
 */
function hasPackage(folder: string): boolean {
  try {
    if (!existsSync(join(folder, "node_modules", PACKAGE, "package.json"))) return false;
    const wanted = dependenciesOf(jsonOf(join(folder, "package.json")));
    const locked = dependenciesOf(objectIn(objectIn(jsonOf(join(folder, "package-lock.json")), "packages"), ""));
    return [PACKAGE, ...wanted].every((name) => locked.includes(name));
  } catch {
    return false;
  }
}

function dependenciesOf(manifest: Fields): readonly string[] {
  const kinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  return kinds.flatMap((kind) => Object.keys(objectIn(manifest, kind)));
}

function packageOf(folder: string, at: At): Need {
  return {
    text: `OpenCode fetches ${PACKAGE} into ${folder} before it starts with a plugin; without a network that start hangs. npm puts it there now.`,
    async provide() {
      await mkdir(folder, { recursive: true });
      const version = (await ran("opencode", ["--version"], at).catch(() => "")).trim();
      const known = /^\d+\.\d+\.\d+$/.test(version) ? version : host.recorded;
      try {
        await ran("npm", [...NPM, "--prefix", folder, `${PACKAGE}@${known}`], at);
      } catch (thrown) {
        const why = (thrown as { readonly stderr?: string }).stderr?.trim().split("\n")[0] || (thrown as Error).message;
        throw new Error(`npm could not put ${PACKAGE} into ${folder}: ${why}. Start OpenCode once with a network.`);
      }
    },
  };
}

async function ran(program: string, words: readonly string[], { env, cwd }: At): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { env: { ...env }, cwd, timeout: FETCHING_MS });
  return stdout;
}

function jsonOf(path: string): Fields {
  const text = contentsOf(path);
  return text === undefined ? {} : settingsIn(text);
}
