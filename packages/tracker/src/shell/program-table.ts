/** Programs whose name alone says what they do, by activity; a program that is nowhere here is tried out when it is run. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  // Only look at files, or at the machine.
  read:
    "cat less more head tail bat batcat nl wc file stat md5sum sha1sum sha256sum shasum cksum xxd hexdump od strings diff cmp comm jq yq column cut sort uniq tr fold base64 " +
    "readlink realpath basename dirname pwd printenv whoami id groups uname hostname date env which whence where type command whereis man info help uptime ps lsof top htop free df du " +
    "netstat ss ping dig nslookup host getent zcat zless pdftotext objdump nm ldd otool open goto scroll_up scroll_down filemap view screencapture glow tput locale history jobs lscpu lsblk " +
    "apt-cache dpkg rpm arch sw_vers xclip pbpaste getconf ifconfig ip route dmesg journalctl exiftool identify ffprobe readelf c++filt tldr test [ wget http " +
    "get-content gc get-item get-process get-command get-location test-path invoke-webrequest iwr get-date get-help resolve-path ver systeminfo tasklist",
  search: "grep egrep fgrep zgrep rg ag ack locate ls tree exa eza dir ll search_file search_dir find_file codesearch ripgrep fzf ctags ast-grep sg get-childitem gci select-string sls findstr",
  edit:
    "cp mv rm rmdir touch patch truncate rsync tee dd install unlink shred trash ed ex sponge apply_patch create edit insert undo_edit split csplit codemod jscodeshift ln " +
    "set-content add-content clear-content out-file new-item remove-item copy-item move-item rename-item del erase copy xcopy robocopy move ren rd",
  test:
    "jest vitest mocha ava tap tape jasmine karma wtr wdio nightwatch testcafe pytest py.test nose2 nosetests nose tox nox rspec phpunit pest paratest ctest cucumber behave behat minitest busted bats " +
    "lit llvm-lit testthat trial green ward stestr runtests runtests.py run_tests run_tests.py run_tests.sh run-tests.sh runtests.sh test.sh run-tests gotestsum doctest ginkgo vstest.console invoke-pester",
  lint:
    "eslint oxlint tslint stylelint jshint jslint standard xo biome ruff flake8 pylint mypy pyright basedpyright pyre pycodestyle pydocstyle bandit vulture rubocop golangci-lint staticcheck shellcheck hadolint " +
    "markdownlint markdownlint-cli2 actionlint yamllint vue-tsc svelte-check phpstan psalm phpcs ktlint detekt checkstyle cppcheck clang-tidy knip publint attw depcheck madge dprint prettier black isort yapf djlint sqlfluff " +
    "commitlint pre-commit lefthook lint-staged semgrep tsd typos codespell swiftlint credo dialyzer errcheck revive ty tflint luacheck",
  build:
    "tsc tsgo cmake gcc g++ cc c++ clang clang++ javac kotlinc scalac rustc ghc ocamlc dune webpack rollup esbuild tsup tsdown swc parcel rspack ncc microbundle unbuild " +
    "xcodebuild msbuild ant buck bazelisk autoconf automake configure autoreconf mkdocs typedoc sphinx-build hugo jekyll protoc sass lessc tailwindcss pyinstaller cython latexmk pdflatex",
  install: "apt apt-get aptitude brew apk yum dnf pacman zypper snap gem pip pip3 pipx conda mamba micromamba nvm fnm pyenv rbenv rustup corepack asdf volta virtualenv easy_install npm-check-updates ncu sdk choco winget scoop",
  wait: "sleep wait start-sleep",
  finish: "submit exit_forfeit",
  // Administration: running these is not trying out a program.
  run:
    "mkdir md chmod chown chgrp kill pkill killall docker-compose systemctl service crontab mount umount scp sftp screen ssh-keygen openssl gpg aws gcloud az terraform ansible " +
    "vercel netlify fly heroku mkfifo mktemp gzip gunzip bzip2 bunzip2 zip xz unxz git-lfs code vim vi nano emacs say xdg-open defaults launchctl redis-cli psql mysql sqlite3 mongo createdb dropdb supabase wrangler chflags seq yes expr bc stop-process taskkill start",
};

/** Neither read nor write anything a person would name: they only prepare what follows. */
export const NEUTRAL: ReadonlySet<string> = new Set(
  (": true false nproc cd chdir pushd popd export set unset setx source . alias unalias shopt ulimit umask trap local declare typeset readonly let eval return exit break continue shift read mapfile echo printf stty clear cls reset rem " +
    "activate deactivate hash disown fg bg builtin try catch finally foreach % ? measure-command set-location write-output write-host write-error out-null import-module set-executionpolicy").split(" "),
);

/** They take a stream and give a stream: in a pipe without a file of their own they add nothing. */
export const FILTERS: ReadonlySet<string> = new Set(
  ("cat head tail wc sort uniq cut tr fold column jq yq nl less more grep egrep fgrep rg fmt rev tac paste strings xxd base64 comm bat findstr select-string sls " +
    "select-object where-object foreach-object measure-object sort-object format-table format-list out-string ft select").split(" "),
);

/** What these are given are names of commands, hosts or processes, not files. */
export const MACHINE: ReadonlySet<string> = new Set("which whence where type command whereis man info help printenv env id date ps ping dig nslookup host getent uname locale test [ ip route history jobs tput basename dirname get-command get-process get-help".split(" "));
