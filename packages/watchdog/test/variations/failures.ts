import { call, text, times } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;

/** What fails: one call, one tool, everything, the tests; and failures that are part of honest work. */
export const failures: readonly Kind[] = [
  fires(
    "the same call fails in the same way",
    times(4, () => call("Bash", { command: "docker compose up -d" }, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", failed)),
    times(4, () => call("exec_command", { cmd: "terraform apply" }, { output: "Error: No valid credential sources found", metadata: { exit_code: 1 }, exit_code: 1 })),
    times(5, () => call("browser_navigate", { url: "https://intranet.test/" }, "net::ERR_NAME_NOT_RESOLVED", failed)),
    times(4, () => call("run_terminal_cmd", { command: "yarn install" }, "error An unexpected error occurred: \"ENOTFOUND registry\".\n\nCommand failed with exit code 1.")),
    times(4, () => call("apply_diff", { path: "src/app.ts", diff: "<<<<<<< SEARCH\nfoo\n=======\nbar\n>>>>>>> REPLACE" }, "No sufficiently similar match found", failed)),
  ),
  fires(
    "the same call fails, only numbers and places differ",
    times(5, (n) => call("python", { code: "run()" }, `Traceback (most recent call last):\n  File "<cell ${String(n)}>", line ${String(n + 3)}, in <module>\nKeyError: 'price'`, failed)),
    times(5, (n) => call("Bash", { command: "curl -sf http://localhost:8080/api" }, `curl: (7) Failed to connect to localhost port 8080 after ${String(n + 1)} ms`, failed)),
    times(4, (n) => call("bash", { command: "ssh build" }, `[${clockOf(n)}] ssh: connect to host build port 22: Connection timed out (request ${idOf(n)})`, failed)),
    times(5, (n) => call("run_query", { sql: "select * from nope" }, { success: false, error: "relation \"nope\" does not exist", query_id: idOf(n), elapsed_ms: n * 3 })),
  ),
  fires(
    "one tool keeps failing while its arguments are reworded",
    times(6, (n) => call("notion_create_page", { title: `Notes ${wordOf(n)}` }, "API token is invalid.", failed)),
    times(6, (n) => call("web_search", { query: `best ${wordOf(n)} library` }, { error: "quota exceeded", status: 429 }, failed)),
    times(6, (n) => call("linear_search", { text: wordOf(n), limit: n + 5 }, "Authentication required, not authenticated", failed)),
    times(7, (n) => call("edit_file", { path: "src/app.tsx", old_string: `<${wordOf(n)}>`, new_string: "<b>" }, "String to replace not found in file.", failed)),
    times(5, (n) => call("book_reservation", { flight: `HAT${String(100 + n)}`, payment: `card_${String(n)}` }, "Error: payment amount does not add up", failed)),
  ),
  fires(
    "a tool that does not exist",
    times(6, (n) => call("open_file", { n, path: `${wordOf(n)}.c` }, "Error: No such tool available: open_file", failed)),
    times(5, (n) => call("functions.search", { q: wordOf(n) }, "unknown function: functions.search", failed)),
    times(6, (n) => call("multi_tool_use.parallel", { uses: [wordOf(n)] }, "tool `multi_tool_use.parallel` not found", failed)),
    times(5, (n) => call("calculator", { expression: `${String(n)}+1` }, "Tool calculator does not exist. Available tools: search, finish", failed)),
  ),
  fires(
    "failures spread over sibling tools with one cause",
    times(8, (n) => call(["read_file", "list_directory", "search_files", "write_file"][n % 4] ?? "", { path: `/mnt/data/${wordOf(n)}` }, "EACCES: permission denied", failed)),
    times(9, (n) => call(["gmail_search", "gmail_read", "gmail_send"][n % 3] ?? "", { q: wordOf(n) }, "401: invalid_grant", failed)),
    times(8, (n) => call(["kubectl", "helm"][n % 2] ?? "", { args: wordOf(n) }, `The connection to the server 10.0.0.1:6443 was refused (${wordOf(n)})`, failed)),
    times(9, (n) => call(["db_select", "db_insert", "db_schema"][n % 3] ?? "", { table: wordOf(n) }, "connection pool exhausted", failed)),
  ),
  fires(
    "the same red tests run again without an edit",
    times(5, () => call("Bash", { command: "npx jest src/cart.test.ts" }, "Tests:       2 failed, 5 passed, 7 total", failed)),
    times(5, (n) => call("execute_bash", { command: "python -m pytest tests/test_io.py -x" }, `FAILED tests/test_io.py::test_read - AssertionError\n1 failed, 3 passed in 0.${String(n + 12)}s`)),
    times(4, (n) => call("shell", { command: ["go", "test", "./..."] }, `--- FAIL: TestSum (0.0${String(n)}s)\nFAIL\tshop/sum\t0.0${String(n + 2)}s`, { ok: false, exit_code: 1 })),
    times(5, () => call("run_tests", { suite: "unit" }, { passed: 8, failed: 1, failures: ["adds tax"] })),
  ),
  fires(
    "reading and a rejected edit taking turns",
    times(4, () => [call("Read", { file_path: "/w/a.py" }, "1\tdef f():\n2\t  pass"), call("Edit", { file_path: "/w/a.py", old_string: "return 1", new_string: "return 2" }, "<tool_use_error>String to replace not found in file.</tool_use_error>", failed)]),
    times(3, () => [call("read_file", { path: "conf.yml" }, "a: 1"), call("replace", { file_path: "conf.yml", old_string: "b: 1", new_string: "b: 2" }, "Failed to edit, 0 occurrences found", failed)]),
    times(4, () => [call("open", { path: "m.rb", line_number: 10 }, "[File: m.rb (20 lines total)]\n10: end"), call("edit", { start: 10, end: 10, text: "ned" }, "Your proposed edit has introduced new syntax error(s).", failed)]),
    times(4, () => [call("view", { path: "x.go" }, "package x"), call("str_replace", { path: "x.go", old_str: "package y", new_str: "package z" }, { success: false, message: "no match" })]),
  ),
  fires(
    "different edits, the same tests fail",
    times(6, (n) => [call("Edit", { file_path: "src/tax.ts", old_string: wordOf(n), new_string: wordOf(n + 1) }, "The file has been updated."), call("Bash", { command: "npx vitest run" }, " FAIL  src/tax.test.ts > rounds up\n Tests  1 failed | 11 passed (12)", failed)]),
    times(6, (n) => [call("write_file", { path: "parser.py", content: `# try ${wordOf(n)}` }, "ok"), call("bash", { command: "pytest -q tests" }, `FAILED tests/test_parser.py::test_nested\n1 failed, 30 passed in 1.${String(n)}s`, failed)]),
    times(7, (n) => [call("str_replace_editor", { command: "str_replace", path: "lib.rs", old_str: wordOf(n), new_str: wordOf(n + 1) }, "edited"), call("execute_bash", { command: "cargo test" }, "test result: FAILED. 14 passed; 2 failed; 0 ignored", { ok: false, exit_code: 101 })]),
    times(6, (n) => [call("apply_patch", { patch: `+${wordOf(n)}` }, "Done!"), call("exec", { command: "go test ./..." }, "--- FAIL: TestMerge (0.00s)\n    merge_test.go:41: got 3 want 4\nFAIL", failed)]),
  ),
  fires(
    "an edit goes back and forth",
    times(6, (n) => [call("Edit", { file_path: "a.ts", old_string: n % 2 === 0 ? "<=" : "<", new_string: n % 2 === 0 ? "<" : "<=" }, "updated"), call("Bash", { command: "npm test" }, n % 2 === 0 ? "off by one low" : "off by one high", failed)]),
    times(6, (n) => call("write_to_file", { path: "tsconfig.json", content: n % 2 === 0 ? '{"strict":true}' : '{"strict":false}' }, "saved")),
    times(5, (n) => [call("str_replace_editor", { command: "str_replace", path: "q.sql", old_str: n % 2 === 0 ? "LEFT JOIN" : "INNER JOIN", new_str: n % 2 === 0 ? "INNER JOIN" : "LEFT JOIN" }, "ok"), call("psql", { file: "q.sql" }, n % 2 === 0 ? "8 rows" : "12 rows")]),
    times(6, (n) => [call("replace_in_file", { path: "app.css", search: n % 2 === 0 ? "10px" : "12px", replace: n % 2 === 0 ? "12px" : "10px" }, "ok"), call("screenshot", {}, `image ${wordOf(n)}`)]),
  ),
  staysSilent(
    "one failure, then something else",
    [call("Bash", { command: "cargo build" }, "error: linker `cc` not found", failed), call("Bash", { command: "apt-get install -y gcc" }, "Setting up gcc"), call("Bash", { command: "cargo build" }, "Finished dev")],
    [call("Read", { file_path: "src/index.js" }, "File does not exist.", failed), call("Glob", { pattern: "src/*" }, "src/index.ts"), call("Read", { file_path: "src/index.ts" }, "export {}")],
    [call("edit_file", { path: "a.md", old_string: "x", new_string: "y" }, "not found", failed), call("read_file", { path: "a.md" }, "z"), call("edit_file", { path: "a.md", old_string: "z", new_string: "y" }, "ok")],
    [call("search_flights", { date: "2024-05-40" }, "Error: invalid date", failed), call("search_flights", { date: "2024-05-20" }, "[]"), call("search_flights", { date: "2024-05-21" }, '[{"flight":"HAT1"}]')],
  ),
  staysSilent(
    "failures that alternate with successes",
    times(6, (n) => [call("Bash", { command: `test -f ${wordOf(n)}` }, "", { ok: false, exit_code: 1 }), call("Bash", { command: `touch ${wordOf(n)}` }, "")]),
    times(5, (n) => [call("fetch", { url: `https://a.test/${wordOf(n)}` }, "404 Not Found", failed), call("fetch", { url: `https://b.test/${wordOf(n)}` }, `text of ${wordOf(n)}`)]),
    times(5, (n) => [call("bash", { command: `make ${wordOf(n)}` }, `make: *** No rule to make target '${wordOf(n)}'.`, failed), call("bash", { command: `grep -n ${wordOf(n)} Makefile` }, `${String(n)}:${wordOf(n)}:`), call("bash", { command: `make all-${wordOf(n)}` }, "built")]),
    times(4, (n) => [call("edit", { path: `${wordOf(n)}.py`, old: "a", new: "b" }, "no match", failed), call("read_file", { path: `${wordOf(n)}.py` }, `c${wordOf(n)}`), call("edit", { path: `${wordOf(n)}.py`, old: `c${wordOf(n)}`, new: "b" }, "ok")]),
  ),
  staysSilent(
    "tests get better with every edit",
    times(8, (n) => [call("Edit", { file_path: "src/a.ts", old_string: wordOf(n), new_string: wordOf(n + 1) }, "updated"), call("Bash", { command: "npm test" }, `Tests: ${String(9 - n)} failed, ${String(3 + n)} passed, 12 total`, failed)]),
    times(6, (n) => [call("write_file", { path: "m.py", content: wordOf(n) }, "ok"), call("bash", { command: "pytest" }, `FAILED tests/test_${wordOf(n)}.py::test_it\n1 failed, ${String(n)} passed`, failed)]),
    times(7, (n) => [call("apply_patch", { patch: wordOf(n) }, "ok"), call("exec", { command: "cargo test" }, `test result: FAILED. ${String(n * 2)} passed; ${String(14 - n * 2)} failed`, { ok: false, exit_code: 101 })]),
    times(6, (n) => [call("str_replace_editor", { command: "str_replace", path: "x.go", old_str: wordOf(n), new_str: wordOf(n + 3) }, "ok"), call("execute_bash", { command: "go build ./..." }, `./x.go:${String(n * 9 + 4)}: undefined: ${wordOf(n)}`, failed)]),
  ),
  staysSilent(
    "the same red tests, an edit in between, twice or three times",
    times(2, (n) => [call("Edit", { file_path: "a.ts", old_string: wordOf(n), new_string: wordOf(n + 1) }, "updated"), call("Bash", { command: "npm test" }, "1 failed, 8 passed", failed)]),
    [call("bash", { command: "pytest -q" }, "FAILED t.py::test_a\n1 failed, 2 passed", failed), call("edit", { path: "a.py", old: "q", new: "r" }, "ok"), call("bash", { command: "pytest -q" }, "FAILED t.py::test_a\n1 failed, 2 passed", failed), call("edit", { path: "a.py", old: "r", new: "s" }, "ok"), call("bash", { command: "pytest -q" }, "3 passed")],
    times(3, (n) => [call("write_file", { path: "a.rs", content: wordOf(n) }, "ok"), call("bash", { command: "cargo test" }, `error[E0308]: mismatched types ${wordOf(n)}`, failed)]),
    [...times(2, (n) => [call("edit", { path: "b.go", old: wordOf(n), new: wordOf(n + 1) }, "ok"), call("bash", { command: "go test" }, "--- FAIL: TestA", failed)]), call("edit", { path: "c.go", old: "1", new: "2" }, "ok"), call("bash", { command: "go test" }, "ok  shop 0.1s")],
  ),
  staysSilent(
    "a page that fails, with a change landing in between",
    times(6, () => [call("goto", { url: "https://app.test" }, "TimeoutError", failed), call("click", { selector: "#reload" }, { ok: true })]),
    times(5, (n) => [call("Bash", { command: "npm start" }, "Error: listen EADDRINUSE: address already in use :::3000", failed), call("Bash", { command: `kill ${String(4000 + n)}` }, "")]),
    times(5, (n) => [call("deploy", { env: "dev" }, "health check failed", failed), call("update_config", { key: wordOf(n), value: n }, "updated")]),
    times(5, (n) => [call("bash", { command: "ansible-playbook site.yml" }, `fatal: [web]: FAILED! => task ${wordOf(n)}`, failed), call("edit_file", { path: "site.yml", old_string: wordOf(n), new_string: wordOf(n + 1) }, "ok")]),
  ),
  staysSilent(
    "searches without a hit on the way",
    [...times(3, (n) => call("Bash", { command: `grep -rn ${wordOf(n)} src` }, "", { ok: false, exit_code: 1 })), call("Bash", { command: "ls src" }, "a.ts"), call("Read", { file_path: "src/a.ts" }, "text")],
    times(4, (n) => [call("Grep", { pattern: wordOf(n) }, "No matches found"), call("Read", { file_path: `${wordOf(n)}.ts` }, `found ${wordOf(n)}`)]),
    times(4, (n) => [call("search_code", { query: wordOf(n) }, "[]"), call("open_file", { path: `${wordOf(n)}.java` }, `class ${wordOf(n)} {}`)]),
    [call("bash", { command: "which ruff" }, "", { ok: false, exit_code: 1 }), call("bash", { command: "which flake8" }, "", { ok: false, exit_code: 1 }), call("bash", { command: "pip install ruff" }, "Successfully installed ruff"), call("bash", { command: "ruff check ." }, "All checks passed!")],
  ),
  staysSilent(
    "a retry that works, with a remark between",
    [call("web_fetch", { url: "https://x.test" }, "504 Gateway Timeout", failed), text("I will try once more."), call("web_fetch", { url: "https://x.test" }, "<html>fine</html>")],
    [call("bash", { command: "npm ci" }, "ECONNRESET", failed), call("bash", { command: "sleep 10" }, ""), call("bash", { command: "npm ci" }, "added 300 packages")],
    [call("submit_form", { id: 3 }, "csrf token expired", failed), call("reload", {}, "ok"), call("submit_form", { id: 3 }, "saved")],
    [call("exec_command", { cmd: "git push" }, "! [rejected] (fetch first)", failed), call("exec_command", { cmd: "git pull --rebase" }, "Successfully rebased"), call("exec_command", { cmd: "git push" }, "main -> main")],
  ),
  staysSilent(
    "probing an unfamiliar machine",
    ["python3 --version", "node --version", "go version", "cargo --version", "java -version"].map((command, n) => call("Bash", { command }, n % 2 === 0 ? `${wordOf(n)} 1.${String(n)}` : `bash: line 1: ${command.split(" ")[0] ?? ""}: command not found`, n % 2 === 0 ? {} : { ok: false, exit_code: 127 })),
    ["cat /etc/os-release", "nproc", "free -g", "df -h", "nvidia-smi", "lscpu"].map((command, n) => call("shell", { command: ["bash", "-lc", command] }, `output ${wordOf(n)}`)),
    ["ls /opt", "ls /srv", "ls /data", "ls /home/app"].map((command, n) => call("execute_bash", { command }, n < 2 ? `ls: cannot access '${command.slice(3)}': No such file or directory` : "app", n < 2 ? { ok: false, exit_code: 2 } : {})),
    ["env", "id", "hostname -f", "uptime", "mount"].map((command, n) => call("run_terminal_cmd", { command }, `line ${wordOf(n)}`)),
  ),
];
