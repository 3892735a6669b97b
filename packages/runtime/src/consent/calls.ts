import type { Parser } from "../command/parser.ts";
import { type CodeLanguage, type Start, startsOf, startsOfWords } from "../command/starts.ts";

/**
 * The meaning of a call's first argument: a shell command; a program, or a list of a program and its words; a script
 * that the call's own interpreter runs; source code; the name of a module; the path of a file that is loaded.
 */
type Takes = "command" | "program" | "script" | "code" | "module" | "file";

const CALLS: Readonly<Record<CodeLanguage, readonly (readonly [RegExp, Takes])[]>> = {
  python: [
    [
      /\b(?:os\.(?:system|popen)|subprocess\.(?:getoutput|getstatusoutput)|create_subprocess_shell|commands\.getoutput)\s*\(/g,
      "command",
    ],
    [
      /\b(?:subprocess\.\w+|Popen|check_output|check_call|os\.(?:exec|spawn|posix_spawn)\w*|pty\.spawn|create_subprocess_exec)\s*\(/g,
      "program",
    ],
    [/(?<![.\w])(?:eval|exec|compile)\s*\(/g, "code"],
    [/\b(?:runpy\.run_path|run_path|spec_from_file_location|SourceFileLoader|CDLL|execfile)\s*\(/g, "file"],
    [/\b(?:__import__|import_module|run_module)\s*\(/g, "module"],
  ],
  javascript: [
    [/(?<![.\w])(?:exec|execSync|execaCommand|execaCommandSync)\s*\(|\b(?:shell|shelljs)\.exec\s*\(/g, "command"],
    [
      /(?<![.\w])(?:execFile|execFileSync|spawn|spawnSync|spawn\.sync|execa|execaSync)\s*\(|\b(?:Bun\.spawn(?:Sync)?|Deno\.Command|Deno\.run)\s*\(/g,
      "program",
    ],
    [/(?<![.\w])eval\s*\(|\bnew\s+Function\s*\(|\brunIn\w*Context\s*\(/g, "code"],
    [/(?<![.\w])fork\s*\(/g, "script"],
    [/(?<![.\w])(?:require|import)\s*\(|(?:\bnew\s+|\.)Worker\s*\)?\s*\((?!\s*new\s+URL\s*\(\s*["'])/g, "module"],
    // Node resolves a worker's path against the working folder.
    [/\bnew\s+Worker\s*\(\s*(?=["'`])/g, "file"],
    [/\bprocess\.dlopen\s*\([^,)]*,/g, "file"],
  ],
  other: [
    [
      /\b(?:system|shell_exec|passthru|popen\w*|proc_open|Open3\.\w+|os\.execute)\b[ \t]*\(?[ \t]*(?=["'\w$@%({])/g,
      "command",
    ],
    [/\b(?:exec|spawn)\b[ \t]*\(?[ \t]*(?=["'\w$@%({])/g, "command"],
    [/\b(?:eval|instance_eval|class_eval|loadstring)\b[ \t]*\(?[ \t]*(?=["'\w$@%(])/g, "code"],
    [
      /\b(?:require_relative|require_once|include_once|require|include|load|do|dofile|loadfile)\b[ \t]*\(?[ \t]*(?=["'$@%(]|__\w+__|File\.)|\bautoload\s+:\w+\s*,/g,
      "file",
    ],
  ],
};

/** Matches a string constant, possibly raw or bytes, without interpolation. */
const TEXT = /^\s*(?:[rRbBuU]{0,2})(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\$])*)`)/;
const COMPUTED = "computes what it starts";

/** Finds what calls in a program text start, in languages that have no parser here. Imports are read elsewhere. */
export function codeStarts(text: string, language: CodeLanguage, parser: Parser): Start[] {
  const plain = inOwnFolder(withoutComments(text, language), language);
  const starts: Start[] = [];
  for (const [pattern, takes] of [...CALLS[language], ...aliases(plain, language)]) {
    for (const found of plain.matchAll(pattern)) {
      if (isDeclared(plain, found.index)) continue;
      const after = plain.slice(found.index + found[0].length);
      starts.push(
        ...startsOfCall({ piece: lineAt(plain, found.index), at: found.index }, after, { takes, language, parser }),
      );
    }
  }
  for (const { 0: piece, 1: path = "", index: at } of plain.matchAll(
    /\b(?:cwd["']?\s*[=:]|chdir\s*\(?)\s*["'`]([^"'`\n$]+)["'`]/g,
  ))
    starts.push({ piece, at, kind: "folder", path, isPattern: false });
  if (language === "other") {
    starts.push(...searchedIn(plain));
    for (const { 1: command = "", index } of plain.matchAll(/`([^`\n]+)`|%x\{([^}\n]+)\}|qx\{([^}\n]+)\}/g))
      starts.push(...startsOf(command, parser).map((start) => ({ ...start, at: index })));
    for (const { index } of plain.matchAll(/\|\s*getline|print\s*\|/g))
      if (!/"[^"$]*"\s*$/.test(plain.slice(0, index)))
        starts.push({ kind: "open", why: COMPUTED, piece: lineAt(plain, index), at: index });
  }
  if (language === "javascript")
    // Finds the commands of zx, which are template strings tagged `$`. Skips a `$` at the end of a string or a pattern.
    for (const { 1: command = "", index } of plain.matchAll(
      /(?<=(?:^|[=([{,;:?&|!>\n}]|\b(?:await|return|yield))\s*)\$`([^`]*)`/g,
    ))
      if (command.includes("${")) starts.push({ kind: "open", why: COMPUTED, piece: lineAt(plain, index), at: index });
      else starts.push(...startsOf(command, parser).map((start) => ({ ...start, at: index })));
  return starts;
}

/** Replaces paths that code builds from its own folder by relative ones: `__DIR__ . "/x"` becomes `"./x"`. */
function inOwnFolder(text: string, language: CodeLanguage): string {
  if (language !== "other") return text;
  return text
    .replaceAll(/(?:\b__DIR__|\bdirname\s*\(\s*__FILE__\s*\))\s*\.\s*(["'])\/?/g, "$1./")
    .replaceAll(
      /\bFile\.(?:join|expand_path)\s*\(\s*(?:__dir__|File\.dirname\(__FILE__\))\s*,\s*(["'])([^"']*)\1\s*\)/g,
      "$1./$2$1",
    );
}

interface Call {
  readonly takes: Takes;
  readonly language: CodeLanguage;
  readonly parser: Parser;
}

function startsOfCall(spot: { piece: string; at: number }, after: string, { takes, language, parser }: Call): Start[] {
  const open = (why: string): Start[] => [{ ...spot, kind: "open", why }];
  if (takes === "code") return open("runs a text as code");
  const words = argumentsOf(after, language);
  const [first] = words;
  if (takes === "module") {
    if (first === undefined) return open("computes what it loads");
    return /^(?:https?|npm|jsr|data|blob):/.test(first) ? open("loads code from the network") : [];
  }
  if (takes === "file") {
    const paths = words.filter((word) => word !== undefined);
    const names =
      language === "python"
        ? paths.filter((path) => /[./]/.test(path))
        : paths.slice(0, 1).map((path) => path.replace(/^\$\{?(?:FindBin::)?(?:Real)?Bin\}?\//, "./"));
    if (names.length === 0 || names.some((name) => name.includes("$"))) return open("computes what it loads");
    return names.flatMap((name) =>
      spelled(name, language).map((path) => ({ ...spot, kind: "start", path, isPattern: false })),
    );
  }
  if (takes === "command" && first === undefined) {
    const text = filled(after, language);
    if (text === undefined) return open(COMPUTED);
    return startsOf(text, parser).map((start) => ({ ...start, at: spot.at }));
  }
  if (takes === "script") words.unshift("node");
  // The second argument of `exec` is only the name that the program is started under.
  if (/\bos\.(?:exec|posix_spawn)/.test(spot.piece)) words.splice(1, 1);
  const [program] = words;
  if (program === undefined) return open(COMPUTED);
  // A single string with spaces is a command line, even in calls that also accept a list of words.
  const isLine = (takes === "command" && words.length === 1) || (language === "python" && /\s/.test(program));
  return (isLine ? startsOf(program, parser) : startsOfWords(words, parser)).map((start) => ({
    ...start,
    ...(isLine ? {} : { piece: spot.piece }),
    at: spot.at,
  }));
}

/** Returns the files that a name may mean in a language that adds an ending, such as `x.rb` for `x`. */
function spelled(name: string, language: CodeLanguage): string[] {
  return language === "other" ? [name, ...[".rb", ".pl", ".lua", ".php"].map((ending) => name + ending)] : [name];
}

/** Returns the folders in which Perl and Ruby look for modules, and the modules that they load from there. */
function searchedIn(text: string): Start[] {
  const found: Start[] = [];
  for (const { 0: line, index: at } of text.matchAll(
    /(?:\buse\s+lib\b|\$LOAD_PATH|\$:|@INC|\bpackage\.path)[^\n;]*/g,
  )) {
    const spot = { piece: line.trim(), at };
    const literals = [...line.matchAll(/["']([^"'\n]+)["']|\bqw[({]([^)}]*)/g)].map(
      ([, one, list = ""]) => one ?? list,
    );
    for (const path of literals)
      found.push({ ...spot, kind: "search", path: path.replace(/^\$\{?[\w:]+\}?\//, "./"), of: "other" });
    if (literals.length === 0) found.push({ ...spot, kind: "open", why: "computes where it looks for modules" });
  }
  for (const { 0: piece, 1: path = "", index: at } of text.matchAll(/^[ \t]*source[ \t]+["']?([^\s"';]+)/gm)) {
    if (/[$[]/.test(path)) found.push({ piece, at, kind: "open", why: "computes what it loads" });
    else found.push({ piece, at, kind: "start", path, isPattern: false });
  }
  for (const { 0: piece, 1: name = "", index: at } of text.matchAll(/\b(?:use|require)[ \t]+["']?([A-Za-z][\w:/-]*)/g))
    found.push({ piece, at, kind: "module", language: "other", name, isKnown: true });
  return found;
}

/** Returns the words of a call: its first string and the list after it, or the list that is its first argument. */
function argumentsOf(after: string, language: CodeLanguage): (string | undefined)[] {
  const first = constant(after);
  const list =
    /^\s*[[(]/.exec(after)?.[0] ??
    (first === undefined ? undefined : /^\s*,\s*\[/.exec(after.slice(first.length))?.[0]);
  const head = first === undefined ? [] : [first.text];
  if (language !== "javascript" && list === undefined)
    return first === undefined ? elements(after, true) : [...head, ...elements(after.slice(first.length))];
  if (list === undefined) return head;
  return [...head, ...elements(after.slice((first?.length ?? 0) + list.length), true)];
}

/** Reads elements up to the end of a list or call; anything but a string constant is `undefined`. */
function elements(text: string, isFirst = false): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  let rest = isFirst ? `,${text}` : text;
  while (/^\s*,/.test(rest) && found.length < 256) {
    rest = rest.replace(/^\s*,/, "");
    if (/^\s*[\])]/.test(rest)) break;
    const one = constant(rest);
    if (one !== undefined) rest = rest.slice(one.length);
    else if (/^\s*(?:sys\.executable|process\.execPath)\s*(?=[,\])])/.test(rest)) {
      found.push(/^\s*sys/.test(rest) ? "python3" : "node");
      rest = rest.replace(/^\s*[\w.]+\s*/, "");
      continue;
    } else if (/^\s*(?:\w+\s*=(?!=)|\{)/.test(rest)) break;
    else rest = rest.replace(/^[^,\])]*/, "");
    found.push(one?.text);
  }
  return found;
}

/** Returns the string constant at the start of a text; `undefined` if the expression goes on, as in `"a" + b`. */
function constant(text: string): { readonly text: string; readonly length: number } | undefined {
  const found = TEXT.exec(text);
  if (found === null || !/^\s*(?:[,)\]};]|$|\n|[a-z])/.test(text.slice(found[0].length))) return undefined;
  const value = found[1] ?? found[2] ?? found[3] ?? "";
  if (/#\{|\$[a-z{(@]/i.test(value) && found[2] === undefined && found[3] === undefined && /#\{|\$\{/.test(value))
    return undefined;
  return { text: value.replaceAll(/\\(["'`\\/])/g, "$1"), length: found[0].length };
}

/** Returns the interpolated string at the start of a text as a shell text, with `$_` for each interpolated value. */
function filled(text: string, language: CodeLanguage): string | undefined {
  const [, one, other] =
    (language === "javascript"
      ? /^\s*`((?:\\[\s\S]|[^`\\])*)`\s*[,;)]/
      : /^\s*[fF](?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)")\s*[,)]/
    ).exec(text) ?? [];
  return (one ?? other)
    ?.replaceAll(language === "javascript" ? /\$\{[^{}`]*\}/g : /\{[^{}]*\}/g, "$_")
    .replaceAll(/\\(["'`\\/])/g, "$1");
}

/**
 * Returns patterns for calls of functions that start something, by the names under which a Python text imports them.
 */
function pythonAliases(text: string): (readonly [RegExp, Takes])[] {
  const found: (readonly [RegExp, Takes])[] = [];
  for (const [, module = "", names = ""] of text.matchAll(/\bfrom\s+(subprocess|os|pty)\s+import\s+\(?([\w\s,]+)/g))
    for (const one of names.split(",")) {
      const [own = "", , name = own] = one.trim().split(/\s+/);
      if (!/^(?:run|call|check_\w+|Popen|get\w*output|system|popen|exec\w+|spawn\w*|posix_spawn\w*)$/.test(own))
        continue;
      const isCommand = /^(?:get|system|popen)/.test(own);
      if (module !== "os" || isCommand || /^(?:exec|spawn|posix)/.test(own))
        found.push([new RegExp(`(?<![.\\w])${name}\\s*\\(`, "g"), isCommand ? "command" : "program"]);
    }
  for (const [, module = "", name = ""] of text.matchAll(/\bimport\s+(subprocess|os)\s+as\s+(\w+)/g)) {
    const commands = module === "os" ? "system|popen" : "getoutput|getstatusoutput";
    const programs = module === "os" ? "exec\\w+|spawn\\w+|posix_spawn\\w*" : "run|call|check_\\w+|Popen";
    found.push([new RegExp(`\\b${name}\\.(?:${commands})\\s*\\(`, "g"), "command"]);
    found.push([new RegExp(`\\b${name}\\.(?:${programs})\\s*\\(`, "g"), "program"]);
  }
  return found;
}

/** Matches an import of `child_process` whose result is used at once, without a variable. */
const MODULE = String.raw`\b(?:require|import|getBuiltinModule)\s*\(\s*["'](?:node:)?child_process["']\s*\)\s*\)?`;

/**
 * Returns patterns for calls of `node:child_process` functions under other names, and for uses of them that are not
 * calls.
 */
function aliases(text: string, language: CodeLanguage): (readonly [RegExp, Takes])[] {
  if (language === "python") return pythonAliases(text);
  if (language !== "javascript") return [];
  const found: (readonly [RegExp, Takes])[] = [[/\b(?:pi|omp|ctx|api)\.exec\s*\(/g, "program"]];
  if (!/child_process/.test(text)) return found;
  const modules = text.matchAll(
    /(?:\*\s*as\s+|import\s+|(?:const|let|var)\s+)(\w+)\s*(?:from|=\s*(?:await\s+import|require|process\.getBuiltinModule)\s*\()\s*["'](?:node:)?child_process["']/g,
  );
  const names = ["cp", "child_process", "childProcess", ...[...modules].map(([, name = ""]) => name)].join("|");
  const owner = `(?:\\b(?:${names})|${MODULE})`;
  const renamed = [
    ...text.matchAll(/\b(exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)\s*(?:\bas\b|:)\s*(\w+)/g),
  ];
  for (const [, own = "", name = ""] of renamed)
    found.push([
      new RegExp(`(?<![.\\w])${name}\\s*\\(`, "g"),
      /^exec(?:Sync)?$/.test(own) ? "command" : own === "fork" ? "script" : "program",
    ]);
  found.push([new RegExp(`${owner}\\.(?:exec|execSync)\\s*\\(`, "g"), "command"]);
  found.push([new RegExp(`${owner}\\.(?:execFile|execFileSync|spawn|spawnSync)\\s*\\(`, "g"), "program"]);
  found.push([new RegExp(`${owner}\\.fork\\s*\\(`, "g"), "script"]);
  // A function of `child_process` that is passed on, or taken by a computed name, counts as called with any arguments.
  found.push([
    new RegExp(
      `[=(,]\\s*(?:(?:${names})\\.)?(?:exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)\\s*[;),]|\\b(?:${names})\\s*(?:\\?\\.)?\\[`,
      "g",
    ),
    "code",
  ]);
  return found;
}

/** Returns whether the name at this offset is declared there, as in `def run(`, and not called. */
function isDeclared(text: string, at: number): boolean {
  return /(?:\b(?:function|def|sub|async|class)\s+)$/.test(text.slice(Math.max(0, at - 24), at));
}

/** Matches a JavaScript regular expression, in positions where `/` cannot be a division. */
const PATTERN = /\/(?<=(?:[=(,:;!&|?{[]|\breturn)\s*\/)(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/;

/**
 * Replaces comments and regular expressions with blanks, so that offsets stay the same. Strings that contain `//` or
 * `#` are kept.
 */
function withoutComments(text: string, language: CodeLanguage): string {
  const comment =
    language === "javascript" ? new RegExp(`/\\*[\\s\\S]*?\\*/|//[^\\n]*|${PATTERN.source}`) : /#(?!\{)[^\n]*/;
  const token = new RegExp(
    `("""[\\s\\S]*?"""|'''[\\s\\S]*?'''|"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`)|${comment.source}`,
    "g",
  );
  return text.replaceAll(token, (whole, quoted?: string) => quoted ?? whole.replaceAll(/[^\n]/g, " "));
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end).trim();
}
