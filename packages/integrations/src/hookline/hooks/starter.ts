import type { Starter } from "@hookline/runtime/engine";
import { NOT_DELETED } from "../../deleting.ts";

/** A starter guard that refuses `rm -r` and `rm -f` in shell commands, with its test cases. */
export const starter: Starter = {
  event: "tool.before",
  refused: { toolCallId: "1", tool: "bash", args: { command: "rm -rf build" } },
  files: [
    {
      path: ".hookline/guards/no-deleting.ts",
      text: `// A guard for hookline: it refuses shell commands that delete recursively or by force.
// A file exports one guard or a list of guards. A guard that returns nothing lets the call pass.
import { formsOf, knownOf, loadReader } from "@hookline/runtime/command";
import { guard } from "@hookline/runtime/guard";

const FORCE = /^-(?:[a-zA-Z]*[rRf]|-r|-f)/;

export default guard({
  name: "no-deleting",
  on: "tool.before",
  tools: ["bash"],
  async run({ args }) {
    // Reads what the shell would run: through sudo, find -exec, bash -c and pipes, and not what a text only mentions.
    const { commands } = (await loadReader()).read(args.command);
    const deletes = commands.flatMap(formsOf).some(([program, ...words]) => {
      return program !== undefined && knownOf(program) === "rm" && words.some((word) => FORCE.test(knownOf(word) ?? ""));
    });
    // The model reads the reason, so say what it may do instead.
    return deletes ? { deny: "${NOT_DELETED}" } : undefined;
  },
  // \`hookline hooks test\` runs these. Each session asks the first that must be refused, to see that the guard works.
  cases: [
    { args: { command: "rm -rf build" }, expect: "deny" },
    { args: { command: "cd build && sudo rm -f notes" }, expect: "deny" },
    { args: { command: "rm notes.txt" }, expect: "none" },
    { args: { command: "git commit -m 'do not use rm -rf'" }, expect: "none" },
  ],
});
`,
    },
  ],
};
