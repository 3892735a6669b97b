import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { globOf } from "@hookline/runtime/command";
import { bytesOf, pathOf } from "../undo/bytes.ts";
import { repositoryOf } from "../undo/repository.ts";
import { Discards } from "./discards.ts";
import type { Discard, Effect, NamedPath, Search } from "./effect.ts";
import { isDisk } from "./files.ts";
import { files, type Grounds, isAtRisk, isBelow, type Loss, listed, lossOf } from "./loss.ts";
import { expanded, filesBelow, isRebuilt, realOf, whatIs } from "./places.ts";
import type { Repositories } from "./repository.ts";

/** Top folders whose loss would destroy a machine or an account. */
const SYSTEM =
  /^\/(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Applications|Library|Volumes|private|nix|snap)?(?:\/\*|\/?)$|^\/(?:home|Users)\/[^/]+\/?$|^\/(?:usr|var)\/(?:lib|bin|local|share|log)\/?$/;

/** Matches the paths of caches below a home folder, such as `/.cache/pip`. */
const CACHES =
  /^\/(?:\.cache\/.|\.npm\/_|\.cargo\/(?:registry|git)\/|\.gradle\/caches|\.m2\/repository|\.yarn\/cache|\.pnpm-store|\.bun\/install\/cache|\.nuget\/packages|\.local\/share\/Trash|\.local\/share\/pnpm\/store|Library\/(?:Caches|Developer\/Xcode\/DerivedData)\/|go\/pkg\/mod|\.deno|\.terraform\.d\/plugin-cache)/;

/** Determines what a command's effects would destroy, from the files and repositories that they name. */
export class Losses {
  readonly #on: Grounds;
  readonly #repositories: Repositories;
  readonly #discards: Discards;

  constructor(on: Grounds, repositories: Repositories) {
    this.#on = on;
    this.#repositories = repositories;
    this.#discards = new Discards(on, repositories);
  }

  /** Returns what an effect would lose; empty if nothing. */
  async of(effect: Effect): Promise<readonly Loss[]> {
    switch (effect.kind) {
      case "delete":
        return this.#each(effect.targets, (target) => this.#deleted(target, effect.isRecursive));
      case "overwrite":
        return this.#each(effect.targets, (target) => this.#overwritten(target, effect.by));
      case "write":
        return [];
      case "mode":
        return this.#each(effect.targets, (target) => Promise.resolve(this.#moded(target)));
      case "search":
        return this.#searched(effect.search);
      case "repository":
        return this.#repository(effect.folder, effect.discards);
      case "outside":
        return [
          {
            level: effect.isRefused === true ? "refuse" : "ask",
            would: "",
            does: effect.loses,
            evidence: [],
            instead: effect.instead ?? "Ask a person to run it.",
            where: "elsewhere",
          },
        ];
      default:
        return [
          {
            level: "ask",
            would: `run or delete something that is not known: ${effect.what}`,
            evidence: [effect.word],
            instead: "Write the word out.",
            where: "unknown",
          },
        ];
    }
  }

