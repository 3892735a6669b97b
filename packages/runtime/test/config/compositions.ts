import fc from "fast-check";

/** The file that every composition starts, and what else lies in the project. */
export const TARGET = "tools/g.sh";
export const TREE: Readonly<Record<string, string>> = {
  "tools/g.sh": "echo ran\n",
  "tools/h.sh": "true\n",
  "tools/which": "tools/g.sh\n",
  "src/index.ts": "export {};\n",
  "README.md": "# Nothing\n",
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const doubled = (text: string): string => `"${text.replaceAll(/["\\$`]/g, "\\$&")}"`;

interface Spelling {
  readonly name: string;
  /** A command that must come before. */
  readonly before?: string;
}

/** Ways to write the name of the target, seen from the project's folder. */
const NAMES: readonly Spelling[] = [
  ...[
    "tools/g.sh",
    "./tools/g.sh",
    "tools//g.sh",
    "tools/../tools/g.sh",
    '"tools"/g.sh',
    "to'ol's/\"g\".sh",
    "too\\ls/g.s\\h",
    "'tools/g.sh'",
    '"$PWD"/tools/g.sh',
    `"\${PWD}/tools/g.sh"`,
    '"$(pwd)/tools/g.sh"',
    "tools/g*.sh",
    "tools/?.sh",
    "tools/[g].sh",
    "t*/g.sh",
    '"$(echo tools/g.sh)"',
    '"$(cat tools/which)"',
    "`cat tools/which`",
    `"\${NOBODY:-tools/g.sh}"`,
    "too\\\nls/g.sh",
    '"$(printf %s%s tools/ g.sh)"',
  ].map((name) => ({ name })),
  { name: "$f", before: "f=tools/g.sh" },
  { name: '"$f"', before: "f='tools/g.sh'" },
  { name: '"$d/g.sh"', before: "d=tools" },
  { name: "$d/$n.sh", before: "d=tools n=g" },
  { name: "$a$b/g.sh", before: "a=too; b=ls" },
  { name: '"$f"', before: 'f="$(cat tools/which)"' },
  { name: `"\${f%x}"`, before: "f=tools/g.shx" },
  { name: `\${f#x}`, before: "f=xtools/g.sh" },
  { name: '"$1"', before: "set -- tools/g.sh" },
  { name: '"$x"', before: "read -r x < tools/which" },
  { name: `"\${a}\${b}"`, before: "a=tools/ b=g.sh" },
  { name: '"$f"', before: "d=tools; f=$d/g.sh" },
  { name: "g.sh", before: "cd tools" },
  { name: "./g.sh", before: 'cd "$PWD/tools"' },
  { name: "g.sh", before: "pushd tools > /dev/null" },
  { name: "g.sh", before: "d=tools; cd $d" },
  { name: "g.sh", before: 'cd "$(dirname "$(cat tools/which)")"' },
  { name: "../tools/g.sh", before: "cd src" },
];

/** Ways to start a file by its name. */
const STARTS: readonly ((name: string) => string)[] = [
  (name) => `sh ${name}`,
  (name) => `bash ${name}`,
  (name) => `bash -eu ${name}`,
  (name) => `. ${name}`,
  (name) => `bash -c "source \\$0" ${name}`,
  (name) => `sh < ${name}`,
  (name) => `cat ${name} | sh`,
  (name) => `sh -c 'sh "$0"' ${name}`,
  (name) => `sh -c '"$@"' x sh ${name}`,
  (name) => `echo ${name} | xargs sh`,
  (name) => `xargs -n1 sh <<< ${name}`,
  (name) => `find . -path './tools/g.sh' -exec sh {} \\; # ${name}`,
  (name) => `for i in ${name}; do sh $i; done`,
  (name) => `x=${name}; sh "$x"`,
  (name) => `run() { sh "$@"; }; run ${name}`,
  (name) => `go() { sh ${name}; }; go`,
  (name) => `eval sh ${name}`,
  (name) => `s=sh; $s ${name}`,
  (name) => `python3 -c 'import subprocess,sys; subprocess.run(["sh", sys.argv[1]])' ${name}`,
  (name) => `BASH_ENV=${name} bash -c :`,
];

/** Ways to put a command into another. */
const WRAPS: readonly ((command: string) => string)[] = [
  (command) => `(${command})`,
  (command) => `{ ${command}\n}`,
  (command) => `sh -c ${quoted(command)}`,
  (command) => `bash -c ${doubled(command)}`,
  (command) => `exec bash -c ${quoted(command)}`,
  (command) => `env -S "bash -c" ${quoted(command)}`,
  (command) => `env A=1 bash -c ${quoted(command)}`,
  (command) => `timeout 9 bash -c ${quoted(command)}`,
  (command) => `nice -n 1 nohup bash -c ${quoted(command)}`,
  (command) => `setsid -w bash -c ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `for i in 1; do ${command}\ndone`,
  (command) => `while :; do ${command}\nbreak; done`,
  (command) => `case x in (x) ${command}\n;; esac`,
  (command) => `true && ${command}`,
  (command) => `false || ${command}`,
  (command) => `true | { ${command}\n}`,
  (command) => `{ ${command}\n} | cat`,
  (command) => `echo "$(${command}\n)"`,
  (command) => `f0() { ${command}\n}; f0`,
  (command) => `bash <<'END'\n${command}\nEND`,
  (command) => `echo ${quoted(command)} | bash`,
  (command) => `bash <<< ${quoted(command)}`,
  (command) => `cat <(${command}\n)`,
  (command) => `c=${quoted(command)}; bash -c "$c"`,
  (command) => `c=${quoted(command)}; eval "$c"`,
  (command) => `! ${command}`,
  (command) => `time ${command}`,
];

/** A random command line that starts the target, and nothing else of the project on purpose. */
export const composition: fc.Arbitrary<string> = fc
  .record({
    spelling: fc.constantFrom(...NAMES),
    start: fc.constantFrom(...STARTS),
    wraps: fc.array(fc.constantFrom(...WRAPS), { maxLength: 4 }),
  })
  .map(({ spelling: { name, before }, start, wraps }) => {
    const command = before === undefined ? start(name) : `${before}\n${start(name)}`;
    return wraps.reduce(
      (inner, wrap) => wrap(inner.includes("END\n") && wrap === WRAPS[22] ? `(${inner}\n)` : inner),
      command,
    );
  });
