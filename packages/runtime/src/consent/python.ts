import { dirname, join } from "node:path";
import type { Files } from "@hookline/ground";

const FROM = /\bfrom\s+(\.*)[ \t]*([\w.]*)\s+import[ \t]*(?:\(([^)]*)\)|((?:[\w., \t*]|\\\r?\n)+))/g;
const IMPORT = /(?:^|[\n;:'"])[ \t]*import[ \t]+((?:[\w., \t]|\\\r?\n)+)/g;
const CALL = /\b(?:import_module|__import__|run_module|find_spec|resource_filename)\s*\(\s*["']([\w.]+)["']/g;
const SEARCH = /\bsys\.path\.(?:insert\s*\(\s*\d+\s*,|append\s*\()([^\n]*)\)/g;

/** An imported module: the parts of its name, and the number of leading dots; 0 for an absolute import. */
export interface PythonImport {
  readonly level: number;
  readonly parts: readonly string[];
}

/** Returns the modules that a Python text imports. */
export function importsOfPython(text: string): PythonImport[] {
  const found: PythonImport[] = [];
  const add = (level: number, name: string, more: readonly string[] = []): void =>
    void found.push({ level, parts: [...name.split(".").filter((part) => part !== ""), ...more] });
  for (const [, dots = "", module = "", listedNames = "", names = listedNames] of text.matchAll(FROM)) {
    if (module !== "") add(dots.length, module);
    for (const name of listed(names)) add(dots.length, module, [name]);
  }
  for (const [, names = ""] of text.matchAll(IMPORT)) for (const name of listed(names)) add(0, name);
  for (const [, name = ""] of text.matchAll(CALL)) add(0, name);
  return found;
}

/** A folder that a Python text adds to `sys.path`; without `folder` if the text computes it. */
export interface PythonFolder {
  readonly folder?: string;
  readonly piece: string;
  /** The 0-based offset of `piece` in the text. */
  readonly at: number;
}

/** Returns the folders that a Python text adds to `sys.path`. */
export function searchedByPython(text: string, folder: string, cwd: string): PythonFolder[] {
  return [...text.matchAll(SEARCH)].map(({ 0: piece, 1: given = "", index: at }) => {
    const expression = withNames(given, text);
    const literals = [...expression.matchAll(/["']([^"']*)["']/g)].map(([, one = ""]) => one);
    if (!expression.includes("__file__"))
      return literals.length === 1 && /^\s*["'][^"']*["']\s*$/.test(expression)
        ? { folder: join(cwd, literals[0] as string), piece, at }
        : { piece, at };
    // One `dirname` or `parent` gives the file's folder, each further one the folder above; `parents[1]` counts as two.
    const ups = expression.match(/\bdirname\b|\.parent\b/g)?.length ?? 0;
    const parents = Number(/\.parents\[(\d+)\]/.exec(expression)?.[1] ?? "-1") + 1;
    let found = folder;
    for (let up = 1; up < ups + parents; up++) found = dirname(found);
    return { folder: join(found, ...literals), piece, at };
  });
}

/**
 * Replaces each name in an expression with its value, if the text sets the name once and the value is derived from
 * `__file__`.
 */
function withNames(expression: string, text: string, depth = 4): string {
  if (depth === 0) return expression;
  return expression.replaceAll(
    /(?<![.\w"'])[A-Za-z_]\w*(?![\w(."'])|(?<![.\w"'])[A-Za-z_]\w*(?=\.parents?\b)/g,
    (name) => {
      const values = [...text.matchAll(new RegExp(`^[ \\t]*${name}[ \\t]*=(?!=)([^\\n#]*)`, "gm"))];
      const value = values.length === 1 ? withNames(values[0]?.[1] ?? "", text, depth - 1) : "";
      return value.includes("__file__") ? value : name;
    },
  );
}

const MODULE = /^\.(?:py|pyc|pyd|so|(?:cpython-[\w-]+|abi3)\.so)$/;

/** Returns the files that Python loads for a module in a folder, including the packages on the way. */
export function pythonModule(folder: string, parts: readonly string[], files: Files): string[] {
  const [first, ...rest] = parts;
  if (first === undefined) return [];
  const names = (files.list(folder) ?? []).map(({ name }) => name);
  const found = names
    .filter((name) => name.startsWith(`${first}.`) && MODULE.test(name.slice(first.length)))
    .map((name) => join(folder, name));
  const inner = join(folder, first);
  if (files.stat(inner)?.kind !== "directory") return found;
  return [...found, ...pythonModule(inner, ["__init__"], files), ...pythonModule(inner, rest, files)];
}

/** Returns whether Python can import an entry of a folder with this name. */
export function isPythonModule(name: string, isFolder: boolean): boolean {
  return isFolder
    ? /^[A-Za-z_]\w*$/.test(name) && name !== "__pycache__"
    : MODULE.test(name.slice(name.indexOf(".", 1)));
}

/**
 * Returns whether a standard module of Python has this name, so that Python itself may import a file that shadows it.
 */
export function isPythonsOwn(name: string): boolean {
  return OWN.has(name.replace(/\..*$/s, ""));
}

/**
 * Returns whether a file is compiled Python that Python checks against its source before running it. Such files come
 * and go with each run and decide nothing. Compiled files that are never checked run instead of their source (PEP 552).
 */
export function isCheckedPython(name: string, bytes: Uint8Array): boolean {
  if (!name.endsWith(".pyc")) return false;
  const flags = bytes[4];
  return flags === 0 || flags === 3;
}

/** Returns the imported names of a list, without their aliases: `a.b` and `d` for `a.b as c, d`. */
function listed(names: string): string[] {
  return names
    .split(",")
    .map(
      (one) =>
        one
          .replaceAll(/\\|#[^\n]*/g, " ")
          .trim()
          .split(/\s+/)[0] ?? "",
    )
    .filter((one) => /^[\w.]+$/.test(one));
}

const OWN: ReadonlySet<string> = new Set(
  (
    "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 " +
    "cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser " +
    "contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest " +
    "email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath " +
    "getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io " +
    "ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap " +
    "modulefinder multiprocessing netrc nis nntplib ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb " +
    "pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr " +
    "pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors " +
    "shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants " +
    "sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile " +
    "telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc " +
    "tty turtle turtledemo types typing unicodedata unittest urllib usercustomize uu uuid venv warnings wave weakref webbrowser " +
    "wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"
  ).split(" "),
);
