import { join } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import type { ApprovedItem } from "../item/dialect.ts";
import { findContextFiles } from "../prompt/context-files.ts";
import { namedPlaces, type ResourcePlace } from "../prompt/markdown-files.ts";
import { findTemplates } from "../prompt/template.ts";
import { findRules } from "../rule/find.ts";
import type { RuleSettings } from "../rule/rule.ts";
import { findSkills } from "../skill/skill.ts";
import { findThemes } from "../theme/theme.ts";
import type { Resources } from "../turn/resources.ts";

/** Where texts are looked for. */
export interface ResourceRoots {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
  /** pi's own folder in the home, where its prompts and skills are. */
  readonly piHome: string;
}

/** Texts that packages bring along: files and folders by kind. */
export interface PackagedTexts {
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
  readonly themes: readonly string[];
}

/** What hooks have named in `resources.discover`. */
export interface NamedResources {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
  readonly themePaths?: readonly string[];
  readonly packaged?: PackagedTexts | undefined;
}

/** The texts of the project that a person has approved, and which of them wait for that. */
export interface ProjectTexts {
  readonly rules: readonly ApprovedItem[];
  readonly prompts: readonly ApprovedItem[];
  readonly skills: readonly ApprovedItem[];
  /** With links resolved; not read even where a hook or a package names them. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Reads all texts: the user's first, so that nothing of a project takes a name from theirs, then what is approved of the
 * project, those of packages, and those that hooks have named.
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
  const [skills, templates, found] = await Promise.all([
    findSkills(skillPlaces, report),
    findTemplates(promptPlaces, report),
    rules.enabled ? findRules(rulePlaces, rules.disabledRules, report) : [],
  ]);
  return {
    contextFiles: findContextFiles(cwd, hooklineHome, report),
    skills,
    templates,
    rules: found,
    themes: findThemes(themePlaces, report),
  };
}
