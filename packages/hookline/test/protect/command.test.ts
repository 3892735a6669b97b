import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { suspicion } from "../../src/protect/command.ts";
import { ProtectedPlaces } from "../../src/protect/places.ts";

const places = new ProtectedPlaces({
  cwd: `${NO_HOME}/project`,
  env: { J_DATA_PATH: `${NO_HOME}/data` },
  hooklineHome: `${NO_HOME}/.hookline`,
  hookPlaces: () => [`${NO_HOME}/bin/guard.sh`, `${NO_HOME}/project/tools/ext.ts`],
  wouldReach: () => false,
});
const about = (command: string): Promise<string | undefined> =>
  suspicion(command, { cwd: `${NO_HOME}/project`, home: NO_HOME, places });

test.each([
  "echo 'stop: []' > .jcli/hooks.yaml",
  "cd .jcli && printf x > hooks.yaml",
  `echo x > .j"cl"i/hooks.yaml`,
  "echo x > .jc\\li/hooks.yaml",
  `rm -rf .j"cl"i`,
  "rm -rf .jc\\li",
  "rm -rf .JCLI",
  "rm -r .jcl?",
  "rm -r .j*",
  "rm -r ./.[j]cli",
  "rm -r .jcl[[:alpha:]]",
  "rm -r .[[:lower:]x]cli",
  "rm hookline.[]l]ock",
  "rm -r {.jcli,src}",
  "tee .pi/extensions/x.ts < x",
  "mkdir -p .omp/hooks/pre",
  "cp x .claude/hooks/pre/",
  "rm hookline.lock",
  "rm *.lock",
  "rm ~/.hookline/trust.json",
  'rm "$HOOKLINE_HOME/trust.json"',
  "cp x $PI_CODING_AGENT_DIR/extensions",
  "cp x $CHIBI_HOME/plugins",
  "sed -i s/deny/allow/ ~/bin/guard.sh",
  "sed -i s/deny/allow/ $HOME/bin/guard.sh",
  `cp x ${NO_HOME}/data/agent/x`,
  "python3 -c \"open('tools/ext.ts','w')\"",
  "ln -sf /tmp/x tools/ext.ts",
  "cat x > .jcli/hooks.yaml; cat .jcli/hooks.yaml",
  "cat .jcli/hooks.yaml | tee .jcli/hooks.yaml",
  "find .jcli -delete",
  "git diff --output=.jcli/hooks.yaml",
  "cat $(rm -r .jcli)",
  "cat .jcli/hooks.yaml | sh",
  "PATH=. cat .jcli/hooks.yaml",
  "cat() { rm $1; }; cat .jcli/hooks.yaml",
  "env -u HOOKLINE_RUN_ID hookline trust approve",
  "hookline trust approve",
  "hookline  hooks init jcli",
  "hookline hooks import --write",
  "hookline fleet leave",
  "hookline fleet join nats://127.0.0.1:4222 --creds x",
  "rm -r ~/.hookline/fleet",
  "echo x > $HOOKLINE_FLEET_CREDS",
])("%s is asked about", async (command) => {
  expect(await about(command)).toBeDefined();
});

test.each([
  "npm test",
  "curl -X POST https://example.org/hooks",
  "mkdir -p src/extensions src/hooks",
  "rm -rf build/* *.log",
  "until [ -f go ]; do sleep 0.02; done",
  '[[ -d src ]] && echo "{}" | jq .',
  "echo done > out.txt",
  "cat .jcli/hooks.yaml 2>/dev/null",
  "ls -la .pi .omp | grep ext",
  "grep -rn guard ~/bin/guard.sh 2>&1",
  "git status && git diff .jcli",
  "find .pi -name '*.ts'",
  "git commit -m 'trust the cache'",
  "sed -i s/a/b/ src/tools/ext.test.ts",
  `a=(x y); echo "\${a[@]}"`,
  `for f in "\${files[@]}"; do wc -l "$f"; done`,
  `echo "\${#a[@]}" "\${x%%[0-9]*}" "\${x//[^a-z]/_}" "\${y:-\${z[*]}}"`,
  "cat $(git ls-files .pi) | head",
])("%s is not", async (command) => {
  expect(await about(command)).toBeUndefined();
});

test("a file is found even after a longer word that contains its name", async () => {
  expect(await about("cp x mybin/guard.sh && rm bin/guard.sh")).toBeDefined();
});

test.each([
  ["a headline of stars", `echo "${"*".repeat(60)}WARNING${"*".repeat(60)}"; make`],
  ["stars between letters", `rm ${"*a".repeat(200)}`],
  ["open braces", `echo '${"{a,".repeat(20_000)}'; make`],
])("%s costs no time worth mentioning", async (_, command) => {
  expect(await about(command)).toBeUndefined();
});
