import type { ByteText } from "./bytes.ts";

/** Folders that only a package manager, a compiler or a cache writes. */
const OWNED =
  /^(?:node_modules|bower_components|jspm_packages|\.pnpm-store|\.venv|venv|virtualenv|__pycache__|\.(?:mypy|pytest|ruff|parcel|eslint|sass)[_-]?cache|\.tox|\.nox|\.eggs|.*\.egg-info|\.next|\.nuxt|\.svelte-kit|\.turbo|\.angular|\.gradle|\.terraform|\.dart_tool|\.nyc_output|\.stack-work|elm-stuff|Pods|DerivedData|cmake-build-.*|bazel-.*|_build|\.zig-cache|zig-out)$/;

/** Folders whose names a person might also use, each with the neighbouring files that show a tool's ownership. */
const OWNED_BESIDE: readonly (readonly [folder: RegExp, beside: RegExp])[] = [
  [/^(?:dist|build|out|coverage|\.cache)$/, /^(?:package\.json|pyproject\.toml|setup\.py|CMakeLists\.txt)$/],
  [/^(?:build|out)$/, /^(?:build\.gradle(?:\.kts)?|CMakeLists\.txt|meson\.build|pubspec\.yaml)$/],
  [/^target$/, /^(?:Cargo\.toml|pom\.xml|build\.sbt)$/],
  [/^vendor$/, /^(?:composer\.json|go\.mod|Gemfile)$/],
];

/** Whether a tool can recreate a folder's content, judged by its name and its neighbours. */
export function isRebuildable(name: ByteText, beside: readonly ByteText[]): boolean {
  if (OWNED.test(name)) return true;
  return OWNED_BESIDE.some(([folder, file]) => folder.test(name) && beside.some((other) => file.test(other)));
}
