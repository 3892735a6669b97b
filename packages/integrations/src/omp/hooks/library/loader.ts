import { messageOf } from "@hookline/ground";
import { resolvePath } from "../../../in-process/explicit.ts";
import { moduleFiles } from "../../../in-process/module-text.ts";
import type { Owner } from "../../../in-process/owner.ts";
import { hookApi } from "../api.ts";
import { discoverHooks } from "../capability.ts";
import { hookCandidate } from "../config.ts";
import { approvedHooks, callHook } from "../load.ts";
import { NOTHING_DISABLED } from "../settings.ts";
import { collecting, type LoadedHook } from "./collected.ts";
import { belongsTo, ownInstance } from "./hook.ts";

/** The result of loading a list of hooks. A hook that fails does not prevent the others from loading. */
export interface LoadHooksResult {
  readonly hooks: LoadedHook[];
  readonly errors: { readonly path: string; readonly error: string }[];
}

/**
 * omp's `loadHooks`: imports each path, in order, and calls its default export. `~` is the home folder, and other
 * relative paths start at `cwd`.
 */
export async function loadHooks(owner: Owner, paths: readonly string[], cwd: string): Promise<LoadHooksResult> {
  const result: LoadHooksResult = { hooks: [], errors: [] };
  for (const path of paths) {
    try {
      result.hooks.push(await loadHook(owner, path, cwd));
    } catch (thrown) {
      result.errors.push({ path, error: messageOf(thrown) });
    }
  }
  return result;
}

/**
 * omp's `discoverAndLoadHooks`: loads the hooks of all providers, then `configured`, each absolute path once.
 *
 * The errors include files that are not modules. They also include a project's hooks that this session has not loaded
 * itself: a module must not run them without the user's approval.
 */
export async function discoverAndLoadHooks(
  owner: Owner,
  configured: readonly string[],
  cwd: string,
): Promise<LoadHooksResult> {
  const { scan, shared } = owner.around;
  const approved = approvedHooks(shared);
  const found = discoverHooks({ ...scan, cwd }, NOTHING_DISABLED);
  const errors: { path: string; error: string }[] = [];
  const paths = new Set<string>();
  for (const { path, tier, state, reason } of found.items) {
    if (state === "unsupported" && reason !== undefined) errors.push({ path, error: reason });
    else if (state === "runs" && tier === "project" && !approved.has(path))
      errors.push({ path, error: unapproved(path) });
    else if (state === "runs") paths.add(path);
  }
  for (const path of configured) paths.add(resolvePath(path, cwd, scan.home));
  const loaded = await loadHooks(owner, [...paths], cwd);
  return { hooks: loaded.hooks, errors: [...errors, ...loaded.errors] };
}

async function loadHook(owner: Owner, path: string, cwd: string): Promise<LoadedHook> {
  const { around, name } = owner;
  const resolvedPath = resolvePath(path, cwd, around.scan.home);
  const instance = ownInstance(owner, resolvedPath);
  const own: Owner = { around, instance, name, bound: false };
  const { hook, actions } = collecting(own, { path, resolvedPath, cwd });
  const files = moduleFiles({ ...around.scan }, resolvedPath);
  try {
    await callHook(hookCandidate({ path: resolvedPath, tier: instance.source.tier }, files), own, (builders) =>
      hookApi(actions, builders),
    );
  } catch (thrown) {
    instance.dispose();
    throw thrown;
  }
  belongsTo(hook, instance);
  return hook;
}

function unapproved(path: string): string {
  return `this project's hooks have not been approved; review the file, then run \`hookline trust approve ${path}\``;
}
