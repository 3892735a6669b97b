import type { Chance } from "../stage/chance.ts";

/** A generated text, and whether its flow reaches every command in it. */
export interface Drawn {
  readonly text: string;
  /** Absent for a text whose commands may fail before they start. */
  readonly reaches?: boolean;
}

/** Programs that the texts start: stubs that record their arguments. */
export const TARGETS = ["zap", "rm", "git", "curl"] as const;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text: string): string => `"${text.replaceAll(/[\\"$`]/g, "\\$&")}"`;
const ansi = (text: string): string =>
  `$'${[...text].map((one) => (/[\w ]/.test(one) ? one : `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`)).join("")}'`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const reversed = (text: string): string => [...text].reverse().join("");
const coded = (text: string): string => `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);
const rotated = (text: string): string =>
  text.replaceAll(/[a-z]/g, (one) => String.fromCharCode(((one.charCodeAt(0) - 97 + 13) % 26) + 97));

type Make = (text: string, chance: Chance) => string;

/** Makers of the spellings of a program's name in a shell. */
const NAMES: readonly Make[] = [
  (name) => name,
  (name) => name,
  (name) => name,
  (name) => quoted(name),
  (name) => `"${name}"`,
  (name) => `\\${name}`,
  (name) => `${name[0]}''${name.slice(1)}`,
  (name) => `${name[0]}"${name.slice(1)}"`,
  (name) => `$'\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}'`,
  (name) => `${name[0]}\\\n${name.slice(1)}`,
  (name) => `/usr/local/bin/[${name[0]}]${name.slice(1)}`,
  (name) => `/usr/local/bin/${name.slice(0, -1)}?`,
];

const ARGS: readonly string[] = [
  "a",
  "a b",
  "-f a",
  "'x y'",
  '"$HOME"',
  "push origin",
  "$((1 + 1))",
  "a=b",
  "-- a",
  "*.none",
  "",
];

/** Returns one command that starts a target, on one line. */
export function leaf(chance: Chance): string {
  const name = chance.of(TARGETS);
  return `${chance.of(NAMES)(name, chance)} ${chance.of(ARGS)}`.trim();
}

/** Commands that start another simple command, each with its options in several spellings. */
const WRAPPERS: readonly Make[] = [
  ...[
    "timeout 5",
    "timeout -vk 1 5",
    "timeout --sig=KILL 5s",
    "timeout --kill-after 1 --signal TERM 5",
    "timeout -s9 -- 5",
  ],
  ...["nice", "nice -n 3", "nice -3", "nice --adjustment 3", "nice --adj=3", "nohup", "stdbuf -oL", "stdbuf -o L -e0"],
  ...["env", "env A=1", "env -u B", "env --unset B A=1", "env a.b=1", "env -uB --", "env -C . A=", "env -v"],
  ...["ionice -c 3", "ionice -c3", "ionice --class 3", "ionice -t --classdata=4 -c 2"],
  ...["taskset 1", "taskset -c 0", "taskset --cpu-list 0", "setpriv --no-new-privs", "setpriv --nnp --reset-env"],
  ...[
    "setsid -w",
    "setsid --wait",
    "chrt -b 0",
    "chrt --batch 0",
    "chrt --other --verbose 0",
    "prlimit --nofile=64",
    "prlimit -n=64 --core=0",
  ],
  ...[
    "setarch -R",
    "setarch x86_64 -R",
    "/usr/bin/time -o /dev/null",
    "/usr/bin/time -f %e -ao /dev/null",
    "/usr/bin/time --format=%e -q",
  ],
  ...["runuser -u root --", "runuser --user=root --", "xargs -0a /dev/null env --", "chroot /"],
]
  .map(
    (prefix): Make =>
      (text) =>
        `${prefix} ${text}`,
  )
  .concat(
    // Each uses another lock file: with the same file, the second lock would wait for the first.
    ["flock", "flock -nE 3", "flock -w 1 -x", "flock --wait 1 --conflict-exit-code=3"].map(
      (prefix): Make =>
        (text, chance) =>
          `${prefix} l${chance.below(1_000_000)} ${text}`,
    ),
    // A user who is root only by a user namespace's mapping cannot switch to another user, so these are not wrapped.
    (text) => (/\b(?:runuser|setpriv|chroot|unshare)\b/.test(text) ? text : `unshare -r ${text}`),
  );

/** Commands that run a whole text. */
const TEXTS: readonly Make[] = [
  (text) => `sh -c ${quoted(text)}`,
  (text) => `bash -c ${quoted(text)}`,
  (text) => `bash -c -- ${quoted(text)}`,
  (text) => `bash -c -e ${quoted(text)}`,
  (text) => `bash -ec ${quoted(text)} name a b`,
  (text) => `bash -euo pipefail -c ${quoted(text)}`,
  (text) => `bash --norc -O extglob -c ${double(text)}`,
  (text) => `eval ${quoted(text)}`,
  (text) => `eval -- ${double(text)}`,
  (text) => `script -qc ${quoted(text)} /dev/null`,
  (text) => `script --quiet --command=${quoted(text)} /dev/null`,
  (text) => `script -q /dev/null --command ${quoted(text)}`,
  (text, chance) => `flock l${chance.below(1_000_000)} -c ${quoted(text)}`,
  (text) => `su root -c ${quoted(text)}`,
  (text) => `su -c ${quoted(text)}`,
  (text) => `su --command=${quoted(text)} root`,
  (text) => `xargs -I% sh -c ${quoted(text)} <<< one`,
  (text) => `find . -maxdepth 0 -exec sh -c ${quoted(text)} \\;`,
  (text) => `find . -maxdepth 0 -exec true \\; -exec bash -c ${quoted(text)} {} +`,
  (text) => `sh <<'E_O_F'\n${text}\nE_O_F`,
  (text) => `bash <<- 'E_O_F'\n${text}\nE_O_F`,
  (text) => `cat <<'E_O_F' | sh\n${text}\nE_O_F`,
  (text) => `bash -s a b <<'E_O_F'\n${text}\nE_O_F`,
  (text) => `bash /dev/fd/3 3<<'E_O_F'\n${text}\nE_O_F`,
  (text) => `{ sh; } <<'E_O_F'\n${text}\nE_O_F`,
  (text) => `bash <<< ${quoted(text)}`,
  (text) => `source /dev/stdin <<< ${quoted(text)}`,
  (text) => `. /proc/self/fd/0 <<< ${quoted(text)}`,
  (text) => `printf '%s\\n' ${quoted(text)} | bash`,
  (text) => `printf '%s' ${quoted(text)} | cat | tee /dev/null | sh -s`,
  (text) => `bash <(printf '%s\\n' ${quoted(text)})`,
  (text) => `source <(printf '%s\\n' ${quoted(text)})`,
  (text) => `bash < <(printf '%s\\n' ${quoted(text)})`,
  (text) => `printf '%s\\n' ${quoted(text)} > >(bash); wait $!`,
  (text) => `echo ${base64(text)} | base64 -d | bash`,
  (text) => `base64 --decode <<< ${base64(text)} | sh`,
  (text) => `bash -c "$(echo ${base64(text)} | base64 -d)"`,
  (text) => `eval "$(printf '%s' ${quoted(text)})"`,
  (text) => `echo ${hex(text)} | xxd -r -p | bash`,
  (text) => (isAscii(text) ? `printf '%s\\n' ${quoted(reversed(text))} | rev | bash` : text),
  (text) => `printf '%s\\n' ${quoted(rotated(text))} | tr 'a-z' 'n-za-m' | bash`,
  (text) => (isAscii(text) ? `printf '%s\\n' ${quoted(`xx ${text}`)} | cut -c 4- | bash` : text),
  (text) => `env bash -c ${ansi(text)}`,
  (text) => `env --split-string='bash -c' ${quoted(text)}`,
  (text) => `x=${quoted(text)}; bash -c "$x"`,
  (text) => `x=${quoted(text)}; eval "$x"`,
  (text) => `export x=${quoted(text)}; bash -c 'eval "$x"'`,
  (text) => `printf '%s\\n' ${quoted(text)} > s.sh; bash s.sh`,
  (text) => `cat > s.sh <<'E_O_F'\n${text}\nE_O_F\n. ./s.sh`,
  (text) => `mapfile -t -c 1 -C ${quoted(`${text.includes("\n") ? "eval true" : text} #`)} lines <<< one`,
  (text) => `shopt -s expand_aliases\nalias zz=${quoted(text.includes("\n") ? "zap" : text)}\nzz`,
  (text) => `env -S "bash -c" ${quoted(text)}`,
  (text) => `builtin eval ${quoted(text)}`,
  (text) => `command eval ${quoted(text)}`,
  (text) => `printf '%s\\n' 'unset BASH_ENV' ${quoted(text)} > s.sh; BASH_ENV=./s.sh bash -c :`,
  (text) => `printf '%s\\n' 'unset BASH_ENV' ${quoted(text)} > s.sh; env BASH_ENV=./s.sh bash -c :`,
  (text) => `awk ${quoted(`BEGIN { system(${coded(text)}) }`)}`,
  (text) => `awk ${quoted(`BEGIN { print 1 | ${coded(text)} }`)}`,
  (text) => `perl -e ${quoted(`system(${coded(text).replaceAll(/[$@]/g, "\\$&")})`)}`,
  (text) => (text.includes("\n") ? text : `sed ${quoted(`1e ${text}`)} <<< one`),
  (text) => `ex -s <<< ${quoted(`!${text.replaceAll(/[\\!%#|]/g, "\\$&")}`)}`,
  (text) => (text.includes("\n") ? text : `ex -s <<< ${quoted(`r !${text.replaceAll(/[\\!%#|]/g, "\\$&")}`)}`),
  (text) => `make -f - <<< ${quoted(`a:;@${text.replaceAll("$", "$$$$")}`)}`,
  (text) =>
    // tar interprets backslashes in the command.
    text.includes("\\")
      ? text
      : `tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=${quoted(`bash -c ${quoted(text)}`)} /etc/passwd`,
  (text) => `split --filter=${quoted(text)} <<< one`,
  (text) => `unshare bash -c ${quoted(text)}`,
  (text) => `chroot / bash -c ${quoted(text)}`,
  (text) => `sqlite3 : ${quoted(`.shell ${text}`)}`,
  (text) => `PS4='$(bash -c ${quoted(quoted(text)).slice(1, -1)})'; set -x; :; set +x`,
];

/** Makers of simple commands whose words come from variables. */
const WORDS: readonly ((name: string, rest: string) => string)[] = [
  (name, rest) => `x=${name}; $x ${rest}`,
  (name, rest) => `x=${name}; "$x" ${rest}`,
  (name, rest) => `x='${name} one'; $x ${rest}`,
  (name, rest) => `export x=${name}; \${x} ${rest}`,
  (name, rest) => `declare x=${name}; $x ${rest}`,
  (name, rest) => `a=(${name} one); "\${a[@]}" ${rest}`,
  (name, rest) => `a=(${name} one); \${a[*]} ${rest}`,
  (name, rest) => `a=(one ${name}); "\${a[1]}" ${rest}`,
  (name, rest) => `declare -a a=(${name}); a+=(one); "\${a[@]}" ${rest}`,
  (name, rest) => `declare -n r=c; c=${name}; $r ${rest}`,
  (name, rest) => `c=true; declare -n r=c; r=${name}; $c ${rest}`,
  (name, rest) => `x=; : \${x:=${name}}; $x ${rest}`,
  (name, rest) => `unset x; : "\${x=${name}}"; $x ${rest}`,
  (name, rest) => `x=true; eval x=${name}; $x ${rest}`,
  (name, rest) => `x=true; read x <<< ${name}; $x ${rest}`,
  (name, rest) => `x=true; command read -r x <<< ${name}; $x ${rest}`,
  (name, rest) => `x=true; printf -v x ${name}; $x ${rest}`,
  (name, rest) => `x=true; mapfile -t x <<< ${name}; $x ${rest}`,
  (name, rest) => `\${none:-${name}} ${rest}`,
  (name, rest) => `x=1; \${x:+${name}} ${rest}`,
  (name, rest) => `x=${name}x; \${x%x} ${rest}`,
  (name, rest) => `x=${name.toUpperCase()}; \${x,,} ${rest}`,
  (name, rest) => `x=x${name}; \${x:1} ${rest}`,
  (name, rest) => `y=${name}; x=y; \${!x} ${rest}`,
  (name, rest) => `set -- ${name} one; "$@" ${rest}`,
  (name, rest) => `set -- ${name}; $1 ${rest}`,
  (name, rest) => `f() { "$@"; }; f ${name} ${rest}`,
  (name, rest) => `f() { local x=$1; shift; $x "$@"; }; f ${name} ${rest}`,
  (name, rest) => `bash -c '"$@"' _ ${name} ${rest}`,
  (name, rest) => `x='${name} one'; bash -c $x; : ${rest}`,
  (name, rest) => `bash -c '$0 "$1"' ${name} one; : ${rest}`,
  (name, rest) => `$(echo ${name}) ${rest}`,
  (name, rest) => `\`printf %s ${name}\` ${rest}`,
  (name, rest) => `"$(rev <<< ${reversed(name)})" ${rest}`,
  (name, rest) => `for x in ${name}; do $x ${rest}; done`,
  (name, rest) => `for x in true ${name}; do "$x" ${rest}; done`,
  (name, rest) => `while read -r x; do $x ${rest}; done <<< ${name}`,
  (name, rest) => `echo ${name} | { read -r x; $x ${rest}; }`,
  (name, rest) => `x=true; x=${name}; $x ${rest}`,
  (name, rest) => `x=true; if true; then x=${name}; fi; $x ${rest}`,
  (name, rest) => `x=${name} bash -c '$x ${rest.replaceAll("'", "")}'`,
  (name, rest) => `x=true; x+=; y=$x; x=${name}; $x ${rest}`,
  (name, rest) => `{${name},one} ${rest}`,
  (name, rest) => `x=; $x ${name} ${rest}`,
  (name, rest) => `x=one; IFS=o; x=${name}onex; $x ${rest}`,
  (name, rest) => `echo one | xargs ${name} ${rest}`,
  (name, rest) => `echo one | xargs -rn 1 ${name} ${rest}`,
  (name, rest) => `echo one | xargs -I{} ${name} {} ${rest}`,
  (name) => `echo ${name} one | xargs env`,
  (name, rest) => `echo one | xargs --max-args 1 --replace=% ${name} % ${rest}`,
  (name, rest) => `printf 'one\\0' | xargs -0 -P2 -L1 ${name} ${rest}`,
  (name, rest) => `find . -maxdepth 0 -exec ${name} {} ${rest} \\;`,
  (name, rest) => `find . -maxdepth 0 -exec true \\; -execdir ${name} {} ${rest} ';'`,
  (name, rest) => `find . -maxdepth 0 -exec ${name} {} +; : ${rest}`,
  (name, rest) => `x='a[$(${name} one)]'; echo $((x)) 2>/dev/null; : ${rest}`,
  (name, rest) => `[[ -v 'a[$(${name} one)]' ]]; : ${rest}`,
  (name, rest) => `x='$(${name} one)'; echo "\${x@P}"; : ${rest}`,
  (name, rest) => `unset 'a[$(${name} one)]'; : ${rest}`,
  (name, rest) => `let 'x=a[$(${name} one)]'; : ${rest}`,
  (name, rest) => `echo \${none[$(${name} one)1]}; : ${rest}`,
  (name, rest) => `coproc ${name} ${rest}\nwait`,
  (name, rest) => `coproc N { ${name} ${rest}; }\nwait`,
  (name, rest) => `time -p ${name} ${rest}`,
  (name, rest) => `! ${name} ${rest}`,
  (name, rest) => `(exec -a other ${name} ${rest})`,
  (name) => `compgen -C '${name} one' x`,
  (name, rest) => `(exec -c ${name} ${rest})`,
  (name, rest) => `hash -p /usr/local/bin/${name} foo; foo ${rest}`,
  (name, rest) => `${name[0]}{${name.slice(1)},x} ${rest}`,
  (name, rest) => `${name[0]}\${none}${name.slice(1)} ${rest}`,
  (name, rest) => `printf -v "a[\\$(${name} one)]" x; : ${rest}`,
  (name, rest) => `declare "a[\\$(${name} one)]=1"; : ${rest}`,
  (name, rest) => `true & ${name} ${rest} & wait`,
  (name, rest) => `git() { command git "$@"; }; git one; ${name} ${rest}`,
  (name, rest) => `zap() { :; }; ${name} ${rest}`,
];

