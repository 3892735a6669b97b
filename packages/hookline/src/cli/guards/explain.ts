import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import {
  type CommandVerdict,
  type Effect,
  judge,
  placeOf as judgedIn,
  openSecrets,
  type Refusal,
  settingsIn,
} from "@hookline/guards/parts";
import { guardSession } from "../../settings/parts.ts";
import type { Arguments } from "../../start/args.ts";
import { placeOf } from "../../start/place.ts";
import { guardFile } from "./files.ts";

const VERDICTS: Readonly<Record<CommandVerdict["verdict"], string>> = {
  allow: "passes",
  note: "passes, with a note",
  ask: "asks a person, and refuses where nobody can be asked",
  deny: "refuses",
};

/** Words for what git may discard, where its name in the code says too little. */
const WORDS: Readonly<Record<string, string>> = {
  replaced: "files that git does not track",
  left: "commits of a detached HEAD",
  trees: "what other work trees hold",
};

/**
 * `hookline guards explain 'COMMAND'`: what the guards would find in a command here, and why, whether or not they are
 * added. Runs nothing.
 */
export async function explainCommand(args: Arguments, io: Io): Promise<number> {
  const [text, ...more] = args.words;
  if (text === undefined || more.length > 0) {
    io.err("Which command? Write it in quotes: `hookline guards explain 'git reset --hard'`.\n");
    return EXIT.usage;
  }
  const place = await placeOf(args, io);
  const session = guardSession(place, () => place.settings);
  const verdict = await judge(
    text,
    judgedIn(session, settingsIn("commands", {}, session), settingsIn("paths", {}, session)),
  );
  const known = await openSecrets(settingsIn("secrets", {}, session), session.cwd, session.project);
  const secret = known.secrets.command(text);
  const isAdded = (name: string): boolean => guardFile(name, place).state !== "absent";
  if (args.flags["json"] === true) io.out(jsonText({ v: 1, command: text, ...verdict, secrets: secret ?? {} }));
  else io.out(textOf(text, verdict, secret, isAdded));
  return EXIT.fine;
}

function textOf(
  command: string,
  { verdict, reason, effects, lost, evidence }: CommandVerdict,
  secret: Refusal | undefined,
  isAdded: (name: string) => boolean,
): string {
  const named = (name: string): string => (isAdded(name) ? name : `${name} (not added)`);
  const lines = (title: string, all: readonly string[], none: string): string[] => [
    `${title}:${all.length === 0 ? ` ${none}` : ""}`,
    ...all.map((one) => `  ${one}`),
  ];
  const all = [
    `${named("commands")} ${VERDICTS[verdict]}: ${command}`,
    ...(reason === "" ? [] : ["", reason]),
    ...(verdict === "ask" && isAdded("undo") ? ["If undo can bring the files back, it passes with a note."] : []),
    "",
    `${named("secrets")} ${secret === undefined ? "passes it" : `refuses it. ${secret.deny}`}`,
    "",
    ...lines(
      "What it does that may lose something",
      [...new Set(effects.map(effectText))],
      "nothing that the guard knows",
    ),
    ...lines(
      "What would be lost in this folder",
      lost.map(({ would, does, where }) => `${does ?? would} (${where})`),
      "nothing",
    ),
    ...(evidence.length === 0 ? [] : lines("Seen", evidence, "")),
  ];
  return `${all.map(plain).join("\n")}\n`;
}

function effectText(effect: Effect): string {
  const { by, kind } = effect;
  switch (kind) {
    case "delete":
    case "overwrite":
    case "write":
    case "mode": {
      const verbs = { delete: "deletes", overwrite: "overwrites", write: "writes", mode: "changes the mode of" };
      return `\`${by}\` ${verbs[kind]} ${effect.targets.map(({ path }) => path).join(", ")}`;
    }
    case "search":
      return `\`${by}\` deletes what it finds below ${effect.search.roots.map(({ path }) => path).join(", ")}`;
    case "repository":
      return `\`${by}\` may discard of a repository: ${[...new Set(effect.discards.map(({ what }) => WORDS[what] ?? what))].join(", ")}`;
    case "outside":
      return `\`${by}\` ${effect.loses}`;
    case "unknown":
      return `\`${by}\` is not known: ${effect.what} (${effect.word})`;
    default:
      return by;
  }
}
