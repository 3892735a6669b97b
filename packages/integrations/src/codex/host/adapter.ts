import { join } from "node:path";
import type { At, Grant, HostAdapter } from "@hookline/bridge/kit";
import { groupsFormat, isOwnCommand } from "@hookline/bridge/kit";
import { messageOf } from "@hookline/ground";
import { AppServer, type ListedHook, listedHooks, trustHooks } from "./app-server.ts";

/**
 * Installs into Codex's hooks file, which has Claude Code's format. Codex trusts each entry by a hash of its bytes.
 * Source: spec/bridge.md 3.
 */
export const adapter: HostAdapter = {
  path: (scope, at) => join(scope === "user" ? homeOf(at) : join(at.cwd, ".codex"), "hooks.json"),
  unit: "s",
  format: () => groupsFormat(),
  trust: {
    how: (scope, { cwd }) =>
      [
        "Codex runs a new hook only when you have reviewed it, and `codex exec` silently skips the others.",
        "Start `codex`, type /hooks, look at the entries of hookline and trust them; or run this command again with --grant.",
        ...(scope === "project"
          ? [`A project's hooks also need the project to be trusted: Codex asks when you start it in ${cwd}.`]
          : []),
      ].join("\n"),
    async given(path, at) {
      const server = await started(at);
      if (server === undefined) return "unknown";
      try {
        const own = (await listedHooks(server, at.cwd)).filter((hook) => isOwn(hook, path));
        return own.length > 0 && own.every((hook) => isTrusted(hook) && hook.enabled !== false);
      } catch {
        return "unknown";
      } finally {
        server.close();
      }
    },
    async grant(path, at): Promise<Grant> {
      const server = await AppServer.start(at.cwd, at.env).catch(notAsked);
      const own = (await listedIn(server, at)).filter((hook) => isOwn(hook, path));
      const left = own.filter((hook) => !isTrusted(hook));
      return {
        text: grantText(left, join(homeOf(at), "config.toml")),
        isGiven: own.length > 0 && left.length === 0,
        give: () => trustHooks(server, left),
        close: () => server.close(),
      };
    },
  },
};

function homeOf({ home, env }: At): string {
  return env["CODEX_HOME"] || join(home, ".codex");
}

async function started({ cwd, env }: At): Promise<AppServer | undefined> {
  try {
    return await AppServer.start(cwd, env);
  } catch {
    return undefined;
  }
}

/** Returns the hooks that Codex lists. Stops Codex's server if it fails to answer. */
async function listedIn(server: AppServer, { cwd }: At): Promise<readonly ListedHook[]> {
  try {
    return await listedHooks(server, cwd);
  } catch (thrown) {
    server.close();
    return notAsked(thrown);
  }
}

function notAsked(thrown: unknown): never {
  throw new Error(`Codex could not be asked for its trust: ${messageOf(thrown)}. Nothing was trusted.`);
}

function isOwn({ sourcePath, command }: ListedHook, path: string): boolean {
  return sourcePath === path && isOwnCommand(command);
}

function isTrusted({ trustStatus }: ListedHook): boolean {
  return trustStatus === "trusted" || trustStatus === "managed";
}

function grantText(hooks: readonly ListedHook[], config: string): string {
  if (hooks.length === 0) return "Codex does not list the entries of hookline, so there is nothing to trust.";
  return [
    `This tells Codex, in ${config}, that you have reviewed these hooks and trust exactly their bytes:`,
    ...hooks.flatMap(({ eventName, command, currentHash }) => [`  ${eventName}  ${currentHash}`, `    ${command}`]),
    "From then on Codex runs them without asking you, in `codex exec` too, until one of them changes.",
  ].join("\n");
}
