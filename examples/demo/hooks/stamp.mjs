// Prefixes the prompt with the date.
import { readFileSync } from "node:fs";

const { user_input } = JSON.parse(readFileSync(0, "utf8"));
const date = new Date().toISOString().slice(0, 10);
console.log(JSON.stringify({ user_input: `[${date}] ${user_input}` }));
