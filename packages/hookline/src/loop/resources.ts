import { join } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import { type ContextFile, findContextFiles } from "../prompt/context-files.ts";
import { namedPlaces, type ResourcePlace } from "../prompt/markdown-files.ts";
import { findTemplates, type PromptTemplate } from "../prompt/template.ts";
import { findRules } from "../rule/find.ts";
import type { ReadyRule, RuleSettings } from "../rule/rule.ts";
import { findSkills, type Skill } from "../skill/skill.ts";
import { findThemes, type ThemeFile } from "../theme/theme.ts";

/** The texts that the agent works with beside the conversation. */
export interface Resources {
  readonly contextFiles: readonly ContextFile[];
  readonly skills: readonly Skill[];
  readonly templates: readonly PromptTemplate[];
  readonly rules: readonly ReadyRule[];
  readonly themes: readonly ThemeFile[];
}

/** No texts at all. */
export const NO_RESOURCES: Resources = { contextFiles: [], skills: [], templates: [], rules: [], themes: [] };

/** Where texts are looked for. */
export interface ResourceRoots {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
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
}

/** Reads all texts: the user's first, then the project's, those of packages, and those that hooks have named. */
export async function loadResources(
  roots: ResourceRoots,
  named: NamedResources & { readonly packaged?: PackagedTexts | undefined },
  rules: RuleSettings,
  report: (diagnostic: Diagnostic) => void,
): Promise<Resources> {
  const { cwd, home, hooklineHome } = roots;
  const { packaged } = named;
  const places = (kind: "rules" | keyof PackagedTexts, paths: readonly string[] = []): ResourcePlace[] => [
    { path: join(hooklineHome, kind), tier: "user" },
    { path: join(cwd, ".hookline", kind), tier: "project" },
    ...namedPlaces([...((kind !== "rules" && packaged?.[kind]) || []), ...paths], cwd, home),
  ];
  const ruleFolders: ResourcePlace[] = [
    ...places("rules"),
    { path: join(home, ".omp/agent/rules"), tier: "user" },
    { path: join(cwd, ".omp/rules"), tier: "project" },
  ];
  const [skills, templates, found] = await Promise.all([
    findSkills(places("skills", named.skillPaths), report),
    findTemplates(places("prompts", named.promptPaths), report),
    rules.enabled ? findRules(ruleFolders, rules.disabledRules, report) : [],
  ]);
  return {
    contextFiles: findContextFiles(cwd, hooklineHome),
    skills,
    templates,
    rules: found,
    themes: findThemes(places("themes", named.themePaths), report),
  };
}