interface Frame {
  readonly make: Make;
  readonly reaches: boolean;
}
const yes = (make: Make): Frame => ({ make, reaches: true });
const no = (make: Make): Frame => ({ make, reaches: false });

/** Syntax around a list of commands. */
const FRAMES: readonly Frame[] = [
  yes((text) => `true\n${text}`),
  yes((text) => `${text}\ntrue`),
  yes((text) => `{\n${text}\n}`),
  yes((text) => `(\n${text}\n)`),
  yes((text) => `true && {\n${text}\n}`),
  yes((text) => `false || {\n${text}\n}`),
  yes((text) => `if true; then\n${text}\nfi`),
  yes((text) => `if false; then :; elif true; then\n${text}\nfi`),
  yes((text) => `for i in 1 2; do\n${text}\ndone`),
  yes((text) => `while\n${text}\nfalse; do :; done`),
  yes((text) => `until\n${text}\ntrue; do :; done`),
  yes((text) => `case x in\n(x)\n${text}\n;; *) ;; esac`),
  yes((text) => `case x in x)\n${text}\n;& y) : ;; esac`),
  yes((text) => `f() {\n${text}\n}\nf`),
  yes((text) => `function g {\n${text}\n} 2>/dev/null\ng`),
  yes((text) => `x=$(\n${text}\n)`),
  yes((text) => `: "$(\n${text}\n)"`),
  yes((text) => `cat <(\n${text}\n) > /dev/null`),
  yes((text) => `{\n${text}\n} | cat`),
  yes((text) => `true | {\n${text}\n}`),
  yes((text) => `{\n${text}\n} 2> /dev/null`),
  yes((text) => `{\n${text}\n} &\nwait`),
  yes((text) => `cat <<E_1 > /dev/null\n$(\n${text}\n)\nE_1`),
  yes((text) => `[[ -n $(\n${text}\n) ]]`),
  yes((text) => `: $(( 1 + $(\n${text}\necho 1) ))`),
  yes((text) => `: $(( a[$(\n${text}\n)0] ))`),
  yes((text) => `(( a[$(\n${text}\n)0] ))`),
  yes((text) => `a[$(\n${text}\n)0]=1`),
  yes((text) => `[[ x == $(\n${text}\n) || y ]]`),
  yes((text) => `case $(\n${text}\n) in *) ;; esac`),
  yes((text) => `case x in $(\n${text}\n)) ;; *) ;; esac`),
  yes((text) => `select i in a; do\n${text}\nbreak; done <<< 1`),
  yes((text) => `select i in "$(\n${text}\n)"; do break; done <<< 1`),
  yes((text) => `: "\${none:-$(\n${text}\n)}"`),
  yes((text) => `cat <<< "$(\n${text}\n)" > /dev/null`),
  yes((text) => `# comment's\n${text} # more`),
  no((text) => `false && {\n${text}\n}`),
  no((text) => `if false; then\n${text}\nfi`),
  no((text) => `h() {\n${text}\n}`),
  no((text) => `: \${HOME:-$(\n${text}\n)}`),
  no((text) => `for i in; do\n${text}\ndone`),
  no((text) => `trap ${quoted(text)} EXIT`),
  no((text) => `(trap -- ${quoted(text)} EXIT)`),
  no((text) => `exit\n${text}`),
  no((text) => `set -e; false\n${text}`),
  no((text) => `case x in y)\n${text}\n;; esac`),
];

