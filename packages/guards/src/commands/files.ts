import type { CommandWord } from "@hookline/runtime/command";
import { valuesOf } from "../word/values.ts";
import { type Args, argsOf, type Paths, textOf, worded } from "./args.ts";
import type { Discard, Found, NamedPath, Search } from "./effect.ts";
import { gitOf } from "./git.ts";
import { isRebuilt } from "./places.ts";

/** Returns what a program does with the files that its arguments name. `fedBy` are the words of the command before it. */
type Reader = (
  args: Args,
  paths: Paths,
  words: readonly CommandWord[],
  fedBy?: readonly CommandWord[],
) => readonly Found[];

interface Row {
  readonly programs: string;
  readonly takes?: string;
  readonly read: Reader;
}

const DISK = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|mapper\/|loop|md)\w*/;
const DISKS = "would overwrite a disk";
const WORK_TREE: Discard = { what: "edits", paths: "all", includesIndex: false };

/** Whether a path is a disk device. */
export function isDisk(path: string): boolean {
  return DISK.test(path);
}

const deletes = (targets: readonly NamedPath[], isRecursive: boolean): readonly Found[] =>
  targets.length === 0 ? [] : [{ kind: "delete", targets, isRecursive }];

const overwrites = (targets: readonly NamedPath[]): readonly Found[] =>
  targets.length === 0 ? [] : [{ kind: "overwrite", targets }];

const removes =
  (isRecursive: boolean): Reader =>
  ({ flags, operands }, paths) =>
    flags.has("help") || flags.has("version")
      ? []
      : deletes(paths.all(operands), isRecursive || flags.has("r") || flags.has("R") || flags.has("recursive"));

