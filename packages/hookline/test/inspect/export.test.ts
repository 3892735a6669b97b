import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { EXPORT_SCRIPT } from "../../../../scripts/build.ts";
import type { ExportedApi, Summary } from "../../src/inspect/api.ts";
import { exportSource, writeExport } from "../../src/inspect/export.ts";
import { FileList } from "../../src/inspect/file-list.ts";
import type { PageFile } from "../../src/inspect/page.ts";
import { recogniseFile } from "../../src/inspect/recognise.ts";
import { breathe } from "../../src/inspect/run.ts";
import { folderForTest, moment, session, writeRecording } from "./recorded.ts";
import { served } from "./served.ts";

const HOSTILE = "</script><script>alert(1)</script><!-- ]]> \u2028 $& $' \u001b[2J";

const file = (type: string, text: string): PageFile => ({ type, bytes: Buffer.from(text) });
const PAGE = new Map([
  [
    "/index.html",
    file(
      "text/html",
      '<!doctype html><html><head><title>i</title><script type="module" crossorigin src="./assets/a.js"></script><link rel="stylesheet" crossorigin href="./assets/a.css"></head><body><div id="app"></div></body></html>',
    ),
  ],
  ["/assets/a.js", file("text/javascript", 'document.title = "</script>";\r\nlet a = "$&";')],
  ["/assets/a.css", file("text/css", 'a::before { content: "</style>" }')],
]);

let script: string;
let imports: readonly unknown[];
beforeAll(async () => {
  const { outputFiles, metafile } = await build({ ...EXPORT_SCRIPT, write: false, metafile: true });
  script = outputFiles[0]?.text ?? "";
  imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
});

async function exported(
  path: string,
  part: Parameters<typeof exportSource>[1] = {},
  write: (piece: string) => void = () => {},
): Promise<string> {
  const list = new FileList({
    find: () => [recogniseFile(path)].filter((one) => one !== undefined),
    open: path,
    breathe,
  });
  try {
    const opened = await list.find(list.open ?? "");
    if (opened === undefined) throw new Error("the file is no source");
    let html = "";
    const take = (piece: string): void => {
      html += piece;
      write(piece);
    };
    await exportSource(opened, part, { hookline: "0.0.0", breathe, write: take }, { files: PAGE, script });
    return html;
  } finally {
    await list.close();
  }
}

/** The text of each element of a name, as a parser of HTML finds it. */
const elements = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`<${name}\\b[^>]*>([\\s\\S]*?)</${name}`, "gi"))].map(([, text]) => text as string);

/** Returns the object that replaces the server in an exported page. */
function opened(html: string): ExportedApi {
  const [data = "", code = ""] = elements(html, "script");
  const context = {
    document: { getElementById: () => ({ textContent: data }) },
    TextEncoder,
    TextDecoder,
    URLSearchParams,
    performance,
    setTimeout,
    clearTimeout,
    hooklineExport: undefined,
  };
  runInNewContext(code, context);
  return context.hooklineExport as unknown as ExportedApi;
}

