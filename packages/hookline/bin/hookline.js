#!/usr/bin/env node
import module from "node:module";

module.enableCompileCache?.();
const { start } = await import("../dist/main.js");
await start();
