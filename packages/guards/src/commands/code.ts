import type { Paths } from "./args.ts";
import type { Found, NamedPath } from "./effect.ts";

/** Calls that delete the file that their first argument names, and everything below it if `all` is true. */
const DELETES: readonly (readonly [call: RegExp, all: boolean])[] = [
  [
    /\b(?:shutil\.rmtree|rmtree|remove_tree|removedirs|rm_rf!?|rm_r|remove_dir|remove_entry(?:_secure)?|rimraf(?:\.sync|Sync)?|removeSync|emptyDirSync|emptyDir|emptydir|deltree)\s*\(?/g,
    true,
  ],
  [
    /\b(?:fs(?:p|Promises|Extra|e)?\.(?:promises\.)?|promises\.|require\(\s*\)\.(?:promises\.)?)?(?:rmSync|rmdirSync|rm|rmdir)\s*\(/g,
    true,
  ],
  [
    /\b(?:os\.(?:remove|unlink|rmdir)|unlinkSync|unlink|File\.delete|File\.unlink|FileUtils\.(?:rm|rm_f|safe_unlink)|Dir\.(?:rmdir|unlink|delete)|Deno\.remove(?:Sync)?)\s*\(?/g,
    false,
  ],
  [/\bfs\.remove\s*\(/g, true],
];

/** Calls that replace the content of the file that their first argument names. */
const OVERWRITES: readonly RegExp[] = [
  /\b(?:writeFileSync|writeFile|truncateSync|truncate|outputFileSync|createWriteStream|file_put_contents|File\.write|IO\.write|Bun\.write|Deno\.write(?:Text)?File(?:Sync)?|os\.truncate|File\.truncate)\s*\(?/g,
];

/** Calls that move or copy the file that their first argument names over the one that their second names. */
const MOVES: readonly RegExp[] = [
  /\b(?:shutil\.(?:move|copy2?|copyfile)|os\.(?:rename|replace)|renameSync|rename|copyFileSync|copyFile|cpSync|FileUtils\.(?:mv|cp)|copy)\s*\(/g,
  // Perl also calls functions without parentheses.
  /\b(?:rename|copy|move)\s+(?=["'$])/g,
];

/** Methods of a path object that delete the path. */
const METHOD_DELETES = /^\s*\)?\s*\.\s*(?:unlink|rmdir|rmtree|delete)\b/;
const METHOD_WRITES = /^\s*\)?\s*\.\s*(?:write_text|write_bytes|truncate|write)\b|^\s*\)?\s*\.\s*open\(\s*["']w/;

/** Expressions for the home folder in several languages, such as `os.homedir()` or `ENV["HOME"]`. */
const HOMES =
  /\b(?:os\.homedir\(\)|(?:pathlib\.)?Path\.home\(\)|Dir\.home|(?:os\.environ|ENV|process\.env)\[["']HOME["']\]|os\.getenv\(["']HOME["']\)|process\.env\.HOME)|\$ENV\{["']?HOME["']?\}|\brequire\(["'](?:node:)?os["']\)\.homedir\(\)/g;

/** Joins a path that the code concatenates from literals, so that it is one literal. */
function joinedPaths(code: string): string {
  return code
    .replaceAll(HOMES, '"~"')
    .replaceAll(/(["'])~\1\s*(?:\+|\/|,|\.)\s*(["'])\/?/g, "$2~/")
    .replaceAll(/\bPath\(\s*(["'])([^"'\n]*)\1\s*\)\s*\/\s*(["'])([^"'\n]*)\3/g, "Path($1$2/$4$1)")
    .replaceAll(/(["'])(~[^"'\n]*)\1\s*\/\s*(["'])([^"'\n]*)\3/g, "$1$2/$4$1");
}

/** Replaces the code's own names of library functions, as after `import shutil as s`, by the library's names. */
function underOwnNames(code: string): string {
  const names: (readonly [own: string, name: string])[] = [];
  for (const [, module = "", list = ""] of code.matchAll(/\bfrom\s+(os|shutil|pathlib)\s+import\s+\(?([\w\s,]+)/g))
    for (const [, name = "", own = name] of list.matchAll(/(\w+)(?:\s+as\s+(\w+))?/g))
      names.push([String.raw`${own}(?=\s*\()`, module === "pathlib" ? name : `${module}.${name}`]);
  for (const [, name = "", own = ""] of code.matchAll(/\bimport\s+([\w.]+)\s+as\s+(\w+)/g))
    names.push([String.raw`${own}(?=\.)`, name]);
  for (const [, list = ""] of code.matchAll(/\{([\w\s,:]+)\}\s*(?:=\s*(?:await\s+)?(?:require|import)\b|from\b)/g))
    for (const [, name = "", own = ""] of list.matchAll(/(\w+)\s*(?::|\bas\b)\s*(\w+)/g))
      names.push([String.raw`${own}(?=\s*\()`, name]);
  return names.reduce(
    (text, [own, name]) => text.replaceAll(new RegExp(String.raw`(?<![\w.$])${own}`, "g"), name),
    code,
  );
}

/** Replaces the contents of strings and comments by blanks, so that only code is left and offsets stay. */
function bare(code: string): string {
  return code.replaceAll(
    /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|(?<=^|[\s;])#[^\n]*|(?<=^|[\s;])\/\/[^\n]*/g,
    (text) =>
      /^["'`]/.test(text) ? text[0] + " ".repeat(Math.max(0, text.length - 2)) + text.at(-1) : " ".repeat(text.length),
  );
}

const STRING = /^[rbuf]?(["'`])((?:(?!\1)[^\\]|\\[\s\S])*)\1/;

/** Finds the files that Python, JavaScript or other code deletes or overwrites by its calls. */
export class Code {
  readonly #code: string;
  readonly #bare: string;
  readonly #paths: Paths;

  constructor(code: string, paths: Paths) {
    this.#code = joinedPaths(underOwnNames(code));
    this.#bare = bare(this.#code);
    this.#paths = paths;
  }

  /** Returns the deletions and overwrites in the code's calls. */
  effects(): readonly Found[] {
    const found: Found[] = [];
    for (const [call, isRecursive] of DELETES) {
      for (const at of this.#calls(call)) {
        const isAll = isRecursive || /^[^)\n]*\brecursive\s*=\s*(?:T|true)/i.test(this.#code.slice(at));
        found.push({ kind: "delete", targets: this.#list(at), isRecursive: isAll });
      }
      for (const text of this.#handedOn(call))
        found.push({ kind: "delete", targets: [this.#unknown(text)], isRecursive });
    }
    for (const [text] of this.#bare.matchAll(
      /&:(?:delete|unlink|rmtree|rmdir)\b|\bmethod\(:(?:delete|unlink|rm\w*)\)/g,
    ))
      found.push({ kind: "delete", targets: [this.#unknown(text)], isRecursive: true });
    for (const call of OVERWRITES)
      for (const at of this.#calls(call)) found.push({ kind: "overwrite", targets: this.#list(at).slice(0, 1) });
    for (const call of MOVES)
      for (const at of this.#calls(call)) found.push({ kind: "overwrite", targets: this.#list(at).slice(1, 2) });
    for (const at of this.#calls(/\bopen(?:Sync)?\s*\(?/g)) {
      const whole = this.#code.slice(at, at + 400);
      const mode = /^[^)\n]*?,\s*(?:mode\s*=\s*)?["'](\+?[rwax<>+btU]+)["']/.exec(whole)?.[1] ?? "";
      if (/^(?:w|\+?>(?!>))/.test(mode)) {
        const targets = mode.includes(">")
          ? this.#list(at + (/^[^,]*,[^,]*,\s*/.exec(whole)?.[0].length ?? 0))
          : this.#list(at).slice(0, 1);
        if (targets.every(({ isKnown }) => isKnown)) found.push({ kind: "overwrite", targets: targets.slice(0, 1) });
      }
      const attached = /^[^)\n;]*?,\s*["']\s*>\s*([^>"'][^"']*)["']/.exec(whole)?.[1];
      if (attached !== undefined) found.push({ kind: "overwrite", targets: [this.#paths.at(attached.trim())] });
    }
    for (const { index, 0: text } of this.#bare.matchAll(/\b(?:Path|Pathname|Bun\.file)(?:\.new)?\s*\(/g)) {
      const inside = index + text.length;
      const end = this.#bare.indexOf(")", inside);
      const rest = end < 0 ? "" : this.#bare.slice(end);
      if (METHOD_DELETES.test(rest))
        found.push({ kind: "delete", targets: this.#list(inside), isRecursive: /rmtree/.test(rest.slice(0, 20)) });
      if (METHOD_WRITES.test(rest)) found.push({ kind: "overwrite", targets: this.#list(inside) });
    }
    for (const { index, 0: text } of this.#code.matchAll(/\barray_(?:map|walk)\s*\(\s*["'](?:unlink|rmdir)["']\s*,/g))
      found.push({ kind: "delete", targets: this.#list(index + text.length), isRecursive: false });
    for (const { index, 1: name = "" } of this.#bare.matchAll(
      /\b(\w+)\s*\.\s*(?:write_text|write_bytes|open(?=\(\s*["']w))\s*\(/g,
    )) {
      const targets = this.#named(name, index).filter(({ isKnown }) => isKnown);
      if (targets.length > 0) found.push({ kind: "overwrite", targets });
    }
    for (const { index, 0: text } of this.#bare.matchAll(/\b(\w+)\s*\.\s*(?:unlink|rmdir|rmtree)\s*\(/g)) {
      const name = /^\w+/.exec(text)?.[0] ?? "";
      if (/^(?:os|fs|fsp|shutil|File|Dir|FileUtils|promises|path|fse)$/.test(name)) continue;
      found.push({ kind: "delete", targets: this.#named(name, index), isRecursive: false });
    }
    return found.filter((one) => !("targets" in one) || one.targets.length > 0);
  }

  #calls(call: RegExp): readonly number[] {
    return [...this.#bare.matchAll(call)]
      .filter(
        ({ index, 0: text }) =>
          !(/\(\s*$/.test(text) ? /\b(?:def|function)\s*$/ : /(?:\bdef|\bfunction|\bimport|\{|,)\s*$/).test(
            this.#bare.slice(0, index),
          ),
      )
      .filter(
        ({ index, 0: text }) =>
          /\(\s*$/.test(text) ||
          /^\s*(?:["'`$<]|[A-Za-z_]\w*\b(?!\s*(?:=|from|import)))/.test(this.#code.slice(index + text.length)),
      )
      .filter(({ index }) => !/(?:^|[;\n])\s*(?:import|from|use)\s[^;\n(]*$/.test(this.#bare.slice(0, index)))
      .map(({ index, 0: text }) => index + text.length);
  }

  /** Returns functions that the code hands on, as in `map(os.remove, names)`; the files that they get are unknown. */
  #handedOn(call: RegExp): readonly string[] {
    return [...this.#bare.matchAll(call)]
      .filter(({ index }) => /\(\s*(?:[\w$]+\.)*$/.test(this.#bare.slice(Math.max(0, index - 200), index)))
      .filter(({ index, 0: text }) => /^\s*[,)]/.test(this.#bare.slice(index + text.length)))
      .map(([text]) => text);
  }

  /** Returns the files that a call's arguments name, from the position `at` in the code on. */
  #list(at: number): readonly NamedPath[] {
    const found: NamedPath[] = [];
    let rest = this.#code.slice(at).trimStart();
    for (let count = 0; count < 8; count++) {
      // A splat (`*Dir["*"]`, `...globSync("*")`) passes each file that it finds.
      rest = rest.replace(/^(?:[[(]|\s|qw|(?:\*|\.\.\.)(?=\w))+/, "");
      const angled = /^<([^<>\n]*)>/.exec(rest);
      const string = STRING.exec(rest);
      const joined = /^(?:os\.)?(?:path|Path|File)\.(?:join|resolve)\(\s*((?:["'][^"']*["']\s*,?\s*)+)\)/.exec(rest);
      const wrapped =
        /^(?:glob\.(?:glob|sync|globSync)|glob(?:Sync)?|(?:fs|fg|fastGlob)\.(?:globSync|sync)|Dir\.glob|Dir)\s*[([]\s*/.exec(
          rest,
        ) ??
        /^(?:Path|str|os\.path\.(?:abspath|expanduser|realpath|normpath)|path\.resolve|pathlib\.Path|File\.expand_path|realpath)\s*\(\s*(?:os\.path\.expanduser\(\s*)?/.exec(
          rest,
        );
      if (wrapped !== null) rest = rest.slice(wrapped[0].length);
      const inner = wrapped === null ? string : STRING.exec(rest);
      if (joined !== null) {
        found.push(
          this.#paths.at([...(joined[1] ?? "").matchAll(/["']([^"']*)["']/g)].map(([, part]) => part).join("/")),
        );
        rest = rest.slice(joined[0].length);
      } else if (angled !== null) {
        // In Perl, `<*.log>` lists the matching files, while `<$name>` and `<>` read a line.
        const text = angled[1] ?? "";
        found.push(/^\$|^$/.test(text) ? this.#unknown(rest) : this.#paths.at(text, true));
        rest = rest.slice(angled[0].length);
      } else if (inner !== null) {
        const text = inner[2] ?? "";
        const isOpen =
          /^\s*(?:\+|\.\s*["'$]|%)/.test(rest.slice(inner[0].length)) ||
          /\$\{|#\{/.test(text) ||
          (/^f/.test(rest) && text.includes("{"));
        const isListed = /^\s*\)\s*\.\s*(?:iterdir|r?glob|walk|children|each_child)\b/.test(
          rest.slice(inner[0].length),
        );
        found.push(isOpen || isListed ? this.#unknown(rest) : this.#paths.at(text, /[*?[]/.test(text)));
        rest = rest.slice(inner[0].length);
      } else {
        const name = /^\$?(\w+)/.exec(rest)?.[1];
        if (found.length > 0) return found;
        if (name === undefined) return /^[)\]},;]|^$/.test(rest) ? found : [this.#unknown(rest)];
        found.push(...this.#named(name, at));
        return found;
      }
      const next = /^\s*[)\]]*\s*,\s*(?![{\w]+\s*[:=])/.exec(rest);
      if (next === null) return found;
      rest = rest.slice(next[0].length);
    }
    return found;
  }

  /** Returns the values that plain assignments and loops give to a variable. */
  #named(name: string, at: number): readonly NamedPath[] {
    const before = this.#code.slice(0, at);
    const sets = [...before.matchAll(new RegExp(String.raw`(?:\b|[$@])${name}\s*(?:=(?!=)|\bin\b|\bof\b)\s*`, "g"))];
    const last = sets.at(-1);
    if (last === undefined) {
      const each = [
        ...before.matchAll(
          new RegExp(
            String.raw`((?:\[[^\]]*\]|Dir(?:\.glob|\[)[^{|]*|glob\([^)]*\)))[^;]*?(?:\{|do)\s*\|\s*${name}\s*\|`,
            "g",
          ),
        ),
      ].at(-1);
      const loop =
        each ?? [...before.matchAll(new RegExp(String.raw`(\[[^\]]*\])\.forEach\(\s*\(?\s*${name}\b`, "g"))].at(-1);
      return loop === undefined ? [this.#unknown(name)] : this.#list(loop.index);
    }
    const from = last.index + last[0].length;
    const rest = this.#code.slice(from);
    if (/^(?:tempfile\.|fs\.mkdtemp|mkdtemp|Dir\.mktmpdir|tempdir)/.test(rest))
      return [this.#paths.at("/tmp/mktemp.new")];
    return /^(?:\[|\(|\s)*[rbuf]?["'`]|^(?:glob|Dir|Path|pathlib|str\(|os\.path\.\w+\(|path\.(?:join|resolve)\(|File\.(?:join|expand_path))/.test(
      rest,
    )
      ? this.#list(from)
      : [this.#unknown(name)];
  }

  #unknown(text: string): NamedPath {
    return { path: /^[^\n;,)]{0,40}/.exec(text)?.[0] ?? "", isKnown: false, isPattern: false };
  }
}

/** Returns the files that an awk program writes with `print > "file"`. */
export function awkWrites(code: string, paths: Paths): readonly Found[] {
  const targets = [...code.matchAll(/(?<!>)>\s*"([^"]+)"/g)].map(([, path = ""]) => paths.at(path));
  return targets.length === 0 ? [] : [{ kind: "overwrite", targets }];
}

/** Calls of a database client that take SQL. */
const QUERIES =
  /\b(?:execute(?:script|many|_sql)?|query|raw|run|exec|prepare|do|text|\$(?:execute|query)Raw\w*)\s*[(\s]\s*[rbf]?("""|'''|["'`])([\s\S]*?)\1/g;
/** Calls that delete data on a server, such as `dropDatabase` or `delete_bucket`. */
const CLIENTS =
  /\.(?:drop_database|dropDatabase|drop_collection|flushall|flushdb|flushAll|flushDb|(?:delete_many|deleteMany)\(\s*(?:\{\s*\})?\s*\)|drop_all|dropAllTables|delete_bucket|delete_table|terminate_instances|delete_db_instance)\b/;
/** Code that first decodes other code and then runs it. */
const DECODED =
  /\b(?:exec|eval|Function|instance_eval|loadstring|assert)\b[^\n]{0,200}\b(?:b64decode|a85decode|fromhex|unhexlify|atob|base64_decode|decode64|marshal\.loads|decompress|gzinflate|str_rot13|unpack1?|Buffer\.from\([^)]*["'](?:base64|hex)["'])/;

/** Returns what the code does to a server's data, or that the code cannot be read; `undefined` for neither. */
export function codeLoses(code: string): Found | undefined {
  if (DECODED.test(code)) return { kind: "unknown", word: "", what: "The code runs what it decodes" };
  const call = CLIENTS.exec(code)?.[0];
  if (call !== undefined) return { kind: "outside", loses: `deletes data of a server by \`${call.slice(1)}\`` };
  for (const [, , sql = ""] of code.matchAll(QUERIES)) {
    const loses = losesData(sql);
    if (loses !== undefined) return { kind: "outside", loses: `runs ${loses} on a database` };
  }
  return undefined;
}

/** Matches SQL statements that only explain their effect, or are rolled back. */
const SAID =
  /(?<=^|;)\s*explain\s+(?!\(?\s*analy[sz]e|\([^)]{0,200}analy[sz]e)[^;]*|(?<=^|;)\s*(?:begin|start\s+transaction)\b(?:(?!\bcommit\b)[\s\S]){0,2000}?\brollback\b[^;]*/gi;

/** Returns the SQL statement that deletes data or its structure; `undefined` if there is none. */
export function losesData(sql: string): string | undefined {
  const isQuoted = sql.startsWith("'") || /\bexecute\b|\bdo\s*\$/i.test(sql);
  const plain = sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, " ");
  const text = (isQuoted ? plain : plain.replaceAll(/'(?:[^']|'')*'/g, "''")).replaceAll(SAID, " ");
  const drop =
    /\bdrop\s+(?:table|database|schema|view|materialized\s+view|index|user|role|keyspace|collection|column|tablespace|function|trigger|type|sequence|owned)\b/i.exec(
      text,
    );
  if (drop !== null) return `\`${drop[0].toLowerCase()}\``;
  if (/\btruncate\s+(?:table\s+)?[\w."`[]/i.test(text)) return "`truncate`";
  for (const [statement] of text.matchAll(/\b(?:delete\s+from|update)\s+[^;]*/gi)) {
    const isAll =
      !/\bwhere\b/i.test(statement) ||
      /\bwhere\s+(?:1\s*=\s*1|true|1)\s*$/i.test(statement.trim().replace(/["']$/, ""));
    if (/^delete/i.test(statement)) return isAll ? "`delete from` without `where`" : "`delete from`";
    if (/\bset\b/i.test(statement) && isAll) return "`update` without `where`";
  }
  return undefined;
}