/** Texts that only name a target. */
const DECOYS: readonly string[] = [
  "echo zap a",
  "echo 'x; zap a'",
  "printf '%s\\n' \"git push; rm a\" > /dev/null",
  "# zap a",
  "cat <<'E_2' > /dev/null\nzap a\n$(zap a)\nE_2",
  "grep -q 'rm -rf' <<< 'rm -rf'",
  "x='zap a'",
  "type zap > /dev/null",
  "command -v rm > /dev/null",
  "[ zap = rm ] || true",
  "[[ git == g* ]]",
  "case zap in rm) ;; esac",
  `a=(zap rm); : "\${a[@]}"`,
  "bash -n <<< 'zap a'",
  "echo one | xargs echo zap > /dev/null",
];

/** Returns one text: a command in some spelling, behind wrappers, in frames. */
export function drawn(chance: Chance): Drawn {
  let reaches = true;
  let text = leaf(chance);
  const kind = chance.below(10);
  if (kind < 4) text = chance.of(WORDS)(chance.of(TARGETS), chance.of(["a", "a b", "'x y'", "push origin"]));
  else {
    for (let left = chance.below(3); left > 0; left--) text = chance.of(WRAPPERS)(text, chance);
    // `command` is a builtin, which no wrapper can start.
    if (chance.below(6) === 0) text = `command ${chance.of(["", "-- "])}${text}`;
  }
  for (let left = chance.below(4); left > 0; left--) {
    if (chance.below(2) === 0) text = chance.of(TEXTS)(text, chance);
    else {
      const frame = chance.of(FRAMES);
      reaches &&= frame.reaches;
      text = frame.make(text, chance);
    }
    if (chance.below(4) === 0) text = `${chance.of(DECOYS)}\n${text}`;
    if (chance.below(5) === 0) text = `${text}\n${chance.of(DECOYS)}`;
  }
  return { text, reaches };
}

