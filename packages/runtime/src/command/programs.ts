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

/** Programs that start the command in their words, and their options that take a word. */
export const WRAPPERS: ReadonlyMap<string, RegExp> = new Map([
  ["env", /^(?:-u|-C|--unset|--chdir)$/],
  ["timeout", /^(?:-k|-s|--kill-after|--signal)$/],
  ["nice", /^(?:-n|--adjustment)$/],
  ["ionice", /^-[cnp]$/],
  ["stdbuf", /^-[ioe]$/],
  ["sudo", /^-[ughpCDRTU]$/],
  ["doas", /^-[uC]$/],
  ["exec", /^-a$/],
  ["xargs", /^(?:-[adEILlnPs]|--max-args|--max-procs|--delimiter|--arg-file)$/],
  ["flock", /^(?:-w|-E|--timeout)$/],
  ["script", /^-[TIOB]$/],
  ["watch", /^(?:-n|--interval)$/],
  ["strace", /^-[eopsuEP]$/],
  ["su", /^-[gGs]$/],
  ...[
    "noglob nohup setsid command builtin time chronic unbuffer busybox coproc caffeinate unshare nsenter chroot parallel eatmydata",
  ]
    .flatMap((names) => names.split(" "))
    .map((name) => [name, /^$/] as const),
]);

/** Programs that decide by themselves what they start: their words do not show it. */
export const RUNNERS: ReadonlySet<string> = new Set(
  (
    "make gmake npm pnpm yarn npx pnpx bunx bun deno just task mise rake cargo gradle gradlew mvn mvnw ant tox nox inv invoke " +
    "pytest pre-commit lefthook cmake ctest ninja bazel docker podman docker-compose direnv eslint prettier jest vitest mocha " +
    "webpack vite rollup gulp grunt turbo nx bundle bundler composer go dotnet uvx pipx uv poetry hatch pdm rye nix nix-shell " +
    "husky lint-staged tsc swift zig meson buck2 pants sbt lein mix rebar3"
  ).split(" "),
);

/** Programs that only show or compare their words: a program's name among them starts nothing. */
export const SHOWS: ReadonlySet<string> = new Set(
  (
    "echo printf grep egrep fgrep rg test [ [[ jq cat ls cd which type command-not-found mkdir rm touch cp mv ln chmod sed tr cut " +
    "sort uniq head tail wc basename dirname realpath readlink export local declare readonly typeset set shift return exit " +
    "break continue true false : read unset kill wait date git logger notify-send tee diff cmp hash"
  ).split(" "),
);

/** Variables that make a program load or start what they name. */
export const LOADING: ReadonlySet<string> = new Set(
  (
    "PATH BASH_ENV ENV NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5LIB PERL5OPT RUBYLIB RUBYOPT LUA_PATH " +
    "LUA_INIT LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND PAGER EDITOR SHELL"
  ).split(" "),
);
