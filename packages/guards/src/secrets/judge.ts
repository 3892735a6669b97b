import {
  baseOf,
  type CommandWord,
  knownOf,
  type Output,
  type ReadCommand,
  type Reading,
} from "@hookline/runtime/command";
import { FEEDER, isFed } from "../word/fed.ts";
import { valuesOf } from "../word/values.ts";
import { mayMatchSecret, type PathTest } from "./files.ts";
import { PRINTERS, READERS, READING_COMMANDS, REVEALS, type Reveal, SENDERS, TAKERS } from "./reveals.ts";
import { isSecretVariable, printedVariables, secretVariables } from "./variables.ts";

/** A secret that a command would show or send. */
export interface Shown {
  /** The place of the secret is a `file`, `command` or `variable`; `environment` means all variables. */
  readonly kind: "file" | "command" | "variable" | "environment";
  /** Names the file, command or variable that holds the secret; `*` for the whole environment. */
  readonly what: string;
  /** How the secret would get out: to another machine, as a copy, into a commit, or onto the screen. */
  readonly how: "shown" | "sent" | "copied" | "committed";
  /** A way to show only the names, or to use the secret without showing it. */
  readonly instead?: string;
}

const MOST_STEPS = 40;
const DIGESTS = /^(?:wc|stat|file|(?:sha\d*|md5|b2|shasum|ck)(?:sum)?|cmp|test|\[)$/;
const ENVIRONMENT = /^(?:env|printenv|set|export|declare|typeset|local|readonly)$/;
const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d?|node|nodejs|deno|bun|ruby|perl|php|[gmn]?awk|lua|Rscript|tsx|ts-node|osascript)$/;

const textOf = (word: CommandWord): string => valuesOf(word)?.[0]?.text ?? word.text;
const nameOf = ({ words: [program] }: ReadCommand): string => (program === undefined ? "" : (baseOf(program) ?? ""));
const argsOf = ({ words }: ReadCommand): readonly string[] => words.slice(1).map(textOf);

/** Finds the first secret that a shell text would show; `undefined` if it shows none. */
export function shownBy(reading: Reading, isSecret: PathTest): Shown | undefined {
  const folders = reading.commands.flatMap((one) => (/^(?:cd|pushd)$/.test(nameOf(one)) ? argsOf(one).slice(-1) : []));
  const files = new Files(isSecret, folders);
  let isCaptured = false;
  for (const command of reading.commands) {
    const found = secretOf(command, files);
    if (found === undefined) continue;
    const how = found.how === "committed" ? found.how : wayOf(command, found, files);
    if (how !== undefined) return { ...found, how };
    isCaptured ||= command.output?.kind === "text" && command.output.to.length === 0;
  }
  return (
    loopOf(reading, files) ??
    listOf(reading, files) ??
    (isCaptured ? variableOf(reading) : undefined) ??
    redirectOf(reading, files)
  );
}

type Secret = Omit<Shown, "how"> & { readonly how?: Shown["how"] };

/** Finds the secret files that the words of commands name. */
class Files {
  readonly #isSecret: PathTest;
  readonly #folders: readonly string[];

  constructor(isSecret: PathTest, folders: readonly string[]) {
    this.#isSecret = isSecret;
    this.#folders = folders;
  }

