/** How a runner, a program that runs another command, receives that command. */
export interface Runner {
  readonly options: Options;
  /** The number of operands before the command. */
  readonly lead: number;
  /**
   * The place of the command: in the operands (`words`), after `--` (`end`), in an option (`option`), or in an option
   * if that is given and else in the operands (`both`).
   */
  readonly from: "words" | "end" | "option" | "both";
  /** Whether the runner joins the operands to one shell text, as in `ssh HOST rm -r x`. */
  readonly isText: boolean;
  /** Whether operands such as `A=1` may precede the command. */
  readonly hasAssignments: boolean;
  /** Whether the runner adds words to the command. */
  readonly adds: boolean;
  /** Whether the runner appends words to the shell texts in its options and supplies their input, as `rsync -e` does. */
  readonly feeds: boolean;
  /** Options with which the runner runs nothing. */
  readonly idle: RegExp;
  /** Options with which the runner, if it is given no command, starts a shell that reads the runner's input. */
  readonly shell: RegExp;
}

/** The options of a program, each with what it takes. */
export interface Options {
  /**
   * The kind of each option: `flag` takes nothing, `value` a word, `pair` two words, `attached` at most an attached
   * word, `text` a text for a shell, `split` a text that it splits into words, `listed` words of a list with commas.
   */
  readonly kinds: ReadonlyMap<string, OptionKind>;
  /** Whether a word such as `-20` is an option that is a number. */
  readonly hasNumbers: boolean;
}

/** The kind of argument that an option takes. */
export type OptionKind =
  | "flag"
  | "value"
  | "pair"
  | "attached"
  | "attached text"
  | "text"
  | "setting"
  | "split"
  | "listed";

const MARKS: Readonly<Record<string, OptionKind>> = {
  ":": "value",
  "?": "attached",
  "~": "attached text",
  "=": "text",
  "@": "setting",
  "%": "split",
  "&": "pair",
  ",": "listed",
};

/**
 * Reads a list of options: first single letters without spaces, then names. A mark after an option says what it takes:
 * `:` a word, `?` at most an attached word, `~` an attached text, `=` a text for a shell, `@` a setting that may be
 * such a text, `%` a word that is split into words, `,` a list of words, `&` two words. `#` allows numbers.
 */
