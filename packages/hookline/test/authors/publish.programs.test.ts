import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { Sources } from "../support/sources.ts";
import { Reader, root } from "./reader.ts";

const PAGE = "docs/guide/publish-a-guard.md";

test("a guard is published to npm and to git, and decides in a second home, by the steps of the guide", {
  timeout: 900_000,
}, async () => {
  const reader = new Reader();
  const place = new Workplace();
  const sources = new Sources(place);
  try {
    const { npm_config_registry: registry } = await sources.registry({});
    const bare = join(place.top, "origin/you/no-publish");
    mkdirSync(bare, { recursive: true });
    execFileSync("git", ["init", "-q", "--bare", "."], { cwd: bare });
    const update = join(bare, "hooks/post-update");
    writeFileSync(update, "#!/bin/sh\nexec git update-server-info\n");
    chmodSync(update, 0o755);
    reader.words.set("git@git.example.com:you/no-publish.git", bare);
    reader.words.set("git:git.example.com", await sources.origin());
    const login = (): void => {
      const host = registry.replace(/^http:/, "");
      writeFileSync(
        join(reader.home, ".npmrc"),
        `registry=${registry}\n${host}/:_authToken=x\nupdate-notifier=false\n`,
      );
      writeFileSync(join(reader.home, ".gitconfig"), "[user]\nname = n\nemail = e@x\n");
    };
    login();
    const author = { home: reader.home, project: reader.project };
    const lines = readFileSync(join(root, PAGE), "utf8").split("\n");
    const at = (beginning: string): number => {
      const index = lines.findIndex((line) => line.startsWith(beginning));
      if (index < 0) throw new Error(`${PAGE} has no line that begins with "${beginning}".`);
      return index + 1;
    };
    const [second, next] = [at("## 4. Add it on another machine"), at("## 5. Publish the next version")];
    const again = at("Users who add it again");
    const [ofPi, added] = [at("## Extensions of pi"), at("Its users add it to hookline")];
    let user: typeof author | undefined;
    const moved: string[] = [];
    await reader.follow(PAGE, (line) => {
      if (line > second && line < next && user === undefined) {
        reader.move();
        login();
        user = { home: reader.home, project: reader.project };
        moved.push("to the user");
      }
      if (line > next && line < again) Object.assign(reader, author);
      if (line > again && user !== undefined) Object.assign(reader, user);
      if (line > ofPi && line < added) Object.assign(reader, author);
    });
    expect(moved).toEqual(["to the user"]);
    const settings = (folder: string): unknown =>
      JSON.parse(readFileSync(join(folder, ".hookline/settings.json"), "utf8")).packages;
    expect(settings(reader.home)).toEqual(["npm:no-deleting@0.1.0"]);
    expect(settings(reader.project)).toEqual(["npm:no-publish@0.2.0"]);
  } finally {
    sources.close();
    place.remove();
    reader.remove();
  }
});