  async #each(
    targets: readonly NamedPath[],
    of: (target: NamedPath) => Promise<Loss | undefined>,
  ): Promise<readonly Loss[]> {
    const found: Loss[] = [];
    for (const target of targets) {
      const loss = await of(target);
      if (loss !== undefined) found.push(loss);
    }
    return found;
  }

  /** Whether a path is in the project, or in a folder that counts as the project. */
  isInside(path: string): boolean {
    return [this.#on.project, ...this.#on.outside].some((folder) => path === folder || path.startsWith(`${folder}/`));
  }

  /** Whether a path is in a temporary folder, but not in one that holds the project, nor in the home. */
  isTemporary(path: string): boolean {
    if (
      /^\/dev\/(?:null|zero|full|stdout|stderr|stdin|tty|fd\/|tcp\/|udp\/|pts\/|shm\/.)/.test(path) ||
      /^\/proc\/self\/fd\//.test(path)
    )
      return true;
    const { home, temp } = this.#on;
    const isHome = temp.includes(home) ? path.startsWith(`${home}/.`) : path === home || path.startsWith(`${home}/`);
    if (isHome) return false;
    return temp.some((folder) => {
      if (!path.startsWith(`${folder}/`)) return false;
      const first = path.slice(folder.length + 1).split("/")[0] ?? "";
      if (/^\*+$/.test(first)) return false;
      return !this.#on.project.startsWith(`${folder}/${first}/`) && this.#on.project !== `${folder}/${first}`;
    });
  }

  /** Whether a path is in one of the person's caches. */
  isCache(path: string): boolean {
    return path.startsWith(`${this.#on.home}/`) && CACHES.test(path.slice(this.#on.home.length));
  }

  #isSystem(path: string): boolean {
    const { home, project } = this.#on;
    const folder = path.replace(/\/\.?\*+$/, "") || "/";
    return (
      SYSTEM.test(folder) ||
      folder === home ||
      home.startsWith(`${folder}/`) ||
      (project.startsWith(`${folder}/`) && SYSTEM.test(folder))
    );
  }

  #unknown({ path }: NamedPath, verb: string): Loss {
    return {
      level: "ask",
      would: `${verb} files that are not known: the text computes \`${path}\``,
      evidence: [path],
      instead: "Write the path out.",
      where: "unknown",
    };
  }

  async #deleted(target: NamedPath, isRecursive: boolean): Promise<Loss | undefined> {
    if (!target.isKnown) {
      const last = target.path.replaceAll('"', "").replace(/\/+$/, "").split("/").slice(1);
      const isSafe =
        last.some((name) => isRebuilt(name, false)) || /\.(?:tmp|pyc|log|bak\.tmp|lock)"?$/.test(target.path);
      return isSafe ? undefined : this.#unknown(target, "delete");
    }
    const written = target.path;
    if (isRecursive && this.#isSystem(written))
      return {
        level: "refuse",
        would: `delete ${written}, a folder of this machine or of this person`,
        evidence: [written],
        instead: "Name the files in the project.",
        where: "elsewhere",
      };
    const path = realOf(written, false);
    if (!this.isInside(path)) return this.#away(path, written, isRecursive, "delete");
    if (
      isRecursive &&
      (path === this.#on.project || this.#on.project.startsWith(`${path}/`) || /(?:^|\/)\.git$/.test(path))
    )
      return existsSync(join(path, ".git")) || path.endsWith(".git") ? this.#history(path) : this.#risk([path]);
    if (target.isPattern) {
      const all = expanded(path);
      if (all === undefined) return this.#unknown({ ...target, path: written }, "delete");
      if (isRecursive && all.some((one) => /\/\.git$/.test(one))) return this.#history(path);
      return this.#risk(all.filter((one) => isRecursive || whatIs(one) !== "folder"));
    }
    if (!isRecursive && whatIs(path) === "folder") return undefined;
    return this.#risk([path]);
  }

  #history(path: string): Loss {
    return {
      level: "refuse",
      would: "delete a repository with its whole history",
      evidence: [path],
      instead: "Delete only what `git status` shows.",
      where: "elsewhere",
    };
  }

  #away(path: string, written: string, isRecursive: boolean, verb: "delete" | "overwrite"): Loss | undefined {
    if (this.isTemporary(path) || this.isCache(path) || this.#on.isAllowed(this.named(path))) return undefined;
    if (isRecursive && this.#isSystem(path))
      return {
        level: "refuse",
        would: `${verb} ${path}, a folder of this machine or of this person`,
        evidence: [path],
        instead: "Name the files in the project.",
        where: "elsewhere",
      };
    return {
      level: "ask",
      would: `${verb} ${written}, which is outside the project`,
      evidence: [path],
      instead: "Keep to the project's files, or to a temporary folder.",
      where: "elsewhere",
    };
  }

  /** Formats a path for a person: relative to the project, with `~`, or absolute. */
  named(path: string): string {
    const { project, home } = this.#on;
    const isOwn = home !== project && !home.startsWith(`${project}/`);
    if (isOwn && path === project) return ".";
    if (isOwn && path.startsWith(`${project}/`)) return path.slice(project.length + 1);
    return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  }

  async #overwritten(target: NamedPath, by: string): Promise<Loss | undefined> {
    if (!target.isKnown)
      return /^(?:truncate|shred|dd|python|perl|ruby|node)\b/.test(by) ? this.#unknown(target, "overwrite") : undefined;
    if (isDisk(target.path))
      return {
        level: "refuse",
        would: `overwrite the disk ${target.path}`,
        evidence: [target.path],
        instead: "Write to a file.",
        where: "elsewhere",
      };
    const path = realOf(target.path, true);
    if (!this.isInside(path)) return this.#away(path, target.path, false, "overwrite");
    const all = target.isPattern ? (expanded(path) ?? []) : [path];
    return this.#risk(
      all.filter((one) => whatIs(one) === "file"),
      "overwrite",
    );
  }

  #moded(target: NamedPath): Loss | undefined {
    if (!target.isKnown) return undefined;
    const path = realOf(target.path, true);
    if (this.#isSystem(target.path))
      return {
        level: "refuse",
        would: `change the modes of everything in ${target.path}`,
        evidence: [path],
        instead: "Name the files in the project.",
        where: "elsewhere",
      };
    if (this.isInside(path) || this.isTemporary(path) || this.isCache(path)) return undefined;
    return {
      level: "ask",
      would: `change ${target.path}, which is outside the project`,
      evidence: [path],
      instead: "Keep to the project's files.",
      where: "elsewhere",
    };
  }

  /** Returns the loss of those files and folders of the project that exist nowhere else. */
  async #risk(paths: readonly string[], verb: "delete" | "overwrite" = "delete"): Promise<Loss | undefined> {
    const existing = paths.filter((path) => !/^(?:nothing|other)$/.test(whatIs(path)));
    if (existing.length === 0) return undefined;
    const lost: string[] = [];
    for (const path of existing) {
      if (isRebuilt(this.named(path), false, this.#on.rebuildable)) continue;
      const kind = whatIs(path);
      if (kind === "empty") continue;
      const found = await this.#riskOf(path, kind === "folder");
      if (found === undefined)
        return {
          level: "ask",
          would: `${verb} ${this.named(path)}, and git cannot say whether it is kept elsewhere`,
          evidence: [path],
          instead: "Name fewer files.",
          where: "project",
          of: [files(existing)],
        };
      lost.push(...found);
    }
    return this.#onlyCopies(verb, lost, existing);
  }

  #onlyCopies(verb: string, lost: readonly string[], paths: readonly string[]): Loss | undefined {
    if (lost.length === 0) return undefined;
    const would = `${verb} ${listed(lost)}, which exist${lost.length === 1 ? "s" : ""} nowhere else`;
    return lossOf(would, lost, files(paths));
  }

  async #riskOf(path: string, isFolder: boolean, isSearch = false): Promise<readonly string[] | undefined> {
    const repository = await this.#repositories.at(isFolder ? path : dirname(path));
    const inner = repository?.inside(path);
    if (repository === undefined || inner === undefined) {
      const files = isFolder ? filesBelow(path)?.map((file) => `${path}/${file}`) : [path];
      return files
        ?.filter((file) => !isRebuilt(this.named(file), false, this.#on.rebuildable) && whatIs(file) !== "empty")
        .map((file) => this.named(file));
    }
    if (isFolder && !isSearch && repository.top === path && !(await this.#isLinked(path)))
      return [`${this.named(path)} (a repository)`];
    const entries = await repository.status();
    return entries
      ?.filter((entry) => isBelow(entry.path, inner) && isAtRisk(entry, repository.top, this.#on.rebuildable))
      .map((entry) => entry.path);
  }

  /** Whether a folder is a submodule or linked work tree without edits; its commits are kept elsewhere. */
  async #isLinked(path: string): Promise<boolean> {
    const own = await this.#repositories.at(path);
    if (whatIs(join(path, ".git")) !== "file" || own === undefined) return false;
    return ((await own.status()) ?? [{}]).length === 0;
  }

  async #searched({ roots, names, without, onlyEmpty }: Search): Promise<readonly Loss[]> {
    if (onlyEmpty) return [];
    const found: Loss[] = [];
    const patterns = names.map((name) =>
      name.includes("/") ? { base: undefined, whole: globOf(name, "any") } : { base: globOf(name), whole: undefined },
    );
    const left = without.map((name) => globOf(name, "any"));
    const isAll = names.length === 0 || names.includes("*") || names.includes("");
    const isTaken = (path: string): boolean =>
      !left.some((glob) => glob.test(path)) &&
      (isAll ||
        patterns.some(({ base, whole }) =>
          base === undefined ? whole?.test(path) === true : path.split("/").some((part) => base.test(part)),
        ));
    for (const root of roots) {
      if (!root.isKnown) {
        if (!names.some((name) => isRebuilt(name, true)) || isAll) found.push(this.#unknown(root, "delete"));
        continue;
      }
      const path = realOf(root.path, true);
      const isOnlyCaches = names.length > 0 && names.every((name) => isRebuilt(name.replaceAll("*", "x"), false));
      if (this.#isSystem(path) && !(isOnlyCaches && path === this.#on.home)) {
        found.push({
          level: "refuse",
          would: `delete files everywhere below ${path}`,
          evidence: [path],
          instead: "Search only in the project.",
          where: "elsewhere",
        });
        continue;
      }
      if (!this.isInside(path)) {
        const loss = isOnlyCaches ? undefined : this.#away(path, root.path, true, "delete");
        if (loss !== undefined) found.push(loss);
        continue;
      }
      const isGit =
        existsSync(join(path, ".git")) &&
        isAll &&
        !left.some((glob) => glob.test(`${path}/.git/x`) || glob.test(".git/x") || glob.test("./.git/x"));
      if (isGit) {
        found.push(this.#history(join(path, ".git")));
        continue;
      }
      const risk = await this.#riskOf(path, true, true);
      const lost = risk?.filter((file) =>
        file.endsWith("/")
          ? isAll || (filesBelow(join(this.#on.project, file)) ?? [file]).some((one) => isTaken(`./${file}${one}`))
          : isTaken(`./${file}`),
      );
      const loss = lost === undefined ? this.#unknown(root, "delete") : this.#onlyCopies("delete", lost, [path]);
      if (loss !== undefined) found.push(loss);
    }
    return found;
  }

  async #repository(folder: NamedPath, discards: readonly Discard[]): Promise<readonly Loss[]> {
    if (!folder.isKnown) {
      const isHeavy = discards.some(({ what }) => !/^(?:checkout|hooks|index|replaced)$/.test(what));
      return isHeavy ? [this.#unknown(folder, "discard")] : [];
    }
    let path = folder.path;
    // If the folder does not exist yet, an earlier command must create it, so nothing in it can be lost.
    if (whatIs(path) !== "folder") return [];
    path = realOf(path, true);
    const repository = await this.#repositories.workedOn(path);
    if (repository === undefined) return unreadIn(path, discards);
    const where = this.isInside(repository.top) ? "project" : "elsewhere";
    const found: Loss[] = [];
    for (const discard of discards) {
      const loss = await this.#discards.of(repository, path, discard);
      if (loss !== undefined)
        found.push(where === "project" ? loss : { ...loss, where: loss.where === "project" ? where : loss.where });
    }
    return this.isTemporary(repository.top)
      ? found.filter(({ level, where: at }) => level === "refuse" || at === "elsewhere")
      : found;
  }
}

/** Returns the losses in a repository that git cannot read, because it is broken or git is missing. */
function unreadIn(path: string, discards: readonly Discard[]): readonly Loss[] {
  const found = repositoryOf(bytesOf(path));
  if (found === undefined || discards.length === 0) return [];
  const folder = pathOf(found.top).toString();
  const all = [files([folder]), { kind: "repository", folder } as const];
  return [lossOf("discard what the repository has, and git cannot say what that is", [folder], all)];
}
