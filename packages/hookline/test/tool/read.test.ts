import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createReadTool, type ReadOperations } from "../../src/tool/read.ts";
import { makeFolder, numbered, run, textFrom } from "./folder.ts";

describe("text", () => {
  const three = "x\ny\nz";
  test.each([
    ["a whole file", three, {}, three],
    ["a file with a line break at the end", "x\n", {}, "x\n"],
    ["an empty file", "", {}, ""],
    ["from a line on", three, { offset: 2 }, "y\nz"],
    ["from line zero, which is the first", three, { offset: 0 }, three],
    ["some lines", three, { limit: 1 }, "x\n\n[2 more lines in file. Use offset=2 to continue.]"],
    ["the last lines exactly", three, { offset: 2, limit: 2 }, "y\nz"],
    ["no line", three, { limit: 0 }, "\n\n[3 more lines in file. Use offset=1 to continue.]"],
    ["a negative number of lines", three, { limit: -5 }, "\n\n[3 more lines in file. Use offset=1 to continue.]"],
    ["exactly as many lines as allowed", numbered(2000), {}, numbered(2000)],
    [
      "a line too many",
      numbered(2001),
      {},
      `${numbered(2000)}\n\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]`,
    ],
    [
      "a line too many from an offset",
      numbered(2004),
      { offset: 3 },
      `${numbered(2002).slice(4)}\n\n[Showing lines 3-2002 of 2004. Use offset=2003 to continue.]`,
    ],
    ["exactly as many bytes as allowed", "é".repeat(25_600), {}, "é".repeat(25_600)],
    [
      "a line that is over the limit alone",
      `ok\n${"é".repeat(25_601)}`,
      { offset: 2 },
      "[Line 2 is 50.0KB, exceeds 50.0KB limit. Use bash: sed -n '2p' f | head -c 51200]",
    ],
    [
      "more bytes than allowed",
      `${"é".repeat(20_000)}\n${"é".repeat(20_000)}`,
      {},
      `${"é".repeat(20_000)}\n\n[Showing lines 1-1 of 2 (50.0KB limit). Use offset=2 to continue.]`,
    ],
    ["a place after the end", three, { offset: 4 }, "Error: Offset 4 is beyond end of file (3 lines total)"],
  ])("%s", async (_name, content, range, expected) => {
    const root = makeFolder({ f: content });
    expect(await textFrom(createReadTool(root), { path: "f", ...range })).toBe(expected);
  });

  test("a cut is described in the details, and only a cut", async () => {
    const root = makeFolder({ long: numbered(2001), short: "x" });
    const cut = await run(createReadTool(root), { path: "long" });
    expect(cut.details).toMatchObject({ truncation: { truncatedBy: "lines", totalLines: 2001, outputLines: 2000 } });
    expect((await run(createReadTool(root), { path: "short" })).details).toBeUndefined();
  });
});

describe("what cannot be read", () => {
  test("a missing file", async () => {
    const root = makeFolder();
    const expected = `Error: ENOENT: no such file or directory, access '${join(root, "nope")}'`;
    expect(await textFrom(createReadTool(root), { path: "nope" })).toBe(expected);
  });

  test("a folder", async () => {
    const root = makeFolder({ "d/": "" });
    expect(await textFrom(createReadTool(root), { path: "d" })).toBe(
      "Error: EISDIR: illegal operation on a directory, read",
    );
  });

  test.skipIf(process.platform === "win32")("a pipe, which nobody may ever write to", async () => {
    const root = makeFolder();
    execFileSync("mkfifo", [join(root, "pipe")]);
    const expected = `Error: Not a regular file: ${join(root, "pipe")} is a named pipe. Use bash to read from it or write to it.`;
    expect(await textFrom(createReadTool(root), { path: "pipe" })).toBe(expected);
  });

  test("after an abort", async () => {
    const root = makeFolder({ f: "x" });
    expect(await textFrom(createReadTool(root), { path: "f" }, { signal: AbortSignal.abort() })).toBe(
      "Error: Operation aborted",
    );
  });

  test("an abort is not held up by a read that hangs", async () => {
    const controller = new AbortController();
    const operations: ReadOperations = {
      access: async () => controller.abort(),
      readFile: () => new Promise(() => {}),
    };
    expect(await textFrom(createReadTool("/", { operations }), { path: "f" }, { signal: controller.signal })).toBe(
      "Error: Operation aborted",
    );
  });
});

