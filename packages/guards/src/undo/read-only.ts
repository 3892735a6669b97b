import { baseOf, type CommandReader, type CommandWord, knownOf, type ReadCommand } from "@hookline/runtime/command";

const words = (text: string): readonly string[] => text.split(" ");

/** Programs that change nothing in a project, whatever their arguments are. */
const PURE: ReadonlySet<string> = new Set([
  ...words(
    ": true false [ [[ test echo printf pwd cd pushd popd dirs type hash exit return break continue wait let shift",
  ),
  ...words("cat tac head tail wc nl cut paste join comm cmp strings od hexdump base32 base64 md5sum sha1sum sha224sum"),
  ...words(
    "sha256sum sha384sum sha512sum shasum b2sum cksum sum stat ls dir vdir du df basename dirname realpath readlink",
  ),
  ...words(
    "which whereis whatis apropos grep egrep fgrep zgrep zcat bzcat xzcat rev tr fold fmt expand unexpand column",
  ),
  ...words("seq expr nproc uptime free uname whoami id groups users who w tty printenv sleep arch getconf locale"),
  ...words("ps pgrep pidof lsof lsblk lscpu cal numfmt tsort factor jq nm size"),
]);

/** Programs that change nothing unless an argument matches; all of their arguments must be known. */
const UNLESS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  fd: /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)/,
  sort: /^(?:-[a-zA-Z]*o|--o|--c|-[a-zA-Z]*T|--t)/,
  rg: /^--(?:pre|hostname-bin)/,
  tree: /^(?:-[a-zA-Z]*o|-R|--output)/,
  diff: /^--output/,
  date: /^(?:-[a-zA-Z]*s|--s)/,
  hostname: /^[^-]|^-[a-zA-Z]*[bF]|^--file/,
  file: /^(?:-[a-zA-Z]*[Cm]|--compile|--magic)/,
  yq: /^(?:-[a-zA-Z]*[is]|--inplace|--split)/,
  env: /./,
};

/** Programs that change nothing if their whole arguments match. */
const ONLY: readonly (readonly [programs: RegExp, line: RegExp])[] = [
  // A file name after the script is only read; a script with other commands may write files or run programs.
  [/^sed$/, /^-n (?:-e )?(?:\d+|\$)(?:,(?:\d+|\$))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$))?p)*(?: [^- ][^ ]*)*$/],
  [/^uniq$/, /^(?:-[cdiuz]+ ?)*$/],
  [
    /^(?:node|npm|npx|pnpm|yarn|bun|deno|python[\d.]*|pip3?|ruby|perl|php|go|cargo|rustc|gcc|clang|make|cmake|tsc|java|docker|kubectl)$/,
    /^(?:--version|-v|-V|-version)$/,
  ],
  [/^go$/, /^(?:version|env)$/],
  [/^npm$/, /^(?:ls|list)(?: (?:-g|--all|--depth=\d+|--json|--depth \d+))*$/],
  [/^command$/, /^-[vV] \S+$/],
];

/** Subcommands of git that change nothing if their whole arguments match. */
const GIT: readonly (readonly [commands: RegExp, line: RegExp])[] = [
  [
    /^(?:status|log|show|shortlog|describe|blame|annotate|rev-parse|rev-list|ls-files|ls-tree|cat-file|merge-base|name-rev)$/,
    /^/,
  ],
  [
    /^(?:show-ref|show-branch|for-each-ref|whatchanged|cherry|count-objects|check-ignore|check-attr|var|version|help)$/,
    /^/,
  ],
  [/^(?:diff|diff-tree|diff-index|diff-files|range-diff)$/, /^/],
  [/^grep$/, /^(?!.*(?:^| )(?:-[a-zA-Z]*O|--open))/],
  [
    /^branch$/,
    /^(?:(?:-[arv]+|--(?:all|remotes|list|show-current|verbose|sort=\S+|format=[^ ]+)|--(?:contains|merged|no-merged)(?: \S+)?)(?: |$))*$/,
  ],
  [/^tag$/, /^(?:$|(?:-l|--list|-n\d*)(?: [^- ]\S*)*$)/],
  [/^remote$/, /^(?:-v|get-url \S+|show -n \S+)?$/],
  [/^stash$/, /^(?:list|show)(?: |$)/],
  [/^config$/, /^(?:--(?:global|local|system) )?(?:--get|--get-all|--get-regexp|-l|--list)(?: \S+)*$/],
  [/^reflog$/, /^(?:show.*|)$/],
  [/^worktree$/, /^list(?: --porcelain)?$/],
  [/^submodule$/, /^status(?: --recursive)?$/],
  [/^notes$/, /^(?:list|show)(?: |$)/],
];

