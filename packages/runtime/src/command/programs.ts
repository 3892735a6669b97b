/** The options by which an interpreter receives the program that it runs. */
export interface Interpreter {
  readonly language: "shell" | "python" | "javascript" | "other";
  /** Options, by letter or name, whose next word is the text to run. */
  readonly code: RegExp;
  /** Options whose next word is a value and not the program. */
  readonly valued: RegExp;
  /** Options whose next word is a file or module to load before the program. */
  readonly loads: RegExp;
}

const NOTHING = /^$/;

const SHELL: Interpreter = {
  language: "shell",
  code: /^-[a-zA-Z]*c[a-zA-Z]*$/,
  valued: /^[-+][oO]$/,
  loads: /^--(?:rcfile|init-file)$/,
};
const PYTHON: Interpreter = { language: "python", code: /^-[a-zA-Z]*c$/, valued: /^-[WX]$/, loads: NOTHING };
const NODE: Interpreter = {
  language: "javascript",
  code: /^(?:-e|-p|-pe|--eval|--print)$/,
  valued: /^(?:-C|--conditions|--title|--allow-fs-\w+)$/,
  loads: /^(?:-r|--(?:require|import|loader|experimental-loader|env-file|env-file-if-exists))$/,
};
const OTHER: Interpreter = {
  language: "other",
  code: /^-[a-zA-Z]*[eEr]$/,
  valued: /^-[dC]$/,
  loads: /^(?:-f|--require)$/,
};

const PWSH: Interpreter = { language: "other", code: /^-c(?:ommand)?$/i, valued: NOTHING, loads: /^-f(?:ile)?$/i };
const JAVA: Interpreter = {
  language: "other",
  code: NOTHING,
  valued: NOTHING,
  loads: /^-(?:jar|cp|classpath)$|^--class-path$/,
};

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:r?ba|da|z|k|a|mk|c|tc|fi)?sh$/, SHELL],
  [/^python[\d.]*$|^pypy[\d.]*$/, PYTHON],
  [/^(?:node|nodejs|tsx|ts-node)$/, NODE],
  [/^(?:ruby|perl|php|lua|luajit|Rscript|tclsh|osascript|groovy|wish|guile|racket)[\d.]*$/, OTHER],
  [/^(?:pwsh|powershell)$/, PWSH],
  [/^java$/, JAVA],
];

/** Returns how a program reads code; `undefined` if it is no interpreter. */
export function interpreterOf(program: string): Interpreter | undefined {
  return INTERPRETERS.find(([names]) => names.test(program))?.[1];
}

/**
 * Wrappers that do not count when a rule that allows a command is compared: a rule for `npm test` allows `timeout 5 npm
 * test` too. Source: code.claude.com/docs/en/permissions, "Wrappers".
 */
export const LOOKED_THROUGH: ReadonlySet<string> = new Set(["timeout", "time", "nice", "nohup", "stdbuf"]);

/** Commands after which a shell may have ended or may behave differently. */
export const ENDERS: ReadonlySet<string> = new Set(
  "exit return exec break continue set eval . source kill trap shopt readonly ulimit enable logout suspend".split(" "),
);

