import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-shell-in-python",
  on: "python.user",
  run: ({ code }) => (/\bos\.system\(/.test(code) ? { cancel: "Type it with ! instead." } : undefined),
  cases: [
    { payload: { code: "import os; os.system('ls')" }, expect: "deny" },
    { payload: { code: "print(1)" }, expect: "none" },
  ],
});
