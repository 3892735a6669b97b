// JavaScript, because it must run on a Node that cannot run TypeScript: the system's, before `npm ci`.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `This needs Node 22.19 or newer, and ran on ${process.versions.node}. Run \`npm ci\` first; on Linux and Windows it brings Node 24 along.\n`,
  );
  process.exitCode = 1;
}
