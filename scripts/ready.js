// Plain JavaScript, because it must run on a Node that cannot run TypeScript: the system's, before `npm ci`.
const isOld = (version) => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 19);
};
const { node } = process.versions;
// npm puts the repository's Node first on the PATH of its scripts, but npm itself runs on the person's Node.
const [, own = node] = /\bnode\/v([\d.]+)/.exec(process.env.npm_config_user_agent ?? "") ?? [];
if (isOld(node)) {
  process.stderr.write(
    `hookline needs Node 22.19 or newer, and this is ${node}. Run \`npm ci\` first; on Linux and Windows it brings Node 24 along.\n`,
  );
  process.exitCode = 1;
} else if (isOld(own)) {
  process.stderr.write(
    `hookline needs Node 22.19 or newer, and yours is ${own}. This goes on with Node ${node}, which \`npm ci\` brought along.\n`,
  );
}