/** Returns the paths that a copy may create: the last operand, or files in it. */
function placed({ operands, valued, flags }: Args, paths: Paths): readonly NamedPath[] {
  const folder = valued.get("t") ?? valued.get("target-directory");
  const sources = folder === undefined ? operands.slice(0, -1) : operands;
  const last = folder ?? operands.at(-1);
  if (last === undefined || sources.length === 0) return [];
  return paths.of(last).flatMap((to): NamedPath[] => {
    const inside = sources.map((word) => {
      const name = textOf(word).replace(/\/+$/, "").split("/").at(-1) ?? "";
      return { ...to, path: `${to.path}/${name}`, isPattern: to.isPattern || /[*?[]/.test(name) };
    });
    const plain = folder !== undefined || flags.has("T") ? [] : [to];
    return [...plain, ...(flags.has("T") ? [] : inside)];
  });
}

/** Makes the `Reader` of a program that edits in place. An edit is an overwrite if `empties` matches its script. */
const edits =
  (empties: RegExp): Reader =>
  ({ flags, valued, operands }, paths) => {
    const isInPlace = [...flags].some((flag) => /^(?:i|in-place)$/.test(flag));
    if (!isInPlace) return [];
    const option = valued.get("e") ?? valued.get("expression");
    const script = textOf(option ?? operands[0]);
    const files = paths.all(option === undefined ? operands.slice(1) : operands);
    return empties.test(script.trim()) ? overwrites(files) : [{ kind: "write", targets: files }];
  };

/** Modes that only remove permissions of others, as private key files need. */
const TIGHTER = /^(?:0?[4-7]00|go[-=]\w*|o-\w+|og[-=]\w*)$/;
const MODE = /^(?:[0-7]{3,4}|[ugoa]*[-+=][rwxXstugo]*(?:,[ugoa]*[-+=][rwxXst]*)*)$/;

const modes: Reader = ({ operands, flags }, paths, words) => {
  const isRecursive = flags.has("R") || flags.has("recursive");
  if (!isRecursive && TIGHTER.test(textOf(operands[0]))) return [];
  // `chmod -x FILE` has a mode that looks like an option.
  const isApart =
    words.some((word) => /^-[rwxXst]+$/.test(textOf(word))) && !operands.some((word) => MODE.test(textOf(word)));
  const targets = paths.all(isApart ? operands : operands.slice(1));
  return [{ kind: isRecursive ? "mode" : "write", targets }];
};

/** Returns the files that a command writes for the archive members that it names. */
function below(folder: CommandWord | undefined, names: readonly CommandWord[], paths: Paths): readonly NamedPath[] {
  const base = folder === undefined ? "" : `${textOf(folder)}/`;
  return names.map((word) => paths.at(`${base}${textOf(word)}`, /[*?[]/.test(textOf(word))));
}

/** Programs and their options whose value is a file to write: `o output` for `-o` and `--output`. */
const OUTPUTS: readonly (readonly [programs: string, options: string])[] = [
  [
    "gpg gpg2 age minisign iconv shuf patch pandoc dot rustc gcc g++ cc clang clang++ ld as strace ltrace time",
    "o output",
  ],
  ["pg_dump pg_dumpall", "f file"],
  ["mysqldump mariadb-dump", "r result-file"],
  ["yt-dlp youtube-dl aria2c http https xh", "o output"],
  ["tcpdump", "w"],
  ["xmllint", " output"],
];

const ROWS: readonly Row[] = [
  { programs: "rm grm srm", read: removes(false) },
  { programs: "unlink rmtree", read: removes(false) },
  {
    programs: "rimraf del-cli del premove",
    // rimraf, del and premove expand patterns themselves, even where the shell does not.
    read: ({ operands }, paths) =>
      deletes(
        operands.flatMap((word) =>
          paths.of(word).map((one) => ({
            ...one,
            path: one.path.replace(/\/\*\*.*$/, ""),
            isPattern: /[*?[{]/.test(one.path.replace(/\/\*\*.*$/, "")),
          })),
        ),
        true,
      ),
  },
  {
    programs: "scp",
    takes: "FiJloPSc",
    read: (args, paths) => (textOf(args.operands.at(-1)).includes(":") ? [] : overwrites(placed(args, paths))),
  },
  {
    programs: "script",
    takes: "cEIOTB",
    read: ({ flags, operands }, paths) => (flags.has("a") ? [] : overwrites(paths.all(operands.slice(0, 1)))),
  },
  {
    programs: "ffmpeg",
    read: ({ flags, operands }, paths) => (flags.has("y") ? overwrites(paths.all(operands.slice(-1))) : []),
  },
  {
    programs: "shred wipe",
    takes: "nsN iterations size random-source",
    read: ({ operands }, paths) => deletes(paths.all(operands), true),
  },
  {
    programs: "truncate",
    takes: "sro size reference",
    read: ({ operands, valued }, paths) =>
      textOf(valued.get("s") ?? valued.get("size")).startsWith("+") ? [] : overwrites(paths.all(operands)),
  },
  {
    programs: "fallocate",
    takes: "lon length offset",
    read: ({ operands, flags }, paths) => (/[pcz]/.test([...flags].join("")) ? overwrites(paths.all(operands)) : []),
  },
  {
    programs: "dd",
    read: ({ operands }, paths) =>
      operands.flatMap((word) => {
        const [, path] = /^of=([\s\S]*)$/.exec(textOf(word)) ?? /^of=([\s\S]*)$/.exec(word.text) ?? [];
        if (path === undefined) return [];
        return isDisk(path)
          ? [{ kind: "outside", loses: DISKS, isRefused: true } as const]
          : overwrites([paths.at(path)]);
      }),
  },
  {
    programs: "tee sponge",
    read: ({ operands, flags }, paths) =>
      flags.has("a") || flags.has("append")
        ? [{ kind: "write", targets: paths.all(operands) }]
        : overwrites(paths.all(operands)),
  },
  {
    programs: "cp gcp",
    takes: "tS target-directory suffix",
    read: (args, paths) =>
      ["b", "backup", "n", "no-clobber", "update"].some((flag) => args.flags.has(flag))
        ? []
        : overwrites(placed(args, paths)),
  },
  {
    programs: "install ginstall",
    takes: "tSgom target-directory suffix group owner mode",
    read: (args, paths) => (args.flags.has("d") ? [] : overwrites(placed(args, paths))),
  },
  {
    programs: "ln gln",
    takes: "tS target-directory suffix",
    read: (args, paths) =>
      args.flags.has("f") || args.flags.has("force")
        ? overwrites(placed(args, paths))
        : [{ kind: "write", targets: placed(args, paths) }],
  },
  {
    programs: "mv gmv",
    takes: "tS target-directory suffix",
    read: (args, paths) => {
      const to = args.flags.has("n") || args.flags.has("no-clobber") ? [] : placed(args, paths);
      const sources = paths.all(args.valued.has("t") ? args.operands : args.operands.slice(0, -1));
      return [...overwrites(to), ...(placed(args, paths).length > 0 ? moved(sources, placed(args, paths), paths) : [])];
    },
  },
  {
    programs: "rsync",
    takes: "efBTM exclude include filter rsh",
    read: (args, paths) => {
      const { flags, operands } = args;
      const isDry = flags.has("n") || flags.has("dry-run");
      const last = operands.at(-1);
      if (isDry || last === undefined || operands.length < 2) return [];
      const isDeleting = [...flags].some((flag) => /^del(?:ete(?:-\w+)*)?$/.test(flag));
      const moves: readonly Found[] = flags.has("remove-source-files")
        ? deletes(paths.all(operands.slice(0, -1)), true)
        : [];
      if (!isDeleting) return [...moves, ...(textOf(last).includes(":") ? [] : overwrites(placed(args, paths)))];
      if (/^[\w.@-]+:|^rsync:/.test(textOf(last)))
        return [
          ...moves,
          { kind: "outside", loses: "deletes files on a remote machine", instead: "Run it with --dry-run first." },
        ];
      return [...moves, ...deletes(paths.of(last), true)];
    },
  },
  {
    programs: "tar gtar bsdtar",
    takes: "fCbXT file directory exclude",
    read: ({ flags, valued, operands }, paths, _, fedBy) => {
      const isCreating = flags.has("c") || flags.has("create");
      const isPlacing = flags.has("x") && !flags.has("k") && !flags.has("O") && !flags.has("keep-old-files");
      const folder = valued.get("C") ?? valued.get("directory");
      const archive = valued.get("f") ?? valued.get("file");
      return [
        ...(flags.has("remove-files") ? deletes(paths.all(operands), true) : []),
        ...(isCreating && archive !== undefined && textOf(archive) !== "-" ? overwrites(paths.of(archive)) : []),
        ...(flags.has("recursive-unlink") ? deletes([paths.folder], true) : []),
        ...(isPlacing ? overwrites(below(folder, operands, paths)) : []),
        ...(folder === undefined && ["x", "extract", "get"].some((flag) => flags.has(flag)) && isArchive(fedBy)
          ? [{ kind: "repository" as const, folder: paths.folder, discards: [WORK_TREE] }]
          : []),
      ];
    },
  },
  {
    programs: "zip",
    takes: "xib",
    read: ({ flags, operands }, paths) =>
      flags.has("m") || flags.has("move") ? deletes(paths.all(operands.slice(1)), true) : [],
  },
  {
    programs: "unzip",
    takes: "dx",
    read: ({ flags, valued, operands }, paths) =>
      flags.has("o") && !["l", "t", "p", "v"].some((flag) => flags.has(flag))
        ? overwrites(below(valued.get("d"), operands.slice(1), paths))
        : [],
  },
  {
    programs: "sed gsed",
    takes: "efls expression file",
    read: edits(/^(?:1,\$|\/\.?\*?\/|)?\s*d$|^\/\^?\.?\*?\$?\/d$/),
  },
  {
    programs: "ed ex vi vim nvim",
    takes: "c cmd",
    // Looks for editor commands on the command line, such as `+%d`, that delete all lines of a file.
    read: ({ operands }, paths, words) =>
      words.some((word) => /^\+?:?(?:%|1,\$|g\/(?:\.\*|\^)?\/)\s*d/.test(textOf(word)))
        ? overwrites(paths.all(operands.filter((word) => !textOf(word).startsWith("+"))))
        : [],
  },
  {
    programs: "sort",
    takes: "okStT output key",
    read: ({ valued, operands }, paths) => {
      const to = valued.get("o") ?? valued.get("output");
      return to === undefined || operands.some((word) => textOf(word) === textOf(to)) ? [] : overwrites(paths.of(to));
    },
  },
  {
    programs: "curl",
    takes: "oHXdFubAeTmwxKc output header request data form user",
    read: ({ valued }, paths) => {
      const to = valued.get("o") ?? valued.get("output");
      return to === undefined ? [] : overwrites(paths.of(to));
    },
  },
  {
    programs: "wget",
    takes: "OoPUTt output-document header",
    read: ({ valued }, paths) => {
      const to = valued.get("O") ?? valued.get("output-document");
      return to === undefined || textOf(to) === "-" ? [] : overwrites(paths.of(to));
    },
  },
  { programs: "chmod chown chgrp chattr setfacl", read: modes },
  { programs: "touch", takes: "drt", read: ({ operands }, paths) => [{ kind: "write", targets: paths.all(operands) }] },
  { programs: "mkdir", takes: "m", read: ({ operands }, paths) => [{ kind: "write", targets: paths.all(operands) }] },
  {
    programs: "gzip bzip2 xz zstd lz4 gunzip bunzip2 unxz unzstd",
    read: ({ flags, operands }, paths) => {
      if (!(flags.has("f") || flags.has("force")) || flags.has("c") || flags.has("stdout")) return [];
      const ending = /\.(?:t?gz|t?bz2|t?xz|t?zst|lz4)$/;
      return overwrites(
        paths.all(operands).map((one) => ({
          ...one,
          path: ending.test(one.path) ? one.path.replace(ending, "") : `${one.path}.gz`,
        })),
      );
    },
  },
  {
    programs: "openssl",
    read: (_, paths, words) => {
      const at = words.findIndex((word) => textOf(word) === "-out");
      return at < 0 ? [] : overwrites(paths.all(words.slice(at + 1, at + 2)));
    },
  },
  { programs: "uniq xxd", read: ({ operands }, paths) => overwrites(paths.all(operands.slice(1, 2))) },
  ...OUTPUTS.map(
    ([programs, options]): Row => ({
      programs,
      takes: options,
      read: ({ valued }, paths) =>
        overwrites(
          [...valued].flatMap(([name, word]) =>
            options.split(" ").some((one, at) => (at === 0 ? one.includes(name) && name.length === 1 : one === name)) &&
            textOf(word) !== "-"
              ? paths.of(word)
              : [],
          ),
        ),
    }),
  ),
  {
    programs:
      "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap wipefs blkdiscard sgdisk fdisk sfdisk parted cfdisk cryptsetup hdparm badblocks nvme",
    read: ({ operands, flags }, paths) =>
      flags.has("l") ||
      flags.has("list") ||
      flags.has("p") ||
      flags.has("print") ||
      flags.has("I") ||
      !operands.some((word) => textOf(word).startsWith("/dev/") || paths.of(word).some(({ isKnown }) => !isKnown)) ||
      operands.some((word) => /^(?:print|list|status|luksDump|id-ctrl|smart-log)$/.test(textOf(word)))
        ? []
        : [{ kind: "outside", loses: DISKS, isRefused: true }],
  },
];

function moved(sources: readonly NamedPath[], to: readonly NamedPath[], { folder }: Paths): readonly Found[] {
  // Moving a file within one temporary folder does not lose it: the project itself may be in that folder.
  const isGone = (from: NamedPath): boolean =>
    to.some(({ path }) => {
      const top = /^\/(?:dev\/null|(?:var\/)?tmp\/[^/]+)/.exec(path)?.[0];
      const inner = path.startsWith(`${folder.path}/`) ? path.slice(folder.path.length + 1) : "";
      return isRebuilt(inner, true) || (top !== undefined && !`${from.path}/`.startsWith(`${top}/`));
    });
  const rest = sources.filter((from) => !isGone(from));
  return [
    ...deletes(sources.filter(isGone), true),
    ...(rest.length > 0 ? [{ kind: "write", targets: rest } as const] : []),
  ];
}

const BY_NAME: ReadonlyMap<string, Row> = new Map(
  ROWS.flatMap((row) => row.programs.split(" ").map((name) => [name, row] as const)),
);

/** Returns what a program does with the files that its arguments name. */
export function filesOf(
  name: string,
  words: readonly CommandWord[],
  paths: Paths,
  fedBy?: readonly CommandWord[],
): readonly Found[] {
  if (name === "find" || name === "gfind" || name === "fd" || name === "fdfind") return searched(name, words, paths);
  const row = BY_NAME.get(name);
  return row === undefined ? [] : row.read(argsOf(traditional(name, words), row.takes), paths, words, fedBy);
}

/** Whether a command is `git archive`, whose files `tar x` writes over those of the work tree. */
function isArchive(words: readonly CommandWord[] = []): boolean {
  return words.length > 0 && textOf(words[0]) === "git" && gitOf(words.slice(1)).sub === "archive";
}

/** Expands `tar cf X` to `tar -cf X`. */
function traditional(name: string, words: readonly CommandWord[]): readonly CommandWord[] {
  const [first, ...rest] = words;
  if (!/tar$/.test(name) || first === undefined || !/^[a-zA-Z]+$/.test(textOf(first))) return words;
  return [worded(`-${textOf(first)}`), ...rest];
}

const DELETES = /^(?:rm|unlink|shred|rimraf|rmdir|srm|truncate)$/;
/** Matches commands, started by a search, that empty the files that the search finds. */
const EMPTIES = /^(?:cp|install) \/dev\/null \{\}|^sed (?:-\w+ )*-i\S* (?:-e )?(?:1,\$)?d \{\}|^tee \{\}/;

/** Returns what `find` deletes, itself or through a program that it starts or pipes to. */
function searched(name: string, words: readonly CommandWord[], paths: Paths): readonly Found[] {
  const texts = words.map(textOf);
  const isDeleting =
    texts.includes("-delete") ||
    texts.some(
      (text, at) =>
        /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text) &&
        texts.slice(at + 1).some((one) => one.includes("{") || name.startsWith("fd")) &&
        (EMPTIES.test(texts.slice(at + 1).join(" ")) ||
          DELETES.test(
            texts
              .slice(at + 1)
              .map((one) => one.split("/").at(-1) ?? "")
              .find((one) => !/^(?:sudo|env|nice|command|-.*)$/.test(one)) ?? "",
          )),
    );
  return isDeleting ? [{ kind: "search", search: searchOf(name, words, paths) }] : [];
}

/** Reads the starting folders and the name patterns of a search such as `find`. */
export function searchOf(name: string, words: readonly CommandWord[], paths: Paths): Search {
  const isFd = name.startsWith("fd");
  const texts = words.map(textOf);
  const names: string[] = [];
  const without: string[] = [];
  const end = texts.findIndex((text) => /^-(?:exec|execdir|ok|okdir|x|X)$|^--exec/.test(text));
  const own = end < 0 ? words : words.slice(0, end);
  if (isFd) {
    const { operands, valued } = argsOf(own, "eEdtc extension exclude max-depth type");
    const extension = valued.get("e") ?? valued.get("extension");
    if (extension !== undefined) names.push(`*.${textOf(extension)}`);
    else if (operands[0] !== undefined && !/^\.?$/.test(textOf(operands[0])))
      names.push(`*${textOf(operands[0]).replaceAll(/[\\^$]/g, "")}*`);
    const roots = paths.all(operands.slice(1));
    return { roots: roots.length > 0 ? roots : [paths.folder], names, without: ["*/.git/*"], onlyEmpty: false };
  }
  let at = texts.findIndex((text) => /^(?:-[a-zA-Z]{2,}|[!(])/.test(text) && !/^-[HLPD]$/.test(text));
  if (at < 0) at = own.length;
  const roots = paths.all(own.slice(0, at).filter((word) => !/^-[HLP]$/.test(textOf(word))));
  for (let from = at; from < own.length; from++) {
    const isNot = /^(?:!|-not)$/.test(texts[from - 1] ?? "");
    const pruned = texts.indexOf("-prune", from);
    const isPruned = pruned >= 0 && pruned < from + 8 && /^-(?:o|or)$/.test(texts[pruned + 1] ?? "");
    const value = valuesOf(own[from + 1] ?? worded(""))?.[0]?.text ?? "";
    if (/^-(?:i?name)$/.test(texts[from] ?? ""))
      (isNot || isPruned ? without : names).push(isNot || isPruned ? `*/${value}*` : value);
    if (/^-(?:i?path|i?wholename)$/.test(texts[from] ?? "")) (isNot || isPruned ? without : names).push(value);
  }
  return { roots: roots.length > 0 ? roots : [paths.folder], names, without, onlyEmpty: texts.includes("-empty") };
}
