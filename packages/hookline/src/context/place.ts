import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, readText, replaceText } from "@hookline/ground/system";
import { dropOldOutputs } from "../cache/store.ts";
import { type ContextPaths, contextPaths, homePaths } from "./home.ts";
import { checkContextName, contextNameOf, isContextName } from "./name.ts";
import {
  type ContextState,
  changeState,
  isOver,
  readState,
  withActivity,
  withCurrent,
  withoutContext,
} from "./state.ts";

/** The number of days for which a cached output is kept: one more than in chibi. */
const CACHE_DAYS = 8;

/** chibi's home on disk: its contexts, the current one, and the files that contexts share. */
export class ContextPlace {
  readonly home: string;
  readonly #now: () => number;

  constructor(home: string, now: () => number = Date.now) {
    this.home = home;
    this.#now = now;
  }

  state(): ContextState {
    return readState(this.home);
  }

  paths(name: string): ContextPaths {
    return contextPaths(this.home, name);
  }

  /** Returns the paths of the context that a letter is for, which need not exist. Throws for an invalid name. */
  inbox(name: string): ContextPaths {
    checkContextName(name);
    return this.paths(name);
  }

  /** Whether a context exists, that is, has a folder. */
  exists(name: string): boolean {
    return existsSync(this.paths(name).folder);
  }

  /** All contexts by name, sorted bytewise. */
  names(): string[] {
    const { contexts } = homePaths(this.home);
    try {
      const folders = readdirSync(contexts, { withFileTypes: true });
      return folders.flatMap((entry) => (entry.isDirectory() && isContextName(entry.name) ? [entry.name] : [])).sort();
    } catch {
      return [];
    }
  }

  /** Resolves a person's request to the name of a context; throws an error for the person. */
  resolve(request: string, previous: string | undefined): string {
    const exists = (name: string): boolean => this.exists(name);
    return contextNameOf(request, { previous, now: new Date(this.#now()), exists });
  }

  /** Creates a context's folder, and makes the context current unless it is `transient`. */
  use(name: string, { transient }: { readonly transient: boolean }): void {
    makePrivateDirectory(this.paths(name).folder);
    if (!transient) changeState(this.home, (state) => withActivity(withCurrent(state, name), name, this.#seconds()));
  }

  /** Records that a context was used now. */
  touch(name: string): void {
    changeState(this.home, (state) => withActivity(state, name, this.#seconds()));
  }

  /** Returns the expired contexts, except the current one and those in `kept`. */
  over(kept: readonly string[]): string[] {
    const { contexts, current } = this.state();
    return contexts.flatMap((entry) =>
      entry.name !== current && !kept.includes(entry.name) && isOver(entry, this.#seconds()) ? [entry.name] : [],
    );
  }

  /** Removes a context with its whole folder. */
  destroy(name: string): void {
    rmSync(this.paths(name).folder, { recursive: true, force: true });
    changeState(this.home, (state) => withoutContext(state, name));
  }

  /** Returns the model's notes that apply in all contexts. */
  reflection(): string {
    return readText(homePaths(this.home).reflection);
  }

  saveReflection(text: string): void {
    replaceText(homePaths(this.home).reflection, text);
  }

  /** Returns chibi's text for the beginning of the system prompt; empty if there is none. */
  opening(): string {
    return readText(homePaths(this.home).opening);
  }

  /** Removes outdated cached outputs of all contexts. */
  dropOldOutputs(): void {
    for (const name of this.names()) dropOldOutputs(join(this.paths(name).toolCache), CACHE_DAYS, this.#now());
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }
}
