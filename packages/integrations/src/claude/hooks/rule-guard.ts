import type { Instance, Source, Surroundings } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import type { Exclusion } from "@hookline/runtime/engine";
import { reachOf } from "@hookline/runtime/engine";
import { ReadAnswer } from "./answer.ts";
import type { Doubt } from "./bash-rule.ts";
import { nameOf } from "./calls.ts";
import type { RuleSet } from "./definition.ts";
import type { PathRule } from "./path-rule.ts";
import { clauseOf, type PermissionFile, readPermissions } from "./permissions.ts";
import type { ClaudeEvent } from "./views.ts";

/** Whether file names on this system ignore letter case. */
export const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";

/** Returns a rule set as a settings file with permissions. */
export function permissionFile({ permissions, level, folder, path }: RuleSet): PermissionFile {
  return { path, level: level === "given" ? "command line" : level, folder, settings: { permissions } };
}

/**
 * Registers the permission rules of one settings file as a guard. Its allow rules have no effect: a call that no deny
 * or ask rule matches runs without a question anyway. Source: spec/claude.md C12.
 */
export async function registerRules(
  set: RuleSet,
  instance: Instance,
  { scan, scene, services, contributions }: Surroundings,
  at: Source,
): Promise<void> {
  const permissions = readPermissions([permissionFile(set)]);
  const shell = permissions.needsShell ? await (await import("@hookline/runtime/command")).loadReader() : undefined;
  const told = new Set<string>();
  const world = {
    canAsk: () => services.asks?.() ?? services.ui?.confirm !== undefined,
    tell(rule: string, { path }: { readonly path: string }, doubt: Doubt): void {
      const about = { rule, path, problem: clauseOf(doubt) };
      const key = JSON.stringify(about);
      if (told.has(key)) return;
      told.add(key);
      instance.report(diagnose("RULE_PASSED", about, { source: instance.source }));
    },
    cwd: scan.cwd,
    home: scan.home,
    files: scan.files,
    ignoresCase: IGNORES_CASE,
    leavesOut: (tool: string) => services.leavesOut?.(tool) === true,
    ...(shell !== undefined && { shell }),
  };
  const rules = permissions.files;
  if (rules.length > 0) {
    const paths = (tool: string): PathRule[] =>
      rules.flatMap(({ isFor, filesIn, file: { folder } }) =>
        isFor(nameOf(tool)) ? [filesIn({ ...world, folder })] : [],
      );
    const exclusion: Exclusion = {
      below(folder, tool) {
        const tests = paths(tool).flatMap((path) => path.below(folder) ?? []);
        return tests.length === 0 ? undefined : (path, isFolder) => tests.some((test) => test(path, isFolder));
      },
      has: (path, tool) => paths(tool).some((one) => one.holds(path)),
    };
    contributions.add("exclusion", set.path, exclusion, instance, "suffix");
  }
  instance.on({
    event: "PreToolUse",
    run({ tool_name = "", tool_aliases = [], tool_input = {} }: ClaudeEvent) {
      const tool = scene.tool?.(tool_name);
      const verdict = permissions.decide({ tool_name, tool_aliases, tool_input, tool }, world);
      if (verdict === undefined || verdict.decision === "allow") return undefined;
      const { decision, reason } = verdict;
      return new ReadAnswer({ ok: true, answer: { ruling: { decision, reason } } });
    },
    filter: "permission rules",
    reach: (offer) =>
      offer === undefined ? { state: "some", findings: [] } : reachOf(permissions.alternatives, offer),
    // If a rule cannot be evaluated, the call is refused.
    failClosed: true,
    at,
  });
}
