import {
  baseOf,
  type CommandReader,
  type CommandWord,
  type ReadCommand,
  type Reading,
} from "@hookline/runtime/command";
import { isFed } from "../word/fed.ts";
import { scriptsOf } from "../word/scripts.ts";
import { valuesOf } from "../word/values.ts";
import { argsOf, joined, Paths, shown, textOf, worded } from "./args.ts";
import type { CatalogueRow } from "./catalogue.ts";
import { awkWrites, Code, codeLoses, losesData } from "./code.ts";
import type { Discard, Effect, Found, NamedPath } from "./effect.ts";
import { filesOf, isDisk, searchOf } from "./files.ts";
import { discardsOf, gitOf } from "./git.ts";
import { rowOf } from "./match.ts";
import { realOf, whatIs } from "./places.ts";

/** The folders, catalogue rows and functions with which a shell text is judged. */
export interface Ground {
  readonly reader: CommandReader;
  readonly cwd: string;
  readonly home: string;
  readonly added: readonly CatalogueRow[];
  /** Reads a file of the project that a command runs; `undefined` if there is none, or it is too large. */
  read(path: string): string | undefined;
}

const DEEPEST = 3;

/** Programs that run the words after them on another machine, or in a container with its own files. */
const ELSEWHERE =
  /^(?:ssh|autossh|mosh|docker|podman|nerdctl|docker-compose|podman-compose|kubectl|oc|multipass|limactl|lxc|incus|machinectl|adb|tsh|tailscale|vagrant|fly|flyctl|gcloud|aws|az|doctl|heroku|ansible|chroot|arch-chroot|systemd-nspawn|schroot|lxc-attach|wsl)$/;

/** Matches a `cd` or `pushd` whose failure does not stop the commands after it, as in `cd build; rm -rf *`. */
const GOES_ON = /\b(?:cd|pushd)\b[^;&|\n]{0,300}(?:;|\n|\|\|\s*(?:true|:))/;
/** Matches commands that may create the folder for a later `cd`, or that make a failing `cd` end the script. */
const MAKES =
  /\b(?:set -\w*e|errexit|mkdir|mktemp|clone|init|create|worktree|tar|unzip|cp|mv|rsync|npx|npm|cargo|install)\b/;
/** Variables that turn off a repository's git hooks. */
const NO_HOOKS = /\b(?:HUSKY=0|HUSKY_SKIP_HOOKS=(?:1|true)|LEFTHOOK=(?:0|false)|SKIP=[\w,-]{1,200})(?=[\s;&])/;

/** A text in which git runs a command in each submodule. */
const IN_SUBMODULES = /\bsubmodule\b.*\bforeach\b/;

