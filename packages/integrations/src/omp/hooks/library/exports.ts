import type { ExecOptions } from "@hookline/runtime/engine";
import { exec } from "../../../in-process/actions.ts";
import type { Owner } from "../../../in-process/owner.ts";
import type { Exports } from "../../../in-process/provide.ts";
import { discoverAndLoadHooks, loadHooks } from "./loader.ts";
import { type RunnerParts, SeriesRunner } from "./runner.ts";
import { HookToolWrapper } from "./wrapper.ts";

/**
 * Returns the functions and classes of omp's hook package for one module.
 *
 * Source: seed 002, "Export surface".
 */
export function hookLibrary(owner: Owner): Exports {
  class HookRunner extends SeriesRunner {
    constructor(...parts: RunnerParts) {
      super(owner, ...parts);
    }
  }
  const { scene } = owner.around;
  return {
    discoverAndLoadHooks: (configuredPaths: readonly string[] = [], cwd = scene.cwd) =>
      discoverAndLoadHooks(owner, configuredPaths, cwd),
    loadHooks: (paths: readonly string[], cwd = scene.cwd) => loadHooks(owner, paths, cwd),
    HookRunner,
    HookToolWrapper,
    execCommand: (command: string, args: readonly string[] = [], cwd = scene.cwd, options: ExecOptions = {}) =>
      exec(owner, command, args, { ...options, cwd }),
  };
}
