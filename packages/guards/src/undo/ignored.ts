import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ByteText, pathOf } from "./bytes.ts";
import { gitOutput } from "./git.ts";

/** Returns the folder and the texts of the person's own git configuration. */
function ownSettings(): { readonly folder: string; readonly texts: readonly string[] } {
  const folder = join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git");
  return { folder, texts: [join(homedir(), ".gitconfig"), join(folder, "config")].map((path) => textOf(path)) };
}

/** Whether attributes outside of `.gitattributes` files may make git convert contents, as filters do. */
export function mayConvert(commonDir: ByteText): boolean {
  const { folder, texts } = ownSettings();
  const configs = [...texts, textOf(pathOf(`${commonDir}/config`))];
  return (
    configs.some((text) => /^\s*attributesfile\b|^\s*\[include/im.test(text)) ||
    [join(folder, "attributes"), "/etc/gitattributes", pathOf(`${commonDir}/info/attributes`)].some((path) =>
      existsSync(path),
    )
  );
}

/** Returns the path of the person's own ignore file of git. */
function ownIgnoreFile(): string {
  const { folder, texts } = ownSettings();
  const named = texts.map((text) => /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(text)?.[1]).find(Boolean);
  return named?.replace(/^~(?=\/)/, homedir()) ?? join(folder, "ignore");
}

/**
 * Returns those of the paths that the repository's ignore files match; `undefined` if git does not answer. git reads
 * the ignore files with the shadow repository's configuration, not with the project's.
 */
export function ignoredAmong(
  paths: readonly ByteText[],
  at: { readonly shadow: string; readonly project: ByteText; readonly commonDir: ByteText; readonly timeoutMs: number },
): ReadonlySet<ByteText> | undefined {
  if (paths.length === 0) return new Set();
  mkdirSync(join(at.shadow, "info"), { recursive: true, mode: 0o700 });
  writeFileSync(join(at.shadow, "info", "exclude"), textOf(pathOf(`${at.commonDir}/info/exclude`)));
  const output = gitOutput(["check-ignore", "--no-index", "-z", "--stdin"], {
    gitDir: at.shadow,
    workTree: Buffer.from(at.project, "latin1").toString(),
    input: Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1"),
    timeoutMs: at.timeoutMs,
    settings: [`core.excludesFile=${ownIgnoreFile()}`],
  });
  if (output === undefined) return undefined;
  return new Set(
    output
      .toString("latin1")
      .split("\0")
      .map((path) => path.slice(2)),
  );
}

function textOf(path: string | Buffer): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
