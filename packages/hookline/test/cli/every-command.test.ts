import { expect, onTestFinished, test } from "vitest";
import {
  commandHelp,
  helpText,
  misplacedFlags,
  needlessWords,
  optionsHelp,
  readArguments,
} from "../../src/start/args.ts";
import { COMMANDS } from "../../src/start/commands.ts";
import { FLAGS } from "../../src/start/flags.ts";
import { Desk } from "../authors/desk.ts";

const NAMES = COMMANDS.map(({ name }) => name).filter((name) => name.includes(" "));

test.each(NAMES)("`hookline %s`, which help lists, is there", async (name) => {
  const desk = new Desk();
  onTestFinished(() => desk.remove());
  const { out, err } = await desk.hookline([...name.split(" "), "--no-such-option"]);
  expect(out + err).not.toContain("There is no `hookline");
});

test.each(COMMANDS)("the example of `hookline $name` is a command line that it takes", ({ name, example, usage }) => {
  const argv = example.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
  const args = readArguments(argv, undefined, "subcommands");
  expect(args.problems).toEqual([]);
  expect(misplacedFlags(args, name)).toEqual([]);
  const [group, action] = name.split(" ");
  expect(args.words[0]).toBe(group);
  // Only the action `list` may be left out.
  const isShort = action === "list" && args.words[1] !== "list";
  const rest = args.words.slice(action === undefined || isShort ? 1 : 2);
  if (action !== undefined && !isShort) expect(args.words[1]).toBe(action);
  const needed = usage.replace(/\[[^\]]*\]/g, "").match(/\b[A-Z]{2,}\b/g) ?? [];
  expect(rest.length > 0 || needed.length === 0).toBe(true);
  expect(needlessWords(rest, name)).toEqual([]);
  for (const [flag, value] of Object.entries(args.flags)) {
    const choices = FLAGS[flag]?.value?.split("|") ?? [];
    if (choices.length > 1 && choices.every((one) => /^[a-z]+$/.test(one))) expect(choices).toContain(value);
  }
});

test.each(COMMANDS)(
  "the help of `hookline $name` has an example, and what only it takes before the rest",
  ({ name }) => {
    const help = commandHelp(name);
    expect(help).toMatch(/^Usage: hookline /);
    expect(help).toMatch(/^Example: hookline /m);
    const [own = "", shared = ""] = help.split("Options that it has in common");
    const everywhere = ([, flag]: readonly [string, string]) => FLAGS[flag]?.everywhere === true;
    const flagsOf = (text: string) =>
      [...text.matchAll(/^ {2}(?: {4}|-\w, )(--([\w-]+))/gm)].map((m) => [m[1], m[2]] as [string, string]);
    expect(flagsOf(own).some(everywhere)).toBe(false);
    expect(flagsOf(shared).every(everywhere)).toBe(true);
  },
);

const GROUPS = [...new Set(COMMANDS.flatMap(({ name }) => [name, name.split(" ")[0] ?? name]))];

test.each(GROUPS)(
  "the help of `hookline %s` has one blank line between its parts, and its texts in one column",
  (name) => {
    const help = commandHelp(name);
    expect(help).not.toMatch(/\n\n\n/);
    const [, ...options] = help
      .split(/^(?=Example: )/m)
      .join("")
      .split(/^Example: .*$/m);
    for (const line of options.join("").match(/^ {2}.*$/gm) ?? [])
      expect(line).toMatch(/^.{32} \S|^ {2}\S{31,}|^ {6}--\S+ \S+$/);
  },
);

test("the first help has six commands, three examples and at most forty lines, and leads to everything else", () => {
  const help = helpText();
  expect(help.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  expect(
    help
      .match(/Commands that most people need:\n((?: {2}.*\n)+)/)?.[1]
      ?.trimEnd()
      .split("\n"),
  ).toHaveLength(6);
  expect(
    help
      .match(/Examples:\n((?: {2}hookline .*\n)+)/)?.[1]
      ?.trimEnd()
      .split("\n"),
  ).toHaveLength(3);
  for (const group of new Set(COMMANDS.map(({ name }) => name.split(" ")[0] as string))) {
    expect(help).toContain(group);
    for (const one of COMMANDS.filter(({ name }) => name.split(" ")[0] === group))
      expect(commandHelp(group)).toContain(one.usage);
  }
  for (const [name, flag] of Object.entries(FLAGS))
    if (flag.of === undefined || flag.of.includes("agent")) expect(optionsHelp()).toContain(`--${name}`);
});

test.each([
  ["bridge call", ["codex", "PreToolUse", "more"], 0],
  ["bridge status", ["codex", "more"], 1],
  ["completion", ["words", "hooks", "li"], 0],
  ["completion", ["bash", "more"], 1],
])("further words of `%s` %j are %i problems", (name, words, problems) => {
  expect(needlessWords(words, name)).toHaveLength(problems);
});
