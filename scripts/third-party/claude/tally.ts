import type { Outcome } from "@hookline/runtime";

/** The meaning of a hook's answer, by the answer's fields. */
const WORDS: readonly (readonly [field: string, words: string])[] = [
  ["block", "blocked"],
  ["halt", "ended the run"],
  ["tool_input", "changed the call"],
  ["tool_response", "changed the result"],
  ["remark", "remarked on the result"],
  ["additionalContext", "gave context"],
  ["title", "named the session"],
  ["firstMessage", "gave a first prompt"],
];

/** Counts what the hooks of one event did. */
export class Tally {
  readonly ids = new Set<string>();
  readonly did: Record<string, number> = {};
  readonly problems = new Set<string>();
  /** All output and errors of the hooks, for finding out what is missing on this machine. */
  readonly texts: string[] = [];
  runs = 0;

  /** Counts the outcome of one moment. Hooks of other events that the moment also fired do not count. */
  take({ hooks, notices }: Outcome, isOwn: (id: string) => boolean): void {
    for (const { hook, status, answer, problem, stderr } of hooks) {
      if (!isOwn(hook) || status === "skipped" || status === "not-reached") continue;
      this.ids.add(hook);
      this.runs += 1;
      if (stderr !== undefined) this.texts.push(stderr);
      if (problem !== undefined) {
        this.texts.push(problem);
        this.problems.add(problem === "aborted" ? "it took longer than this script waits" : problem);
        this.#count(status === "timed-out" ? "timed out" : "failed");
      } else for (const words of wordsOf(answer)) this.#count(words);
      for (const [, said] of `${stderr ?? ""}\n${JSON.stringify(answer) ?? ""}`.matchAll(SHELL))
        this.problems.add(`${NO_SHELL}: ${said}`);
    }
    for (const { text } of notices.filter((notice) => isOwn(notice.hook))) {
      this.#count("told the person");
      this.texts.push(text);
    }
  }

  #count(words: string): void {
    this.did[words] = (this.did[words] ?? 0) + 1;
  }
}

function wordsOf(answer: unknown): string[] {
  const said = (answer ?? {}) as Readonly<Record<string, unknown>> & {
    readonly ruling?: { readonly decision: string };
  };
  const found = WORDS.filter(([field]) => said[field] !== undefined).map(([, words]) => words);
  const ruling = { allow: "allowed", ask: "asked", deny: "denied" }[said.ruling?.decision ?? ""];
  const all = [...(ruling === undefined ? [] : [ruling]), ...found];
  return all.length === 0 ? ["said nothing"] : all;
}

/** Message about a command that was written for another shell. */
export const NO_SHELL = "this machine's sh cannot read the command";

/** Matches errors that a plain `sh` prints for a command that was written for bash. */
const SHELL = /sh: \d+: (Syntax error|Bad substitution|\[\[: not found)/g;

const LACKS: readonly RegExp[] = [
  /(?:^|[\s:])([\w.@/-]+): (?:command )?not found/gm,
  /No module named '([\w.-]+)'/g,
  /Cannot find (?:package|module) '([^']+)'/g,
  /spawn (\S+) ENOENT/g,
  /\[Errno 2\] No such file or directory: '([\w-]+)'/g,
];

/** Returns the programs and modules that are missing according to these texts. */
export function lacking(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) =>
    LACKS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name)),
  );
  return [...new Set(found)].filter((name) => /^[\w@][\w@/.-]*$/.test(name));
}
