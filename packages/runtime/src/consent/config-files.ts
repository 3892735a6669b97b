import { join } from "node:path";
import type { Files } from "@hookline/ground";
import { packageIn } from "./javascript.ts";

/** The files and texts that a program runs because of the project's configuration files. */
export interface Configured {
  /** The project's configuration files that the program reads. */
  readonly files: readonly string[];
  /** Shell texts in these files that the program runs. */
  readonly texts: readonly string[];
  /** Whether the program also runs things that cannot be read from these files. */
  readonly runsMore: boolean;
  /** Whether an approval covers the files by itself, so that a person need not bind them (`--bind`). */
  readonly isCovered?: boolean;
}

/** A row of the table. `file#text` in `files` means: only if the file contains the text. */
type Row = readonly [programs: RegExp, files: string, runsMore?: "runs more"];

const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;

/**
 * Programs that read from files of the project what to run. An empty list of files means that the files have no fixed
 * names.
 */
const ROWS: readonly Row[] = [
  [MANAGERS, "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs bunfig.toml"],
  [/^(?:npx|pnpx|bunx)$/, ".npmrc"],
  [/^bun FILE$/, "bunfig.toml"],
  [/^deno FILE$/, "deno.json deno.jsonc"],
  [/^g?make$/, "GNUmakefile makefile Makefile"],
  [/^deno$/, "deno.json deno.jsonc", "runs more"],
  [/^just$/, "justfile Justfile .justfile", "runs more"],
  [/^task$/, "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml", "runs more"],
  [/^mise$/, "mise.toml .mise.toml", "runs more"],
  [/^rake$/, "Rakefile rakefile Rakefile.rb", "runs more"],
  [/^(?:inv|invoke)$/, "tasks.py"],
  [/^pre-commit$/, ".pre-commit-config.yaml", "runs more"],
  [/^lefthook$/, "lefthook.yml .lefthook.yml", "runs more"],
  [
    /^(?:husky|lint-staged)$/,
    ".lintstagedrc .lintstagedrc.json lint-staged.config.js package.json#lint-staged",
    "runs more",
  ],
  [/^direnv$/, ".envrc"],
  [
    /^eslint$/,
    "eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yml .eslintrc.yaml package.json#eslintConfig",
  ],
  [
    /^prettier$/,
    '.prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierrc.js .prettierrc.cjs .prettierrc.mjs .prettierrc.toml prettier.config.js prettier.config.mjs prettier.config.cjs prettier.config.ts package.json#"prettier":',
  ],
  [/^(?:tsc|vue-tsc)$/, "tsconfig.json"],
  [
    /^stylelint$/,
    'stylelint.config.js stylelint.config.mjs stylelint.config.cjs .stylelintrc .stylelintrc.js .stylelintrc.cjs .stylelintrc.mjs .stylelintrc.json .stylelintrc.yml .stylelintrc.yaml package.json#"stylelint":',
  ],
  [/^rubocop$/, ".rubocop.yml"],
  [/^phpstan$/, "phpstan.neon phpstan.neon.dist phpstan.dist.neon"],
  [/^psalm$/, "psalm.xml psalm.xml.dist"],
  [/^golangci-lint$/, ".golangci.yml .golangci.yaml .golangci.toml .golangci.json"],
  [
    /^markdownlint(?:-cli2)?$/,
    ".markdownlint.cjs .markdownlint-cli2.jsonc .markdownlint-cli2.cjs .markdownlint-cli2.mjs",
  ],
  [
    /^commitlint$/,
    "commitlint.config.js commitlint.config.mjs commitlint.config.ts .commitlintrc.js .commitlintrc.json .commitlintrc.yml",
  ],
  [/^sphinx-build$/, "conf.py docs/conf.py doc/conf.py docs/source/conf.py", "runs more"],
  [/^mkdocs$/, "mkdocs.yml", "runs more"],
  [
    /^(?:webpack|vite|rollup|gulp|grunt)$/,
    "webpack.config.js vite.config.js vite.config.ts rollup.config.js rollup.config.mjs gulpfile.js Gruntfile.js",
    "runs more",
  ],
  // Without any of these files, uv runs nothing of the project: it takes packages only from the network.
  [/^uv$/, "pyproject.toml uv.toml setup.py", "runs more"],
  [/^bundler?$/, "Gemfile gems.rb", "runs more"],
  [/^ruff$/, "ruff.toml .ruff.toml pyproject.toml#[tool.ruff"],
  [/^black$/, "pyproject.toml#[tool.black"],
  [/^isort$/, ".isort.cfg setup.cfg#isort pyproject.toml#[tool.isort"],
  [/^mypy$/, "mypy.ini .mypy.ini setup.cfg#mypy pyproject.toml#[tool.mypy"],
  [/^flake8$/, ".flake8 setup.cfg#flake8 tox.ini#flake8"],
  [/^pylint$/, ".pylintrc pylintrc pyproject.toml#[tool.pylint"],
];

