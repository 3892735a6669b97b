const named =
  "escape esc enter return tab space backspace delete insert clear home end pageUp pageDown up down left right f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12";

const signs: Readonly<Record<string, string>> = {
  backtick: "`",
  hyphen: "-",
  equals: "=",
  leftbracket: "[",
  rightbracket: "]",
  backslash: "\\",
  semicolon: ";",
  quote: "'",
  comma: ",",
  period: ".",
  slash: "/",
  exclamation: "!",
  at: "@",
  hash: "#",
  dollar: "$",
  percent: "%",
  caret: "^",
  ampersand: "&",
  asterisk: "*",
  leftparen: "(",
  rightparen: ")",
  underscore: "_",
  plus: "+",
  pipe: "|",
  tilde: "~",
  leftbrace: "{",
  rightbrace: "}",
  colon: ":",
  lessthan: "<",
  greaterthan: ">",
  question: "?",
};

/** Members that put modifiers before a key, in the order of their names. */
const modified =
  "ctrl shift alt super ctrlShift shiftCtrl ctrlAlt altCtrl shiftAlt altShift ctrlSuper superCtrl shiftSuper superShift altSuper superAlt ctrlShiftAlt ctrlShiftSuper";

/** The names of keys as pi-tui writes them: `Key.escape`, `Key.ctrlAlt("p")`. Needs no terminal. */
export const Key: Readonly<Record<string, unknown>> = Object.freeze({
  ...Object.fromEntries(named.split(" ").map((name) => [name, name])),
  ...signs,
  ...Object.fromEntries(modified.split(" ").map((name) => [name, (key: string) => `${prefixOf(name)}+${key}`])),
});

function prefixOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
}
