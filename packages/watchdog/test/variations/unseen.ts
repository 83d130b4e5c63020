import { call, text, times, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;

/** A last round, written after everything else was mended, to see how unknown cases go. */
export const unseen: readonly Kind[] = [
  fires(
    "the same change made again and again",
    times(5, () => call("create_file", { path: "src/User.java", content: "class User {}" }, "File created: src/User.java")),
    times(5, () => call("write_to_file", { path: "README.md", content: "# Shop" }, { success: true })),
    times(5, () => [call("edit_file", { path: "footer.html", old_string: "2025", new_string: "2026" }, "The edit was applied."), call("read_file", { path: "footer.html" }, "<p>2025</p>")]),
    times(6, () => call("set_variable", { name: "mode", value: "dark" }, "ok")),
  ),
  fires(
    "a health check that never turns green",
    times(12, () => call("bash", { command: "curl -s localhost:3000/health" }, "starting")),
    times(10, (n) => call("Bash", { command: "systemctl status api" }, `api.service - API\n Active: activating (auto-restart) since ${clockOf(n)}`)),
    times(10, () => call("check_deployment", { env: "staging" }, { ready: false, replicas: "0/3" })),
    times(12, (n) => [call("sleep", { seconds: 5 }, "slept"), call("get_task_status", { id: "t" }, `{"state":"PENDING","checked_at":"${clockOf(n)}"}`)]),
  ),
  fires(
    "one cause behind ever new errors of sibling tools",
    times(9, (n) => call(["browser_open", "browser_click", "browser_read"][n % 3] ?? "", { n }, ["net::ERR_CONNECTION_REFUSED", "element not attached", "no page loaded"][n % 3] ?? "", failed)),
    times(9, (n) => call(["s3_list", "s3_get", "s3_put", "s3_head"][n % 4] ?? "", { key: wordOf(n) }, { Code: ["ExpiredToken", "AccessDenied", "InvalidToken"][n % 3] ?? "" }, failed)),
    times(8, (n) => call("execute_bash", { command: ["pip install x", "python -m pip install x", "uv add x", "poetry add x", "conda install x", "pip3 install x", "pipx install x", "easy_install x"][n] ?? "" }, `Could not resolve host (attempt with ${wordOf(n)})`, { ok: false, exit_code: 1 })),
    times(8, (n) => call(["sheet_read", "sheet_write"][n % 2] ?? "", { range: `A${String(n)}` }, `Permission missing for ${wordOf(n)}`, failed)),
  ),
  fires(
    "the same listing under changing decoration",
    times(6, (n) => call("ls_dir", { path: "." }, `\u001b[3${String(n)}ma.txt\u001b[0m  b.txt\n(listed at ${clockOf(n)})`)),
    times(6, (n) => call("git_log", { n: 1 }, `commit ${idOf(n).replaceAll("-", "").slice(0, 10)}\nfix the thing`)),
    times(6, (n) => call("run_snippet", { code: "f()" }, `<function f at 0x7f${String(n)}a${String(n)}b00>`)),
    times(6, (n) => call("mktemp_test", { suite: "a" }, `wrote /tmp/run-${wordOf(n)}/out.txt\nresult: unchanged`)),
  ),
  fires(
    "a question put again to somebody who answered",
    [text("Do you want the export as CSV or as JSON?"), user("csv"), text("Should the export be CSV or JSON?"), user("CSV as I said"), text("Just to confirm: is the export CSV or JSON?"), user("...")],
    times(3, () => [text("Shall I delete the old backups now?"), user("yes")]),
    ["What is the name of the project?", "How is the project named?", "Which name does the project have?"].flatMap((question) => [call("ask_user", { question }, "Atlas"), user("Atlas")]),
    ["Which Node version should be used?", "What version of Node should I use?", "Could you say which version of Node to use?"].flatMap((question) => [text(`I have looked at the setup. ${question}`), user("24")]),
  ),
  staysSilent(
    "green after every edit",
    times(9, (n) => [call("Edit", { file_path: `src/${wordOf(n)}.ts`, old_string: "a", new_string: "b" }, "updated"), call("Bash", { command: "npm test" }, "Tests: 40 passed, 40 total")]),
    times(7, (n) => [call("apply_patch", { patch: wordOf(n) }, "Done!"), call("exec_command", { cmd: "cargo clippy" }, "0 warnings")]),
    times(8, (n) => [call("write_file", { path: `pages/${wordOf(n)}.tsx`, content: wordOf(n) }, "ok"), call("run_build", {}, "build succeeded")]),
    times(6, (n) => [call("str_replace_editor", { command: "insert", path: "x.py", insert_line: n, new_str: wordOf(n) }, "edited"), call("execute_bash", { command: "python -m pytest -q" }, "9 passed in 0.1s"), call("execute_bash", { command: "git add -A" }, "")]),
  ),
  staysSilent(
    "a view that is looked at after every change of it",
    times(7, (n) => [call("insert_line", { file: "a.txt", text: wordOf(n) }, "ok"), call("cat", { file: "a.txt" }, Array.from({ length: n + 1 }, (_, k) => wordOf(k)).join("\n"))]),
    times(6, (n) => [call("press_key", { key: "Down" }, "ok"), call("screenshot", {}, `selected row ${String(n)}`)]),
    times(6, (n) => [call("sql", { query: `insert into t values (${String(n)})` }, "1 row"), call("sql", { query: "select count(*) from t" }, String(n + 1))]),
    times(5, (n) => [call("set_style", { size: n }, "ok"), call("render", {}, `width ${String(n * 20)}px`)]),
  ),
  staysSilent(
    "numbers that count",
    times(15, (n) => call("bash", { command: "wc -l out.csv" }, `${String(n * 1000)} out.csv`)),
    times(12, (n) => call("queue_size", {}, { waiting: 400 - n * 30 })),
    times(14, (n) => call("Bash", { command: "ls checkpoints | tail -1" }, `step-${String(n * 500)}.pt`)),
    times(10, (n) => call("get_score", { game: 1 }, `score ${String(n * 7)}, lives 3`)),
  ),
  staysSilent(
    "one lookup per item, the same kind of answer",
    times(12, (n) => call("get_customer", { id: n }, { id: n, name: wordOf(n), status: "active" })),
    times(10, (n) => call("geocode", { address: `${wordOf(n)} street ${String(n)}` }, { lat: 52 + n / 100, lon: 13 - n / 100 })),
    times(14, (n) => call("translate", { text: wordOf(n), to: "de" }, `${wordOf(n)}en`)),
    times(11, (n) => call("Bash", { command: `git show --stat ${wordOf(n)}` }, `commit ${wordOf(n)}\n 1 file changed`)),
  ),
  staysSilent(
    "a few failures on the way to the right call",
    [call("api_call", { path: "/v1/user" }, "404", failed), call("api_call", { path: "/v2/user" }, "404", failed), call("api_call", { path: "/v2/users" }, "200 []"), call("api_call", { path: "/v2/users?id=1" }, '200 [{"id":1}]')],
    [call("Bash", { command: "npm run dev" }, "Missing script: dev", failed), call("Read", { file_path: "package.json" }, '{"scripts":{"start":"x"}}'), call("Bash", { command: "npm start" }, "listening on 3000")],
    [call("edit", { path: "a.ts", old: "x ", new: "y" }, "not found", failed), call("read_file", { path: "a.ts" }, "x"), call("edit", { path: "a.ts", old: "x", new: "y" }, "ok"), call("edit", { path: "b.ts", old: "x ", new: "y" }, "not found", failed), call("read_file", { path: "b.ts" }, "z"), call("edit", { path: "b.ts", old: "z", new: "y" }, "ok")],
    [call("sql", { query: "select * from usr" }, "relation \"usr\" does not exist", failed), call("sql", { query: "\\dt" }, "users"), call("sql", { query: "select * from users" }, "2 rows")],
  ),
];
