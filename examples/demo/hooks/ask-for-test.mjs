// Sends the model back if it wants to stop without naming a test.
import { readFileSync } from "node:fs";

const { assistant_output = "" } = JSON.parse(readFileSync(0, "utf8"));
const answer = /\btest/i.test(assistant_output)
  ? {}
  : { action: "stop", retry_feedback: "Say how the change was tested before you stop." };
console.log(JSON.stringify(answer));
