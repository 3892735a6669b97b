import { unbraced } from "./braces.ts";
import { type Glob, globOf } from "./glob.ts";
import { subcommandOf } from "./options.ts";
import type { ReadCommand, Reading } from "./reading.ts";
import { baseOf, type CommandWord, knownOf, type Value } from "./word.ts";

/** A command that prints or copies everything below the folders in its arguments. */
export interface Walk {
  readonly program: string;
  /** The folders and files that the command walks through, as written. */
  readonly places: readonly Value[];
  /** The folder that `places` are relative to, if an option sets one, as in `tar -C`. */
  readonly from: string | undefined;
  /** Whether the command skips files that ignore files such as `.gitignore` name. */
  readonly skipsIgnored: boolean;
  /** Whether the command skips names that begin with a dot. */
  readonly skipsHidden: boolean;
  /** Whether the command follows symbolic links below the folders in `places`. */
  readonly followsLinks: boolean;
  /**
   * Returns whether the command's options exclude a path. The path is relative to one of `places`; for `rg`, to the
   * working folder.
   */
  leavesOut(path: string, isFolder: boolean): boolean;
  /** Returns the option with which the program would leave out a name, such as `--exclude x`; empty if it has none. */
  advice(name: string, isFolder: boolean): string;
  /** The program to use instead, if the command's own program has no option to exclude a name. */
  readonly instead: string | undefined;
  /** Whether the caller must check files in `places` too: only this check sees that `ls x | xargs cat` reads `x`. */
  readonly isList: boolean;
}

/** How a program matches its exclusions: on a base name, the end of a path, a whole path, or as a glob. */
type Matching = "name" | "path" | "whole" | "glob";

/**
 * One program that walks through folders. Options are written with their dashes; a space at the end marks one that
 * takes an argument.
 */
interface Walker {
  /** Options without which the program does not walk through folders; absent if it always does. */
  readonly walks?: readonly string[];
  /** Options that keep the program from printing contents. */
  readonly never?: readonly string[];
  /** Options that take a value: first the single letters, then long names, as in `ef max-count label`. */
  readonly takes: string;
  /** The number of operands, such as grep's pattern, before the paths to walk. */
  readonly lead?: number;
  /** Options that replace one of the operands before the paths, such as grep's `-e`. */
  readonly leads?: readonly string[];
  /** Whether the last operand is the destination. */
  readonly hasTarget?: true;
  readonly folder?: string;
  /** Whether the program searches the working folder if it is given no path. */
  readonly isHere?: true;
  readonly matching: Matching;
  /** Options that exclude what their argument names: files, folders, or both. */
  readonly out: Readonly<Record<string, "file" | "folder" | "any">>;
  /** Options that include only what their argument names. */
  readonly only?: readonly string[];
  /** Whether the program prints names of files and no contents. */
  readonly lists?: true;
  /** Matches the beginning of an operand that excludes a pattern, as in git's `:!*.md`. */
  readonly excludes?: RegExp;
  /** Options with which the program follows symbolic links; `always` if it needs none. */
  readonly follows?: readonly string[] | "always";
  /** Options that make the program include hidden files; options in `ignored` make it include ignored files. */
  readonly hidden?: readonly string[];
  readonly ignored?: readonly string[];
  advice(name: string, isFolder: boolean): string;
  readonly instead?: string;
}

const rgrep: Walker = {
  follows: ["-R", "--dereference-recursive"],
  never: ["-l", "-L", "-c", "-q", "--files-with-matches", "--files-without-match", "--count", "--quiet", "--silent"],
  takes:
    "efmABCDd regexp file max-count after-context before-context context devices directories include exclude exclude-dir exclude-from color colour label binary-files group-separator",
  lead: 1,
  leads: ["-e", "-f", "--regexp", "--file"],
  isHere: true,
  matching: "name",
  out: { "--exclude": "file", "--exclude-dir": "folder" },
  only: ["--include"],
  advice: (name, isFolder) => `--exclude${isFolder ? "-dir" : ""}=${name}`,
};

const grep: Walker = { ...rgrep, walks: ["-r", "-R", "--recursive", "--dereference-recursive"] };

