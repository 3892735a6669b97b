/** How a program takes the text that it runs. */
export interface Interpreter {
  readonly language: "shell" | "python" | "javascript" | "other";
  /** Options, by letter or name, whose next word is the text to run. */
  readonly code: RegExp;
  /** Options that take a word that is not a program. */
  readonly valued: RegExp;
}

const SHELL: Interpreter = {
  language: "shell",
  code: /^-[a-zA-Z]*c[a-zA-Z]*$/,
  valued: /^[-+][oO]$|^--(?:rcfile|init-file)$/,
};
const PYTHON: Interpreter = { language: "python", code: /^-[a-zA-Z]*c$/, valued: /^-[WX]$/ };
const NODE: Interpreter = {
  language: "javascript",
  code: /^(?:-e|-p|-pe|--eval|--print)$/,
  valued: /^(?:-C|--conditions|--title|--allow-\S+)$/,
};
const OTHER: Interpreter = { language: "other", code: /^-[a-zA-Z]*[eEr]$/, valued: /^$/ };

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:ba|da|z|k|a|mk)?sh$/, SHELL],
  [/^python[\d.]*$|^pypy[\d.]*$/, PYTHON],
  [/^(?:node|nodejs|tsx|ts-node)$/, NODE],
  [/^(?:ruby|perl|php|lua|luajit|Rscript|tclsh|pwsh|fish|osascript|groovy|java|wish|guile|racket)[\d.]*$/, OTHER],
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
  /^(?:PS4|PROMPT_COMMAND|BASH_ENV|ENV|(?:GIT_)?(?:EDITOR|PAGER|SEQUENCE_EDITOR|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|GIT_SSH|VISUAL|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SUDO_EDITOR|FCEDIT|RSYNC_RSH|CVS_RSH|TAR_OPTIONS|HG_?EDITOR)$/;

/** Programs that decide by themselves what they start: their words do not show it. */
export const DECIDERS: ReadonlySet<string> = new Set(
  (
    "make gmake npm pnpm yarn npx pnpx bunx bun deno just task mise rake cargo gradle gradlew mvn mvnw ant tox nox inv invoke " +
    "pytest pre-commit lefthook cmake ctest ninja bazel docker podman docker-compose direnv eslint prettier jest vitest mocha " +
    "webpack vite rollup gulp grunt turbo nx bundle bundler composer go dotnet uvx pipx uv poetry hatch pdm rye nix nix-shell " +
    "husky lint-staged tsc swift zig meson buck2 pants sbt lein mix rebar3"
  ).split(" "),
);

/** Variables that make a program load or start what they name. */
export const LOADING: ReadonlySet<string> = new Set(
  (
    "PATH BASH_ENV ENV NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5LIB PERL5OPT RUBYLIB RUBYOPT LUA_PATH " +
    "LUA_INIT LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND PAGER EDITOR SHELL"
  ).split(" "),
);
