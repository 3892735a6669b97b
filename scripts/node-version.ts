/** Prints the Node version. Every script runs on the Node among the repository's dependencies. */
export function stateNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    process.stderr.write(
      `hookline needs Node 22.19 or newer, and this is ${process.versions.node}. Run \`npm ci\` first; on Linux and Windows it brings Node 24 along.\n`,
    );
    process.exit(1);
  }
  process.stderr.write(`Node ${process.versions.node}\n`);
}
