/** A command of `npm run dev`: a file of `scripts/`, or a program of the repository's dependencies. */
interface Command {
  readonly says: string;
  readonly run: readonly [program: string, ...args: string[]];
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The group of tests that the command runs, which `npm test` leaves out; see vitest.config.ts. */
  readonly tests?: "programs" | "inspector" | "fleet" | "differential" | "undo";
}

const script = (file: string, ...args: string[]): Command["run"] => [
  "node",
  "--conditions=hookline-source",
  `scripts/${file}.ts`,
  ...args,
];

/** The commands of `npm run dev`, in the order in which it lists them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  gen: { says: "writes the generated files", run: script("gen") },
  format: { says: "formats", run: ["biome", "check", "--write", "."] },
  "test:programs": {
    says: "runs the tests that need the built program, servers or other programs",
    run: script("test", ".programs.test", "test/e2e/"),
    tests: "programs",
  },
  differential: {
    says: "runs the same hooks in pi and oh-my-pi, and here",
    run: script("test", "packages/hookline/test/differential"),
    tests: "differential",
  },
  "differential-newest": {
    says: "the same with pi 1.6.0",
    run: script("test", "packages/hookline/test/differential"),
    tests: "differential",
    env: { HOOKLINE_PI: "1.6.0" },
  },
  engines: { says: "runs the tests of hooks that are programs under Bun and Deno", run: script("engines") },
  editors: {
    says: "opens a file of cases in the YAML language server, fetched by name and version",
    run: script("editors"),
  },
  "inspector-tests": {
    says: "tests the inspector's page in a real browser",
    run: script("test", ".browser.test"),
    tests: "inspector",
  },
  "fleet-tests": {
    says: "tests the fleet's package against real NATS servers on loopback",
    run: script("test", ".fleet.test"),
    tests: "fleet",
  },
  "conformance:mcp": {
    says: "runs the MCP project's conformance suite for clients",
    run: script("mcp-conformance"),
  },
  "third-party": {
    says: "runs published third-party packages, fetched by name and version",
    run: script("third-party"),
  },
  guards: {
    says: "judges a corpus of commands with the guard `commands` and with another one",
    run: script("../packages/guards/test/commands/figures"),
  },
  against: { says: "runs the conformance cases against another runtime", run: script("against") },
  undo: {
    says: "undoes 1,000 random sessions and compares each with a full copy, and kills restores at every step",
    run: ["vitest", "run", "packages/guards/test/undo"],
    tests: "undo",
  },
  "undo-cost": {
    says: "compares the time of a checkpoint with that of a shell that does nothing",
    run: script("undo-cost"),
  },
  without: {
    says: "shows that everything else works when an agent's folder is removed",
    run: script("without"),
  },
  examples: { says: "runs the examples; each checks its own result", run: script("examples") },
  "check:docs": { says: "checks links, spelling, code blocks and examples", run: script("docs") },
  "check:packages": { says: "installs and checks the packed packages as a user would", run: script("packages") },
  fresh: { says: "does what a newcomer does, with an empty home, and times it", run: script("fresh") },
  walkthrough: { says: "captures the screens of the guide again", run: script("walkthrough") },
  picture: { says: "draws the pictures of the documentation again", run: script("picture") },
  "bridge-client": { says: "builds the native client of the bridge for this system", run: script("bridge-client") },
  secrets: {
    says: "compares the guard of secrets with secretlint on the corpus",
    run: script("secrets"),
  },
  release: { says: "runs every proof, then says how to publish", run: script("release") },
};

/** Returns the command that runs a script: `npm run NAME`, or `npm run dev -- NAME`. */
export function callOf(name: string): string {
  return name in COMMANDS ? `npm run dev -- ${name}` : `npm run ${name}`;
}