/** Matches sub-commands that only print and run nothing of the project. */
const IDLE =
  /^(?:--version|-[vV]|--help|-h|help|version|ls|list|view|info|show|config|root|prefix|bin|outdated|why|whoami|ping|env|fmt|metadata|ps|images|logs|inspect)$/;

/**
 * Finds what a program runs because of configuration in one of these folders; `undefined` if it reads no configuration
 * of the project.
 */
export function configured(
  program: string,
  words: readonly string[],
  folders: readonly string[],
  files: Files,
): Configured | undefined {
  const [first = ""] = words.filter((word) => !/^-[CF-]|^--(?:prefix|cwd|dir|filter|silent|quiet)/.test(word));
  if (IDLE.test(words[0] ?? "") || IDLE.test(first)) return undefined;
  if (program === "node --run") return scriptsIn(folders, words[0] ?? "", files);
  const row = ROWS.find(([programs]) => programs.test(program));
  if (row === undefined) return { files: [], texts: [], runsMore: true };
  const [, names, runsMore] = row;
  const found = folders.flatMap((folder) =>
    names.split(" ").flatMap((name) => {
      const [file = "", text] = name.split(/#(.*)/s);
      const path = join(folder, file);
      if (files.stat(path)?.kind !== "file") return [];
      const isMeant = text === undefined || new TextDecoder().decode(files.read(path)).includes(text);
      return isMeant ? [path] : [];
    }),
  );
  if (found.length === 0) return undefined;
  const { texts } = MANAGERS.test(program) ? scriptsIn(folders, scriptOf(words), files) : { texts: [] };
  return { files: found, texts, runsMore: runsMore !== undefined };
}

/** Returns the script that a package manager is told to run, or that a sub-command runs automatically. */
function scriptOf(words: readonly string[]): string {
  const [sub = "", name = ""] = words.filter((word) => !word.startsWith("-"));
  return /^run(?:-script)?$/.test(sub)
    ? name
    : /^(?:t|tst)$/.test(sub)
      ? "test"
      : /^(?:i|ci)$/.test(sub)
        ? "install"
        : sub;
}

function scriptsIn(folders: readonly string[], name: string, files: Files): Configured {
  const found = folders.filter((folder) => files.stat(join(folder, "package.json"))?.kind === "file");
  const texts = found.flatMap((folder) => {
    const scripts = packageIn(folder, files)?.["scripts"];
    if (typeof scripts !== "object" || scripts === null) return [];
    const own = scripts as Readonly<Record<string, unknown>>;
    return [`pre${name}`, name, `post${name}`, ...(name === "install" ? ["prepare"] : [])].flatMap((one) =>
      Object.hasOwn(own, one) && typeof own[one] === "string" ? [own[one]] : [],
    );
  });
  return { files: found.map((folder) => join(folder, "package.json")), texts, runsMore: false, isCovered: true };
}

const SECTION = /^\s*\[\s*([^\]"\s]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const RUN =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy|attributesfile)|include(?:if)?\..*|alias\..*|pager\..*|(?:diff|merge|filter|credential|gpg|mergetool|difftool|remote|uploadpack|sequence|interactive|browser|man|trailer|ssh|sendemail|hook)\..*(?:external|command|textconv|driver|clean|smudge|process|helper|program|cmd|path|editor|difffilter|receivepack|uploadpack|vcs|proxy))$/;

/** Returns the settings in `.git/config` that name programs which git runs, one a line. */
export function programsOfGit(root: string, files: Files): string {
  const bytes = files.read(join(root, ".git", "config"));
  const lines =
    bytes === undefined
      ? []
      : new TextDecoder()
          .decode(bytes)
          .replaceAll(/\\\r?\n/g, "")
          .split(/\r?\n/);
  let section = "";
  const found = lines.flatMap((line) => {
    const head = SECTION.exec(line);
    if (head !== null) section = [head[1]?.toLowerCase(), head[2]].filter((part) => part !== undefined).join(".");
    const [, key = "", value = ""] =
      /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(head === null ? line : line.slice(head[0].length)) ?? [];
    const name = `${section}.${key.toLowerCase()}`;
    return key !== "" && RUN.test(name.toLowerCase()) && !/^(?:true|false)$/.test(value.trim())
      ? [`${name} = ${value.trim()}`]
      : [];
  });
  return found.sort().join("\n");
}

const WITH_HOOKS = /^(?:commit|push|merge|rebase|am|checkout|switch|pull|cherry-pick|revert|worktree|gc|clone)$/;

/** Returns the folder with the hooks that a git command runs, if it contains any. */
export function hooksOfGit(root: string, words: readonly string[], files: Files): string | undefined {
  if (!words.some((word) => WITH_HOOKS.test(word))) return undefined;
  const config = new TextDecoder().decode(files.read(join(root, ".git", "config")));
  const given = words.find((word) => /^(?:-c)?core\.hookspath=/i.test(word))?.replace(/^[^=]*=/, "");
  const moved = given ?? /^\s*hookspath\s*=\s*(.+?)\s*$/im.exec(config)?.[1];
  const folder = join(root, moved ?? ".git/hooks");
  return (files.list(folder) ?? []).some(({ name }) => !name.endsWith(".sample")) ? folder : undefined;
}

/** Returns the recipes of a makefile as a shell text. Variables count as computed, unless a plain text is assigned. */
export function recipesOf(makefile: string): string {
  const joined = makefile.replaceAll(/\\\r?\n/g, " ");
  const values = new Map(
    [...joined.matchAll(/^(\w+)\s*[:?]?=\s*([^$\n]*?)\s*$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const filled = (text: string): string =>
    text
      .replaceAll(/\$\$/g, "\0")
      .replaceAll(/\$[({](\w+)[)}]/g, (_, name: string) => values.get(name) ?? '"$_"')
      .replaceAll(/\$[({]shell ([^)}]*)[)}]/g, "$($1)")
      .replaceAll(/\$[@<^?*+]|\$[({][^)}]*[)}]/g, '"$_"')
      .replaceAll("\0", "$");
  return joined
    .split(/\r?\n/)
    .flatMap((line) => {
      const included = /^[-s]?include\s+(.+)$/.exec(line)?.[1];
      if (included !== undefined) return [`. ${filled(included)}`];
      const recipe = /^\t[@+-]*(.*)$/.exec(line)?.[1] ?? /^[^#\t=]+:[^=;]*;\s*(.*)$/.exec(line)?.[1];
      if (recipe !== undefined) return [filled(recipe)];
      return [...line.matchAll(/\$[({]shell ([^)}]*)[)}]/g)].map(([, text = ""]) => filled(text));
    })
    .join("\n");
}
