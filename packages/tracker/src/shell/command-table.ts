/** Programs whose name alone says what they do. One line per kind; unknown programs are "run". */
export const PROGRAMS: Readonly<Record<string, string>> = {
  // Only look at files, or at the machine.
  read:
    "cat less more head tail bat batcat nl wc file stat md5sum sha1sum sha256sum shasum cksum xxd hexdump od strings diff cmp comm jq yq column cut sort uniq tr fold " +
    "readlink realpath basename dirname pwd env printenv whoami id groups uname hostname date which type whereis man info help uptime ps lsof top htop free nproc df du " +
    "netstat ss ping dig nslookup host getent zcat zless pdftotext objdump nm ldd otool open goto scroll_up scroll_down filemap view screencapture glow tput locale history jobs lscpu lsblk " +
    "apt-cache dpkg rpm arch sw_vers xclip pbpaste getconf ifconfig ip route dmesg journalctl exiftool identify ffprobe readelf c++filt tldr test [",
  search: "grep egrep fgrep zgrep rg ag ack find fd fdfind locate ls tree exa eza dir ll search_file search_dir find_file codesearch ripgrep fzf ctags",
  edit: "cp mv rm rmdir touch patch truncate rsync tee dd install unlink shred ed ex sponge apply_patch create edit insert undo_edit unzip gunzip bunzip2 split csplit codemod jscodeshift gofmt goimports autopep8 rustfmt",
  test:
    "jest vitest mocha ava tap tape jasmine karma wtr nightwatch testcafe pytest py.test nose2 nosetests nose tox nox rspec phpunit pest paratest ctest cucumber behave behat minitest busted bats " +
    "lit llvm-lit testthat trial green ward stestr runtests runtests.py run_tests run_tests.py run_tests.sh run-tests.sh runtests.sh test.sh run-tests gotestsum doctest",
  lint:
    "eslint oxlint tslint stylelint jshint jslint standard xo biome ruff flake8 pylint mypy pyright basedpyright pyre pycodestyle pydocstyle bandit vulture rubocop golangci-lint staticcheck shellcheck hadolint " +
    "markdownlint markdownlint-cli2 actionlint yamllint vue-tsc svelte-check phpstan psalm phpcs ktlint detekt checkstyle cppcheck clang-tidy knip publint attw depcheck madge dprint prettier black isort yapf djlint sqlfluff " +
    "commitlint pre-commit lefthook lint-staged semgrep tsd typos codespell swiftlint credo dialyzer errcheck revive ty",
  build:
    "tsc tsgo make gmake cmake ninja meson gcc g++ cc c++ clang clang++ javac kotlinc scalac rustc ghc ocamlc dune webpack rollup esbuild tsup tsdown swc parcel rspack ncc microbundle unbuild " +
    "xcodebuild msbuild ant buck bazelisk autoconf automake configure autoreconf mkdocs typedoc sphinx-build hugo jekyll protoc sass lessc tailwindcss pyinstaller cython turbo nx latexmk pdflatex ponyc",
  install: "apt apt-get aptitude brew apk yum dnf pacman zypper snap gem pip pip3 pipx conda mamba nvm fnm pyenv rbenv rustup corepack asdf volta virtualenv easy_install npm-check-updates ncu sdk choco winget scoop",
  wait: "sleep wait",
  finish: "submit exit_forfeit",
};

/** Neither read nor write anything a person would name: they only prepare what follows. */
export const NEUTRAL = new Set(
  ": true false cd pushd popd export set unset source . alias unalias shopt ulimit umask trap local declare typeset readonly let eval return exit break continue shift read echo printf stty clear reset conda-activate activate deactivate hash wait disown fg bg builtin".split(" "),
);

/** They take a stream and give a stream: in a pipe without a file of their own they add nothing. */
export const FILTERS = new Set("cat head tail wc sort uniq cut tr fold column jq yq nl less more grep egrep fgrep rg sed awk gawk tee xargs fmt rev tac paste strings xxd base64 perl comm bat".split(" "));

/** Administration: running them is not trying out a program. */
export const ADMINISTRATION = new Set(
  ("mkdir chmod chown chgrp ln kill pkill killall docker podman docker-compose kubectl helm systemctl service crontab mount umount ssh scp sftp tmux screen nohup ssh-keygen openssl gpg base64 aws gcloud az terraform ansible " +
    "vercel netlify fly heroku mkfifo mktemp tar gzip bzip2 zip xz git-lfs history code vim vi nano emacs osascript say xdg-open defaults launchctl redis-cli psql mysql sqlite3 mongo createdb dropdb supabase wrangler chflags seq yes expr bc").split(" "),
);
