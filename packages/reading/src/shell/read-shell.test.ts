import { describe, expect, it } from "vitest";
import { readShell } from "./read-shell.ts";

describe("readShell", () => {
  it.each([
    // Words that only look like tests.
    ['echo "npm test"', "run", []],
    ["git log --grep=test", "vcs-read", ["vcs-read"]],
    ["npm i x@latest", "install", ["install"]],
    ["npm install react@latest", "install", ["install"]],
    ["cat tests/test_a.py", "read", ["read"]],
    ["grep -rn pytest setup.cfg", "search", ["search"]],
    ["ls test", "search", ["search"]],
    ['git commit -m "run tests"', "vcs-write", ["vcs-write"]],
    ["npx jest --version", "read", ["read"]],
    ["which pytest", "read", ["read"]],
    ["mkdir -p test", "run", ["run"]],
    ["test -f package.json", "read", ["read"]],
    // Runners.
    ["npm test", "test", ["test"]],
    ["npm t", "test", ["test"]],
    ["npm run test:unit -- --watch=false", "test", ["test"]],
    ["pnpm --filter web test", "test", ["test"]],
    ["yarn workspace web test", "test", ["test"]],
    ["npx vitest run src/a.test.ts", "test", ["test"]],
    ["npx --yes jest@30", "test", ["test"]],
    ["python -m pytest -x tests/a.py", "test", ["test"]],
    ["python3 -m unittest discover", "test", ["test"]],
    ["python manage.py test shop", "test", ["test"]],
    ["./tests/runtests.py admin_views", "test", ["test"]],
    ["go test ./...", "test", ["test"]],
    ["cargo nextest run", "test", ["test"]],
    ["./gradlew :app:test", "test", ["test"]],
    ["mvn -q verify", "test", ["test"]],
    ["mvn test", "test", ["test"]],
    ["bundle exec rspec", "test", ["test"]],
    ["vendor/bin/phpunit", "test", ["test"]],
    ["make check", "test", ["test"]],
    ["node --test", "test", ["test"]],
    ["node node_modules/.bin/jest", "test", ["test"]],
    ["bun test src", "test", ["test"]],
    ["uv run pytest", "test", ["test"]],
    ["poetry run pytest -q", "test", ["test"]],
    ["docker compose exec -T web pytest -q", "test", ["test"]],
    ["docker run --rm -v .:/x image npm test", "test", ["test"]],
    ["rtk bun run test", "test", ["test"]],
    ["mise run test:ci", "test", ["test"]],
    // Wrappers.
    ["timeout 60 npm test", "test", ["test"]],
    ["sudo -u me env A=1 npm test", "test", ["test"]],
    ["CI=1 npm test", "test", ["test"]],
    ['bash -lc "cd x && npm test"', "test", ["test"]],
    ["bash <<'EOF'\nnpm test\nEOF", "test", ["test"]],
    ["find . -name '*.py' | xargs grep -l foo", "search", ["search"]],
    ["find . -name '*.py' | xargs sed -i s/a/b/", "edit", ["search", "edit"]],
    ["(cd a; make check) && echo ok", "test", ["test"]],
    ["for f in *.py; do python $f; done", "run", ["run"]],
    ["x=$(git rev-parse HEAD)", "vcs-read", ["vcs-read"]],
    // Edits.
    ["sed -i 's/a/b/' f.py", "edit", ["edit"]],
    ["sed -n 1,20p f.py", "read", ["read"]],
    ["perl -pi -e 's/a/b/' f.py", "edit", ["edit"]],
    ["echo hi > a.txt", "edit", ["edit"]],
    ["cat <<EOF > a.txt\nhi\nEOF", "edit", ["edit"]],
    ["echo x | tee a.txt", "edit", ["edit"]],
    ["edit 1:2\nimport x\npython x.py\nend_of_edit", "edit", ["edit"]],
    ["git apply fix.patch", "edit", ["edit"]],
    ["git apply --check fix.patch", "vcs-read", ["vcs-read"]],
    ["rm -rf src/old", "edit", ["edit"]],
    ["rm -rf dist", "run", ["run"]],
    ["rm -rf build/ node_modules .turbo", "run", ["run"]],
    ["rm -rf build src/a.ts", "edit", ["edit"]],
    ["mv a b", "edit", ["edit"]],
    ["find . -name x -delete", "edit", ["edit"]],
    ["npm test > out.log 2>&1", "test", ["test"]],
    ["npm test | tee out.log", "test", ["test"]],
    ["ls 2>/dev/null", "search", ["search"]],
    ["grep foo a 2>&1 | head -5", "search", ["search"]],
    // Several at once.
    ["sed -i s/a/b/ f.py && npm test", "test", ["edit", "test"]],
    ["npm run build && npm test", "test", ["build", "test"]],
    ["cat > r.py <<'E'\nimport x\nE\npython r.py", "edit", ["edit", "run"]],
    ["git status && git diff", "vcs-read", ["vcs-read"]],
    ["cd src && ls && cat a.ts", "read", ["search", "read"]],
    // The rest.
    ["npx tsc --noEmit", "lint", ["lint"]],
    ["npx tsc", "build", ["build"]],
    ["npx eslint . --fix", "edit", ["edit"]],
    ["make -j4", "build", ["build"]],
    ["npm run dev", "run", ["run"]],
    ["python app.py", "run", ["run"]],
    ["./bin/tool --flag", "run", ["run"]],
    ["sleep 5", "wait", ["wait"]],
    ["pip install -e .", "install", ["install"]],
    ["pip list", "read", ["read"]],
    ["gh pr view 3", "vcs-read", ["vcs-read"]],
    ["gh pr create --fill", "vcs-write", ["vcs-write"]],
    ["curl https://example.com", "read", ["read"]],
    ["cd /x", "run", []],
    ["export A=1", "run", []],
    ["# only a remark", "other", []],
    ["echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "finish", ["finish"]],
    ["submit", "finish", ["finish"]],
  ])("%s", (line, activity, parts) => {
    const found = readShell(line);
    expect({ activity: found.activity, parts: found.parts }).toEqual({ activity, parts });
  });

  it.each([
    ["npm test", true],
    ["cd x && npm test", true],
    ["npm test && echo ok", true],
    ["npm test || exit 1", true],
    ["npm run build && npm test", true],
    ["(npm test)", true],
    ["set -o pipefail; npm test | tail -3", true],
    ["set -e; npm test; echo done", true],
    ["bash -lc 'npm test'", true],
    ["npm test | tail -3", false],
    ["npm test || true", false],
    ["npm test || echo failed", false],
    ["npm test; echo done", false],
    ["npm test &", false],
    ["! npm test", false],
    ["if npm test; then echo yes; fi", false],
    ["bash -c 'npm test | cat'", false],
    ["x=$(npm test)", false],
    ["for d in a b; do npm test; done", false],
    ["npm test; npm run other-test", false],
    ["while npm test; do :; done", false],
  ])("the exit code of %s is that of the tests: %s", (line, trusted) => {
    expect(readShell(line).check?.trusted).toBe(trusted);
  });

  it.each([
    ["cat src/a.ts src/b.ts", { reads: ["src/a.ts", "src/b.ts"] }],
    ["head -n 20 a.txt", { reads: ["a.txt"] }],
    ["sed -n '1,5p' a.txt", { reads: ["a.txt"] }],
    ["grep -rn 'foo bar' src", { searches: ["foo bar", "src"] }],
    ["sed -i s/a/b/ x.py y.py", { edits: ["x.py", "y.py"] }],
    ["cat a > b", { edits: ["b"], creates: ["b"] }],
    ["rm tests/test_a.py", { edits: ["tests/test_a.py"], deletes: ["tests/test_a.py"] }],
    [
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.ts\n+x\n*** End Patch\nEOF",
      { edits: ["src/a.ts"] },
    ],
  ])("%s names its files", (line, expected) => {
    expect(readShell(line)).toMatchObject(expected);
  });

  const script = (...lines: readonly string[]): string => ["python - <<'PY'", ...lines, "PY"].join("\n");
  const rewrite = ["p = Path('src/a.py')", "s = p.read_text()", "p.write_text(s.replace('x', 'y'))"];

  it.each<[what: string, line: string, parts: readonly string[], edits: readonly string[]]>([
    [
      "rewrites a source file and tries the program out",
      script("from pathlib import Path", ...rewrite, "import shop", "print(shop.sum())"),
      ["edit", "run"],
      ["src/a.py"],
    ],
    [
      "tries the program out and writes its result",
      script("import shop", "open('out.json', 'w').write(shop.sum(open('in.json').read()))"),
      ["run"],
      [],
    ],
    [
      "rewrites a source file at the end of a long text",
      script("from pathlib import Path", `note = '${"a ".repeat(4000)}'`, ...rewrite),
      ["edit"],
      ["src/a.py"],
    ],
  ])("code in a heredoc that %s", (...[, line, parts, edits]) => {
    expect(readShell(line)).toMatchObject({ parts, edits });
  });

  it("sees what follows a long heredoc", () => {
    const found = readShell(`cat > big.py <<'EOF'\n${"x = 1\n".repeat(50_000)}EOF\npython -m pytest`);
    expect(found.parts).toEqual(["edit", "test"]);
  });

  it.each([
    ["ten megabytes", "npm test ".repeat(1_200_000)],
    ["nested substitutions", "$(".repeat(50_000)],
    ["nested groups", "(".repeat(50_000)],
    ["nested braces", "{a,".repeat(50_000)],
    ["empty substitutions", "$() ".repeat(50_000)],
    ["empty blocks", `a ${"{ } ".repeat(50_000)}`],
    ["many assignments", "a= ".repeat(50_000)],
    ["many redirections", "a > b ".repeat(20_000)],
    ["many heredocs", "cat <<a\n".repeat(50_000)],
    ["backticks", "`a` ".repeat(50_000)],
    ["unclosed quotes", "\"'".repeat(50_000)],
    [
      "nested shells",
      Array.from({ length: 40 }).reduce<string>(
        (inner) => `bash -c ${JSON.stringify(inner)}`.slice(0, 100_000),
        "npm test",
      ),
    ],
    ["many commands", "a;".repeat(100_000)],
    ["zero bytes", "\0".repeat(1000)],
    ["nothing", ""],
  ])("survives %s", (_what, line) => {
    const { targets, parts } = readShell(line);
    expect(targets.length).toBeLessThanOrEqual(32);
    expect(parts.length).toBeLessThanOrEqual(256);
  });
});