const PNG = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  Buffer.from([0, 0, 0, 13]),
  Buffer.from("IHDR"),
  Buffer.alloc(17),
]);
const chunk = (kind: string) => Buffer.concat([Buffer.from([0, 0, 0, 0]), Buffer.from(kind), Buffer.alloc(4)]);

describe("images", () => {
  test.each([
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1])],
    ["image/png", Buffer.concat([PNG, chunk("IDAT"), chunk("acTL")])],
    ["image/gif", Buffer.from("GIF89a…")],
    ["image/gif", Buffer.from("GIF87a…")],
    ["image/webp", Buffer.from("RIFF1234WEBPVP8 ")],
  ])("%s is told by its bytes, whatever its name", async (mimeType, bytes) => {
    const root = makeFolder({ "picture.txt": bytes });
    const { content } = await run(createReadTool(root), { path: "picture.txt" });
    expect(content).toEqual([
      { type: "text", text: `Read image file [${mimeType}]` },
      { type: "image", data: bytes.toString("base64"), mimeType },
    ]);
  });

  test.each([
    ["an animated PNG", Buffer.concat([PNG, chunk("acTL"), chunk("IDAT")])],
    ["JPEG-LS", Buffer.from([0xff, 0xd8, 0xff, 0xf7])],
    ["other RIFF data", Buffer.from("RIFF1234WAVEfmt ")],
    ["a name that promises one", Buffer.from("no image")],
  ])("%s is none", async (_name, bytes) => {
    const root = makeFolder({ "a.png": bytes });
    const { content } = await run(createReadTool(root), { path: "a.png" });
    expect(content).toEqual([{ type: "text", text: bytes.toString("utf8") }]);
  });

  test("one that is too large for a request is left out with a reason", async () => {
    const root = makeFolder({ big: Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(4 * 1024 * 1024)]) });
    const { content } = await run(createReadTool(root), { path: "big" });
    expect(content).toEqual([
      {
        type: "text",
        text: "Read image file [image/gif]\n[Image omitted: 5.3MB inline, over the limit of 4.5MB. Make it smaller first.]",
      },
    ]);
  });

  test("a model that cannot read images is told so", async () => {
    const root = makeFolder({ a: "GIF89a" });
    const seen = (input: string[]) => textFrom(createReadTool(root), { path: "a" }, { context: { model: { input } } });
    expect(await seen(["text"])).toBe(
      "Read image file [image/gif]\n[Current model does not support images. The image will be omitted from this request.]\n<image/gif>",
    );
    expect(await seen(["text", "image"])).toBe("Read image file [image/gif]\n<image/gif>");
  });
});

describe("operations", () => {
  test("replace the whole access to files", async () => {
    const seen: string[] = [];
    const operations: ReadOperations = {
      access: async (path) => void seen.push(`access ${path}`),
      readFile: async (path) => Buffer.from(`of ${path}`),
      detectImageMimeType: async () => null,
    };
    expect(await textFrom(createReadTool("/far", { operations }), { path: "f" })).toBe("of /far/f");
    expect(seen).toEqual(["access /far/f"]);
  });

  test("readFile alone needs no local file", async () => {
    const operations = { readFile: async () => Buffer.from("GIF89a") };
    expect(await textFrom(createReadTool("/far", { operations }), { path: "f" })).toContain("<image/gif>");
  });

  test("keep their own this", async () => {
    class Remote {
      readonly text = "mine";
      async readFile() {
        return Buffer.from(this.text);
      }
    }
    expect(await textFrom(createReadTool("/far", { operations: new Remote() }), { path: "f" })).toBe("mine");
  });
});

test("the context's folder goes before the tool's own", async () => {
  const root = makeFolder({ "here/f": "here", f: "there" });
  expect(await textFrom(createReadTool(root), { path: "f" }, { context: { cwd: join(root, "here") } })).toBe("here");
});