describe("an export", () => {
  test("answers in the page what a server answers, with nothing of Node in its script", async () => {
    const path = writeRecording(folderForTest(), session(300));
    const api = opened(await exported(path));
    const server = await (await served([path])).indexed();
    expect(imports).toEqual([]);
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    const { sources, exported: isExport } = plain(await api.answer("sources")) as {
      sources: { id: string }[];
      exported: true;
    };
    expect([sources.length, isExport]).toEqual([1, true]);
    const id = sources[0]?.id;
    for (let isAll = false; !isAll; ) {
      const { indexed, bytes } = (await api.answer(`sources/${id}/summary`)) as Summary;
      isAll = indexed === bytes;
    }
    for (const view of [
      "moments?count=40&decision=deny",
      "moments?q=echo%2017",
      "timeline?columns=7",
      "hooks",
      "conversation/200",
    ]) {
      const ours = plain(await api.answer(`sources/${id}/${view}`));
      expect(ours).toEqual((await server.get(`/api/sources/ID/${view}`)).json);
    }
    const [ours, theirs] = [
      plain(await api.answer(`sources/${id}/moments/47`)),
      (await server.get("/api/sources/ID/moments/47")).json,
    ];
    expect(ours).toEqual({ ...theirs, line: undefined });
    await expect(api.answer(`sources/${id}/moments/9999`)).rejects.toMatchObject({ error: { code: "not-found" } });
    await expect(api.answer("sources/other/summary")).rejects.toMatchObject({ error: { code: "not-found" } });
  });

  test("lets run what its policy names by hash, and holds everything foreign as text", async () => {
    const path = writeRecording(folderForTest(), [moment("input", { payload: { text: HOSTILE } })]);
    const html = await exported(path);
    const [data, ...scripts] = elements(html, "script");
    const styles = elements(html, "style");
    expect(scripts).toHaveLength(2);
    expect(data).not.toContain("<");
    const policy = /content="(default-src[^"]*)"/.exec(html)?.[1] ?? "";
    const named = [...policy.matchAll(/'sha256-([^']+)'/g)].map(([, hash]) => hash);
    expect(named).toEqual([...scripts, ...styles].map((text) => createHash("sha256").update(text).digest("base64")));
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/\b(?:src|href)=/);
    expect(html.indexOf("http-equiv")).toBeLessThan(html.indexOf("<script"));
    const api = opened(html);
    const { sources } = (await api.answer("sources")) as { sources: { id: string }[] };
    const shown = (await api.answer(`sources/${sources[0]?.id}/moments/1`)) as {
      moment: { payload: { text: string } };
    };
    expect(shown.moment.payload.text).toBe(HOSTILE);
  });

  test("of a part holds that part alone, and of more than 50 MB needs one", async () => {
    const folder = folderForTest();
    const path = writeRecording(folder, session(60), "some.jsonl");
    const api = opened(await exported(path, { from: 13, to: 24 }));
    const { sources } = (await api.answer("sources")) as { sources: { id: string; title: string }[] };
    expect(sources[0]?.title).toContain("moments 13 to 24");
    expect(await api.answer(`sources/${sources[0]?.id}/summary`)).toMatchObject({ moments: 12, damaged: 0 });
    await expect(exported(path, { from: 61 })).rejects.toThrow("has no moments from 61");
    const large = Array.from({ length: 9 }, (_, at) =>
      moment("input", { payload: { text: `${at}${"z".repeat(6_500_000)}` } }),
    );
    const many = writeRecording(folder, large, "many.jsonl");
    await expect(exported(many)).rejects.toThrow(/more than 50 MB/);
    expect((await exported(many, { from: 2, to: 3 })).length).toBeLessThan(14_000_000);
  });

  test("is passed on in pieces of a few MB, so that little of it is held", async () => {
    const folder = folderForTest();
    const large = "x".repeat(800_000);
    const moments = Array.from({ length: 12 }, (_, n) => moment("input", { payload: { text: `${n}${large}` } }));
    const path = writeRecording(folder, moments, "large.jsonl");
    const sizes: number[] = [];
    const html = await exported(path, {}, (piece) => sizes.push(piece.length));
    expect(html.length).toBeGreaterThan(9_000_000);
    expect(Math.max(...sizes)).toBeLessThan(3_000_000);
  });

  test("replaces a file when it is complete, and leaves it as it was if it fails", async () => {
    const folder = folderForTest();
    const path = join(folder, "out.html");
    writeFileSync(path, "before");
    const failing = writeExport(path, async (write) => {
      write("half");
      throw new Error("no more");
    });
    await expect(failing).rejects.toThrow("no more");
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["before", ["out.html"]]);
    expect(await writeExport(path, async (write) => write("ä"))).toEqual({ bytes: 2, made: undefined });
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["ä", ["out.html"]]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("of a file in which a line's length has changed is refused with the moment and its line", async () => {
    const repeated = { payload: { text: "again and ".repeat(500) } };
    const path = writeRecording(
      folderForTest(),
      [1, 2, 3].map(() => moment("input", repeated)),
    );
    const [header, ...others] = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, [`${header} `, ...others].join("\n"));
    const said = await exported(path).then(
      () => "exported",
      (thrown: Error) => thrown.message,
    );
    expect(said).toMatch(/cannot be exported: The moment \d \(line \d+\) can no longer be read: it refers to a value/);
  });
});
