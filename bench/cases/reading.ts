import { loadReader } from "@hookline/runtime/command";
import { drawn, plain } from "../../prove/commands/texts.ts";
import { Chance } from "../../prove/stage/chance.ts";
import { type BenchCase, timed } from "../case.ts";

const TEXTS = 1000;
const LONGEST = 100_000;

/** The slowest of some sixty kinds of text, each 100,000 characters long. */
const SLOW = [
  "x=a; $x b; ",
  "tool sh -c 'rm x' ",
  "cat <<E | sh\nrm x\nE\n",
  "cp a b; cp b a; ./a; ",
  "find . -exec rm {} \\; ",
].map((part) => part.repeat(LONGEST / part.length));

function texts(): readonly string[] {
  const chance = new Chance(43);
  return Array.from({ length: TEXTS }, () => (chance.below(2) === 0 ? plain(chance) : drawn(chance)).text);
}

async function each(all: readonly string[]): Promise<readonly number[]> {
  const reader = await loadReader();
  return all.map((text) => timed(() => void reader.read(text))(1) as number).sort((a, b) => a - b);
}

/** Returns the processor time of the slowest text, in ms. */
async function slowest(all: readonly string[]): Promise<number> {
  const reader = await loadReader();
  return Math.max(
    ...all.map((text) => {
      const before = process.cpuUsage();
      reader.read(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
}

/** Measures how long it takes to read what a shell text runs. */
export const cases: readonly BenchCase[] = [
  {
    name: "reading-line",
    unit: "shell text of a line or a few",
    budget: {},
    n: TEXTS,
    rounds: 9,
    async open() {
      const all = texts();
      return { ours: async () => (await each(all)).reduce((sum, ns) => sum + ns, 0) };
    },
  },
  {
    name: "reading-line-p99",
    unit: "slowest of a hundred such texts",
    counts: "ms",
    budget: {},
    n: 1,
    rounds: 9,
    async open() {
      const all = texts();
      return { ours: async () => ((await each(all))[Math.floor(all.length * 0.99)] as number) / 1e6 };
    },
  },
  {
    name: "reading-large",
    unit: "shell text of 1 MB, which is too long to be read",
    budget: {},
    n: 1,
    rounds: 9,
    async open() {
      const text = `echo ${"x".repeat(1_000_000)}`;
      return { ours: async () => (await each([text]))[0] as number };
    },
  },
  {
    name: "reading-slow",
    unit: "slowest known shell text of 100,000 characters",
    counts: "ms of processor time",
    budget: { maxCount: 2000 },
    n: 1,
    rounds: 5,
    open: async () => ({ ours: () => slowest(SLOW) }),
  },
];
