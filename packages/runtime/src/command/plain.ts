/** Programs and builtins that run none of their arguments as a command; the keys only sort them. */
const NAMES: Readonly<Record<string, string>> = {
  shell:
    ": true false [ [[ test break continue return exit shift set shopt export declare local typeset readonly unset read readarray " +
    "mapfile getopts let cd pushd popd dirs pwd umask ulimit wait jobs fg bg kill disown suspend times type hash history fc " +
    "help alias unalias echo printf caller compgen complete compopt bind enable logout getconf",
  reads:
    "cat tac head tail less more most nl wc grep egrep fgrep zgrep rg ag ack ugrep uniq cut paste join comm diff sdiff colordiff " +
    "delta cmp strings xxd od hexdump base32 base64 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum " +
    "sum file stat ls dir vdir tree exa eza lsd du df bat batcat column col colrm fold fmt pr expand unexpand look tsort rev tr " +
    "jq yq xq xmllint xmlstarlet jsonlint csvcut mlr gron htmlq pup dasel fx basename dirname realpath readlink which whereis " +
    "whatis apropos info tldr cheat locate mlocate fdfind zcat bzcat xzcat zstdcat zless iconv uconv recode nm objdump " +
    "readelf size ldd otool lsof fuser cloc tokei scc wdiff sort gsort man",
  writes:
    "rm rmdir unlink shred touch truncate tee mkdir mkfifo mknod mktemp chmod chown chgrp chattr setfacl getfacl cp mv ln install " +
    "dd sync rsync scp sftp tar gtar bsdtar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za rar unrar cpio ar " +
    "ranlib strip split csplit patch apply_patch dos2unix unix2dos rename trash trash-put rimraf del-cli mkdirp",
  system:
    "date cal sleep usleep hostname uname nproc uptime whoami id groups users who w last tty stty tput clear reset " +
    "printenv locale localectl ps pgrep pkill killall pidof top htop btop free vmstat iostat mpstat sar dmesg lsblk lscpu lspci " +
    "lsusb mount umount findmnt swapon swapoff sysctl modprobe lsmod ifconfig netstat ss route arp ping ping6 traceroute mtr dig " +
    "host nslookup whois nc ncat netcat telnet ftp curl wget http https aria2c openssl ssh-keygen ssh-add ssh-keyscan ssh-copy-id " +
    "gpg gpg2 age keychain pass useradd userdel usermod groupadd passwd chsh crontab logger notify-send mail mailx say open xdg-open " +
    "pbcopy pbpaste xclip xsel wl-copy wl-paste seq shuf factor bc dc expr numfmt units jot yes cowsay figlet lolcat " +
    "mysql psql sqlite3 redis-cli mongosh pg_dump pg_restore mysqldump createdb dropdb pv ts sponge vipe",
  code:
    "sed gsed awk gawk mawk nawk node nodejs deno tsx ts-node python python2 python3 pypy pypy3 ruby perl php lua luajit Rscript " +
    "tclsh groovy java javac kotlinc kotlin scala scalac swiftc rustc gcc g++ cc c++ clang clang++ ld as tsc vite webpack rollup " +
    "esbuild swc babel parcel eslint prettier biome oxlint stylelint jest vitest mocha ava tap c8 nyc playwright cypress ruff " +
    "black isort flake8 pylint mypy pyright pytest py.test unittest tox nox coverage sphinx-build mkdocs rspec rubocop phpunit " +
    "phpstan psalm golangci-lint gofmt goimports staticcheck rustfmt clang-format clang-tidy cppcheck shellcheck shfmt yamllint " +
    "hadolint actionlint markdownlint vale codespell typos gradle gradlew mvn mvnw ant ninja ctest cpack bazel " +
    "bazelisk buck2 just task rake make gmake automake autoconf configure pkg-config protoc buf flex bison doxygen javadoc " +
    "twine virtualenv pre-commit lefthook husky lint-staged npm-check ncu depcheck knip rails rackup puma gunicorn uvicorn " +
    "flask django-admin celery alembic http-server serve curl-config pg_isready emacs nano micro code subl idea fzf gitk tig lazygit",
};

/** Programs whose words are never commands, except in options that the table of runners lists. */
export const PLAIN: ReadonlySet<string> = new Set(Object.values(NAMES).flatMap((names) => names.split(" ")));
