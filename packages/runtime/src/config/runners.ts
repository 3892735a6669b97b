/** The files that a program reads by itself in its working folder. */
const DEFAULT_FILES: readonly (readonly [programs: RegExp, files: readonly string[]])[] = [
  [/^g?make$/, ["GNUmakefile", "makefile", "Makefile"]],
  [/^(?:npm|pnpm|yarn|bun|npx|pnpx|bunx)$/, ["package.json"]],
  [/^deno$/, ["deno.json", "deno.jsonc"]],
  [/^just$/, ["justfile", "Justfile", ".justfile"]],
  [/^(?:go-)?task$/, ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]],
  [/^mise$/, ["mise.toml", ".mise.toml"]],
  [/^rake$/, ["Rakefile", "rakefile", "Rakefile.rb"]],
  [/^cargo$/, ["Cargo.toml", "build.rs"]],
  [/^(?:gradle|gradlew)$/, ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]],
  [/^(?:mvn|mvnw)$/, ["pom.xml"]],
  [/^ant$/, ["build.xml"]],
  [/^(?:tox|nox)$/, ["tox.ini", "noxfile.py"]],
  [/^(?:inv|invoke)$/, ["tasks.py"]],
  [/^pytest$/, ["conftest.py", "pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"]],
  [/^pre-commit$/, [".pre-commit-config.yaml"]],
  [/^lefthook$/, ["lefthook.yml", ".lefthook.yml"]],
  [/^(?:cmake|ctest)$/, ["CMakeLists.txt"]],
  [/^ninja$/, ["build.ninja"]],
  [/^(?:bazel|bazelisk)$/, ["BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel"]],
  [/^docker(?:-compose)?$/, ["Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"]],
  [/^direnv$/, [".envrc"]],
  [/^(?:eslint|prettier|jest|vitest|mocha|tsc|webpack|vite|rollup|gulp|grunt|turbo|nx)$/, ["package.json"]],
  [/^(?:bundle|bundler)$/, ["Gemfile"]],
  [/^composer$/, ["composer.json"]],
  [/^go$/, ["go.mod"]],
];

/** The files that a program reads by itself; none if it is not a task runner. */
export function defaultFiles(program: string): readonly string[] | undefined {
  return DEFAULT_FILES.find(([programs]) => programs.test(program))?.[1];
}

/** The default files of every task runner that a text names. */
export function runnersIn(text: string): string[] {
  const words = new Set(text.match(/[\w-]+/g));
  return [...words].flatMap((word) => defaultFiles(word) ?? []);
}