const TOKENS: readonly string[] = [
  ...[
    "zap",
    "rm",
    "git push",
    "echo",
    "cat",
    "sh",
    "sh -c",
    "eval",
    "xargs",
    "env",
    "true",
    "x=zap",
    "$x",
    '"$x"',
    "a",
  ],
  ...[
    " ",
    " ",
    " ",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "(",
    ")",
    "{ ",
    "; }",
    "$(",
    "`",
    "'",
    '"',
    "\\",
    "<<E\n",
    "\nE\n",
  ],
  ...[
    "<<<",
    "<(",
    "${x",
    "}",
    "$",
    "((",
    "))",
    "[[ ",
    " ]]",
    "if ",
    "then ",
    "fi",
    "do ",
    "done",
    "for x in ",
    "while ",
  ],
  ...[
    "f() ",
    "case x in ",
    "x) ",
    ";; ",
    "esac",
    "!",
    "#",
    "*",
    "?",
    "=",
    "-c",
    "-",
    "2>&1",
    ">/dev/null",
    "</dev/null",
  ],
];

/** Returns a text of pieces in random order, which shells mostly reject. */
export function soup(chance: Chance): Drawn {
  const count = 2 + chance.below(14);
  return { text: Array.from({ length: count }, () => chance.of(TOKENS)).join(chance.below(2) === 0 ? "" : " ") };
}

/** Returns a text that an allow rule may match. */
export function plain(chance: Chance): Drawn {
  const one = (): string => {
    const simple = chance.of([
      "git ok",
      "git ok a",
      "echo hi",
      "true",
      "git ok $x",
      'git ok "$(echo hi)"',
      "git ok $(zap no)",
    ]);
    const wrapped =
      chance.below(3) === 0
        ? `${chance.of(["timeout 5", "nice -n 1", "nohup", "time", "env", "command", "xargs", "stdbuf -oL", "sh -c"])} ${simple}`
        : simple;
    return `${wrapped}${chance.of(["", "", "", " > /dev/null", " > out", " 2>&1", " < /dev/null", " >> ap", " | cat"])}`;
  };
  const joined = chance.of([" && ", "; ", "\n", " || ", " & "]);
  const count = 1 + chance.below(3);
  const text = Array.from({ length: count }, one).join(joined);
  const before = chance.of([
    "",
    "",
    "",
    "",
    "x=1; ",
    "git() { rm a; }; ",
    "alias git=rm; ",
    "PATH=.:$PATH ",
    "for git in a; do :; done; ",
  ]);
  return { text: `${before}${text}` };
}
