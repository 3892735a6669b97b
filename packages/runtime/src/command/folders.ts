import type { Statement, Word } from "unbash";
import type { Values } from "./word.ts";

const HERE: Values = [{ text: ".", isPattern: false }];
/** The assumed path of a file or folder that `mktemp` makes. */
const NEW: Values = [{ text: "/tmp/mktemp.new", isPattern: false, isAssumed: true }];
const OWN_PATH = /^\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?$/;

/** Returns the path that a single command prints: `dirname "$0"`, `cd lib && pwd`, `which git`. */
export function printedFolder(statements: readonly Statement[], of: (word: Word) => Values): Values {
  const [statement] = statements;
  if (statement === undefined || statements.length > 1) return undefined;
  const { command } = statement;
  if (command.type === "AndOr") {
    const [first, second] = command.commands;
    const isPwd = second?.type === "Command" && second.name?.value === "pwd" && command.commands.length === 2;
    if (!isPwd || first?.type !== "Command" || first.name?.value !== "cd") return undefined;
    const folder = first.args.filter(({ text }) => !text.startsWith("-")).at(-1);
    return folder?.type === "Word" ? of(folder) : undefined;
  }
  if (command.type !== "Command" || command.redirects.some(({ operator }) => operator === "<")) return undefined;
  const args = command.args.filter(({ text }) => !/^-/.test(text));
  const [first] = args;
  // `which git` is assumed to print `git`, because the path of the program is not known.
  const found = (): Values =>
    first?.type === "Word" ? of(first)?.map((one) => ({ ...one, isAssumed: true })) : undefined;
  switch (command.name?.value) {
    case "pwd":
      return HERE;
    case "git":
      return command.args.map(({ text }) => text).join(" ") === "rev-parse --show-toplevel" ? HERE : undefined;
    case "mktemp":
      return NEW;
    case "which":
      return command.args.length === 1 ? found() : undefined;
    case "type":
    case "command":
      return command.args.length === 2 && /^-[vpP]$/.test(command.args[0]?.text ?? "") ? found() : undefined;
    case "dirname":
      return first?.type === "Word" ? folderOf(first, of) : undefined;
    case "realpath":
    case "readlink":
      return first?.type === "Word" && args.length === 1 ? of(first) : undefined;
    default:
      return undefined;
  }
}

function folderOf(word: Word, of: (word: Word) => Values): Values {
  const plain = word.text.replaceAll('"', "");
  if (OWN_PATH.test(plain)) return HERE;
  if (/^\$\((?:realpath|readlink -f) \$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?\)$/.test(plain)) return HERE;
  // The name of the working folder is not known, so its parent is written as `..`.
  if (/^"?\$(?:PWD|\{PWD\}|\(pwd\))"?$/.test(word.text)) return [{ text: "..", isPattern: false }];
  return of(word)?.map(({ text, isPattern }) => ({ text: text.replace(/\/?[^/]*$/, "") || ".", isPattern }));
}