const rg: Walker = {
  follows: ["-L", "--follow"],
  never: [
    "-l",
    "-c",
    "-q",
    "--files-with-matches",
    "--files-without-match",
    "--count",
    "--count-matches",
    "--quiet",
    "--files",
    "--type-list",
  ],
  takes:
    "efgtTmABCMjrEd regexp file glob iglob type type-not max-count after-context before-context context max-columns threads replace encoding max-depth sort sortr ignore-file color colors engine path-separator pre pre-glob max-filesize type-add type-clear",
  lead: 1,
  leads: ["-e", "-f", "--regexp", "--file"],
  isHere: true,
  matching: "glob",
  out: {},
  hidden: ["--hidden", "-.", "-uu", "--unrestricted-2"],
  ignored: ["-u", "--no-ignore", "--no-ignore-vcs", "--unrestricted", "-uu"],
  advice: (name, isFolder) => `-g '!${name}${isFolder ? "/" : ""}'`,
};

const tar: Walker = {
  follows: ["-h", "-L", "--dereference"],
  walks: ["-c", "-r", "-u", "--create", "--append", "--update"],
  takes:
    "fCXTbgHIKLNV file directory exclude exclude-from files-from blocking-factor listed-incremental format use-compress-program exclude-tag exclude-ignore transform owner group mode mtime newer after-date",
  folder: "-C",
  matching: "path",
  out: { "--exclude": "any" },
  ignored: [],
  advice: (name) => `--exclude=${name}`,
};

/** git searches tracked files, which is treated as searching files that are not ignored. */
const gitGrep: Walker = {
  never: rgrep.never as readonly string[],
  takes: "efmABCO max-count after-context before-context context max-depth threads",
  lead: 1,
  leads: ["-e", "-f"],
  isHere: true,
  matching: "path",
  out: {},
  excludes: /^:(?:[!^]|\(exclude\))/,
  ignored: ["--no-index", "--no-exclude-standard"],
  advice: (name) => `-- ':!${name}'`,
};

const fd: Walker = {
  lists: true,
  takes: "detESxXjc max-depth extension type exclude size exec exec-batch threads color",
  lead: 1,
  isHere: true,
  matching: "name",
  out: { "-E": "any", "--exclude": "any" },
  follows: ["-L", "--follow"],
  hidden: ["-H", "--hidden", "-u", "--unrestricted"],
  ignored: ["-I", "--no-ignore", "-u", "--unrestricted"],
  advice: (name) => `-E ${name}`,
};

const find: Walker = {
  lists: true,
  takes: "",
  isHere: true,
  matching: "name",
  out: {},
  follows: ["-L", "-follow"],
  advice: (name, isFolder) => (isFolder ? `! -path '*/${name}/*'` : `! -name ${name}`),
};

/** Programs that print or copy what is below a folder, or that list its files so that other programs can print them. */
const WALKERS: Readonly<Record<string, Walker>> = {
  find,
  gfind: find,
  fd,
  fdfind: fd,
  ls: {
    lists: true,
    takes: "ITw ignore hide time sort color format",
    isHere: true,
    matching: "name",
    out: { "-I": "any", "--ignore": "any" },
    hidden: ["-a", "-A", "--all", "--almost-all"],
    advice: (name) => `-I ${name}`,
  },
  "git grep": gitGrep,
  "git ls-files": { ...gitGrep, lists: true, takes: "x exclude", lead: 0, ignored: ["-o", "--others", "-i"] },
  grep,
  egrep: grep,
  fgrep: grep,
  ggrep: grep,
  rgrep,
  rg,
  ag: {
    ...rg,
    takes:
      "ABCGmp after before context file-search-regex max-count path-to-ignore ignore ignore-dir depth pager color-match color-path",
    matching: "name",
    out: { "--ignore": "any", "--ignore-dir": "folder" },
    hidden: ["--hidden", "-u", "--unrestricted"],
    ignored: ["-u", "-U", "--unrestricted", "--skip-vcs-ignores"],
    leads: [],
    advice: (name) => `--ignore ${name}`,
  },
  ack: {
    ...rg,
    takes:
      "ABCm after-context before-context context max-count ignore-dir ignore-directory ignore-file type match output pager",
    matching: "name",
    out: { "--ignore-dir": "folder", "--ignore-directory": "folder" },
    hidden: [],
    ignored: [],
    leads: ["--match"],
    advice: (name, isFolder) => `--ignore-${isFolder ? "dir=" : "file=is:"}${name}`,
  },
  tar,
  gtar: tar,
  bsdtar: tar,
  cp: {
    follows: ["-L", "--dereference"],
    walks: ["-r", "-R", "-a", "--recursive", "--archive"],
    takes: "tS target-directory suffix",
    hasTarget: true,
    matching: "name",
    out: {},
    advice: (name) => `--exclude=${name}`,
    instead: "rsync -a",
  },
  mv: { takes: "tS target-directory suffix", hasTarget: true, matching: "name", out: {}, advice: () => "" },
  scp: {
    follows: "always",
    walks: ["-r"],
    takes: "cDFiJloPSX",
    hasTarget: true,
    matching: "name",
    out: {},
    advice: (name) => `--exclude=${name}`,
    instead: "rsync -a",
  },
  rsync: {
    follows: ["-L", "--copy-links", "-k", "--copy-dirlinks"],
    walks: ["-r", "-a", "--recursive", "--archive"],
    takes:
      "efBTM rsh filter exclude exclude-from include include-from files-from max-size min-size temp-dir compare-dest copy-dest link-dest backup-dir suffix rsync-path port password-file log-file out-format info debug chmod chown timeout bwlimit partial-dir",
    hasTarget: true,
    matching: "path",
    out: { "--exclude": "any" },
    advice: (name) => `--exclude=${name}`,
  },
  zip: {
    follows: "always",
    walks: ["-r", "-R", "--recurse-paths", "--recurse-patterns"],
    takes: "bntsPO",
    lead: 1,
    matching: "whole",
    out: { "-x": "any", "--exclude": "any" },
    advice: (name, isFolder) => `-x '*${name}${isFolder ? "/*" : ""}'`,
  },
  diff: {
    follows: "always",
    walks: ["-r", "--recursive"],
    never: ["-q", "--brief"],
    takes:
      "xXUCWIFSD exclude exclude-from unified context width ignore-matching-lines show-function-line starting-file ifdef label color",
    matching: "name",
    out: { "-x": "any", "--exclude": "any" },
    advice: (name) => `-x ${name}`,
  },
};

