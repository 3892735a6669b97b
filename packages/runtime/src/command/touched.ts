import type { ReadCommand, Reading } from "./reading.ts";
import { operandsOf } from "./walks.ts";

/** A file that a shell text names in a redirection, or as an argument of a program that reads or changes it. */
export interface TouchedFile {
  readonly path: string;
  /** Whether the shell expands the path to matching files. */
  readonly isPattern: boolean;
  readonly isWritten: boolean;
}

type Share = "reads" | "writes" | "copies";

const row = (share: Share, names: string): [string, Share][] => names.split(" ").map((name) => [name, share]);

/** How programs use the files that their arguments name. */
const PROGRAMS: ReadonlyMap<string, Share> = new Map([
  ...row(
    "reads",
    "cat tac head tail less more nl wc sort uniq cut paste join diff cmp comm strings xxd od hexdump base64",
  ),
  ...row(
    "reads",
    "grep egrep fgrep rg sed awk gawk mawk jq file md5sum sha1sum sha256sum source . bat view column fold",
  ),
  ...row("writes", "rm rmdir unlink shred touch truncate tee mkdir chmod chown chgrp mv nano vi vim"),
  ...row("copies", "cp install ln rsync scp"),
]);

/** Programs whose first operand is not a file but a pattern or a script, such as `s/a/b/`. */
const FILTERS: ReadonlySet<string> = new Set(["grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "mawk", "jq"]);

/**
 * Returns the files that a text passes to programs which are known to read or change them. A best effort: other
 * programs are not covered, and computed names are skipped.
 */
export function touchedBy({ commands, redirected }: Reading): readonly TouchedFile[] {
  const opened = redirected.flatMap(({ values, isWritten }) => (values ?? []).map((value) => ({ value, isWritten })));
  return [
    ...opened.map(({ value, isWritten }) => ({ path: value.text, isPattern: value.isPattern, isWritten })),
    ...commands.flatMap(ofCommand),
  ];
}

/** Returns the folders that a text changes to. */
export function foldersOf({ commands }: Reading): readonly string[] {
  return commands.flatMap(({ words: [program, ...args] }) =>
    /^(?:cd|pushd)$/.test(program?.text ?? "") ? (args.at(-1)?.values?.map(({ text }) => text) ?? []) : [],
  );
}

function ofCommand({ words: [program, ...args] }: ReadCommand): TouchedFile[] {
  const name = program?.values?.[0]?.text.split("/").at(-1) ?? "";
  const share = PROGRAMS.get(name);
  if (share === undefined) return [];
  const texts = args.map(({ text }) => text);
  const end = texts.indexOf("--");
  const operands =
    operandsOf(name, args) ?? args.filter(({ text }, at) => (at > end && end >= 0 ? true : !text.startsWith("-")));
  const isGiven = texts.some((text) => /^-(?:\w*[ef]|-(?:regexp|file|expression))/.test(text));
  const files = FILTERS.has(name) && !isGiven ? operands.slice(1) : operands;
  const isInPlace = name === "sed" && texts.some((text) => /^-(?:\w*i|-in-place)/.test(text));
  return files.flatMap(({ values }, at) =>
    (values ?? []).flatMap(({ text, isPattern }): TouchedFile[] => {
      const path = text.replace(/^@/, "");
      const isLast = at === files.length - 1;
      const isWritten = share === "writes" || isInPlace || (share === "copies" && isLast);
      const file = { path, isPattern, isWritten };
      // A file that is moved away or changed in place is read as well.
      return isWritten && (isInPlace || name === "mv") ? [file, { ...file, isWritten: false }] : [file];
    }),
  );
}
