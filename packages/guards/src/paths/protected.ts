import { globOf } from "@hookline/runtime/command";

/** Files that a model may not change at will, such as `.git` or `.envrc`, and what happens if it tries. */
interface ProtectedKind {
  /** Matches a path below the project, or one that begins with `~` or `/`. */
  readonly paths: RegExp;
  readonly level: "deny" | "ask";
  /** Completes "FILE …": `belongs to git, which alone may change it`. */
  readonly why: string;
  readonly instead: string;
  /** Whether such a file may be deleted like any other file. */
  readonly mayGo?: true;
}

const PRINT = "Print the line, and a person can add it.";

const KINDS: readonly ProtectedKind[] = [
  {
    paths:
      /(?:^|\/)(?:\.envrc|\.husky\/(?!_\/)[^/]+|\.?lefthook(?:-local)?\.ya?ml|\.pre-commit-config\.yaml|\.vscode\/tasks\.json)$|(?:^|\/)\.husky$/,
    level: "ask",
    why: "runs when a person enters this folder or commits in it",
    instead: "Show the change, and a person can allow it.",
  },
  {
    paths:
      /(?:^|\/)\.git\/(?:(?!.*\.lock$)(?:hooks|config|objects|refs|HEAD|index|packed-refs|logs|info|modules|worktrees|description|ORIG_HEAD|MERGE_\w+|rebase-\w+).*|)$|(?:^|\/)\.git$/,
    level: "deny",
    why: "belongs to git, which alone may change it",
    instead: "Use a git command.",
  },
  {
    paths:
      /(?:^|\/)\.hookline(?:\/|$)|(?:^|\/)hookline\.(?:json|ya?ml)$|^~\/\.(?:config|local\/share|local\/state)\/hookline(?:\/|$)/,
    level: "deny",
    why: "decides what guards this session",
    instead: PRINT,
  },
  {
    paths:
      /(?:^|\/)\.(?:claude|codex|gemini|cursor|pi|omp|jdata|chibi|opencode|amp|continue|windsurf|kiro|qwen|factory|roo|cline)\/(?:.*\/)?(?:settings[\w.-]*|hooks?[\w.-]*|config[\w.-]*|extensions|plugins|permissions[\w.-]*|mcp[\w.-]*|trust[\w.-]*|policies|rules|managed[\w.-]*)(?:\/|$)|(?:^|\/)\.(?:claude|codex|gemini|cursor|pi|omp|hookline)\/?$|(?:^|\/)\.claude\.json$|(?:^|\/)\.mcp\.json$|(?:^|\/)\.git-hooks?(?:\/|$)|^\/etc\/claude-code(?:\/|$)|(?:^|\/)\.cc-safety-net(?:\/|\.)|^~\/\.cc-safety-net/,
    level: "deny",
    why: "holds the settings or the hooks of an agent",
    instead: PRINT,
  },
  {
    paths:
      /^~\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xprofile|xinitrc|xsession|pam_environment|envrc|npmrc|pypirc|netrc|gitconfig|vimrc|config\/(?:fish|nushell|git|environment\.d|autostart|systemd)(?:\/.*)?)$|^~\/\.config\/(?:fish|git|systemd|autostart|environment\.d)$|^~\/\.local\/bin\/|^~\/bin\//,
    level: "deny",
    why: "is run or read whenever a program of this person starts",
    instead: PRINT,
  },
  {
    paths:
      /^~\/\.(?:ssh|gnupg|aws|kube|docker|azure|config\/gcloud|password-store|pki)(?:\/|$)|(?:^|\/)authorized_keys2?$|^~\/Library\/(?:LaunchAgents|Keychains)(?:\/|$)/,
    level: "deny",
    why: "decides who may enter which machine",
    instead: PRINT,
  },
  {
    paths:
      /^~\/\.(?:bash_history|zsh_history|python_history|node_repl_history|psql_history|mysql_history|lesshst|histfile|local\/share\/fish\/fish_history)$/,
    level: "ask",
    why: "is the record of what was done",
    instead: "Leave it as it is.",
  },
  {
    paths:
      /^\/etc(?:\/|$)|^\/var\/spool\/cron|^\/(?:usr|lib|opt)\/.*systemd|^\/Library\/Launch|^\/boot(?:\/|$)|^\/(?:bin|sbin|lib|lib64|usr|sys|proc)(?:\/|$)|^\/var\/log(?:\/|$)/,
    level: "deny",
    why: "belongs to this machine",
    instead: "Ask a person to change it.",
  },
  {
    paths:
      /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|packages\.lock\.json|deno\.lock|gradle\.lockfile|\.terraform\.lock\.hcl)$/,
    level: "ask",
    why: "is written by a package manager",
    instead: "Let the package manager write it.",
    mayGo: true,
  },
  {
    paths:
      /(?:^|\/)\.(?:github\/(?:workflows|actions|CODEOWNERS|dependabot\.yml)|gitlab-ci\.yml|circleci|travis\.yml|buildkite|drone\.yml|woodpecker|azure-pipelines|gitea\/workflows|forgejo\/workflows)(?:\/|$)|(?:^|\/)(?:Jenkinsfile|azure-pipelines\.yml|bitbucket-pipelines\.yml|cloudbuild\.yaml|appveyor\.yml)$/,
    level: "ask",
    why: "decides what the project's checks run",
    instead: "Show the change, and a person can allow it.",
  },
];

/** The reason why a file may not be changed. */
export interface Protection {
  readonly level: "deny" | "ask";
  readonly why: string;
  readonly instead: string;
}

/** Makes a matcher for paths relative to a folder, with the patterns of an ignore file. */
export function ignoreMatcher(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.map((line) => {
    const isOut = line.startsWith("!");
    const plain = line.replace(/^!/, "").replace(/\/$/, "");
    const isAnchored = plain.includes("/") && !plain.startsWith("**/");
    const glob = globOf(plain.replace(/^\//, "").replace(/^\*\*\//, ""));
    return { isOut, isAnchored: isAnchored || plain.startsWith("/") || plain.startsWith("~"), glob };
  });
  return (path) => {
    const parts = path.replace(/^\//, "").split("/");
    let isMatched = false;
    for (const { isOut, isAnchored, glob } of all) {
      const isHit = parts.some((part, at) => {
        const head = parts.slice(0, at + 1).join("/");
        return glob.test(head) || (!isAnchored && (glob.test(part) || glob.test(parts.slice(at).join("/"))));
      });
      if (isHit) isMatched = !isOut;
    }
    return isMatched;
  };
}

/**
 * Returns why a file is protected; `undefined` if it is not. `name` is its path relative to the project, with `~` for
 * the home folder, or absolute.
 */
export function protectionOf(name: string, isDeleted: boolean, own: (path: string) => boolean): Protection | undefined {
  if (own(name)) return { level: "deny", why: "is protected by a setting", instead: "Ask a person to change it." };
  return KINDS.find(({ paths, mayGo }) => paths.test(name) && !(isDeleted && mayGo === true));
}