/** Programs that only start another one, which is judged separately. */
const RUNNERS: ReadonlySet<string> = new Set(words("timeout time nice stdbuf command builtin"));

/** Matches the names of variables that no program reads: those in lower case. */
const UNHEARD = /^[a-z][a-z0-9_]*$/;

/** Targets of redirections that store nothing. */
const NOWHERE = /^\/dev\/(?:null|stdout|stderr|tty|fd\/[12])$/;

/**
 * Whether a shell text certainly changes nothing in a project, so that it needs no checkpoint. Only programs in the
 * tables count, and only by their plain names or from the system's folders.
 */
export function readOnly(text: string, reader: CommandReader): boolean {
  const { commands, redirected, assigned, loaded, isRead } = reader.read(text);
  if (!isRead || loaded.length > 0 || !assigned.every((name) => UNHEARD.test(name))) return false;
  const isHarmless = redirected.every(
    ({ values, isWritten }) => !isWritten || (values?.length === 1 && NOWHERE.test(values[0]?.text ?? "")),
  );
  return isHarmless && commands.every(changesNothing);
}

function changesNothing({
  certainty,
  words: [first, ...args],
  hasAssignments,
  isRunner,
  through,
}: ReadCommand): boolean {
  if (certainty !== "certain" || first === undefined || hasAssignments) return false;
  const program = knownOf(first);
  const name = baseOf(first) ?? "";
  if (program === undefined || !/^(?:\/(?:usr\/)?s?bin\/)?[^/]+$/.test(program)) return false;
  if (isRunner) return RUNNERS.has(name);
  // Runners that are not in `RUNNERS` may add unknown arguments to the command.
  if (!through.every((runner) => RUNNERS.has(runner.split("/").at(-1) ?? ""))) return false;
  if (PURE.has(name)) return true;
  const line = known(args);
  if (line === undefined) return false;
  const unless = Object.hasOwn(UNLESS, name) ? UNLESS[name] : undefined;
  if (unless !== undefined) return !line.some((word) => unless.test(word));
  if (name === "git") return isReadOnlyGit(line);
  return ONLY.some(([programs, whole]) => programs.test(name) && whole.test(line.join(" ")));
}

function isReadOnlyGit(line: readonly string[]): boolean {
  let at = 0;
  for (; line[at]?.startsWith("-") === true; at += 1)
    if (line[at] === "-C") at += 1;
    else if (!/^(?:--no-pager|-P|--version|--no-optional-locks)$/.test(line[at] ?? "")) return false;
  const [command, ...rest] = line.slice(at);
  if (command === undefined) return line.includes("--version");
  // With these options git writes a file, or runs a program.
  if (rest.some((word) => /^--(?:output|ext-diff|textconv|filters|exec|upload-pack)/.test(word))) return false;
  return GIT.some(([commands, whole]) => commands.test(command) && whole.test(rest.join(" ")));
}

/** Returns the words as text; `undefined` if one is not fully known. A pattern counts as known. */
function known(args: readonly CommandWord[]): string[] | undefined {
  const texts = args.map((word) => (word.values?.length === 1 ? word.values[0]?.text : undefined));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