/** Variables whose value a shell or a program runs as a command. */
export const TEXT_VARIABLES =
  /^(?:PS4|PROMPT_COMMAND|BASH_ENV|ENV|(?:GIT_)?(?:EDITOR|PAGER|SEQUENCE_EDITOR|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|GIT_SSH|VISUAL|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SUDO_EDITOR|FCEDIT|RSYNC_RSH|CVS_RSH|RUSTC(?:_WORKSPACE)?_WRAPPER|TAR_OPTIONS|HG_?EDITOR|GIT_CONFIG_VALUE_\d+)$/;

/** Programs whose words do not show what they start, because a configuration decides that. */
export const DECIDERS: ReadonlySet<string> = new Set(
  (
    "make gmake npm pnpm yarn npx pnpx bunx bun deno just task mise rake cargo gradle gradlew mvn mvnw ant tox nox inv invoke " +
    "pytest pre-commit lefthook cmake ctest ninja bazel docker podman docker-compose direnv eslint prettier jest vitest mocha " +
    "webpack vite rollup gulp grunt turbo nx bundle bundler composer go dotnet uvx pipx uv poetry hatch pdm rye nix nix-shell " +
    "stylelint rubocop phpstan psalm phpunit rspec playwright cypress ava tap commitlint sphinx-build mkdocs alembic rails puma " +
    "gunicorn uvicorn flask celery markdownlint markdownlint-cli2 next nuxt astro storybook typedoc babel parcel tailwindcss postcss " +
    "svelte-check vue-tsc pip pip3 ansible-playbook terraform pulumi golangci-lint semantic-release graphql-codegen prisma " +
    "husky lint-staged tsc unittest black ruff mypy flake8 pylint isort swift zig meson buck2 pants sbt lein mix rebar3"
  ).split(" "),
);

/** Variables that make a program load the file that they name. */
export const LOADING: ReadonlySet<string> = new Set(
  (
    "PATH NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5LIB PERL5OPT RUBYLIB RUBYOPT LUA_PATH LUA_INIT " +
    "LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES ZDOTDIR MAKEFILES BUNDLE_GEMFILE GIT_CONFIG GIT_CONFIG_GLOBAL " +
    "GIT_CONFIG_SYSTEM NPM_CONFIG_USERCONFIG npm_config_userconfig"
  ).split(" "),
);

/** Options that name a file to run, for programs that are not in the list of interpreters. */
export const FILE_OPTIONS: readonly (readonly [programs: RegExp, options: RegExp])[] = [
  [/^[gmn]?awk$/, /-f|--file|-i|--include|-l|--load|-E|--exec/],
  [/^g?sed$/, /-[nErsuz]*f|--file/],
  [/^enable$/, /-f/],
  [/^sqlite3$/, /-init/],
  [/^(?:jq|yq)$/, /-f|--from-file/],
  [/^g?make$/, /-f|--file|--makefile/],
  [/^just$/, /-f|--justfile/],
  [/^(?:expect|psql)$/, /-f|--file/],
  [/^(?:n?vim?|ex)$/, /-S|-u|-s/],
  [/^gdb$/, /-x/],
  [/^(?:eslint|prettier|jest|vitest|mocha|webpack|vite|rollup|tsc)$/, /-c|--config|-p|--project/],
];

/** Options that change a program's working folder. The group holds a folder in the same word, as in `-C/tmp`. */
export const FOLDER_OPTIONS: readonly (readonly [programs: RegExp, option: RegExp])[] = [
  [/^g?env$/, /^(?:-C|--chdir)(?:=?(.*))$/],
  [/^(?:sudo|doas)$/, /^(?:-D|--chdir)(?:=?(.*))$/],
  [/^(?:g?make|git|tar|ninja|cmake)$/, /^(?:-C|--directory)(?:=?(.*))$/],
  [/^(?:npm|pnpm|yarn|bun|npx)$/, /^(?:-C|--prefix|--cwd|--dir)(?:=?(.*))$/],
  [/^just$/, /^(?:-d|--working-directory)(?:=?(.*))$/],
  [/^uv$/, /^(?:--directory|--project)(?:=?(.*))$/],
];

/** Modules that `python -m` runs: `starts` if they run the script in their arguments, as `pdb` does, else `own`. */
export const KNOWN_MODULES: ReadonlyMap<string, "starts" | "own"> = new Map([
  ...["pdb", "cProfile", "profile", "trace", "runpy", "coverage"].map((name) => [name, "starts"] as const),
  ...(
    "json http venv ensurepip site sysconfig platform timeit calendar base64 gzip zipfile tarfile uuid ast tokenize dis " +
    "compileall py_compile webbrowser encodings this antigravity quopri sqlite3 random secrets hashlib inspect locale mimetypes pip"
  )
    .split(" ")
    .map((name) => [name, "own"] as const),
]);