export function optionsOf(list: string): Options {
  const kinds = new Map<string, OptionKind>();
  const [letters = "", ...names] = list.split(" ");
  for (const [, letter = "", mark = ""] of letters.matchAll(/([^:?~=%@#])([:?~=%@]?)/g))
    kinds.set(letter, MARKS[mark] ?? "flag");
  for (const name of names) {
    const mark = MARKS[name.at(-1) ?? ""];
    kinds.set(mark === undefined ? name : name.slice(0, -1), mark ?? "flag");
  }
  return { kinds, hasNumbers: letters.includes("#") };
}

type More = Partial<Omit<Runner, "options">>;
type Row = readonly [names: string, options: string, more?: More];

/** Matches any option. As `shell` it says that the runner starts a shell even without one, as `ssh HOST` does. */
const ALWAYS = /^/;
const NEVER = /^$a/;
const PARALLEL =
  "a:j:n:N:L:I:C:kqtXmv0 jobs: arg-file: max-args: colsep: delay: joblog: results: retries: timeout: tag keep-order dry-run bar halt: pipe quote verbose null delimiter: will-cite";
const TEXT: More = { isText: true };
const END: More = { from: "end" };
const OPTION: More = { from: "option" };
const FED: More = { from: "option", feeds: true };
const LEAD: More = { lead: 1 };
const REMOTE: More = { lead: 1, isText: true, shell: ALWAYS };

const DOCKER_RUN =
  "a:c:e:h:l:m:p:u:v:w:itdqP add-host: annotation: attach: blkio-weight: cap-add: cap-drop: cgroup-parent: cgroupns: cidfile: " +
  "cpu-period: cpu-quota: cpu-shares: cpus: cpuset-cpus: cpuset-mems: detach detach-keys: device: dns: dns-option: " +
  "dns-search: domainname: entrypoint% env: env-file: expose: gpus: group-add: health-cmd= health-interval: " +
  "health-retries: health-timeout: hostname: init interactive ip: ip6: ipc: isolation: label: label-file: link: " +
  "log-driver: log-opt: mac-address: memory: memory-reservation: memory-swap: mount: name: network: net: network-alias: " +
  "no-healthcheck oom-kill-disable oom-score-adj: pid: pids-limit: platform: privileged publish: publish-all pull: quiet " +
  "read-only restart: rm runtime: security-opt: shm-size: sig-proxy stop-signal: stop-timeout: storage-opt: sysctl: " +
  "tmpfs: tty ulimit: user: userns: uts: volume: volume-driver: volumes-from: workdir: build service-ports use-aliases no-deps";
const DOCKER_EXEC =
  "e:u:w:itdT detach detach-keys: env: env-file: interactive privileged tty user: workdir: index: no-TTY latest l";
const SSH = "b:c:D:E:e:F:I:i:J:L:l:m:O:o@P:p:Q:R:S:W:w:B:46AaCfGgKkMNnqsTtVvXxYy";
const KUBECTL =
  "c:f:n:e:l:itq image: env: labels: port: restart: overrides: image-pull-policy: target: profile: copy-to: command attach rm expose share-processes same-node container: filename: namespace: stdin tty quiet context: kubeconfig: cluster: user: pod-running-timeout:";
const NPM_EXEC = "p:c=yw:s package: call= yes no workspace: workspaces include-workspace-root prefix: silent quiet";
const UV =
  "p:qvn with: with-editable: with-requirements: python: from: env-file: extra: group: only-group: project: directory: index: no-sync frozen locked isolated quiet all-extras no-project active offline module m script s";
const TIME = "apvqVo:f: append output: format: portability verbose quiet";

/** Programs, or their sub-commands, that run a later word as a command. */
const ROWS: readonly Row[] = [
  ["command,builtin", "pvV", { idle: /^[vV]$/ }],
  ["exec", "a:cl"],
  ["time,gtime", TIME],
  ["coproc,noglob,nocorrect", ""],
  ["nohup,chronic,unbuffer,eatmydata,caffeinate", "ispdmut:w:o:e:"],
  ["ltrace", "a:A:bcCD:e:F:hiLl:n:o:p:rs:STtu:w:x: align: output: indent: library: config: no-signals demangle"],
  [
    "heaptrack,catchsegv,torsocks,torify,fakechroot,authbind,pkexec,multitime,aa-exec",
    "diIvp:n:r:o:l: deep depth: isolate quiet keep-cwd disable-internal-agent user: profile:",
  ],
  ["rr record", "nh:o:c:P:F:vw no-syscall-buffer chaos output-trace-dir: env:"],
  ["rlwrap", "aAb:cC:D:e:f:g:H:I:iMm:nNO:oP:pq:rRs:S:t:T:UvwWXz:"],
  ["proxychains,proxychains4", "qf:"],
  ["cpulimit", "l:p:P:e:b:qvzimf limit: pid: background foreground"],
  ["choom", "n:p: adjust: pid:"],
  ["faketime,datefudge", "f:msp exclude-monotonic date-precision:", LEAD],
  ["runcon", "ct:u:r:l: compute type: user: role: range:"],
  ["arch", "e:cd: x86_64 x86_64h arm64 arm64e i386 32 64"],
  [
    "mpirun,mpiexec",
    "n:c:H:x:q np: N: host: hostfile: machinefile: map-by: bind-to: oversubscribe allow-run-as-root mca& genv& env&",
  ],
  [
    "srun",
    "n:N:c:p:t:A:w:J:o:e:i:lu ntasks: nodes: cpus-per-task: partition: time: account: mem: gres: pty exclusive qos:",
  ],
  ["sbatch", " wrap=", OPTION],
  ["bsub", "q:n:J:o:e:W:R:M:P:m:w:IK"],
  ["lldb", "o:O:s:S:p:n:c:f:a:bQxX batch arch: core: file: no-lldbinit one-line: source:"],
  ["ssh-agent,dbus-launch", "a:E:O:P:t:csdDT exit-with-session sh-syntax auto-syntax"],
  ["run0", "u:g:D: user: group: nice: chdir: setenv: background: unit: description: slice: property: pty pipe"],
  ["sg", "c=", OPTION],
  ["arch-chroot,artix-chroot", "hNSu:r:", { lead: 1, shell: ALWAYS }],
  ["schroot", "c:n:d:u:bpqvrefal chroot: directory: user: preserve-environment run-session"],
  [
    "systemd-nspawn",
    "D:i:M:u:E:p:abqxnU directory: image: machine: user: setenv: bind: bind-ro: tmpfs: boot ephemeral quiet",
  ],
  ["setsid", "cfw ctty fork wait"],
  ["nice", "n:# adjustment:"],
  ["ionice", "c:n:p:P:u:t class: classdata: pid: pgid: uid: ignore"],
  [
    "chrt",
    "abdfiormvT:P:D:p sched-runtime: sched-period: sched-deadline: all-tasks batch deadline fifo idle other rr reset-on-fork max pid verbose",
    LEAD,
  ],
  ["taskset", "apc all-tasks pid cpu-list", LEAD],
  ["numactl", "i:N:m:C:l interleave: cpunodebind: membind: physcpubind: localalloc all preferred: p:"],
  ["stdbuf", "i:o:e: input: output: error:"],
  ["timeout,gtimeout", "k:s:pfv kill-after: signal: foreground preserve-status verbose", LEAD],
  [
    "env,genv",
    "u:C:S%i0va: unset: chdir: split-string% ignore-environment null block-signal? default-signal? ignore-signal? list-signal-handling debug argv0:",
    { hasAssignments: true },
  ],
  [
    "sudo",
    "AbBEHiKklnNPSsVvg:h:p:u:C:c:D:R:r:t:T:U:a: askpass background bell preserve-env? edit group: set-home host: login remove-timestamp reset-timestamp list non-interactive preserve-groups prompt: stdin shell user: other-user: validate close-from: chdir: chroot: role: type: command-timeout:",
    { hasAssignments: true, idle: /^(?:l|list)$/, shell: /^(?:s|i|shell|login)$/ },
  ],
  ["doas", "nsLu:C:", { hasAssignments: true, shell: /^s$/ }],
  [
    "su",
    "c=flmpPg:G:s:u:w:T command= session-command= fast login preserve-environment group: supp-group: shell: whitelist-environment: pty no-pty user:",
    { from: "option", shell: ALWAYS },
  ],
  [
    "runuser",
    "c=flmpPg:G:s:u:w:T command= session-command= fast login preserve-environment group: supp-group: shell: whitelist-environment: user:",
    { from: "both" },
  ],
  ["gosu,su-exec", "", LEAD],
  [
    "setpriv",
    "d dump nnp no-new-privs ruid: euid: reuid: rgid: egid: regid: clear-groups keep-groups init-groups groups: inh-caps: ambient-caps: bounding-set: securebits: pdeathsig: selinux-label: apparmor-profile: reset-env list-caps ptracer: landlock-access: landlock-rule:",
  ],
  ["setarch,linux32,linux64,i386,x86_64", "BFILRSTXZ3v uname-2.6 verbose addr-no-randomize personality:"],
  [
    "prlimit",
    "c?d?e?f?i?l?m?n?q?r?s?t?u?v?x?y?p:o: pid: output: noheadings raw verbose nofile? nproc? as? core? cpu? data? fsize? memlock? rss? stack?",
  ],
  [
    "xargs,gxargs",
    "0rtxpoa:d:E:I:L:n:P:s:e?i?l?J:R:S: null no-run-if-empty verbose exit interactive open-tty arg-file: delimiter: eof? replace? max-lines? max-args: max-procs: max-chars: show-limits process-slot-var:",
    { adds: true },
  ],
  ["parallel", PARALLEL, { adds: true, isText: true, shell: ALWAYS }],
  ["sem", PARALLEL, { isText: true, shell: ALWAYS }],
  [
    "flock",
    "exsnuFoc=E:w: command= close conflict-exit-code: exclusive shared nonblock nb no-fork timeout: wait: unlock verbose",
    LEAD,
  ],
  [
    "script",
    "aefqc=B:E:I:O:T:m:o:t?F command= append echo: flush force log-in: log-out: log-io: log-timing: logging-format: output-limit: quiet return timing?",
    OPTION,
  ],
  [
    "watch",
    "bcdegn:pq:rtwxCEs:S color no-color differences? errexit chgexit interval: equexit: precise no-rerun no-title no-wrap exec beep shotsdir:",
    TEXT,
  ],
  [
    "strace",
    "ACDFTVYZcdfhiknqrtvwxyza:b:e:E:I:o:O:p:P:s:S:u:U:X: trace: output: attach: follow-forks summary env: user: string-limit:",
  ],
  ["valgrind", "dhqv tool? log-file? leak-check? error-exitcode? trace-children? suppressions?"],
  ["gdb", "qnp:x:ex: args% batch nx quiet", OPTION],
  [
    "unshare",
    "imnpuUCTrcfR:w:S:G:m? user pid net ipc uts mount cgroup time fork kill-child? mount-proc? map-root-user map-current-user map-user: map-group: propagation: setgroups: root: wd: setuid: setgid: keep-caps",
    { shell: ALWAYS },
  ],
  [
    "nsenter",
    "at:m?u?i?n?p?C?U?T?r?w?FW:S:G:Zce target: all mount? uts? ipc? net? pid? cgroup? user? time? root? wd? setuid: setgid: preserve-credentials no-fork follow-context",
    { shell: ALWAYS },
  ],
  ["chroot", " groups: userspec: skip-chdir", { lead: 1, shell: ALWAYS }],
  ["fakeroot", "l:s:i:b:uv lib: faked:", { shell: ALWAYS }],
  ["proot", "r:b:w:q:k:0i:R:S:v: rootfs: bind: cwd: pwd:", { shell: ALWAYS }],
  [
    "bwrap",
    " unshare-all unshare-net unshare-pid unshare-user unshare-user-try unshare-ipc unshare-uts unshare-cgroup unshare-cgroup-try share-net die-with-parent new-session clearenv as-pid-1 disable-userns chdir: hostname: uid: gid: proc: dev: tmpfs: mqueue: dir: unsetenv: remount-ro: lock-file: args: seccomp: perms: size: cap-add: cap-drop: userns: pidns: bind& ro-bind& dev-bind& bind-try& ro-bind-try& dev-bind-try& symlink& setenv& file& bind-data& ro-bind-data& chmod&",
  ],
  ["firejail", "q net? private? noprofile profile? quiet whitelist? blacklist?"],
  [
    "systemd-run",
    "p:u:E:tPqGrdH:M:S user scope unit: property: description: slice: uid: gid: nice: working-directory: setenv: pty pipe quiet wait collect on-active: on-boot: on-calendar: timer-property: same-dir shell host: machine:",
  ],
  ["systemd-inhibit", " what: who: why: mode: list"],
  ["dbus-run-session", " config-file: dbus-daemon:"],
  [
    "xvfb-run",
    "ae:f:n:lp:s:w: auto-servernum error-file: auth-file: server-num: listen-tcp xauth-protocol: server-args: wait:",
  ],
  [
    "perf stat,perf record,perf trace",
    "aBdgvp:t:e:o:r:F:C:D:G:x: pid: event: output: repeat: all-cpus call-graph: freq:",
  ],
  ["busybox,toybox", ""],
  [
    "start-stop-daemon",
    "SKbmqtvVhp:x=n:u:g:c:d:a=r:s:k:I:N:P:R: exec= startas= pidfile: name: user: chuid: chdir: start stop background make-pidfile",
    OPTION,
  ],
  ["tini,dumb-init,catatonit", "p:e:svwg"],
  ["ssh,autossh", SSH, REMOTE],
  ["sshpass", "f:d:p:eP:v"],
  ["mosh", " ssh= port: predict:", REMOTE],
  [
    "docker exec,docker container exec,podman exec,podman container exec,nerdctl exec,docker compose exec,podman compose exec,docker-compose exec,podman-compose exec",
    DOCKER_EXEC,
    LEAD,
  ],
  [
    "docker run,docker container run,docker create,docker container create,podman run,podman container run,nerdctl run,docker compose run,podman compose run,docker-compose run,podman-compose run",
    DOCKER_RUN,
    LEAD,
  ],
  ["kubectl exec,kubectl run,kubectl debug,oc exec,oc run,oc debug", KUBECTL, LEAD],
  ["oc rsh", "c:Tf:s:t container: no-tty filename: shell: timeout: tty", { lead: 1, shell: ALWAYS }],
  [
    "podman machine ssh,minikube ssh,colima ssh,lima",
    "n:p: username: node: profile: native-ssh",
    { isText: true, shell: ALWAYS },
  ],
  ["podman unshare,buildah unshare", "m: mount: rootless-netns"],
  ["buildah run", "tv: user: tty volume: env: workingdir: network: isolation:", LEAD],
  ["multipass exec", "d:n working-directory: no-map-working-directory", LEAD],
  ["limactl shell", " workdir: shell: tty", LEAD],
  ["adb shell", "e:nTtx", { isText: true, shell: ALWAYS }],
  ["tsh ssh,tailscale ssh", "l:p:t login: port: tty", REMOTE],
  ["flatpak run", "dp command% branch: arch: cwd: env: filesystem: share: socket: device: devel"],
  ["flatpak-spawn", "v host sandbox no-network clear-env watch-bus directory: env: forward-fd:"],
  ["snap run", " shell"],
  ["wsl,wsl.exe", "d:u:e distribution: user: cd: exec shell-type:"],
  ["lxc exec,incus exec", "tTn env: cwd: user: group: mode:", { lead: 1 }],
  ["machinectl shell", "E:qM: uid: setenv:", { lead: 1 }],
  ["apptainer exec,singularity exec", "B:eCH:c bind: cleanenv contain containall home: pwd: nv env:", LEAD],
  ["distrobox enter,distrobox-enter", "n:rve% name: root", END],
  ["lxc-attach", "n:f:P:s:v:ue name: clear-env keep-env", END],
  ["toolbox run", "c:d:r: container: distro: release:"],
  ["vagrant ssh", "c=pt command= plain tty", { from: "end", isText: true }],
  ["fly ssh console,flyctl ssh console", "C=a:r:s command= app: region:", OPTION],
  ["gcloud compute ssh", " command= zone: project: tunnel-through-iap", { from: "end", isText: true }],
  ["aws ecs execute-command,az vm run-command invoke,doctl compute ssh", " command= scripts= ssh-command=", OPTION],
  ["ansible", "a=m:i:u:l:f:e:t:bK args= module-name: become", OPTION],
  ["heroku run,railway run,railway shell", "a:s:xe: app: size: exit-code no-tty service: environment:"],
  ["npm exec,npm x", NPM_EXEC],
  ["npx", NPM_EXEC],
  [
    "pnpm exec,pnpm dlx,pnpx",
    "rcC:F:w shell-mode recursive parallel package: filter: dir: silent workspace-concurrency:",
  ],
  ["yarn exec,yarn dlx,lerna exec,nx exec", "p:q package: quiet scope: stream parallel concurrency:"],
  [
    "yarn workspaces foreach",
    "ARWpivtj: all recursive worktree parallel interlaced verbose include: exclude: from: exec dlx",
  ],
  ["bunx,bun x,bun exec", " bun silent verbose p: package:"],
  ["uv run,uvx,uv tool run", UV],
  ["poetry run,pipenv run,pdm run,hatch run,rye run,pixi run,hatch env run", "e:p:vq env: environment: manifest-path:"],
  ["pipx run", "qv spec: pip-args: python: no-cache path verbose quiet"],
  ["conda run,mamba run,micromamba run", "n:p:v name: prefix: no-capture-output live-stream cwd:"],
  ["mise exec,mise x,rtx exec", "c=j:q command= jobs: raw", END],
  [
    "asdf exec,rbenv exec,pyenv exec,nodenv exec,goenv exec,bundle exec,nvm exec,fnm exec,volta run",
    "g: using: node: npm: yarn: gemfile: silent keep-file-descriptors",
  ],
  ["nix-shell", "p:A:I:j: run= command= pure packages: attr: arg: argstr: keep:", OPTION],
  ["nix run", "f:iL file: impure expr: override-input& inputs-from: print-build-logs"],
  ["nix develop,nix shell", "f:i:c%k:u: command% impure ignore-environment keep: unset: file: expr:", OPTION],
  [
    "guix shell,guix environment",
    "CFND:E:m:e:f:L:p pure container manifest: development expression: expose: share: preserve:",
    END,
  ],
  ["direnv exec", "", LEAD],
  ["git bisect run", ""],
  ["git submodule foreach", "q recursive quiet", TEXT],
  ["git for-each-repo", " config: keep-going"],
  [
    "git rebase",
    "x=imqvfns:X:C:S? exec= onto: strategy: strategy-option: interactive root autosquash no-autosquash keep-base rebase-merges? continue abort skip quit edit-todo autostash committer-date-is-author-date update-refs empty: whitespace: gpg-sign?",
    OPTION,
  ],
  ["git difftool,git mergetool", "x=t:gyd extcmd= tool: gui prompt no-prompt dir-diff", OPTION],
  [
    "git filter-branch",
    "fd: force setup= env-filter= tree-filter= index-filter= parent-filter= msg-filter= commit-filter= tag-name-filter= subdirectory-filter: prune-empty original: state-branch:",
    OPTION,
  ],
  ["git grep", "O~EFGPHILNRWZacefhilnopqrvwxyzA:B:C:m: open-files-in-pager~", OPTION],
  ["git clone,git archive", "u= upload-pack= exec=", FED],
  ["git ls-remote,git fetch,git pull,git fetch-pack,git push,git send-pack", " upload-pack= receive-pack= exec=", FED],
  [
    "tar,gtar,bsdtar",
    "I=F=f:C:b:X:T:K:N:V:cxtruAdvzjJpPkmOShGnlRWwiBMaUsZ to-command= use-compress-program= rsh-command= rmt-command= checkpoint-action@ info-script= new-volume-script=",
    OPTION,
  ],
  ["rsync", "e=f:B:T:M:vqcarRubdlLkHKpEXAogDtOJUNSnWxmCFizhPyIs046 rsh= rsync-path=", FED],
  ["sort", " compress-program=", OPTION],
  ["man", "P=H~ pager= html~", FED],
  ["scp,sftp", "S=o@P:F:i:c:l:J:D:346ABCOpqrRTv", FED],
  ["zip", "T unzip-command= TT=", OPTION],
  ["rg", " pre= hostname-bin=", FED],
  ["complete,compgen", "C=A:F:G:P:S:W:X:o:abcdefgjksuvprDEI", FED],
  ["hash", "lrdtp=", FED],
  ["newgrp", "", { from: "option", shell: ALWAYS }],
  ["at,batch", "q:t:f:mMVldrcb", { from: "option", idle: /^[ldrcf]$/, shell: ALWAYS }],
  ["nc,ncat,netcat", "c=e=w:p:s:i:o:x:X:zvulnkdtr46 exec= sh-exec=", OPTION],
  ["go build,go run,go test,go vet,go install,go list", " exec= toolexec= vettool=", OPTION],
  ["just", "c%f:d: command% justfile: working-directory:", OPTION],
  ["cargo watch", "x:s=w:i:cq shell= exec: watch: ignore:", END],
  [
    "split,gsplit",
    "a:b:C:l:n:t:deuxz filter= additional-suffix: bytes: line-bytes: lines: number: numeric-suffixes? hex-suffixes? separator: verbose",
    OPTION,
  ],
  ["entr", "acdnprsxz"],
  [
    "watchexec",
    "e:w:i:f:d:o:r:s:cnpW exts: watch: ignore: filter: debounce: restart clear postpone shell: on-busy-update:",
  ],
  ["nodemon", "e:w:i:x=V exec= ext: watch: ignore: delay:", OPTION],
  ["reflex", "r:g:R:G:sd: regex: glob: start-service"],
  [
    "hyperfine",
    "w:m:M:r:s=p=c=n:S:N warmup: runs: min-runs: max-runs: setup= prepare= cleanup= command-name: shell: export-json: export-markdown:",
    { isText: true },
  ],
  ["concurrently", "n:c:krm:p: names: kill-others raw success: prefix: max-processes:", { isText: true }],
  ["dotenv,dotenvx,dotenv run,dotenvx run", "e:f:v:c:oq env-file: environment: override"],
  ["meson devenv", "C:w: workdir: dump?"],
  ["cmake env,cmake time", " unset: modify:", { hasAssignments: true }],
  ["gcc,g++,cc,c++,clang,clang++", " wrapper,", OPTION],
  ["bazel,bazelisk", " run_under=", OPTION],
  ["cross-env,cross-env-shell,env-cmd", "f:e:r: file: environments:", { hasAssignments: true }],
  [
    "op run,doppler run,infisical run,chamber exec,aws-vault exec,teller run,vault exec,envchain exec,sops exec-env",
    "p:c:d: project: config: env-file: no-masking env: path:",
    END,
  ],
  [
    "tmux new-session,tmux new,tmux new-window,tmux neww,tmux split-window,tmux splitw,tmux respawn-pane,tmux respawn-window,tmux run-shell,tmux run,tmux display-popup",
    "AdDEPXbhvfIZkKc:e:F:f:n:s:t:x:y:l:p:C",
    TEXT,
  ],
  ["tmux send-keys,tmux send", "FHKlMRXN:c:t:", TEXT],
  ["screen", "dmDr:R:x:AaULlqv4c:e:h:p:S:s:T:t:X"],
  ["nvim,vim,vi,view,ex,gvim", "c: cmd: R", OPTION],
  ["expect", "c:f:", OPTION],
  ["make,gmake", "f:C:j?l?I:o:W:E= eval= ", OPTION],
  ["crontab", "u:lreis", OPTION],
];

/** Runners by program, or by program and sub-command (`git bisect run`). */
export const RUNNERS: ReadonlyMap<string, Runner> = new Map(
  ROWS.flatMap(([names, options, more]) => {
    const plain = {
      lead: 0,
      from: "words",
      isText: false,
      hasAssignments: false,
      adds: false,
      feeds: false,
      idle: NEVER,
      shell: NEVER,
    } as const;
    const runner: Runner = { ...plain, ...more, options: optionsOf(options) };
    return names.split(",").map((name) => [name, runner] as const);
  }),
);

/** Options that may precede the sub-command, for programs with sub-commands. */
const HEADS: readonly (readonly [names: string, options: string])[] = [
  [
    "git",
    "C:c:pPhv exec-path? git-dir: work-tree: namespace: super-prefix: config-env: attr-source: list-cmds? paginate no-pager bare no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks no-lazy-fetch no-advice html-path man-path info-path version help",
  ],
  [
    "npm,pnpm,yarn,bun",
    "C:F:w:rsqdg prefix: workspace: filter: dir: registry: userconfig: cache: cwd: loglevel: tag: access: otp: workspaces silent quiet recursive global dry-run json include-workspace-root no-workspaces workspace-root verbose offline yes color no-color no-audit no-fund ignore-scripts",
  ],
  ["cargo,rustup", "C:Z:vqV color: config: manifest-path: verbose quiet locked offline frozen list explain:"],
  [
    "docker,podman,nerdctl,buildah",
    "H:c:l:D config: context: host: log-level: tls tlscacert: tlscert: tlskey: tlsverify debug namespace: address: root: url: connection: remote",
  ],
  [
    "docker compose,docker-compose,podman compose,podman-compose",
    "f:p:c: file: project-name: project-directory: profile: env-file: ansi: progress: parallel: compatibility dry-run verbose context: host: log-level:",
  ],
  [
    "kubectl,oc,helm,k9s",
    "n:v:s: namespace: context: kubeconfig: cluster: user: server: request-timeout: as: as-group: token: v: kube-context: debug",
  ],
  ["gh,glab", "R: repo: hostname:"],
  ["adb", "s:t:H:P:L:de"],
  ["cmake", "E"],
  ["dotenv,dotenvx", "f:e:q:"],
  [
    "go,dotnet,swift,dart,flutter,zig,mix,rebar3,lein,sbt,composer,bundle,gem,pip,pip3,pipx,poetry,uv,conda,mamba,micromamba,pipenv,pdm,hatch,rye,pixi,mise,rtx,asdf,rbenv,pyenv,nodenv,goenv,nvm,fnm,volta,direnv,nix,guix",
    "C:h:n:p:q:v directory: project: prefix: name: quiet verbose",
  ],
  [
    "aws,gcloud,az,gsutil,terraform,tofu,pulumi,vault,op,doppler,infisical,chamber,aws-vault,teller,envchain,sops,heroku,fly,flyctl,vercel,netlify,wrangler,firebase,supabase,railway,eksctl,argocd,istioctl,minikube,colima,limactl,multipass,tsh,tailscale,doctl,kind,k3d,skaffold,tilt,vagrant,packer,consul,nomad,ansible,ansible-playbook",
    "chdir: profile: region: project: app: output: a: R: config: account: subscription:",
  ],
  [
    "apt,apt-get,aptitude,dnf,yum,zypper,pacman,apk,brew,port,snap,flatpak,dpkg,rpm,apt-cache,apt-mark,dpkg-query",
    "o:c:t:qy",
  ],
  [
    "systemctl,journalctl,loginctl,machinectl,hostnamectl,timedatectl,resolvectl,launchctl,service,ip,ss,nmcli,bluetoothctl,ufw,iptables,tmux,lxc,incus,virsh,rr,meson,apptainer,singularity,distrobox,toolbox,perf,svn,hg,jj,sl,fossil,bzr",
    "n:u:p:t:H:M:L:S:f:R:r: user system no-pager quiet machine: host: unit:",
  ],
  [
    "turbo,nx,lerna,rush,lage,moon,changeset,semantic-release,electron-builder,expo,eas,ng,vue,next,nuxt,astro,remix,prisma,drizzle-kit,sequelize,knex,wp,artisan,hookline,claude,codex",
    "C:p:f: cwd: filter: config: scope:",
  ],
];

/** Programs whose first operand is a sub-command. Other words are commands only if the table of runners says so. */
export const SUBCOMMANDS: ReadonlyMap<string, Options> = new Map(
  HEADS.flatMap(([names, options]) => names.split(",").map((name) => [name, optionsOf(options)] as const)),
);
