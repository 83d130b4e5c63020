import { wordSet } from "../word-table.ts";

/** Programs by the activity their name stands for, separated by spaces. */
export type ProgramTable = Readonly<
  Partial<
    Record<"read" | "search" | "edit" | "test" | "lint" | "build" | "install" | "wait" | "finish" | "run", string>
  >
>;

/** Programs whose name alone says what they do. Any other program is tried out when it is run. */
export const PROGRAMS: ProgramTable = {
  read:
    "cat less more head tail nl wc file stat md5sum sha1sum sha256sum shasum xxd hexdump od strings diff cmp comm " +
    "jq yq column cut sort uniq tr fold base64 readlink realpath basename dirname pwd printenv whoami id groups " +
    "uname hostname date env which where type command whereis man info help ps lsof top htop df du netstat ss ping " +
    "dig nslookup host zcat objdump nm ldd history jobs apt-cache dpkg ifconfig ip dmesg journalctl exiftool " +
    "readelf test [ wget http get-content gc get-item get-process get-command get-location test-path " +
    "invoke-webrequest iwr get-date get-help resolve-path tasklist",
  search: "grep egrep fgrep zgrep rg ag ack locate ls tree dir ripgrep get-childitem gci select-string sls findstr",
  edit:
    "cp mv rm rmdir touch patch truncate rsync tee dd install unlink shred ed ex apply_patch split ln set-content " +
    "add-content clear-content out-file new-item remove-item copy-item move-item rename-item del erase copy xcopy " +
    "robocopy move ren rd",
  test:
    "jest vitest mocha ava tap tape jasmine karma wdio pytest py.test nose2 nosetests nose tox nox rspec phpunit " +
    "pest ctest cucumber behave minitest busted bats testthat trial green runtests runtests.py run_tests " +
    "run_tests.py run_tests.sh run-tests.sh runtests.sh test.sh run-tests gotestsum doctest ginkgo invoke-pester",
  lint:
    "eslint oxlint stylelint biome ruff flake8 pylint mypy pyright basedpyright pycodestyle bandit rubocop " +
    "golangci-lint staticcheck shellcheck actionlint vue-tsc svelte-check phpstan detekt clang-tidy depcheck " +
    "prettier black isort pre-commit credo luacheck vale markdownlint markdownlint-cli2 yamllint hadolint tflint " +
    "cppcheck cpplint swiftlint ktlint scalafix checkstyle spotbugs pmd psalm phpcs phan htmlhint jshint standard xo " +
    "knip ts-prune commitlint textlint proselint codespell cspell semgrep gosec errcheck ineffassign revive " +
    "dmypy pyre vulture pydocstyle djlint sqlfluff buf spectral ansible-lint cfn-lint kubeval kubeconform publint attw",
  build:
    "tsc cmake gcc g++ cc c++ clang clang++ javac rustc webpack rollup esbuild tsup xcodebuild ant autoconf " +
    "automake configure mkdocs sphinx-build protoc cython",
  install:
    "apt apt-get brew apk yum dnf pacman gem pip pip3 pipx conda micromamba nvm pyenv rustup corepack asdf volta " +
    "virtualenv sdk",
  wait: "sleep wait start-sleep",
  // Administration: running these is not trying out a program.
  run:
    "mkdir md chmod chown kill pkill killall docker-compose systemctl service mount scp openssl gpg aws terraform " +
    "vercel mktemp gzip gunzip bzip2 bunzip2 zip code vim vi nano say redis-cli psql mysql sqlite3 createdb seq " +
    "yes expr bc stop-process taskkill start",
};

/** Neither read nor write anything a person would name: they only prepare what follows. */
export const NEUTRAL: ReadonlySet<string> = wordSet(
  ": true false nproc cd chdir pushd popd export set unset source . alias shopt ulimit umask trap local declare " +
    "readonly let eval return exit break continue shift read echo printf clear cls reset activate deactivate hash " +
    "try catch finally foreach % ? set-location write-output write-host write-error out-null import-module " +
    "set-executionpolicy",
);

/** They take a stream and give a stream: in a pipe without a file of their own they add nothing. */
export const FILTERS: ReadonlySet<string> = wordSet(
  "cat head tail wc sort uniq cut tr fold column jq yq nl less more grep egrep fgrep rg fmt rev tac paste " +
    "strings xxd base64 comm findstr select-string sls select-object where-object foreach-object measure-object " +
    "sort-object format-table format-list out-string select",
);

/** Programs whose arguments are names of commands, hosts or processes, not files. */
export const MACHINE: ReadonlySet<string> = wordSet(
  "which where type command whereis man info help printenv env id date ps ping dig nslookup host uname test [ ip " +
    "history jobs basename dirname get-command get-process get-help",
);
