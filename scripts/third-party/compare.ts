import type { Done, Exercise } from "./exercise.ts";

/** Returns what the extension did differently in the two programs, as text; empty if nothing. */
export function differences(ours: Exercise, theirs: Exercise): string[] {
  const lists = (["tools", "commands", "texts"] as const).flatMap((kind) => listed(kind, ours[kind], theirs[kind]));
  const there = new Map(keyed(theirs.done));
  const steps = keyed(ours.done).flatMap(([key, done]) => {
    const other = there.get(key);
    return other === undefined ? [] : stepDifferences(done, other);
  });
  const codes = ours.code === theirs.code ? [] : [`the program ends with ${ours.code}, in pi with ${theirs.code}`];
  const [here, inPi] = [ours, theirs].map(errorsOf);
  const errors = here === inPi ? [] : [`its errors: ${short(here)}, in pi ${short(inPi)}`];
  return [...lists, ...steps, ...errors, ...codes];
}

/** Returns each error once, however often it occurred, without hookline's note on its origin. */
function errorsOf({ done }: Exercise): string {
  const all = done
    .flatMap(({ errors }) => errors)
    .map((error) => plain(error.replace(/^Hook ".*?\) failed on \S+: /, "")));
  return JSON.stringify([...new Set(all)].sort());
}

function listed(kind: string, ours: readonly string[], theirs: readonly string[]): string[] {
  const missing = theirs.filter((name) => !ours.includes(name)).map((name) => `${kind}: ${name} is missing`);
  return [...missing, ...ours.filter((name) => !theirs.includes(name)).map((name) => `${kind}: ${name} is not in pi`)];
}

function keyed(done: readonly Done[]): (readonly [string, Done])[] {
  const seen = new Map<string, number>();
  return done.map((one) => {
    const count = (seen.get(one.step) ?? 0) + 1;
    seen.set(one.step, count);
    return [`${one.step} ${count}`, one];
  });
}

function stepDifferences(ours: Done, theirs: Done): string[] {
  const views: readonly (readonly [string, (done: Done) => unknown])[] = [
    ["its end", ({ ended, wentOn }) => ({ ended, wentOn })],
    [
      "the tool's result",
      ({ result }) => result && { isError: isError(ours, theirs) ?? result.isError, text: plain(result.text) },
    ],
    ["what it shows", ({ shown }) => [...new Set(shown.map(plain))].sort()],
    ["whether it is done", ({ refused }) => refused !== undefined],
  ];
  return views.flatMap(([what, view]) => {
    const [here, there] = [ours, theirs].map((done) => JSON.stringify(view(done)));
    return here === there ? [] : [`${ours.step}: ${what}: ${short(here)}, in pi ${short(there)}`];
  });
}

/**
 * Whether only our result is an error. This is a known difference: pi accepts a tool's own error mark only since 0.99.
 */
function isError({ result: ours }: Done, { result: theirs }: Done): boolean | undefined {
  return ours?.isError === true && theirs?.isError === false ? true : undefined;
}

/** Removes from a text what differs in each run: paths, times, ids, counts, colours and spinners. */
function plain(text: string): string {
  return text
    .replace(/\u001b\[[\d;]*m|[\u2800-\u28ff] ?/g, "")
    .replace(/\/tmp\/hookline-third-\w+/g, "~")
    .replace(/hookline-third-\w+/g, "HOME")
    .replace(/~\/\.(hookline|pi\/agent)/g, "~/SETTINGS")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{6,40}\b|\b(?=[a-z]*\d)[a-z\d]{5,}\b/g, "ID")
    .replace(/\d+(\.\d+)*/g, "#");
}

function short(text = "nothing"): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