  /** Returns the secret file that a path names, also relative to the folders that the text changes to. */
  path(path: string, isPattern = false): string | undefined {
    const places =
      path.startsWith("/") || path.startsWith("~")
        ? [path]
        : [path, ...this.#folders.map((folder) => `${folder}/${path}`)];
    return places.find((place) => this.#isSecret(place) || (isPattern && mayMatchSecret(place, this.#isSecret)));
  }

  /** Returns the secret file that a word names: the whole word, or its part after `=`, `@`, or a commit and a colon. */
  word(word: CommandWord): string | undefined {
    const { text } = word;
    const plain = text.replace(/^["']/, "");
    if (/^(?:--(?:include|i?glob)=|-g)?["']?(?:\*\*\/)?\.env[\w.]*\*/.test(plain)) return this.path(".env");
    const [, only] = /^--(?:include|i?glob)=["']?([\w.-]+)["']?$/.exec(plain) ?? [];
    if (only !== undefined) return this.path(only);
    if (/^(?:!|--(?:exclude|ignore|glob|iglob|no-|env-file|include)|-g!|:[!(^])/.test(plain)) return undefined;
    // A word that begins with a variable may still end with a secret file's name.
    const known = valuesOf(word) ?? [{ text: text.replace(/["']/g, ""), isPattern: false }];
    for (const { text: value, isPattern } of known) {
      if (value.length > 4096 || /\s/.test(value.trim())) continue;
      for (const part of new Set([
        value,
        value.replace(/^[^=]*=/, ""),
        value.replace(/^.*?@/, ""),
        value.replace(/^[\w./~^@{}-]+:(?!\/\/)/, ""),
        value.replace(/[:;,].*$/, ""),
      ])) {
        const file =
          part === "" || (part.startsWith("-") && part === value)
            ? undefined
            : this.path(part.replace(/^[@<]/, ""), isPattern);
        if (file !== undefined) return file;
      }
    }
    return undefined;
  }
}

/** Returns the secret that a command reads or prints, wherever its output goes. */
function secretOf(command: ReadCommand, files: Files): Secret | undefined {
  const name = nameOf(command);
  const args = argsOf(command);
  if (command.isRunner || hidesAll(name, args)) return undefined;
  const code = INTERPRETERS.test(name) ? codeOf(command, args) : "";
  const all = environmentOf(name, command, args);
  if (all !== undefined) return all;
  const reveal = revealOf(name, args);
  if (reveal !== undefined)
    return {
      kind: "command",
      what: reveal.path.join(" "),
      ...(reveal.instead !== undefined && { instead: reveal.instead }),
    };
  const [variable] = code === "" ? [] : printedVariables(code);
  if (variable !== undefined) return { kind: variable === "*" ? "environment" : "variable", what: variable };
  const inCode = code === "" ? undefined : codeFile(code, files);
  if (inCode !== undefined) return { kind: "file", what: inCode };
  if (name === "git" && /^(?:add|stage)$/.test(args.find((arg) => !arg.startsWith("-")) ?? "")) {
    const added = command.words
      .slice(2)
      .map((word) => files.word(word))
      .find((file) => file !== undefined && /(?:^|\/)\.env|id_|credentials|\.pem$|\.key$/.test(file));
    return added === undefined ? undefined : { kind: "file", what: added, how: "committed" };
  }
  const file = fileOf(name, command, args, files);
  if (file !== undefined) return { kind: "file", what: file };
  const printed = /^(?:echo|printf|print|say|figlet|cowsay|logger|wall)$/.test(name)
    ? command.words.slice(1).flatMap(secretVariables)
    : [];
  const [shown] = printed.filter(
    (one) =>
      !command.words
        .slice(1)
        .some((word) => word.text.includes("$") && knownOf(word) !== undefined && word.text.includes(one)),
  );
  return shown === undefined ? undefined : { kind: "variable", what: shown };
}

/** Returns the code that an interpreter runs, if the command contains it. */
function codeOf({ input }: ReadCommand, args: readonly string[]): string {
  const isPrinted = args.some((arg) => /^(?:-\w*p|--print)$/.test(arg));
  return [...args.filter((arg) => !arg.startsWith("-")), input ?? "", ...(isPrinted ? ["print"] : [])].join("\n");
}

/** Whether a call shows no values, whatever it reads: it counts, compares, computes a digest, or prints only names. */
function hidesAll(name: string, args: readonly string[]): boolean {
  const text = args.join(" ");
  const letters = args.filter((arg) => /^-\w/.test(arg)).join("");
  if (DIGESTS.test(name)) return true;
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
    case "zgrep":
    case "rg":
    case "ag": {
      if (/[cqlL]/.test(letters.replace(/-[ABCmef]\s?\S*/g, "")) || /--(?:count|quiet|silent|files)/.test(text))
        return true;
      const pattern = args.find((arg) => !arg.startsWith("-")) ?? "";
      return (
        /o/.test(letters) &&
        /^\^?(?:export )?\(?(?:\[[^\]=]+\]|\\w|[A-Z_])[*+]?(?:\[[^\]]+\][*+]?)*\)?(?:\(\?==\)|=)?$/.test(pattern)
      );
    }
    case "cut":
      return /(?:^| )(?:-d ?=|--delimiter==?=?)/.test(text) && /(?:^| )(?:-f ?1|--fields=1)(?: |$)/.test(text);
    case "sed":
    case "gsed":
      return (
        args.some((arg) =>
          /s(.)\(?\^?(?:\[\^=\][*+]\)?)?=\.?[*+]?\$?\1(?!.*\\[2-9])|s(.)=\.\*\2|s(.)=\[\^.*?\]\*\3/.test(arg),
        ) ||
        /(?:^| )(?:-\w*i|--in-place)/.test(text) ||
        /-n ['"]?\$=/.test(text)
      );
    case "awk":
    case "gawk":
    case "mawk":
      return /-F ?['"]?[=[]/.test(text) && !/\$(?:0|[2-9]|NF)|print\s*[;}]/.test(text) && /\$1/.test(text);
    case "perl":
      return /\bi\b|-\w*i/.test(letters) && !/print/.test(text);
    case "diff":
      return /(?:^| )(?:-\w*q|--brief)/.test(text);
    case "jq":
    case "yq":
      return /^\.?\w*\s*\|?\s*(?:keys(?:_unsorted)?|length|has\(|type)/.test(
        args.find((arg) => !arg.startsWith("-")) ?? "",
      );
    case "tar":
      return /(?:^| )-?t|--list|-sf/.test(text);
    case "openssl":
      return /-pubout|-noout|^(?:x509|req|dgst|verify|s_client|s_server|crl|ca|rand|version|smime|cms|sha256|md5|genrsa|genpkey|ecparam|dhparam|asn1parse)\b/.test(
        text,
      );
    default:
      return false;
  }
}

/** Returns the environment, or a variable of it, that a call prints. */
function environmentOf(name: string, command: ReadCommand, args: readonly string[]): Secret | undefined {
  if (name === "jq" && args.some((arg) => /^(?:\$ENV|env)$|^(?:\$ENV|env)\s*\|(?!\s*keys)/.test(arg)))
    return { kind: "environment", what: "*" };
  if (!ENVIRONMENT.test(name)) return undefined;
  const words = args.filter((arg) => !arg.startsWith("-") && !arg.startsWith("+"));
  const text = args.join(" ");
  if (name === "printenv") {
    const secret = words.find(isSecretVariable);
    return words.length === 0 && !/--(?:help|version)/.test(text)
      ? { kind: "environment", what: "*" }
      : secret === undefined
        ? undefined
        : { kind: "variable", what: secret };
  }
  if (name === "env") {
    const rest = args.filter((arg, at) => !/^-|=/.test(arg) && !/^(?:-u|--unset|-C)$/.test(args[at - 1] ?? ""));
    const isAgain =
      rest.length > 1 && /^(?:env|printenv)$/.test(rest.at(-1) ?? "") && rest[0]?.startsWith("$") === true;
    return (rest.length === 0 || isAgain) &&
      !/(?:^| )(?:-i|-S|--split-string|--ignore-environment|-|--help|--version)(?= |$)/.test(text)
      ? { kind: "environment", what: "*" }
      : undefined;
  }
  if (name === "set") return command.words.length === 1 ? { kind: "environment", what: "*" } : undefined;
  const printing = /^-\w*[px]/.test(args[0] ?? "") || args.length === 0;
  if (!printing || /^-\w*[fF]/.test(args[0] ?? "") || words.some((word) => word.includes("="))) return undefined;
  if (words.length === 0)
    return name === "local" || (name === "readonly" && args.length === 0)
      ? undefined
      : { kind: "environment", what: "*" };
  const secret = /p/.test(args[0] ?? "") ? words.find(isSecretVariable) : undefined;
  return secret === undefined ? undefined : { kind: "variable", what: secret };
}

/** Returns the row of `REVEALS` that matches a call. */
function revealOf(name: string, args: readonly string[]): Reveal | undefined {
  // Options with values may stand between the program and its subcommands, as in `git -C DIR config`.
  return REVEALS.find(({ path: [program, ...path], only, unless }) => {
    if (program !== name) return false;
    let at = 0;
    for (const sub of path) {
      const found = args.findIndex((arg, index) => index >= at && arg === sub);
      if (
        found < 0 ||
        args
          .slice(at, found)
          .some((arg, index) => !arg.startsWith("-") && !/^-{1,2}\w[\w-]*$/.test(args[at + index - 1] ?? ""))
      )
        return false;
      at = found + 1;
    }
    const rest = args.filter((_, index) => index >= at).join(" ");
    const text = path.length === 0 ? args.join(" ") : rest;
    const whole = args.join(" ");
    return (
      (only === undefined || only.test(text) || only.test(whole)) &&
      !unless?.test(text) &&
      !/--help\b|(?:^| )-h$/.test(text)
    );
  });
}

/** Returns the secret file that a call reads. */
function fileOf(name: string, command: ReadCommand, args: readonly string[], files: Files): string | undefined {
  const isReading =
    READERS.has(name) ||
    (INTERPRETERS.test(name) &&
      /(?:^| )-m (?:json\.tool|base64|gzip|tarfile|zipfile|tokenize|quopri)\b/.test(args.join(" "))) ||
    READING_COMMANDS.some(
      ([program, ...path]) =>
        program === name && path.every((sub, at) => args.filter((arg) => !arg.startsWith("-"))[at] === sub),
    );
  // `xargs` without a program prints its input.
  if (FEEDER.test(name) && args.every((arg, at) => arg.startsWith("-") || /^-[adEIeLlnPs]$/.test(args[at - 1] ?? "")))
    return command.from?.map((word) => files.word(word)).find((file) => file !== undefined);
  const input = command.from?.map((word) => files.word(word)).find((file) => file !== undefined);
  if (!isReading) return input !== undefined && SENDERS.has(name) ? input : undefined;
  const text = args.join(" ");
  if (name === "git") {
    if (/--(?:stat|name-only|name-status|numstat|shortstat|summary|quiet)\b|(?:^| )-s\b/.test(text)) return undefined;
    if (/^(?:-\S+ )*log\b/.test(text) && !/(?:^| )(?:-p|-u|--patch|-L|-G|-S)/.test(text)) return undefined;
  }
  let words = command.words.slice(1);
  if (/^(?:tee|mapfile|readarray|date|crontab)$/.test(name)) return input;
  if (
    /^(?:\w*grep|rg|ag|ack|g?sed|[gmn]?awk|jq|yq)$/.test(name) &&
    !/(?:^| )(?:-\w*[ef]|--(?:regexp|file|expression))/.test(text)
  ) {
    const pattern = words.findIndex((word) => !textOf(word).startsWith("-"));
    words = words.filter((_, at) => at !== pattern);
  }
  // The value of an option such as `-i` is a key to log in with, or a file to leave out, so it is not shown.
  words = words.filter(
    (_, at) =>
      !/^(?:-i|--key|--cert|--cacert|--identity|-E|--private-key|--netrc-file|-K|--config|-inkey|-CAkey|-signkey|--certificate|--ca-certificate|--exclude|--exclude-from|-x|--ignore|--skip)$/.test(
        textOf(words[at - 1] ?? (words[0] as CommandWord)),
      ) || at === 0,
  );
  if (/^(?:cp|mv|ln|install|gcp|gln|rsync|scp)$/.test(name)) {
    const last = words.at(-1);
    const isLocal = last !== undefined && !/^[\w.@-]+:/.test(textOf(last));
    // Text copied into a secret file stays secret, and so does a copy that keeps the file's name.
    if (
      last !== undefined &&
      isLocal &&
      (files.word(last) !== undefined ||
        (/^(?:cp|mv|install|gcp)$/.test(name) &&
          /^(?:\.{1,2}\/?|.*\/)$/.test(textOf(last)) &&
          !textOf(last).startsWith("/tmp")))
    )
      return undefined;
    words = words.slice(0, -1);
  }
  if (name === "dd") words = words.filter((word) => textOf(word).startsWith("if="));
  if (/^(?:vim?|nvim|nano|emacs|code)$/.test(name) && !/(?:^| )-(?:es|E|c|\+)/.test(text)) return undefined;
  if (SENDERS.has(name) && /^(?:curl|wget|https?|xh)$/.test(name))
    words = words.filter(
      (word) =>
        /@|^file:|^--post-file|^--body-file|^--upload-file/.test(textOf(word)) ||
        /^(?:-T|--upload-file|--post-file|--body-file)$/.test(textOf(words[words.indexOf(word) - 1] ?? word)),
    );
  return words.map((word) => files.word(word)).find((file) => file !== undefined) ?? input;
}

/** Returns the secret file that a program's code opens. */
function codeFile(code: string, files: Files): string | undefined {
  if (
    !/open|read|[Ff]ile|slurp|cat\b|<|fopen|file_get|IO\.|Path\(|load|parse|getline|lines\(|dotenv_values|system|exec|spawn|subprocess|require\(|source/.test(
      code,
    )
  )
    return undefined;
  if (
    /load_dotenv|dotenv(?:\.config|['"]\)\.config)|loadEnvFile/.test(code) &&
    !/console\.log\(.*(?:parsed|process\.env)|print\(/.test(code)
  )
    return undefined;
  for (const [, , text = ""] of code.matchAll(/(["'`])((?:(?!\1)[^\n]){1,300})\1/g)) {
    const file = text
      .split(/\s+/)
      .map((part) => files.path(part))
      .find((one) => one !== undefined);
    if (
      file !== undefined &&
      !/exists|isfile|is_file|stat\(|access\(|,\s*['"][wa]b?\+?['"]|writeFile|appendFile/.test(code)
    )
      return file;
  }
  return undefined;
}

/** Returns how the secret in a command's output gets out; `undefined` if it does not. */
function wayOf(command: ReadCommand, secret: Secret, files: Files, steps = 0): Shown["how"] | undefined {
  const name = nameOf(command);
  if (SENDERS.has(name) && !(secret.kind === "file" && /^file:/.test(argsOf(command).join(" ")))) return "sent";
  if (
    /^(?:cp|mv|ln|install|gcp|gln|rsync|tar|zip|7z|dd)$/.test(name) &&
    secret.kind === "file" &&
    !/^(?:tar|dd)$/.test(name)
  )
    return "copied";
  if (secret.kind === "file" && /^(?:aws|gcloud|az|gh|glab|npm)$/.test(name)) return "sent";
  return ofOutput(command.output, secret, files, steps);
}

function ofOutput(output: Output | undefined, secret: Secret, files: Files, steps: number): Shown["how"] | undefined {
  if (output === undefined || steps > MOST_STEPS) return "shown";
  if (output.kind === "file") {
    const isKept =
      output.files?.every(
        ({ text }) =>
          /^\/dev\/null$/.test(text) ||
          files.path(text) !== undefined ||
          (secret.kind === "variable" && !text.startsWith("/dev/")),
      ) === true;
    return isKept
      ? undefined
      : output.files?.some(({ text }) => /^\/dev\/(?:tcp|udp)\//.test(text)) === true
        ? "sent"
        : output.files?.some(({ text }) => /^\/dev\//.test(text)) === true
          ? "shown"
          : "copied";
  }
  for (const taker of output.to) {
    const name = nameOf(taker);
    const args = argsOf(taker);
    if (output.kind === "text") {
      if (PRINTERS.has(name) || READERS.has(name) || SENDERS.has(name)) {
        if (/^(?:curl|wget|https?|xh|xhs)$/.test(name) && secret.kind !== "file" && secret.kind !== "environment")
          continue;
        const how = SENDERS.has(name) ? "sent" : ofOutput(taker.output, secret, files, steps + 1);
        if (how !== undefined && !hidesAll(name, args)) return how;
      }
      continue;
    }
    if (hidesAll(name, args) || isHarmlessFilter(name, args, secret) || taker.isRunner) continue;
    if (SENDERS.has(name)) return "sent";
    if (TAKERS.has(name) || FEEDER.test(name) || /^(?:sh|bash|zsh)$/.test(name)) continue;
    if (isFed(taker) && !PRINTERS.has(name) && !READERS.has(name)) continue;
    const how = ofOutput(taker.output, secret, files, steps + 1);
    if (how !== undefined) return how;
  }
  return undefined;
}

/** Whether a `grep` of the environment or the shell's history searches only for words that name no secret. */
function isHarmlessFilter(name: string, args: readonly string[], { kind, what }: Secret): boolean {
  const isPast = kind === "command" && /^(?:history|fc)\b/.test(what);
  if (!(kind === "environment" || isPast) || !/grep$|^rg$/.test(name) || args.some((arg) => /^-\w*v/.test(arg)))
    return false;
  const pattern = args.find((arg) => !arg.startsWith("-")) ?? "";
  const words =
    isPast && !/[.*|]/.test(pattern)
      ? [pattern]
      : pattern.split(/[^A-Za-z_]+|\\[|()^$]/).filter((word) => word.length > 1);
  return (
    words.length > 0 &&
    words.every(
      (word) =>
        word.length > 2 &&
        !isSecretVariable(word) &&
        !/key|tok|sec|pas|pwd|export|bearer|cred|auth|aws|azure|gcp|google|github|gitlab|openai|anthropic|stripe|slack|database|^db|_db|api|npm_t|private|cookie|sess|jwt|dsn|url/i.test(
          word,
        ),
    )
  );
}

/** Returns the secret file that a loop reads and prints. */
function loopOf({ commands }: Reading, files: Files): Shown | undefined {
  for (const command of commands) {
    const file = command.from?.map((word) => files.word(word)).find((one) => one !== undefined);
    if (file === undefined || !/^(?:echo|printf|print)$/.test(nameOf(command))) continue;
    if (command.words.slice(1).some((word) => knownOf(word) === undefined && !/%%=|%=|\$\{#/.test(word.text))) {
      const how = ofOutput(command.output, { kind: "file", what: file }, files, 0);
      if (how !== undefined) return { kind: "file", what: file, how };
    }
  }
  return undefined;
}

function hasVariable({ words }: ReadCommand): boolean {
  return words.slice(1).some((word) => knownOf(word) === undefined && word.text.includes("$"));
}

/** Whether a command has the output of a program as an argument, as in `cat $(find . -name .env)`. */
function takesOutput({ words }: ReadCommand, program: string): boolean {
  const substitution = new RegExp(String.raw`(?:\$\(|\x60)\s*${program}\b`);
  return words.some(({ text }) => substitution.test(text));
}

/** Returns the secret file whose name a command passes to another that prints that file. */
function listOf({ commands }: Reading, files: Files): Shown | undefined {
  for (const command of commands) {
    const name = nameOf(command);
    const isPassing = FEEDER.test(name) && argsOf(command).some((arg) => READERS.has(arg));
    const passed = isPassing ? (command.input ?? "") : "";
    const given = passed
      .split(/\s+/)
      .map((part) => (part === "" ? undefined : files.path(part)))
      .find((one) => one !== undefined);
    if (given !== undefined) return { kind: "file", what: given, how: "shown" };
    const isFind = /^(?:g?find|fd|fdfind)$/.test(name);
    if (!isFind && !/^(?:ls|echo|printf|git|rg|locate)$/.test(name)) continue;
    const file = command.words
      .slice(1)
      .map((word) => (isFind && /[*?]/.test(textOf(word)) ? files.path(textOf(word), true) : files.word(word)))
      .find((one) => one !== undefined);
    if (file === undefined) continue;
    const isRead = command.output?.to.some((one) => /^(?:read|mapfile|readarray)$/.test(nameOf(one))) === true;
    const takers = isFind
      ? [...commands, ...(command.output?.to ?? [])].filter(
          (one) => one.through.includes(name) || isFed(one) || takesOutput(one, name) || (isRead && hasVariable(one)),
        )
      : (command.output?.to ?? []);
    const reader = takers.find(
      (one) => READERS.has(nameOf(one)) && (isFind || isFed(one)) && !hidesAll(nameOf(one), argsOf(one)),
    );
    if (reader !== undefined)
      return { kind: "file", what: file, how: wayOf(reader, { kind: "file", what: file }, files) ?? "shown" };
  }
  return undefined;
}

/** Returns the variable that a text sets to a secret and prints. */
function variableOf({ commands, assigned }: Reading): Shown | undefined {
  for (const command of commands) {
    if (command.output !== undefined || !/^(?:echo|printf|print)$/.test(nameOf(command))) continue;
    const variable = command.words
      .slice(1)
      .flatMap(({ text }) => [...text.matchAll(/\$\{?(\w+)\}?/g)].map((match) => match[1] ?? ""))
      .find((one) => assigned.includes(one));
    if (variable !== undefined) return { kind: "variable", what: variable, how: "shown" };
  }
  return undefined;
}

/** Returns the secret file that `$(<FILE)` passes to a command that prints its arguments. */
function redirectOf({ commands, redirected }: Reading, files: Files): Shown | undefined {
  for (const one of redirected) {
    const read = one.isWritten ? undefined : valuesOf(one);
    const file = read?.map(({ text, isPattern }) => files.path(text, isPattern)).find((path) => path !== undefined);
    if (file === undefined) continue;
    const printer = commands.find(
      (one) => PRINTERS.has(nameOf(one)) && one.words.slice(1).some((word) => /\$\(\s*</.test(word.text)),
    );
    const mapped =
      commands.some((one) => /^(?:mapfile|readarray|read)$/.test(nameOf(one))) &&
      commands.some(
        (one) =>
          /^(?:echo|printf)$/.test(nameOf(one)) &&
          one.from === undefined &&
          one.words.slice(1).some((word) => knownOf(word) === undefined),
      );
    if ((printer !== undefined && printer.output === undefined) || mapped)
      return { kind: "file", what: file, how: "shown" };
  }
  return undefined;
}