/**
 * Finds the commands of a text that print or copy everything below a folder. A command that only lists files counts if
 * another one may print them, as in `find . | xargs cat`. Computed places are left out.
 */
export function walksOf({ commands }: Reading): readonly Walk[] {
  const printsGiven = commands.some(({ words: [program, ...args] }) => {
    const name = program === undefined ? "" : (baseOf(program) ?? "");
    if (/grep$|^rg$/.test(name) && args.some(({ text }) => /^-\w*[lLcq]|^--(?:files|count|quiet)/.test(text)))
      return false;
    return PRINTERS.has(name) && args.some((word) => knownOf(word) === undefined && word.values === undefined);
  });
  return commands.flatMap((command) => walkOf(command, printsGiven) ?? []);
}

/** Programs that print or copy the contents of files in their arguments. */
const PRINTERS: ReadonlySet<string> = new Set(
  (
    "cat tac head tail less more nl sort uniq cut paste join diff cmp comm strings xxd od hexdump base64 grep egrep fgrep rg sed " +
    "awk gawk mawk jq bat column fold rev cp install rsync scp mv tar zip dd tee"
  ).split(" "),
);

function walkOf({ words: [program, ...all] }: ReadCommand, printsGiven: boolean): Walk | undefined {
  const base = program === undefined ? "" : (baseOf(program) ?? "");
  const { name, args } = base === "git" ? gitWalk(all) : { name: base, args: all };
  const walker = Object.hasOwn(WALKERS, name) ? WALKERS[name] : undefined;
  if (walker === undefined) return undefined;
  const tests = walker === find ? foundBy(args) : NO_TESTS;
  const { options, operands } = walker === find ? tests : parsed(walker, name, args);
  const has = (names: readonly string[] | undefined): boolean => options.some(({ option }) => names?.includes(option));
  const isList = walker.lists === true || options.some(({ option }) => LISTING.test(option) && has(walker.never));
  if (isList ? !printsGiven : has(walker.never)) return undefined;
  const isDirect = options.some(({ option, word }) => /^(?:-d|--directories)$/.test(option) && word === "recurse");
  if (walker.walks !== undefined && !has(walker.walks) && !isDirect) return undefined;
  const lead = has(walker.leads) ? 0 : (walker.lead ?? 0);
  const isTargetGiven = has(["-t", "--target-directory"]);
  const { excludes } = walker;
  const rest = operands.slice(lead, walker.hasTarget && !isTargetGiven ? -1 : undefined);
  const patterns = excludes === undefined ? [] : rest.flatMap(({ values }) => values?.map(({ text }) => text) ?? []);
  const given = excludes === undefined ? rest : rest.filter(({ values }) => values?.every(({ text }) => isPlace(text)));
  const places = given
    .flatMap(({ values }) => values ?? [])
    .filter(({ text }) => !/^[^/]+:/.test(text) || name === "tar");
  const isHere = walker.isHere === true && given.length === 0;
  const out = options.flatMap(({ option, word }) => {
    const kind = walker.out[option];
    return kind === undefined || word === undefined ? [] : [{ kind, test: matcherOf(word, walker.matching) }];
  });
  for (const text of patterns)
    if (excludes?.test(text)) out.push({ kind: "any", test: matcherOf(text.replace(excludes, ""), walker.matching) });
  const only = options.flatMap(({ option, word }) =>
    walker.only?.includes(option) === true && word !== undefined ? [matcherOf(word, walker.matching)] : [],
  );
  only.push(
    ...tests.only,
    ...patterns.filter((text) => /^[^:]*[*?[]/.test(text)).map((text) => matcherOf(text, "path")),
  );
  const depth =
    name === "ls" ? (has(["-d", "--directory"]) ? 0 : has(["-R", "--recursive"]) ? Infinity : 1) : tests.depth;
  const globs = walker.matching === "glob" ? globsOf(options) : [];
  const doubled = options.filter(({ option }) => option === "-u" || option === "--unrestricted").length > 1;
  return {
    program: name,
    places: isHere ? [{ text: ".", isPattern: false }] : places,
    from: options.findLast(({ option }) => option === walker.folder)?.word,
    followsLinks: walker.follows === "always" || has(walker.follows),
    skipsIgnored:
      walker.ignored !== undefined &&
      (walker.ignored.length > 0 ? !has(walker.ignored) : has(["--exclude-vcs-ignores"])),
    skipsHidden: walker.hidden !== undefined && walker.hidden.length > 0 && !has(walker.hidden) && !doubled,
    isList: isList || excludes !== undefined,
    leavesOut(path, isFolder) {
      if (tests.out.some((test) => test(path)) || path.split("/").length > depth) return true;
      if (out.some(({ kind, test }) => (kind === "any" || (kind === "folder") === isFolder) && test(path))) return true;
      if (!isFolder && only.length > 0 && !only.some((test) => test(path))) return true;
      const glob = globs.findLast(({ test, isFor }) => (isFolder || isFor !== "folder") && test(path));
      if (glob !== undefined) return glob.isOut;
      return !isFolder && globs.some(({ isOut }) => !isOut);
    },
    advice: walker.advice,
    instead: walker.instead,
  };
}

/** Matches options with which a program prints only the names of files. */
const LISTING = /^(?:-l|-L|--files\S*)$/;

/** Returns whether an operand of git is a path, and not a pattern or a commit. */
function isPlace(text: string): boolean {
  return !/^:|[*?[]|^(?:HEAD|@|origin\/\S+|[0-9a-f]{7,40})(?:[~^]\d*)*$/.test(text);
}

/** Returns git's sub-command as a program's name, with the sub-command's arguments. */
function gitWalk(words: readonly CommandWord[]): { readonly name: string; readonly args: readonly CommandWord[] } {
  const { plain, args } = subcommandOf("git", words);
  const [first] = plain ?? words;
  return { name: `git ${first === undefined ? "" : knownOf(first)}`, args };
}

interface Found extends ReturnType<typeof parsed> {
  /** `out` matches the paths that `find` excludes, `only` the files that it keeps; if `only` is empty, all are kept. */
  readonly out: readonly Test[];
  readonly only: readonly Test[];
  readonly depth: number;
}

type Test = (path: string) => boolean;

const NO_TESTS: Found = { options: [], operands: [], out: [], only: [], depth: Infinity };

/** Reads the words of `find`: the folders that it searches, and what its simple tests exclude. */
function foundBy(args: readonly CommandWord[]): Found {
  const texts = args.map((word) => word.values?.[0]?.text ?? word.text);
  const start = texts.findIndex((text) => /^(?:-(?![HLP]$|[DO].)|[(!])/.test(text));
  const operands = args.slice(0, start < 0 ? args.length : start).filter(({ text }) => !/^-[HLP]$/.test(text));
  const isChoice = texts.some((text, at) => /^-o(?:r)?$/.test(text) && texts[at - 1] !== "-prune");
  const tests = texts.flatMap((text, at) => {
    const pattern = texts[at + 1];
    if (!/^-i?(?:name|path|wholename)$/.test(text) || pattern === undefined) return [];
    const isOut = /^(?:!|-not)$/.test(texts[at - 1] ?? "") || texts[at + 2] === "-prune";
    return [
      {
        isOut,
        test: matcherOf(pattern.replace(/^\*\//, ""), /name$/.test(text) && !/whole/.test(text) ? "name" : "path"),
      },
    ];
  });
  const all = tests.filter(({ isOut }) => !isOut).map(({ test }) => test);
  const limit = texts[texts.indexOf("-maxdepth") + 1];
  return {
    options: texts.map((option) => ({ option })),
    operands,
    out: tests.filter(({ isOut }) => isOut).map(({ test }) => test),
    only: isChoice ? [] : all,
    depth: texts.includes("-maxdepth") ? Number(limit) : Infinity,
  };
}

/** Returns a program's words without options and their values; `undefined` if it is not in the table. */
export function operandsOf(name: string, args: readonly CommandWord[]): readonly CommandWord[] | undefined {
  const walker = Object.hasOwn(WALKERS, name) ? WALKERS[name] : undefined;
  return walker && parsed(walker, name, args).operands;
}

interface Option {
  readonly option: string;
  readonly word?: string;
}

/** Separates options and operands: short options in one word, long ones with `=` or a word after them. */
function parsed(
  { takes, out }: Walker,
  program: string,
  args: readonly CommandWord[],
): { readonly options: readonly Option[]; readonly operands: readonly CommandWord[] } {
  const [letters = "", ...names] = takes.split(" ");
  const isBundled = program.endsWith("tar");
  const options: Option[] = [];
  const operands: CommandWord[] = [];
  const textOf = (word: CommandWord | undefined): string | undefined => word?.values?.[0]?.text;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as CommandWord;
    let text = textOf(word) ?? word.text;
    if (text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    // tar's first word may be its option letters without a dash.
    const isOld = isBundled && at === 0 && /^[a-zA-Z]+$/.test(text);
    if (isOld) text = `-${text}`;
    if (text.startsWith("--")) {
      const [, option = "", value] = /^(--[^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
      const isTaken = value === undefined && names.includes(option.slice(2));
      const taken = isTaken ? textOf(args[++at]) : value;
      options.push({ option, ...(taken !== undefined && { word: taken }) });
    } else if (/^-./.test(text)) {
      for (let letter = 1; letter < text.length; letter++) {
        const option = `-${text[letter]}`;
        const isWord = letters.includes(text[letter] as string);
        if (!isWord && out[option] === undefined) options.push({ option });
        else if (!isWord) {
          // zip reads several words after an option that excludes files.
          while (at + 1 < args.length && !textOf(args[at + 1])?.startsWith("-"))
            options.push({ option, word: textOf(args[++at]) ?? "" });
        } else {
          const rest = text.slice(letter + 1);
          // Each letter in tar's first word that needs a value takes the next of the words that follow.
          const taken = rest === "" || isOld ? textOf(args[++at]) : rest;
          options.push({ option, ...(taken !== undefined && { word: taken }) });
          if (!isOld) break;
        }
      }
    } else operands.push(word);
  }
  return { options, operands };
}

/** Returns a test for the paths that a program's pattern matches. */
function matcherOf(pattern: string, matching: Matching): (path: string) => boolean {
  const plain = pattern.replace(/^(?:\.\/)+/, "").replace(/\/+(?:\*{1,2})?$/, "");
  if (matching === "whole") {
    const test = globsIn(pattern.replace(/^(?:\.\/)+/, ""), "any");
    return (path) => test.test(path) || test.test(`${path}/`);
  }
  if (matching === "name") {
    const test = globsIn(plain.replace(/^\*\*\//, ""), "name");
    return (path) => test.test(path.slice(path.lastIndexOf("/") + 1));
  }
  const test = globsIn(plain.replace(/^\//, ""), "any");
  if (plain.startsWith("/")) return (path) => test.test(path);
  return (path) => path.split("/").some((_, at, names) => test.test(names.slice(at).join("/")));
}

/** Evaluates the globs of `rg -g` in their order: the last one that matches decides. */
function globsOf(options: readonly Option[]) {
  return options.flatMap(({ option, word }) => {
    if (!/^(?:-g|--glob|--iglob)$/.test(option) || word === undefined) return [];
    const isOut = word.startsWith("!");
    const pattern = word.replace(/^!/, "");
    const isFor = pattern.endsWith("/") ? ("folder" as const) : ("any" as const);
    const plain = pattern.replace(/\/+(?:\*{1,2})?$/, "");
    const hasFolder = plain.replace(/^\*\*\//, "").includes("/");
    const regex = globsIn(plain.replace(/^\*\*\//, "").replace(/^\//, ""), hasFolder ? "any" : "name");
    const test = (path: string): boolean =>
      hasFolder && !plain.startsWith("**/")
        ? regex.test(path)
        : path.split("/").some((_, at, names) => regex.test(names.slice(at).join("/")));
    return [{ isOut, isFor, test }];
  });
}

/** Compiles a glob that may have braces. */
function globsIn(pattern: string, star: "name" | "any"): Glob {
  const globs = (unbraced(pattern) ?? [pattern]).map((one) => globOf(one, star));
  return { test: (path) => globs.some((one) => one.test(path)) };
}
