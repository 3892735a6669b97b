import type { Parser } from "../command/parser.ts";
import { type Start, startsOf, startsOfWords } from "../command/starts.ts";
import { COMPUTED as ANYTHING, type CommandWord, wordOf } from "../command/word.ts";

/** Languages of which only the calls are read. */
export type CodeLanguage = "python" | "javascript" | "other";

/** A call's first argument: a command line, a program or its list of words, code, or the name of a module or file. */
type Takes = "command" | "program" | "code" | "file";

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
    [
      /\b(?:__import__|import_module|runpy\.\w+|run_path|run_module|spec_from_file_location|SourceFileLoader|CDLL|execfile)\s*\(/g,
      "file",
    ],
  ],
  javascript: [
    [/(?<![.\w])(?:exec|execSync)\s*\(/g, "command"],
    [
      /(?<![.\w])(?:execFile|execFileSync|spawn|spawnSync|fork)\s*\(|\b(?:Bun\.spawn(?:Sync)?|Deno\.Command|Deno\.run)\s*\(/g,
      "program",
    ],
    [/(?<![.\w])eval\s*\(|\bnew\s+Function\s*\(|\brunIn\w*Context\s*\(/g, "code"],
    [/(?<![.\w])(?:require|import)\s*\(|\bnew\s+Worker\s*\(|\bprocess\.dlopen\s*\(/g, "file"],
  ],
  other: [
    [
      /\b(?:system|shell_exec|passthru|popen\w*|proc_open|Open3\.\w+|os\.execute)\b[ \t]*\(?[ \t]*(?=["'\w$@%({])/g,
      "command",
    ],
    [/\b(?:exec|spawn)\b[ \t]*\(?[ \t]*(?=["'\w$@%({])/g, "command"],
    [/\b(?:eval|instance_eval|class_eval|loadstring)\b[ \t]*\(?[ \t]*(?=["'\w$@%(])/g, "code"],
    [
      /\b(?:require_relative|require_once|include_once|require|include|load|dofile|loadfile)\b[ \t]*\(?[ \t]*(?=["'\w$@%(])/g,
      "file",
    ],
  ],
};

/** A string constant, possibly raw or bytes, without interpolation. */
const TEXT = /^\s*(?:[rRbBuU]{0,2})(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\$])*)`)/;
const COMPUTED = "computes what it starts";

/** Finds what a text starts by its calls, in a language for which there is no parser here. */
export function codeStarts(text: string, language: CodeLanguage, parser: Parser): Start[] {
  const plain = withoutComments(text, language);
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
  if (language === "other") {
    for (const { 1: command = "", index } of plain.matchAll(/`([^`\n]+)`|%x\{([^}\n]+)\}|qx\{([^}\n]+)\}/g))
      starts.push(...startsOf(command, parser).map((start) => ({ ...start, at: index })));
    for (const { index } of plain.matchAll(/\|\s*getline|print\s*\|/g))
      if (!/"[^"$]*"\s*$/.test(plain.slice(0, index)))
        starts.push({ kind: "open", why: COMPUTED, piece: lineAt(plain, index), at: index });
  }
  if (language === "javascript")
    for (const { index } of plain.matchAll(/(?<![\w$])\$`[^`]*\$\{/g))
      starts.push({ kind: "open", why: COMPUTED, piece: lineAt(plain, index), at: index });
  return starts;
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
  if (takes === "file") {
    const name =
      first?.values?.[0]?.text ?? (language === "other" ? /^[A-Z]?[\w:]+(?=[\s;)]|$)/.exec(after)?.[0] : undefined);
    if (name === undefined) return open("computes what it loads");
    if (/^(?:https?|npm|jsr|data|blob):/.test(name)) return open("loads what the network holds");
    return [];
  }
  if (first?.values === undefined) return open(COMPUTED);
  const program = first.values[0]?.text ?? "";
  // A single string with spaces is a command line, even where a list of words is possible.
  if (takes === "command" || (language === "python" && /\s/.test(program)))
    return startsOf(program, parser).map((start) => ({
      ...start,
      ...(start.kind === "open" ? {} : { piece: start.piece }),
      at: spot.at,
    }));
  return startsOfWords(words, spot.piece, spot.at, parser);
}

/** The words of a call: its first string, and those of the list that follows, or of the list that it is. */
function argumentsOf(after: string, language: CodeLanguage): CommandWord[] {
  const first = constant(after);
  const list =
    /^\s*[[(]/.exec(after)?.[0] ??
    (first === undefined ? undefined : /^\s*,\s*\[/.exec(after.slice(first.length))?.[0]);
  const head = first === undefined ? [] : [wordOf(first.text)];
  if (first !== undefined && language !== "javascript" && list === undefined)
    return [...head, ...elements(after.slice(first.length))];
  if (list === undefined) return head;
  return [...head, ...elements(after.slice((first?.length ?? 0) + list.length), true)];
}

/** Elements up to the end of a list or call; anything but a string constant is an unknown word. */
function elements(text: string, isFirst = false): CommandWord[] {
  const found: CommandWord[] = [];
  let rest = isFirst ? `,${text}` : text;
  while (/^\s*,/.test(rest) && found.length < 256) {
    rest = rest.replace(/^\s*,/, "");
    if (/^\s*[\])]/.test(rest)) break;
    const one = constant(rest);
    if (one !== undefined) rest = rest.slice(one.length);
    else if (/^\s*(?:sys\.executable|process\.execPath)\s*(?=[,\])])/.test(rest)) {
      found.push(wordOf(/^\s*sys/.test(rest) ? "python3" : "node"));
      rest = rest.replace(/^\s*[\w.]+\s*/, "");
      continue;
    } else if (/^\s*(?:\w+\s*=(?!=)|\{)/.test(rest)) break;
    else rest = rest.replace(/^[^,\])]*/, "");
    found.push(one === undefined ? { ...ANYTHING, text: "…", isSplit: false } : wordOf(one.text));
  }
  return found;
}

/** A leading string constant to which nothing is added. */
function constant(text: string): { readonly text: string; readonly length: number } | undefined {
  const found = TEXT.exec(text);
  if (found === null || !/^\s*(?:[,)\]};]|$|\n|[a-z])/.test(text.slice(found[0].length))) return undefined;
  const value = found[1] ?? found[2] ?? found[3] ?? "";
  if (/#\{|\$[a-z{(@]/i.test(value) && found[2] === undefined && found[3] === undefined && /#\{|\$\{/.test(value))
    return undefined;
  return { text: value.replaceAll(/\\(["'`\\/])/g, "$1"), length: found[0].length };
}

/** Other names for the functions of `node:child_process` in this text, and every use that is not a call. */
function aliases(text: string, language: CodeLanguage): (readonly [RegExp, Takes])[] {
  if (language !== "javascript") return [];
  const found: (readonly [RegExp, Takes])[] = [[/\b(?:pi|omp|ctx|api)\.exec\s*\(/g, "program"]];
  if (!/child_process/.test(text)) return found;
  const modules = text.matchAll(
    /(?:\*\s*as\s+|import\s+|(?:const|let|var)\s+)(\w+)\s*(?:from|=\s*(?:await\s+import|require|process\.getBuiltinModule)\s*\()\s*["'](?:node:)?child_process["']/g,
  );
  const names = ["cp", "child_process", "childProcess", ...[...modules].map(([, name = ""]) => name)].join("|");
  const renamed = [
    ...text.matchAll(/\b(exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)\s*(?:\bas\b|:)\s*(\w+)/g),
  ];
  for (const [, own = "", name = ""] of renamed)
    found.push([new RegExp(`(?<![.\\w])${name}\\s*\\(`, "g"), /^exec(?:Sync)?$/.test(own) ? "command" : "program"]);
  found.push([new RegExp(`\\b(?:${names})\\.(?:exec|execSync)\\s*\\(`, "g"), "command"]);
  found.push([new RegExp(`\\b(?:${names})\\.(?:execFile|execFileSync|spawn|spawnSync|fork)\\s*\\(`, "g"), "program"]);
  // Passed on, or accessed by a computed name: its arguments are then unknown.
  found.push([
    new RegExp(
      `[=(,]\\s*(?:(?:${names})\\.)?(?:exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)\\s*[;),]|\\b(?:${names})\\s*(?:\\?\\.)?\\[`,
      "g",
    ),
    "code",
  ]);
  return found;
}

/** Whether a name is declared here, not called. */
function isDeclared(text: string, at: number): boolean {
  return /(?:\b(?:function|def|sub|async|class)\s+)$/.test(text.slice(Math.max(0, at - 24), at));
}

/** Replaces a text's comments with blanks, so that positions stay; strings that look like comments are kept. */
function withoutComments(text: string, language: CodeLanguage): string {
  const comment = language === "javascript" ? /\/\*[\s\S]*?\*\/|\/\/[^\n]*/ : /#(?!\{)[^\n]*/;
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