/** Programs that print settings for a person's shell to evaluate, as in `eval "$(direnv hook bash)"`. */
const PRINTS_SETUP =
  /[$]\(\s*(?:[\w.~/"${}-]*\/)?(?:ssh-agent|gpg-agent|direnv|pyenv|rbenv|nodenv|goenv|jenv|brew|starship|zoxide|mise|rtx|fnm|opam|dircolors|minikube|docker-machine|kubectl|gh|helm|keychain|conda|micromamba|mamba|luarocks|aws|register-python-argcomplete|lesspipe|poetry|pdm|pip|npm|uv|rustup|atuin|mcfly|thefuck|hub|fzf|dbus-launch|resize|flyctl|step|op|vault|hookline|chamber|sops|gcloud|podman|colima|asdf|volta|guix)\b/;

/** Returns the effects of a shell text that may lose something, in their order in the text. */
export function effectsOf(text: string, ground: Ground, depth = 0): readonly Effect[] {
  const reading = ground.reader.read(text);
  return new Effects(reading, text, ground, depth).all();
}

class Effects {
  readonly #reading: Reading;
  readonly #text: string;
  readonly #ground: Ground;
  readonly #depth: number;
  readonly #found: Effect[] = [];
  /** Files that the shell text moves, by their new paths. */
  readonly #moved = new Map<string, readonly NamedPath[]>();
  #goesOn: boolean | undefined;
  /** Whether the shell text has rewritten commits, or stashed edits, so far. */
  #isRewritten = false;
  #isStashed = false;
  /** Files that the shell text downloads. */
  readonly #fetched = new Set<string>();

  constructor(reading: Reading, text: string, ground: Ground, depth: number) {
    this.#reading = reading;
    this.#text = text;
    this.#ground = ground;
    this.#depth = depth;
  }

  all(): readonly Effect[] {
    if (/(^|[\s;])([\w:.]+)\s*\(\)\s*\{[^}]*\2\s*\|\s*\2\s*&/.test(this.#text))
      this.#add(this.#text.slice(0, 40), [{ kind: "outside", loses: "starts processes without end", isRefused: true }]);
    const { commands } = this.#reading;
    const calls = new Set(
      commands.filter(({ isDefinition }) => !isDefinition).map(({ words: [first] }) => textOf(first)),
    );
    const isOpen = commands.some(
      ({ isDefinition, words: [first] }) => !isDefinition && first !== undefined && baseOf(first) === undefined,
    );
    for (const command of commands) {
      if (command.isDefinition && !isOpen) continue;
      this.#command(command, calls);
      for (const folder of this.#foldersWithout(command.folder)) this.#command({ ...command, folder }, calls);
    }
    for (const file of this.#reading.redirected) {
      if (!file.isWritten || (file.isDefinition && !isOpen)) continue;
      if (file.through.some((name) => ELSEWHERE.test(name))) continue;
      const places = [file.folder, ...this.#foldersWithout(file.folder)].map((folder) => this.#paths(folder));
      const targets = (valuesOf(file) ?? []).flatMap(({ text, isPattern }) =>
        places.map((paths) => paths.at(text, isPattern)),
      );
      const disks = targets.filter(({ path }) => isDisk(path));
      if (disks.length > 0)
        this.#add(`> ${disks[0]?.path}`, [{ kind: "outside", loses: "would overwrite a disk", isRefused: true }]);
      if (targets.length > 0)
        this.#add(`> ${valuesOf(file)?.[0]?.text}`, [{ kind: file.keeps ? "write" : "overwrite", targets }]);
    }
    return this.#found;
  }

  /**
   * Returns the folders in which a command runs if a `cd` before it fails, because its folder does not exist, and the
   * text goes on: for `cd a; cd b` these are `b` and the folder of the text.
   */
  #foldersWithout(folder: string | undefined): readonly string[] {
    this.#goesOn ??= GOES_ON.test(this.#text) && !MAKES.test(this.#text);
    if (folder === undefined || folder === "" || !this.#goesOn) return [];
    const { path, isKnown } = this.#paths(folder).folder;
    if (!isKnown || whatIs(realOf(path, true)) === "folder") return [];
    const parts = folder.startsWith("/") || folder.startsWith("~") ? [] : folder.split("/").slice(1);
    return [...parts.map((_, at) => parts.slice(at).join("/")), ""];
  }

  #add(by: string, found: readonly Found[]): void {
    for (const one of found) {
      const more = one.kind === "delete" || one.kind === "overwrite" ? this.#before(one.targets) : [];
      this.#found.push({
        ...one,
        ...(more.length > 0 && "targets" in one && { targets: [...one.targets, ...more] }),
        by,
      } as Effect);
    }
  }

  /** Returns the files that an earlier command moved to the targets: `mv a b; rm b` loses `a` too. */
  #before(targets: readonly NamedPath[]): readonly NamedPath[] {
    if (this.#moved.size === 0) return [];
    return targets.flatMap(({ path }) =>
      [...this.#moved].flatMap(([to, from]) =>
        `${path}/`.startsWith(`${to}/`) || `${to}/`.startsWith(`${path}/`) ? from : [],
      ),
    );
  }

  #paths(folder: string | undefined): Paths {
    const { cwd, home } = this.#ground;
    return new Paths(folder === undefined ? undefined : joined(cwd, folder === "" ? "." : folder, home), home);
  }

  #command(command: ReadCommand, calls: ReadonlySet<string>): void {
    const [first] = command.words;
    const name = first === undefined ? undefined : baseOf(first);
    if (name !== undefined && name !== "") this.#named(command, name, calls);
    else {
      const before = this.#found.length;
      const likely = likelyName(first);
      if (likely !== undefined) this.#named(command, likely, calls);
      if (this.#found.length === before) this.#computed(command);
    }
  }

  /** Finds the effects of a command by its program's name. */
  #named(command: ReadCommand, name: string, calls: ReadonlySet<string>): void {
    const { words, through } = command;
    const [first, ...args] = words;
    const by = shown(command);
    if (command.certainty === "unknown" && !/^(?:rm|git|dd|shred|mkfs.*)$/.test(name)) return;
    const away = through.find((one) => ELSEWHERE.test(one));
    if (away !== undefined) {
      this.#elsewhere(command, name, away);
      return;
    }
    const paths = this.#paths(command.folder);
    if (name === "git") this.#git(args, paths, by, through.includes("git") && IN_SUBMODULES.test(this.#text));
    else {
      const found = filesOf(name, args, paths, command.fedBy);
      const written = found.flatMap((one) => (one.kind === "write" ? one.targets : []));
      const isFound = /^(?:g?find|fd(?:find)?)$/.test(through.at(-1) ?? "");
      // In `find … -exec rm {}`, the effect of `find` covers the files that `{}` stands for: leave them out here.
      const own = isFound
        ? found.filter(
            (one) => !("targets" in one) || one.targets.some(({ path }) => !path.includes("{}") && path !== ""),
          )
        : found;
      this.#add(by, isFed(command) ? own.flatMap((one) => this.#fed(one, command, paths)) : own);
      if (/^g?mv$/.test(name))
        for (const one of found.flatMap((one) => (one.kind === "overwrite" ? one.targets : [])))
          this.#moved.set(one.path, written);
    }
    const row = rowOf(words, this.#ground.added);
    if (row !== undefined)
      this.#add(by, [
        {
          kind: "outside",
          loses: row.loses,
          ...(row.instead !== undefined && { instead: row.instead }),
          ...(row.isRefused === true && { isRefused: true }),
        },
      ]);
    if (/^(?:curl|wget)$/.test(name)) {
      const { valued } = argsOf(args, "oOHXdFubAeTmwxKcPUt output output-document header request data");
      for (const key of ["o", "output", "O", "output-document"])
        if (valued.has(key)) this.#fetched.add(textOf(valued.get(key)));
    }
    const runsFile = /^(?:ba|da|z|k)?sh$|^source$|^\.$/.test(name)
      ? args.map(textOf).find((text) => !text.startsWith("-"))
      : textOf(first);
    if (runsFile !== undefined && this.#fetched.has(runsFile))
      this.#add(by, [{ kind: "unknown", word: runsFile, what: "The text runs what it fetches" }]);
    this.#data(command, name, by);
    this.#code(command, name, args, paths, by);
    this.#scripts(command, name, paths, calls);
  }

  /** Finds the effects of a command whose program is computed, as in `$X -rf .`. */
  #computed(command: ReadCommand): void {
    const [first, ...args] = command.words;
    const { word = first?.text ?? "", reason = "" } = command;
    if (/^(?:computes the file that it sources|is given to)/.test(reason)) return;
    if (/^(?:runs as a command in other shells|holds a text that bash may evaluate|evaluates a variable)/.test(reason))
      return;
    const filled = /^["']?\$\{?(\w+)/.exec(first?.text ?? "")?.[1];
    // Values from `read`, and words that a changed IFS splits, cannot be followed, so the program is unknown.
    const fills = String.raw`\b(?:read|mapfile|readarray)\b[^;|&\n]{0,80}\b${filled}\b[^;\n]{0,80}<|(?:^|[;&\n])\s{0,80}IFS=\S{0,20}\s{0,9}[;&\n]`;
    if (filled !== undefined && this.#text.length < 20_000 && new RegExp(fills).test(this.#text)) {
      this.#add(shown(command), [{ kind: "unknown", word: first?.text ?? "", what: `The text ${reason}` }]);
      return;
    }
    const isText = args.length === 0 && first?.text === "";
    if (isText) {
      if (
        PRINTS_SETUP.test(word) ||
        /^(?:sets a program that git runs|uses an option|gives \w+ very many|is started through|sets a variable that programs)/.test(
          reason,
        )
      )
        return;
      if (
        /<\(\s*(?:kubectl|helm|gh|npm|docker|pip|poetry|rustup|minikube|kind|k3d|argocd|flux|oc|deno|op|aws_completer|\w+ completion)/.test(
          word,
        )
      )
        return;
      if (reason.startsWith("passes a makefile") && command.input !== undefined) return;
      if (/passes .* on its input/.test(reason) && !this.#isFedByCode(command)) return;
      this.#add(shown(command), [
        {
          kind: "unknown",
          word: word === "" ? (command.through.at(-1) ?? "a shell") : word,
          what: `The text ${reason}`,
        },
      ]);
      return;
    }
    if (args.length === 0 && /^"?\$(?:[@*]|\{[@*]\})"?$/.test(first?.text ?? "")) {
      this.#add(shown(command), [{ kind: "unknown", word: first?.text ?? "", what: "The text runs its own words" }]);
      return;
    }
    const texts = args.map(textOf);
    const isDestructive = texts.some((text) =>
      /^-(?:[a-zA-Z]*[rR][a-zA-Z]*f|[a-zA-Z]*f[a-zA-Z]*[rR])[a-zA-Z]*$|^--(?:recursive|force|hard|delete|no-preserve-root)$|^(?:delete|destroy|drop|purge|remove|prune|rm|-delete|terminate|flushall)$|^of=/.test(
        text,
      ),
    );
    const isShellText = texts.some((text) => /(?:^|[\s;])(?:rm|dd|mkfs|shred|unlink)\s/.test(text));
    const isBare = /^["']?\$\(|^`/.test(first?.text ?? "") && args.some((word) => valuesOf(word) === undefined);
    const isPattern =
      first !== undefined && valuesOf(first) === undefined && /[*?[]/.test(first?.text ?? "") && args.length > 0;
    if (isDestructive || isShellText || isBare || isPattern)
      this.#add(shown(command), [{ kind: "unknown", word, what: `The text ${reason}` }]);
  }

  /** Whether a command's input is a pipe or a file, which may hold code for it to run. */
  #isFedByCode({ fedBy, from }: ReadCommand): boolean {
    return fedBy !== undefined || from !== undefined;
  }

  /** Judges a command that runs on another machine or in a container, where nothing can be inspected. */
  #elsewhere(command: ReadCommand, name: string, away: string): void {
    const [, ...args] = command.words;
    const by = shown(command);
    const paths = new Paths(
      command.folder === undefined
        ? undefined
        : joined("/elsewhere", command.folder === "" ? "." : command.folder, "/home/elsewhere"),
      "/home/elsewhere",
    );
    const row = rowOf(command.words, this.#ground.added);
    if (row !== undefined) this.#add(by, [{ kind: "outside", loses: row.loses }]);
    const found = name === "git" ? [] : filesOf(name, args, paths);
    const isLost = found.some(
      (one) =>
        one.kind === "search" ||
        (one.kind === "outside" && one.isRefused === true) ||
        (one.kind === "delete" &&
          one.targets.some(
            ({ path, isKnown }) =>
              !isKnown ||
              !/^\/(?:tmp|var\/tmp|var\/cache|dev\/null)(?:\/|$)|(?:node_modules|__pycache__|\.cache|dist|build|target)\/?$/.test(
                path,
              ),
          )) ||
        (one.kind === "overwrite" && /^(?:truncate|shred|dd)$/.test(name)),
    );
    if (isLost)
      this.#add(by, [{ kind: "outside", loses: `deletes files through ${away}, where nothing can be looked at` }]);
    if (name === "git") {
      const { sub, rest } = gitOf(args);
      if (discardsOf(sub, rest).some(({ what }) => !/^(?:checkout|hooks|replaced)$/.test(what)))
        this.#add(by, [{ kind: "outside", loses: `discards what a repository has, through ${away}` }]);
    }
    this.#data(command, name, by);
  }

  /**
   * Returns an effect of a program that `xargs` or `parallel` starts. If it deletes the files that `find` or `git
   * ls-files` lists through the pipe, the effect is on those files.
   */
  #fed(found: Found, { fedBy }: ReadCommand, paths: Paths): readonly Found[] {
    const [first, ...words] = fedBy ?? [];
    const name = first === undefined ? "" : (baseOf(first) ?? "");
    if (found.kind !== "delete" || found.targets.every(({ isKnown }) => isKnown)) return [found];
    if (/^g?find$|^fd(?:find)?$/.test(name)) return [{ kind: "search", search: searchOf(name, words, paths) }];
    const sub = name === "git" ? gitOf(words).sub : "";
    if (sub === "ls-files") {
      const { flags } = argsOf(gitOf(words).rest, "xX exclude");
      if (flags.has("o") || flags.has("others"))
        return [
          {
            kind: "repository",
            folder: paths.folder,
            discards: [
              {
                what: "untracked",
                paths: "all",
                ignored: flags.has("i") ? "only" : flags.has("exclude-standard") ? "kept" : "too",
              },
            ],
          },
        ];
      return [
        { kind: "repository", folder: paths.folder, discards: [{ what: "edits", paths: "all", includesIndex: false }] },
      ];
    }
    return [found];
  }

  #git(args: readonly CommandWord[], paths: Paths, by: string, isInSubmodules: boolean): void {
    const { folders, settings, sub, rest } = gitOf(args);
    let folder: NamedPath = paths.folder;
    for (const one of folders)
      folder =
        one === "" || !folder.isKnown
          ? { ...folder, isKnown: false }
          : new Paths(folder.path, this.#ground.home).at(one);
    const computed = args[args.length - rest.length - 1];
    if (sub === "" && computed !== undefined) {
      const isForced = rest.some((word) => /^(?:--hard|--force|-f|-D|-[a-z]*f[a-z]*d?)$/.test(textOf(word)));
      if (isForced)
        this.#add(by, [{ kind: "unknown", word: computed.text, what: "The text computes the sub-command of git" }]);
      return;
    }
    for (const setting of settings)
      if (/^core\.hookspath=/i.test(setting))
        this.#add(by, [
          {
            kind: "repository",
            folder,
            discards: [{ what: "hooks", names: ["pre-commit", "commit-msg", "pre-push"] }],
          },
        ]);
    if (/^(?:commit|push|merge|rebase|am)$/.test(sub) && NO_HOOKS.test(this.#text))
      this.#add(by, [
        { kind: "repository", folder, discards: [{ what: "hooks", names: ["pre-commit", "commit-msg", "pre-push"] }] },
      ]);
    if (sub === "config") this.#config(rest, paths, by);
    const isFree = settings.some((one) => /^clean\.requireforce=(?:false|no|off|0)$/i.test(one));
    // With this setting, `git gc` first forgets the reflogs.
    const isExpired = settings.some((one) => /^gc\.reflogexpire/i.test(one));
    const own = this.#afterwards(sub, rest, discardsOf(sub, isFree ? [worded("-f"), ...rest] : rest)).map((one) =>
      one.what === "unreachable" && isExpired ? { ...one, isInReflog: true } : one,
    );
    const discards = isInSubmodules && own.length > 0 ? [...own, { what: "trees", each: own } as const] : own;
    if (discards.length > 0) this.#add(by, [{ kind: "repository", folder, discards }]);
    if (sub === "mv" && argsOf(rest).flags.has("f")) this.#add(by, filesOf("mv", rest, paths));
    const { valued } = argsOf(rest, `${/^(?:archive|bundle)$/.test(sub) ? "o" : ""} output`);
    const to = valued.get("output") ?? valued.get("o");
    if (to !== undefined && /^(?:archive|diff|show|log|shortlog|diff-tree)$/.test(sub))
      this.#add(by, [{ kind: "overwrite", targets: paths.of(to) }]);
  }

  /** Accounts for earlier git commands in the text, as in `git stash; git stash drop`, which loses the edits. */
  #afterwards(sub: string, rest: readonly CommandWord[], discards: readonly Discard[]): readonly Discard[] {
    const { flags, operands } = argsOf(rest);
    const isEntry = sub === "stash" && discards.some(({ what }) => what === "stash");
    const found = discards.map((one) =>
      one.what === "push" && this.#isRewritten ? { ...one, push: { ...one.push, isRewritten: true } } : one,
    );
    if (isEntry && this.#isStashed) found.push({ what: "edits", paths: "all", includesIndex: true });
    if (sub === "stash" && /^(?:push|save|)$/.test(textOf(operands[0]))) this.#isStashed = true;
    if (
      sub === "commit" ? flags.has("amend") : sub === "rebase" && !discards.some(({ what }) => what === "resolutions")
    )
      this.#isRewritten = true;
    return found;
  }

  #config(rest: readonly CommandWord[], paths: Paths, by: string): void {
    const { operands, flags } = argsOf(rest, "f file type");
    const words = operands.map(textOf);
    const [key = "", value] = /^(?:set|unset)$/.test(words[0] ?? "") ? words.slice(1) : words;
    const isWritten =
      value !== undefined ||
      words[0] === "unset" ||
      [...flags].some((flag) => /^(?:unset|add|replace|remove|edit)/.test(flag));
    const isGuarded =
      /^(?:core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|worktree)|include(?:if)?\.|url\..*insteadof|credential\.|receive\.deny|safe\.|transfer\.fsck|commit\.gpgsign|gpg\.|filter\..*\.(?:clean|smudge|process)$|diff\.(?:.*\.)?(?:external|command|textconv)$|merge\..*\.driver$|init\.templatedir|http\.sslverify)/i.test(
        key,
      ) ||
      (value ?? "").startsWith("!") ||
      // A pager or an editor that is a plain program name is harmless.
      (/^(?:core\.(?:pager|editor|askpass)|sequence\.editor|pager\.\w+)$/i.test(key) && /[/;|&$`(]/.test(value ?? ""));
    if (isWritten && isGuarded)
      this.#add(by, [{ kind: "mode", targets: [paths.at(flags.has("global") ? "~/.gitconfig" : ".git/config")] }]);
    if (flags.has("remove-section") || flags.has("edit") || flags.has("e"))
      this.#add(by, [{ kind: "mode", targets: [paths.at(flags.has("global") ? "~/.gitconfig" : ".git/config")] }]);
  }

  /** Judges the SQL that a database program runs. */
  #data({ words, input }: ReadCommand, name: string, by: string): void {
    if (
      !/^(?:psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|cockroach|clickhouse-client|snowsql|pgcli|mycli|litecli|isql|sqlplus|trino|presto|hive|beeline|turso|usql|tsql|bcp|athena|spark-sql|impala-shell|osql|pscale|d1)$/.test(
        name,
      )
    )
      return;
    for (const text of [...words.slice(1).map((word) => textOf(word) || word.text), input ?? ""]) {
      const loses = losesData(text) ?? (name === "sqlite3" ? /^\s*\.restore\b/m.exec(text)?.[0] : undefined);
      if (loses === undefined) continue;
      this.#add(by, [
        {
          kind: "outside",
          loses: `runs ${loses} on a database`,
          instead: "Look with `select count(*)` first, in a transaction that is rolled back.",
        },
      ]);
      return;
    }
  }

  #code({ input, fedBy }: ReadCommand, name: string, args: readonly CommandWord[], paths: Paths, by: string): void {
    if (/^[gmn]?awk$/.test(name)) {
      for (const word of args) this.#add(by, awkWrites(textOf(word), paths));
      if (args.some((word) => /\|&?\s*"(?:\/bin\/)?(?:ba|da|z|k)?sh"/.test(textOf(word))))
        this.#add(by, [{ kind: "unknown", word: "sh", what: "The text runs what awk prints" }]);
      return;
    }
    if (!/^(?:python|pypy|node|nodejs|bun|deno|tsx|ts-node|perl|ruby|php|lua|Rscript|julia|elixir)[\d.]*$/.test(name))
      return;
    const codes: string[] = [];
    const at = args.findIndex((word) => /^(?:-\w*[ceEpr]|--eval|--print|-pe)$/.test(textOf(word)));
    if (at >= 0 && args[at + 1] !== undefined) {
      const word = args[at + 1] as CommandWord;
      codes.push(textOf(word) || word.pieces.map((piece) => piece?.[0] ?? "$_").join(""));
    }
    const evaluated = args.map(textOf).find((text) => /^(?:eval|-e.+)$/.test(text));
    if (evaluated !== undefined) codes.push(evaluated === "eval" ? textOf(args.at(-1)) : evaluated.slice(2));
    const file = args.map(textOf).find((text) => text !== "" && !text.startsWith("-"));
    const written =
      at >= 0 || file === undefined ? undefined : this.#reading.written.get(file.replace(/^(?:\.\/)+/, ""));
    if (written !== undefined) codes.push(written);
    if ((file === undefined || args.some((word) => textOf(word) === "-")) && input !== undefined && at < 0)
      codes.push(input);
    const source = textOf(fedBy?.[0]);
    const isFetched =
      codes.length === 0 && at < 0 && file === undefined && /^(?:curl|wget|http|https|xh|fetch)$/.test(source);
    if (
      isFetched ||
      args.some((word) => /^<\(\s*(?:curl|wget)/.test(word.text)) ||
      (file !== undefined && this.#fetched.has(file))
    )
      this.#add(by, [{ kind: "unknown", word: source || by, what: "The text runs what it fetches" }]);
    const inPlace = /^(?:perl|ruby)/.test(name) && args.some((word) => /^-\w*i/.test(textOf(word)));
    if (inPlace) {
      const files = args.filter((word, index) => index > at + 1 && !textOf(word).startsWith("-"));
      // With `-n`, the file keeps only what the code prints, so code that prints nothing empties it.
      const isEmptied = args.some((word) => /^-\w*n/.test(textOf(word))) && !/print|puts|say/.test(codes.join());
      this.#add(by, [{ kind: isEmptied ? "overwrite" : "write", targets: paths.all(files) }]);
    }
    for (const code of codes) {
      this.#add(by, new Code(code, paths).effects());
      const loses = codeLoses(code);
      if (loses !== undefined) this.#add(by, [loses]);
    }
  }

  /** Judges the package scripts and make targets that a command runs, up to `DEEPEST` levels. */
  #scripts({ words, input }: ReadCommand, name: string, paths: Paths, calls: ReadonlySet<string>): void {
    const args = words.slice(1);
    if (this.#depth >= DEEPEST || !paths.folder.isKnown) return;
    const texts = args.map(textOf);
    let folder = paths.folder.path;
    const texted: string[] = [];
    if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) {
      const { operands, valued } = argsOf(args, "CFw prefix filter workspace dir cwd");
      const given = valued.get("prefix") ?? valued.get("C") ?? valued.get("cwd") ?? valued.get("dir");
      if (given !== undefined) folder = new Paths(folder, this.#ground.home).at(textOf(given)).path;
      const names = operands.map(textOf);
      const isRun = /^(?:run|run-script|rum|urn)$/.test(names[0] ?? "");
      const script = isRun
        ? names[1]
        : /^(?:test|start|stop|restart)$/.test(names[0] ?? "") || name !== "npm"
          ? names[0]
          : undefined;
      if (script !== undefined) {
        const scripts = scriptsOf(this.#packageText(`${folder}/package.json`));
        texted.push(...[`pre${script}`, script, `post${script}`].flatMap((one) => scripts.get(one) ?? []));
      }
    } else if (/^g?make$/.test(name)) {
      const { operands, valued, flags } = argsOf(args, "fCjlIoW file directory");
      if (flags.has("n") || flags.has("dry-run") || flags.has("just-print")) return;
      const given = valued.get("C") ?? valued.get("directory");
      if (given !== undefined) folder = new Paths(folder, this.#ground.home).at(textOf(given)).path;
      const named = valued.get("f") ?? valued.get("file");
      const files = named === undefined ? ["GNUmakefile", "makefile", "Makefile"] : [textOf(named)];
      const isInput = /^(?:-|\/dev\/stdin)$/.test(files[0] ?? "");
      const text = isInput
        ? input
        : files
            .map((file) => this.#reading.written.get(file) ?? this.#ground.read(`${folder}/${file}`))
            .find((one) => one !== undefined);
      const targets = operands.map(textOf).filter((word) => !word.includes("="));
      if (text !== undefined) texted.push(...recipes(text, targets));
    }
    for (const text of texted)
      for (const effect of effectsOf(text, { ...this.#ground, cwd: folder }, this.#depth + 1))
        if (!(effect.kind === "unknown" && calls.size === 0))
          this.#found.push({ ...effect, by: `${[name, ...texts].join(" ")} (${effect.by})` });
  }

  #packageText(path: string): string {
    return this.#reading.written.get("package.json") ?? this.#ground.read(path) ?? "";
  }
}

/** Returns the most likely program name if a command's first word is computed, such as `$X`; else `undefined`. */
function likelyName(word: CommandWord | undefined): string | undefined {
  return word?.assumed?.length === 1 ? word.assumed[0]?.text.split("/").at(-1) : undefined;
}

/** Returns the lines that `make` runs for targets and for what they need, with plain variables filled in. */
function recipes(text: string, targets: readonly string[]): readonly string[] {
  const rules = new Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>();
  const variables = new Map<string, string>();
  let current: { readonly lines: string[] } | undefined;
  let first: string | undefined;
  for (const line of text.replaceAll(/\\\n\s*/g, " ").split("\n")) {
    const set = /^(\w+)\s*[:?+]?=\s*(.*)$/.exec(line);
    const rule = /^([^\s:#=][^:=]*):(?!=)\s*([^;]*)(?:;(.*))?$/.exec(line);
    if (line.startsWith("\t")) current?.lines.push(line.trim());
    else if (set !== null) variables.set(set[1] ?? "", set[2] ?? "");
    else if (rule !== null) {
      const one = { needs: (rule[2] ?? "").split(/\s+/), lines: rule[3] === undefined ? [] : [rule[3].trim()] };
      for (const name of (rule[1] ?? "").split(/\s+/)) {
        if (name !== "" && !name.startsWith(".")) first ??= name;
        rules.set(name, one);
      }
      current = one;
    }
  }
  const seen = new Set<string>();
  const lines: string[] = [];
  const visit = (name: string): void => {
    const rule = rules.get(name);
    if (rule === undefined || seen.has(name)) return;
    seen.add(name);
    for (const need of rule.needs) visit(need);
    lines.push(...rule.lines);
  };
  for (const name of targets.length > 0 ? targets : [first ?? ""]) visit(name);
  return lines.map((line) =>
    line
      .replace(/^[@+-]+/, "")
      .replaceAll(/\$[({](\w+)[)}]/g, (_, name: string) => variables.get(name) ?? `"$${name}"`)
      .replaceAll("$$", "$"),
  );
}
