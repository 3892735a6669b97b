import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import { type ContextFile, findContextFiles } from "../prompt/context-files.ts";
import { findTemplates, type PromptTemplate } from "../prompt/template.ts";
import { findThemes } from "../theme/theme.ts";
import { themeFromFile } from "../tui/theme/current.ts";
import type { Theme } from "../tui/theme/theme.ts";
import { createExtensionRuntime } from "./extension-runtime.ts";
import { type LoadedSkill, loadSkills } from "./loaded-skills.ts";
import { piAgentDir } from "./pi-paths.ts";
import { SettingsManager } from "./pi-settings.ts";

interface Skills {
  readonly skills: readonly LoadedSkill[];
  readonly diagnostics: readonly unknown[];
}
interface Prompts {
  readonly prompts: readonly PromptTemplate[];
  readonly diagnostics: readonly unknown[];
}
interface Themes {
  readonly themes: readonly Theme[];
  readonly diagnostics: readonly unknown[];
}
interface Files {
  readonly agentsFiles: readonly ContextFile[];
}
interface Extensions {
  readonly extensions: readonly unknown[];
  readonly errors: readonly { readonly path: string; readonly error: string }[];
  readonly runtime: object;
}

interface Options {
  readonly cwd?: string;
  readonly agentDir?: string;
  readonly settingsManager?: SettingsManager;
  readonly additionalExtensionPaths?: readonly string[];
  readonly additionalSkillPaths?: readonly string[];
  readonly additionalPromptTemplatePaths?: readonly string[];
  readonly additionalThemePaths?: readonly string[];
  readonly extensionFactories?: readonly unknown[];
  readonly noSkills?: boolean;
  readonly noPromptTemplates?: boolean;
  readonly noThemes?: boolean;
  readonly noContextFiles?: boolean;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string | readonly string[];
  extensionsOverride?(base: Extensions): Extensions;
  skillsOverride?(base: Skills): Skills;
  promptsOverride?(base: Prompts): Prompts;
  themesOverride?(base: Themes): Themes;
  agentsFilesOverride?(base: Files): Files;
  systemPromptOverride?(base: string | undefined): string | undefined;
  appendSystemPromptOverride?(base: readonly string[]): readonly string[];
}

interface Text {
  readonly text: string;
  readonly path?: string;
}

const NOT_HERE =
  "A loader of an extension's own loads no extensions here; `hookline hooks` lists those of the session.";

