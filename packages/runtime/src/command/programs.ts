/** How a program takes the text that it runs. */
export interface Interpreter {
  readonly language: "shell" | "python" | "javascript" | "other";
  /** Options, by letter or name, whose next word is the text to run. */
  readonly code: RegExp;
  /** Options that take a word that is not a program. */
  readonly valued: RegExp;
  /** Options that take a file or a module that is loaded before the program. */
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

/** How a program reads code, if that is what it does. */
export function interpreterOf(program: string): Interpreter | undefined {
  return INTERPRETERS.find(([names]) => names.test(program))?.[1];
}

/** Programs that rules that allow look through. Source: code.claude.com/docs/en/permissions, "Wrappers". */
export const LOOKED_THROUGH: ReadonlySet<string> = new Set(["timeout", "time", "nice", "nohup", "stdbuf"]);

/** Programs after which a shell may have ended, or may run otherwise. */
export const ENDERS: ReadonlySet<string> = new Set(
  "exit return exec break continue set eval . source kill trap shopt readonly ulimit enable logout suspend".split(" "),
);

/** Variables whose value a shell or a program runs as a command. */
export const TEXT_VARIABLES =
  /^(?:PS4|PROMPT_COMMAND|BASH_ENV|ENV|(?:GIT_)?(?:EDITOR|PAGER|SEQUENCE_EDITOR|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|GIT_SSH|VISUAL|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SUDO_EDITOR|FCEDIT|RSYNC_RSH|CVS_RSH|RUSTC(?:_WORKSPACE)?_WRAPPER|TAR_OPTIONS|HG_?EDITOR|GIT_CONFIG_VALUE_\d+)$/;

/** Programs that decide by themselves what they start: their words do not show it. */
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

/** Variables that make a program load what they name. */
export const LOADING: ReadonlySet<string> = new Set(
  (
    "PATH NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5LIB PERL5OPT RUBYLIB RUBYOPT LUA_PATH LUA_INIT " +
    "LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES ZDOTDIR MAKEFILES BUNDLE_GEMFILE GIT_CONFIG GIT_CONFIG_GLOBAL " +
    "GIT_CONFIG_SYSTEM NPM_CONFIG_USERCONFIG npm_config_userconfig"
  ).split(" "),
);

/** Options by which programs that are no interpreters here take a file that they run. */
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

/** Options by which programs go to a folder, with what is attached to them. */
export const FOLDER_OPTIONS: readonly (readonly [programs: RegExp, option: RegExp])[] = [
  [/^g?env$/, /^(?:-C|--chdir)(?:=?(.*))$/],
  [/^(?:sudo|doas)$/, /^(?:-D|--chdir)(?:=?(.*))$/],
  [/^(?:g?make|git|tar|ninja|cmake)$/, /^(?:-C|--directory)(?:=?(.*))$/],
  [/^(?:npm|pnpm|yarn|bun|npx)$/, /^(?:-C|--prefix|--cwd|--dir)(?:=?(.*))$/],
  [/^just$/, /^(?:-d|--working-directory)(?:=?(.*))$/],
  [/^uv$/, /^(?:--directory|--project)(?:=?(.*))$/],
];

/** Modules of Python's own that `-m` runs: those that run a program in their words, and others. */
export const KNOWN_MODULES: ReadonlyMap<string, "starts" | "own"> = new Map([
  ...["pdb", "cProfile", "profile", "trace", "runpy", "coverage"].map((name) => [name, "starts"] as const),
  ...(
    "json http venv ensurepip site sysconfig platform timeit calendar base64 gzip zipfile tarfile uuid ast tokenize dis " +
    "compileall py_compile webbrowser encodings this antigravity quopri sqlite3 random secrets hashlib inspect locale mimetypes pip"
  )
    .split(" ")
    .map((name) => [name, "own"] as const),
]);
