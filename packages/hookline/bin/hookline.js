#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  process.getBuiltinModule("node:module").enableCompileCache();
  const { start } = await import("../dist/main.js");
  await start();
} else {
  const beside =
    process.platform === "linux" ? `, or one for this folder with: npm install node-linux-${process.arch}` : "";
  process.stderr.write(
    `hookline needs Node 22.19 or newer, and this is ${process.versions.node}. Install a newer Node${beside}\n`,
  );
  process.exitCode = 1;
}
