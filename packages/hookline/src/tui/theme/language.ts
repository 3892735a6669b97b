/** The keywords, comments and quotes of a language, as far as colouring needs them. */
export interface Language {
  readonly keywords: ReadonlySet<string>;
  /** Texts that begin a comment up to the end of the line. */
  readonly line: readonly string[];
  readonly block?: readonly [begin: string, end: string];
  /** Quotes; a backtick and quotes of three characters may contain line breaks. */
  readonly quotes: readonly string[];
  readonly ignoreCase?: true;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const C_LIKE = { line: ["//"], block: ["/*", "*/"], quotes: ['"', "'"] } as const;
const HASH = { line: ["#"], quotes: ['"', "'"] } as const;

const javascript: Language = {
  ...C_LIKE,
  quotes: ['"', "'", "`"],
  keywords: words(
    "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield",
  ),
};

const python: Language = {
  line: ["#"],
  quotes: ['"""', "'''", '"', "'"],
  keywords: words(
    "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield self",
  ),
};

const c: Language = {
  ...C_LIKE,
  keywords: words(
    "alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while",
  ),
};

const java: Language = {
  ...C_LIKE,
  keywords: words(
    "abstract as async await base bool boolean break byte case catch char class const continue data decimal default do double else enum event extends false final finally float for foreach fun if implements import in instanceof int interface internal is let long match namespace native new null object open out override package private protected public readonly record return sealed short static string super suspend switch this throw throws trait true try using val var virtual void volatile when where while with yield",
  ),
};

const go: Language = {
  ...C_LIKE,
  quotes: ['"', "'", "`"],
  keywords: words(
    "any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go goto if import int int32 int64 interface iota map nil package range return rune select string struct switch true type uint uint32 uint64 var",
  ),
};

const rust: Language = {
  ...C_LIKE,
  quotes: ['"'],
  keywords: words(
    "as async await bool break const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str String struct super trait true type u32 u64 u8 unsafe use usize where while",
  ),
};

const shell: Language = {
  ...HASH,
  keywords: words(
    "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local read readonly return set shift source then trap unset until while",
  ),
};

const ruby: Language = {
  ...HASH,
  keywords: words(
    "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or private public redo require rescue retry return self super then true undef unless until when while yield",
  ),
};

const sql: Language = {
  line: ["--"],
  block: ["/*", "*/"],
  quotes: ["'", '"'],
  ignoreCase: true,
  keywords: words(
    "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with",
  ),
};

const json: Language = { line: [], quotes: ['"'], keywords: words("true false null") };
const yaml: Language = { ...HASH, keywords: words("true false null yes no on off") };
const css: Language = {
  line: [],
  block: ["/*", "*/"],
  quotes: ['"', "'"],
  keywords: words("important media import supports keyframes"),
};
const lua: Language = {
  line: ["--"],
  quotes: ['"', "'"],
  keywords: words(
    "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  ),
};

const named: Readonly<Record<string, Language>> = {
  javascript,
  js: javascript,
  jsx: javascript,
  typescript: javascript,
  ts: javascript,
  tsx: javascript,
  python,
  py: python,
  c,
  cpp: c,
  "c++": c,
  java,
  csharp: java,
  cs: java,
  kotlin: java,
  scala: java,
  swift: java,
  php: { ...java, line: ["//", "#"] },
  go,
  rust,
  rs: rust,
  bash: shell,
  sh: shell,
  shell,
  zsh: shell,
  fish: shell,
  dockerfile: shell,
  makefile: shell,
  ruby,
  rb: ruby,
  perl: ruby,
  elixir: ruby,
  r: shell,
  sql,
  json,
  jsonc: { ...json, line: ["//"] },
  yaml,
  yml: yaml,
  toml: yaml,
  css,
  scss: { ...css, line: ["//"] },
  less: { ...css, line: ["//"] },
  lua,
};

/** Returns a language by its name in code blocks and in `getLanguageFromPath`; `undefined` for an unknown name. */
export function languageNamed(name: string): Language | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(named, key) ? named[key] : undefined;
}

const byExtension =
  "ts:typescript tsx:typescript mts:typescript cts:typescript js:javascript jsx:javascript mjs:javascript cjs:javascript py:python rb:ruby rs:rust go:go java:java kt:kotlin swift:swift c:c h:c cpp:cpp cc:cpp cxx:cpp hpp:cpp cs:csharp php:php sh:bash bash:bash zsh:bash fish:fish ps1:powershell sql:sql html:html htm:html css:css scss:scss sass:sass less:less json:json yaml:yaml yml:yaml toml:toml xml:xml md:markdown markdown:markdown dockerfile:dockerfile makefile:makefile cmake:cmake lua:lua perl:perl r:r scala:scala clj:clojure ex:elixir exs:elixir erl:erlang hs:haskell ml:ocaml vim:vim graphql:graphql proto:protobuf tf:hcl hcl:hcl";
const extensions = new Map(byExtension.split(" ").map((pair) => pair.split(":") as [string, string]));

/** Returns the language of a file by its extension, with pi's names. */
export function getLanguageFromPath(path: string): string | undefined {
  return extensions.get(path.split(".").pop()?.toLowerCase() ?? "");
}