/** Makes pi's class `DefaultResourceLoader`, which reads the texts of a session from pi's folders. */
export function resourceLoaders(lent: { readonly cwd: string }) {
  /** Reads skills, prompts, themes, `AGENTS.md` files and system prompts when `reload` is called. */
  class DefaultResourceLoader {
    readonly #options: Options;
    readonly #cwd: string;
    readonly #agentDir: string;
    #more: { skills: string[]; prompts: string[]; themes: string[] } = { skills: [], prompts: [], themes: [] };
    #skills: Skills = { skills: [], diagnostics: [] };
    #prompts: Prompts = { prompts: [], diagnostics: [] };
    #themes: Themes = { themes: [], diagnostics: [] };
    #files: Files = { agentsFiles: [] };
    #system: Text | undefined;
    #appended: readonly Text[] = [];

    constructor(options: Options = {}) {
      this.#options = options;
      this.#cwd = options.cwd ?? lent.cwd;
      this.#agentDir = options.agentDir ?? piAgentDir();
    }

    getExtensions(): Extensions {
      const { additionalExtensionPaths = [], extensionFactories = [], extensionsOverride } = this.#options;
      const wanted = [...additionalExtensionPaths, ...extensionFactories.map(() => "<inline>")];
      const errors = wanted.map((path) => ({ path, error: NOT_HERE }));
      const base = { extensions: [], errors, runtime: createExtensionRuntime() };
      return extensionsOverride?.(base) ?? base;
    }

    /** Returns the same as `getExtensions`: no extensions, and an error for each one that the options name. */
    async loadProjectTrustExtensions(): Promise<Extensions> {
      return this.getExtensions();
    }

    getSkills(): Skills {
      return this.#skills;
    }

    getPrompts(): Prompts {
      return this.#prompts;
    }

    getThemes(): Themes {
      return this.#themes;
    }

    getAgentsFiles(): Files {
      return this.#files;
    }

    getSystemPrompt(): string | undefined {
      return this.#system?.text;
    }

    getSystemPromptSource(): { path: string } | undefined {
      const path = this.#system?.path;
      return path === undefined ? undefined : { path };
    }

    getAppendSystemPrompt(): string[] {
      return this.#appended.map(({ text }) => text);
    }

    getAppendSystemPromptSources(): { path: string }[] {
      return this.#appended.flatMap(({ path }) => (path === undefined ? [] : [{ path }]));
    }

    /** Adds paths that an extension has named. They are read at the next `reload`. */
    extendResources(paths: Readonly<Record<string, readonly { readonly path: string }[] | undefined>>): void {
      for (const kind of ["skills", "prompts", "themes"] as const)
        this.#more[kind].push(...(paths[`${kind.slice(0, -1)}Paths`] ?? []).map(({ path }) => path));
    }

    async reload(): Promise<void> {
      const options = this.#options;
      const settings = options.settingsManager ?? SettingsManager.create(this.#cwd, this.#agentDir);
      await settings.reload();
      const diagnostics: Diagnostic[] = [];
      const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
      const places = (kind: string, more: readonly string[] | undefined, own: readonly string[]) =>
        [join(this.#agentDir, kind), join(this.#cwd, ".pi", kind), ...own, ...(more ?? [])].map((path) => ({
          path: isAbsolute(path) ? path : resolve(this.#cwd, path),
          tier: "user" as const,
        }));
      const skillPaths = [...(options.additionalSkillPaths ?? []), ...this.#more.skills];
      const skills = loadSkills({
        cwd: this.#cwd,
        agentDir: this.#agentDir,
        skillPaths,
        includeDefaults: options.noSkills !== true,
      });
      this.#skills = options.skillsOverride?.(skills) ?? skills;
      const prompts = {
        prompts: options.noPromptTemplates
          ? []
          : await findTemplates(places("prompts", options.additionalPromptTemplatePaths, this.#more.prompts), report),
        diagnostics,
      };
      this.#prompts = options.promptsOverride?.(prompts) ?? prompts;
      const themes = {
        themes: options.noThemes
          ? []
          : findThemes(places("themes", options.additionalThemePaths, this.#more.themes), report).map(themeFromFile),
        diagnostics,
      };
      this.#themes = options.themesOverride?.(themes) ?? themes;
      const files = { agentsFiles: options.noContextFiles ? [] : findContextFiles(this.#cwd, this.#agentDir) };
      this.#files = options.agentsFilesOverride?.(files) ?? files;
      this.#readPrompts();
    }

    #readPrompts(): void {
      const { systemPrompt, appendSystemPrompt, systemPromptOverride, appendSystemPromptOverride } = this.#options;
      const found = (name: string): string | undefined =>
        [join(this.#cwd, ".pi", name), join(this.#agentDir, name)].find((path) => textAt(path) !== undefined);
      const system = systemPrompt ?? found("SYSTEM.md");
      this.#system = system === undefined ? undefined : textOf(system);
      const given = typeof appendSystemPrompt === "string" ? [appendSystemPrompt] : appendSystemPrompt;
      const own = found("APPEND_SYSTEM.md");
      this.#appended = (given ?? (own === undefined ? [] : [own])).map(textOf);
      if (systemPromptOverride !== undefined) {
        const text = systemPromptOverride(this.#system?.text);
        this.#system = text === undefined ? undefined : { text };
      }
      if (appendSystemPromptOverride !== undefined)
        this.#appended = appendSystemPromptOverride(this.#appended.map(({ text }) => text)).map((text) => ({ text }));
    }
  }
  return { DefaultResourceLoader };
}

/** Reads a prompt that is given as a text or as the path of a file. */
function textOf(given: string): Text {
  const text = given.includes("\n") ? undefined : textAt(given);
  return text === undefined ? { text: given } : { text, path: given };
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
