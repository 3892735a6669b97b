const byExtension =
  "ts:typescript tsx:typescript mts:typescript cts:typescript js:javascript jsx:javascript mjs:javascript cjs:javascript py:python rb:ruby rs:rust go:go java:java kt:kotlin swift:swift c:c h:c cpp:cpp cc:cpp cxx:cpp hpp:cpp cs:csharp php:php sh:bash bash:bash zsh:bash fish:fish ps1:powershell sql:sql html:html htm:html css:css scss:scss sass:sass less:less json:json yaml:yaml yml:yaml toml:toml xml:xml md:markdown markdown:markdown dockerfile:dockerfile makefile:makefile cmake:cmake lua:lua perl:perl r:r scala:scala clj:clojure ex:elixir exs:elixir erl:erlang hs:haskell ml:ocaml vim:vim graphql:graphql proto:protobuf tf:hcl hcl:hcl";
const extensions = new Map(byExtension.split(" ").map((pair) => pair.split(":") as [string, string]));

/** Returns the language of a file by its extension, with pi's names. */
export function getLanguageFromPath(path: string): string | undefined {
  return extensions.get(path.split(".").pop()?.toLowerCase() ?? "");
}
