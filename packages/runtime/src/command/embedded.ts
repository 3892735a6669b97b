const STRING = String.raw`"((?:[^"\\]|\\.)*)"`;
const ANY_STRING = String.raw`(["'\x60])((?:(?!\1)[^\\]|\\.)*)\1`;
const CALL = String.raw`\b(?:system|popen\d?|shell_exec|passthru|getoutput|getstatusoutput|exec\w*|spawn\w*|run|call|check_call|check_output|Popen)`;

/** Matches the string arguments after a program's name in code, such as `, "-r", "x"` or `, ["-r", "x"`. */
const LIST = /^\s*,\s*\[?((?:\s*(["'`])[^"'`\n]*\2\s*(?:,(?=\s*["'`]))?)+)/;

interface Embedding {
  readonly programs: RegExp;
  /** Patterns of strings in the code that are shell texts; the last group is the string without its quotes. */
  readonly strings?: readonly RegExp[];
  /** Patterns of shell texts that are not in quotes; the last group is the text. */
  readonly texts?: readonly RegExp[];
  /** Converts a shell text in the code to what the program passes to a shell; absent if they are the same. */
  passed?(text: string): string;
}

/** The programs whose code can contain shell texts, with the ordinary ways to write them. */
const EMBEDDINGS: readonly Embedding[] = [
  {
    programs: /^[gmn]?awk$/,
    strings: [
      String.raw`\bsystem\s*\(\s*${STRING}`,
      String.raw`\|&?\s*${STRING}`,
      String.raw`${STRING}\s*\|&?\s*getline`,
    ].map((source) => new RegExp(source, "g")),
  },
  {
    programs: /^g?sed$/,
    texts: [
      /(?:^|[;\n{])\s*[\d$,]*\s*e\s+([^\n]+)/g,
      /(?:^|[;\n{/\d$])\s*s([/|#,])(?:\\.|(?!\1).)*\1((?:\\.|(?!\1).)*)\1[gpIiMm\d]*e/g,
    ],
    passed: unescapedBySed,
  },
  {
    programs: /^(?:n?vim?|gvim|view|ex|ed|less|more)$/,
    strings: [new RegExp(String.raw`\bsystem\(\s*${ANY_STRING}`, "g")],
    texts: [
      /(?:^|[+:|\s\d%.$]|\br(?:ead)?)![ \t]*([^\n]+)/g,
      /(?:^|[+:|\n])\s*(?:\w+!?\s+)*l?((?:make?|grep?)\b[^\n]*)/g,
    ],
    passed: (text) =>
      text
        .replace(/^(?:(mak)e?|(gre)p?)\b!?/, (_, make) => (make === undefined ? "grep" : "make"))
        .replaceAll(/\\([!%#])/g, "$1"),
  },
  {
    programs: /^emacs(?:client)?$/,
    strings: [new RegExp(String.raw`\b(?:shell-command\S*|call-process)\s+${STRING}`, "g")],
  },
  { programs: /^(?:gdb|lldb)$/, texts: [/(?:^|\n)\s*(?:platform\s+)?(?:shell\s|!)\s*([\s\S]+)/g] },
  { programs: /^(?:expect|tclsh|wish)$/, texts: [/\b(?:spawn|exec|system)\s+([^\n;\]]+)/g] },
  {
    programs: /^sqlite3$/,
    texts: [/(?:^|\n)\s*\.(?:shell|system)\s+([\s\S]+)/g],
    passed: joinedBySqlite,
  },
  {
    programs: /^(?:mysql|mariadb|psql|l?ftp|sftp)$/,
    texts: [/(?:^|[;\n])\s*(?:\\!|!|system\s)\s*([^\n]+)/g, /\bPROGRAM\s+'([^']*)'/gi],
  },
  { programs: /^socat$/, texts: [/\b(?:EXEC|SYSTEM|SHELL):([^,]*)/gi] },
  {
    programs: /^(?:python|pypy|perl|ruby|php|lua|luajit|node|nodejs|deno|bun|tsx)[\d.]*$/,
    strings: [new RegExp(String.raw`${CALL}\s*\(?\s*\[?\s*${ANY_STRING}`, "g")],
  },
  { programs: /^(?:perl|ruby|php)[\d.]*$/, texts: [/`([^`]*)`/g, /\bqx\W([^)}\]/]*)/g] },
];

/** Returns the shell texts that a program's code contains and runs; `$_` replaces computed parts. */
export function embeddedIn(program: string, code: string): readonly string[] {
  return EMBEDDINGS.flatMap(({ programs, strings = [], texts = [], passed }) =>
    !programs.test(program)
      ? []
      : [
          ...texts
            .flatMap((text) => [...code.matchAll(text)].map((match) => match.at(-1) ?? ""))
            .map((text) => passed?.(text) ?? text),
          ...strings.flatMap((text) =>
            [...code.matchAll(text)].map((match) => {
              const rest = code.slice(match.index + match[0].length);
              const [list = "", words = ""] = LIST.exec(rest) ?? [];
              const isWhole = /^\s*(?:$|[)\];|}\n])/.test(rest.slice(list.length));
              const program = (match.at(-1) ?? "").replaceAll(/\\([\s\S])/g, unescaped);
              return `${program} ${words.replaceAll(/["'`]\s*,\s*["'`]/g, "' '").replaceAll(/^[^"'`]*["'`]|["'`][^"'`]*$/g, "'")}${isWhole ? "" : " $_"}`.trimEnd();
            }),
          ),
        ],
  );
}

function unescaped(_: string, letter: string): string {
  return letter === "n" ? "\n" : letter;
}

/** Resolves the escapes in a text as GNU sed does, which drops the backslash before any other character. */
function unescapedBySed(text: string): string {
  const bases: Readonly<Record<string, number>> = { d: 10, o: 8, x: 16 };
  return text.replaceAll(/\\(?:(d)(\d{1,3})|(o)([0-7]{1,3})|(x)([\da-fA-F]{1,2})|([\s\S]))/g, (_, ...groups) => {
    const [first = "", digits] = (groups.slice(0, 7) as (string | undefined)[]).filter((group) => group !== undefined);
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, bases[first]));
    return { n: "\n", t: "\t" }[first] ?? first;
  });
}

/** Joins the words of a text as sqlite3 does, which removes their quotes and puts its own around words with a space. */
function joinedBySqlite(text: string): string {
  return [...text.matchAll(/'([^']*)'?|"((?:\\[\s\S]|[^"\\])*)"?|(\S+)/g)]
    .map(([, literal, escaped, plain]) => literal ?? escaped?.replaceAll(/\\([\s\S])/g, unescaped) ?? plain ?? "")
    .map((word) => (word.includes(" ") ? `"${word}"` : word))
    .join(" ");
}
