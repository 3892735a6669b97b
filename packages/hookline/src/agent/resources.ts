import { join } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import type { ApprovedItem } from "../item/dialect.ts";
import { findContextFiles } from "../prompt/context-files.ts";
import { namedPlaces, type ResourcePlace } from "../prompt/markdown-files.ts";
import { findTemplates } from "../prompt/template.ts";
import { findRules } from "../rule/find.ts";
import type { RuleSettings } from "../rule/rule.ts";
import { findSkills } from "../skill/skill.ts";
import { usableAgents } from "../subagent/find.ts";
import { findThemes } from "../theme/theme.ts";
import type { Resources } from "../turn/resources.ts";

/** The folders in which skills, templates and other texts are looked for. */
export interface ResourceRoots {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** pi's own folder, which contains its prompts and skills. */
  readonly piHome: string;
}

/** The skills, prompts and themes in installed packages, as paths of files and folders. */
export interface PackagedTexts {
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
  readonly themes: readonly string[];
}

/** Paths that hooks have named in `resources.discover`. */
export interface NamedResources {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
  readonly themePaths?: readonly string[];
  readonly packaged?: PackagedTexts | undefined;
}

/** The project's texts that a person has approved, by kind, and the files that still wait for approval. */
export interface ProjectTexts {
  readonly rules: readonly ApprovedItem[];
  readonly prompts: readonly ApprovedItem[];
  readonly skills: readonly ApprovedItem[];
  readonly agents: readonly ApprovedItem[];
  /** Real paths that wait for approval. They are not read, even if a hook or a package names them. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Reads all skills, prompts, agents, rules, themes and context files. The user's come first, so that a project's text
 * cannot replace one of the same name. The project's approved texts, those of packages and those named by hooks follow.
 */
export async function loadResources(
  roots: ResourceRoots,
  named: NamedResources,
  ofProject: ProjectTexts,
  rules: RuleSettings,
  report: (diagnostic: Diagnostic) => void,
): Promise<Resources> {
  const { cwd, home, hooklineHome, piHome } = roots;
  const { packaged } = named;
  const user = (path: string): ResourcePlace => ({ path, tier: "user" });
  const project = (items: readonly ApprovedItem[]): ResourcePlace[] =>
    items.map((item) => ({ ...item, tier: "project" }));
  const given = (kind: keyof PackagedTexts, paths: readonly string[] = []): ResourcePlace[] =>
    namedPlaces([...(packaged?.[kind] ?? []), ...paths], cwd, home).map((place) => ({
      ...place,
      except: ofProject.waiting,
    }));
  const skillPlaces: ResourcePlace[] = [
    user(join(hooklineHome, "skills")),
    user(join(piHome, "skills")),
    { ...user(join(home, ".agents/skills")), isStrict: true },
    { ...user(join(home, ".claude/skills")), isStrict: true },
    ...project(ofProject.skills),
    ...given("skills", named.skillPaths),
  ];
  const promptPlaces = [
    user(join(hooklineHome, "prompts")),
    user(join(piHome, "prompts")),
    ...project(ofProject.prompts),
    ...given("prompts", named.promptPaths),
  ];
  const rulePlaces = [
    user(join(hooklineHome, "rules")),
    user(join(home, ".omp/agent/rules")),
    ...project(ofProject.rules),
  ];
  const themePlaces: ResourcePlace[] = [
    user(join(hooklineHome, "themes")),
    { path: join(cwd, ".hookline/themes"), tier: "project" },
    ...given("themes", named.themePaths),
  ];
  const [skills, templates, found, agents] = await Promise.all([
    findSkills(skillPlaces, report),
    findTemplates(promptPlaces, report),
    rules.enabled ? findRules(rulePlaces, rules.disabledRules, report) : [],
    usableAgents(roots, ofProject.agents, report),
  ]);
  return {
    contextFiles: findContextFiles(cwd, hooklineHome, report),
    skills,
    templates,
    rules: found,
    agents,
    themes: findThemes(themePlaces, report),
  };
}
