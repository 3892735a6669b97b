/** Folders of the project, in spellings that lead to denied files or to none. */
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
  "diff /dev/null",
  "cat <",
];

/** Programs that walk, with the place of the folder. */
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

/** Shapes on the published list of limits, which the guards do not see. */
const LIMITS = [
  ...[
    "find . -type f -exec cat {} +",
    "find . -name '.e*' | xargs cat",
    "ls -d secrets/* | xargs cat",
    'for f in secrets/*; do cat "$f"; done',
  ],
  ...[
    "cat $(ls -d .e*)",
    "node -e 'console.log(require(`fs`).readFileSync(`.env`, `utf8`))'",
    "git grep --no-index TOKEN",
    "while read -r f; do cat $f; done < <(ls secrets/*)",
  ],
];

/** Ways in which a command is written. */
const WRITTEN = ["C", "cd src && cd .. && C", 'bash -c "C"', "timeout 3 C", "(C)", "C | cat", "true; C"];

/** Every command of the grammar: readers by files, programs that walk by folders, and limits, each in every way. */
export const COMMANDS: readonly string[] = [
  ...READERS.flatMap((reader) => FILES.map((file) => `${reader} ${file}`)),
  ...WALKERS.flatMap((walker) => FOLDERS.map((folder) => walker.replace("F", folder).replace("OUT", "../out"))),
  ...LIMITS,
].flatMap((command) =>
  WRITTEN.filter((way) => way !== 'bash -c "C"' || !/["$\\]/.test(command)).map((way) =>
    way.replace("C", () => command),
  ),
);

/** Whether a command has a shape that is on the published list of limits. */
export function isLimit(command: string): boolean {
  return LIMITS.some((one) => command.includes(one));
}
