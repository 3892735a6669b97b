/** Folders of the project in different spellings; some contain denied files. */
const FOLDERS = [".", "./", "here", "..", "src/..", "secrets", "linked", "here/secrets", "src", "docs"];

/** Files and globs, denied and not. */
const FILES = [
  ...[".env", "./.env", "here/.env", "src/link", "src/hard", "secrets/key", "linked/key", "src/../.env", "$PWD/.env"],
  ...[".e*", ".en[v]", ".*", "*", "*/*", "secrets/*", "se*/k??", "{.env,package.json}", "secrets/{key,none}", "src/*"],
  ...['".env"', ".e'n'v", "\\.env", "$'.env'", "src/a.ts", "package.json"],
];

const READERS = [
  "cat",
  "head -n 5",
  "tail -c 99",
  "less",
  "nl",
  "sort",
  "xxd -p",
  "sed -n p",
  "awk 1",
  "grep -h TOKEN",
  "od -c",
  "strings",
  "base64",
  "diff /dev/null",
  "cat <",
];

/** Programs that search folders; F is replaced by the folder. */
const WALKERS = [
  ...[
    "grep -r TOKEN F",
    "grep -rh TOKEN F",
    "grep -R TOKEN F",
    "grep --recursive -e TOKEN F",
    "grep -d recurse TOKEN F",
  ],
  ...["egrep -r TOKEN F", "rgrep TOKEN F", "grep -r --include='*.ts' TOKEN F", "grep -r --exclude=.env TOKEN F"],
  ...[
    "grep -r --exclude-dir=secrets --exclude='.e*' TOKEN F",
    "grep -rA 1 TOKEN F",
    "grep -r TOKEN -- F",
    "grep -rl TOKEN F",
  ],
  ...[
    "rg TOKEN F",
    "rg --hidden TOKEN F",
    "rg -u TOKEN F",
    "rg -uu TOKEN F",
    "rg -g '*.ts' TOKEN F",
    "rg -. -g '!secrets' TOKEN F",
  ],
  ...[
    "tar cf - F",
    "tar -c F",
    "tar -cf OUT/a.tar F",
    "tar cf OUT/a.tar --exclude=.env F",
    "tar --create --file=OUT/a.tar F",
  ],
  ...[
    "cp -r F OUT",
    "cp -a F OUT/copy",
    "cp -R -t OUT F",
    "cp --recursive F OUT",
    "mv F OUT",
    "zip -0 -r OUT/a.zip F",
    "zip -0r - F",
  ],
  ...["diff -r F OUT", "diff -ruN F OUT", "diff -r -x .env -x secrets F OUT"],
];

/** Programs that list files, followed by programs that print the listed files. */
const LISTED = [
  ...["find F -type f -exec cat {} +", "find F -name '.e*' -exec head {} \\;", "find F -type f | xargs cat"],
  ...["find F ! -name .env -type f -exec sh -c 'cat \"$1\"' _ {} \\;", "find F -maxdepth 1 -type f -exec base64 {} +"],
  ...["find F -type f -print0 | xargs -0 grep -h TOKEN", 'for f in $(find F -type f); do cat "$f"; done'],
  ...['find F -type f | while read -r f; do cat "$f"; done', "cat $(find F -type f)", "ls -d F/* | xargs cat"],
  ...["ls -d F/.e* | xargs -n 1 sed -n p", "cat $(ls -d F/*)", "while read -r f; do cat $f; done < <(ls -d F/*)"],
  ...['for f in F/* F/.e*; do cat "$f"; done', "git grep --no-index TOKEN F", "grep -rl TOKEN F | xargs cat"],
  ...[
    "rg -l --hidden TOKEN F | xargs cat",
    "find F -type f -exec cp {} OUT \\;",
    "find F ! -path '*/secrets/*' ! -name '.e*' -exec cat {} +",
  ],
];

/** Commands on the published list of limits, which the guards do not detect. */
const LIMITS = [
  "node -e 'console.log(require(`fs`).readFileSync(`.env`, `utf8`))'",
  "python3 -c 'print(open(\".env\").read())'",
  "printf '%s\\n' .env secrets/key | xargs cat",
  'printf -v f %s .env; cat "$f"',
];

/** Forms in which a command C may be written. */
const WRITTEN = ["C", "cd src && cd .. && C", 'bash -c "C"', "timeout 3 C", "(C)", "C | cat", "true; C"];

/** Every command of the grammar: readers with files, searches with folders, and limits, each in every form. */
export const COMMANDS: readonly string[] = [
  ...READERS.flatMap((reader) => FILES.map((file) => `${reader} ${file}`)),
  ...[...WALKERS, ...LISTED].flatMap((walker) =>
    FOLDERS.map((folder) => walker.replaceAll("F", folder).replace("OUT", "../out")),
  ),
  ...LIMITS,
].flatMap((command) =>
  WRITTEN.filter((way) => way !== 'bash -c "C"' || !/["$\\]/.test(command)).map((way) =>
    way.replace("C", () => command),
  ),
);

/** Whether a command is on the published list of limits. */
export function isLimit(command: string): boolean {
  return LIMITS.some((one) => command.includes(one));
}
