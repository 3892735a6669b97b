import { isProviderKey } from "@hookline/ground";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import type { ReadFile } from "./config.ts";
import type { HttpRules } from "./definition.ts";
import { isOfProject, type Level, type OwnerLevel as Owner, PERSONAL, PROJECT } from "./places.ts";

/** The settings that also affect hooks in other files, such as `disableAllHooks` and `env`. */
export interface Policy {
  /** The reason why no hook runs, for each level whose hooks are turned off. */
  readonly silenced: ReadonlyMap<Owner, string>;
  /** The reason why no permission rule counts, for each level whose rules are turned off. */
  readonly rulesSilenced: ReadonlyMap<Owner, string>;
  /** The `env` variables for the user's handlers. `projectEnv` are those for the project's handlers. */
  readonly env: Readonly<Record<string, string>>;
  readonly projectEnv: Readonly<Record<string, string>>;
  /** The restrictions for all http handlers. `projectHttp` are additional ones for the project's handlers. */
  readonly http: HttpRules;
  readonly projectHttp: HttpRules;
  readonly diagnostics: readonly Diagnostic[];
}

const BELOW_MANAGED: readonly Owner[] = [...PERSONAL, ...PROJECT, "plugin", "project-plugin"];

/**
 * Merges the settings files' keys besides `hooks`. The higher level wins among the user's files, and likewise among the
 * project's. A project's values affect only its own hooks. Source: spec/claude.md 1, C12; ruling 56.
 */
export function policyOf(files: readonly ReadFile[]): Policy {
  const silenced = new Map<Owner, string>();
  const diagnostics: Diagnostic[] = [];
  const silence = (owners: readonly Owner[], reason: string): void => {
    for (const owner of owners) if (!silenced.has(owner)) silenced.set(owner, reason);
  };
  const last = (levels: readonly Level[], key: string): ReadFile | undefined =>
    files.findLast(({ place, file }) => levels.includes(place.level) && file.settings[key] !== undefined);
  for (const [levels, owners] of [
    [["managed"], [...BELOW_MANAGED, "managed", "managed-plugin"]],
    [PERSONAL, BELOW_MANAGED],
    [PROJECT, [...PROJECT, "project-plugin"]],
  ] as const) {
    const found = last(levels, "disableAllHooks");
    if (found?.file.settings["disableAllHooks"] === true)
      silence(owners, `disableAllHooks is set in ${found.place.path}`);
  }
  const only = last(["managed"], "allowManagedHooksOnly");
  if (only?.file.settings["allowManagedHooksOnly"] === true)
    silence(BELOW_MANAGED, `${only.place.path} allows managed hooks only`);
  const strict = last(["managed"], "strictPluginOnlyCustomization");
  const surfaces = strict?.file.settings["strictPluginOnlyCustomization"];
  if (strict !== undefined && (surfaces === true || (Array.isArray(surfaces) && surfaces.includes("hooks"))))
    silence([...PERSONAL, ...PROJECT], `${strict.place.path} allows hooks of plugins only`);
  const rulesOnly = last(["managed"], "allowManagedPermissionRulesOnly");
  const rulesSilenced = new Map<Owner, string>();
  if (rulesOnly?.file.settings["allowManagedPermissionRulesOnly"] === true)
    for (const owner of BELOW_MANAGED) rulesSilenced.set(owner, `${rulesOnly.place.path} allows managed rules only`);
  for (const { place, file } of files) {
    if (place.level === "managed") continue;
    for (const key of ["allowManagedHooksOnly", "allowManagedPermissionRulesOnly", "strictPluginOnlyCustomization"]) {
      if (file.settings[key] === undefined) continue;
      const details = { path: place.path, line: file.at(key).line, problem: `${key} works only in managed settings` };
      diagnostics.push(
        diagnose("LINT", { ...details, remedy: "Remove it." }, { source: { path: place.path, tier: place.tier } }),
      );
    }
  }
  const rules = (levels: readonly Level[]): HttpRules => {
    const own = files.filter(({ place }) => levels.includes(place.level));
    const urls = listsOf(own, "allowedHttpHookUrls");
    const variables = listsOf(own, "httpHookAllowedEnvVars");
    return { ...(urls !== undefined && { urls: [urls] }), ...(variables !== undefined && { variables: [variables] }) };
  };
  const env = (levels: readonly Level[]): Record<string, string> =>
    Object.assign({}, ...levels.map((level) => variablesIn(files.filter(({ place }) => place.level === level))));
  return {
    env: env(["user", "given", "managed"]),
    projectEnv: env(PROJECT),
    silenced,
    rulesSilenced,
    http: rules(["managed", ...PERSONAL]),
    projectHttp: rules(PROJECT),
    diagnostics,
  };
}

/** Returns the variables in the files' `env`, without keys of model providers, which no hook gets (guarantees R15). */
function variablesIn(files: readonly ReadFile[]): Record<string, string> {
  const pairs = files.flatMap(({ file }) => {
    const { env } = file.settings;
    return typeof env === "object" && env !== null && !Array.isArray(env) ? Object.entries(env) : [];
  });
  const isUsable = ([name, value]: [string, unknown]): boolean =>
    typeof value === "string" && /^[A-Za-z_]\w*$/.test(name) && !value.includes("\0") && !isProviderKey(name);
  return Object.fromEntries(pairs.filter(isUsable)) as Record<string, string>;
}

/** Returns the `env` variables for handlers of this level. */
export function envFor({ env, projectEnv }: Policy, owner: Owner): Readonly<Record<string, string>> {
  return isOfProject(owner) ? projectEnv : env;
}

/** Returns the reason why no hook of this level runs; `undefined` if they run. */
export function silencedBy({ silenced }: Policy, owner: Owner): string | undefined {
  return silenced.get(owner);
}

/** Returns the restrictions for http handlers of this level. */
export function urlsFor({ http, projectHttp }: Policy, owner: Owner): HttpRules {
  if (!isOfProject(owner)) return http;
  const both = (key: keyof HttpRules): HttpRules => {
    const lists = [...(http[key] ?? []), ...(projectHttp[key] ?? [])];
    return lists.length === 0 ? {} : { [key]: lists };
  };
  return { ...both("urls"), ...both("variables") };
}

/** Joins the files' lists under a key; `undefined` if no file has the key. A value that is no list counts as empty. */
function listsOf(files: readonly ReadFile[], key: string): readonly string[] | undefined {
  const given = files.map(({ file }) => file.settings[key]).filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  return given.flatMap((value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : []));
}
