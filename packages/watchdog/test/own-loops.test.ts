import { describe, expect, it } from "vitest";
import { bash, call, edit, read, text, times, user } from "./case-builders.ts";
import { type CaseEvent, firstAlert } from "./case-driver.ts";

const failed = { ok: false } as const;

// Loops of the kinds people report, written by us: each must raise an alert.
const loops: readonly { readonly name: string; readonly events: readonly CaseEvent[] }[] = [
  { name: "the same listing five times", events: times(5, () => bash("ls -la", "a.txt\nb.txt")) },
  { name: "arguments in another order", events: times(5, (n) => (n % 2 === 0 ? call("find", { a: 1, b: 2 }, "x") : call("find", { b: 2, a: 1 }, "x"))) },
  { name: "one failing command, four times", events: times(4, () => bash("make deploy", "permission denied", failed)) },
  { name: "a shell that reports the exit code as data", events: times(4, () => bash("git fetch origin", { stdout: "", stderr: "read-only file system", exit_code: 128 })) },
  { name: "a shell that reports the exit code as text", events: times(4, () => bash("git fetch origin", "fatal: cannot open .git/FETCH_HEAD\nexit code: 128")) },
  { name: "errors that differ in line numbers only", events: times(4, (n) => call("run_code", { code: "go()" }, `Traceback, line ${String(n * 7)}: NameError`, failed)) },
  { name: "five red test runs without an edit", events: times(5, () => bash("npm test", "3 failed, 4 passed", failed)) },
  { name: "the clock asked again and again", events: times(12, (n) => bash("date", `Mon Nov 16 02:0${String(n % 10)}:22 UTC 2026`)) },
  { name: "a cell with a running counter", events: times(8, (n) => call("execute_code", { code: "x" }, { status: "success", output: "same", execution_count: n, duration_seconds: n * 0.3 })) },
  { name: "the same with the result as JSON text", events: times(8, (n) => call("execute_code", { code: "x" }, `{"status":"ok","output":"same","duration_ms":${String(n * 31)},"pid":${String(4000 + n)}}`)) },
  { name: "a command that prints how long it took", events: times(5, (n) => bash("node check.js", `nothing found\ndone in ${String(n)}.${String(n)}3s`)) },
  { name: "a message sent again, every receipt new", events: times(6, (n) => call("send_message", { to: "ops", text: "ping" }, { ok: true, messageId: `m-${String(n)}`, ts: 1_700_000_000 + n })) },
  { name: "a status with only ids and times moving", events: times(6, (n) => call("job_status", { job: 7 }, { state: "queued", requestId: `r${String(n)}`, checkedAt: `2026-01-01T00:00:0${String(n)}Z` })) },
  { name: "a structured log of heartbeats", events: times(6, (n) => call("poll", { job: 7 }, { log: times(n + 2, () => []).concat(Array.from({ length: n + 2 }, (_, k) => ({ ts: k, msg: "alive" })) as never) })) },
  { name: "a job that never moves", events: times(8, () => call("check_job", { id: 4 }, "pending")) },
  { name: "two calls taking turns", events: times(4, () => [bash("ls src", "a.ts"), read("src/a.ts", "same")]) },
  { name: "three calls in a circle", events: times(4, () => [call("t1", {}, "x"), call("t2", {}, "y"), call("t3", {}, "z")]) },
  { name: "five calls in a circle", events: times(4, () => times(5, (n) => call("look", { n }, `v${String(n)}`))) },
  { name: "read and rejected edit", events: times(4, () => [read("a.rs", "struct A;"), call("edit_file", { path: "a.rs", old: "x", new: "y" }, "text not found", failed)]) },
  { name: "one call between others", events: times(6, (n) => [bash("make check", "red"), read(`f${String(n)}.c`)]) },
  { name: "six wordings, no hits", events: times(6, (n) => call("grep", { pattern: `needle_${String(n)}` }, "no matches found in the repository")) },
  { name: "an empty search behind ever new words", events: times(7, (n) => call("web_search", { query: `thing number ${String(n)}` }, { results: [] , note: "nothing found" })) },
  { name: "a page that does not react", events: times(7, (n) => call("browser_click", { element: n }, "Cart (0 items). Please log in.")) },
  { name: "the same words in another order", events: ["red blue green", "blue red green", "green red blue", "Green, blue, red", "blue green red"].map((query, n) => call("search", { query }, `page ${String(n)}`)) },
  { name: "one file with other options", events: [{}, { encoding: "utf8" }, { timeout: 100 }, { lines: 40 }, { verbose: true }].map((more) => call("read_file", { path: "a.ts", ...more }, "t")) },
  { name: "one file through four viewers", events: ["cat a.txt", "head -100 a.txt", "tail -100 a.txt", "less a.txt"].map((command) => bash(command, "one line")) },
  { name: "overviews of one repository", events: ["git status", "git diff --stat", "git status -s", "git diff --name-only", "git status --short", "git --no-pager diff --stat", "git status -sb", "git ls-files -m"].map((command, n) => bash(command, `M a.ts ${"x".repeat(n)}`)) },
  { name: "an expired key", events: times(5, (n) => call("crm_lookup", { name: `customer ${String(n)}` }, "403 Forbidden: token expired", failed)) },
  { name: "a tool that does not exist", events: times(5, (n) => call("str_replace_all", { n }, "Error: unknown tool str_replace_all", failed)) },
  { name: "everything fails", events: times(8, (n) => call(["a", "b", "c"][n % 3] ?? "a", { n }, `error kind ${"xyzuvw"[n % 6] ?? ""}`, failed)) },
  { name: "one tool failing in ever new ways", events: times(6, (n) => call("deploy", { target: `t${String(n)}` }, `broken ${"abcdefgh"[n] ?? ""}`, failed)) },
  { name: "a line flipped back and forth", events: times(4, (n) => (n % 2 === 0 ? [edit("a.py", "1", "2"), bash("pytest", "boom a", failed)] : [edit("a.py", "2", "1"), bash("pytest", "boom b", failed)])) },
  { name: "a file written back and forth", events: times(6, (n) => call("write_file", { path: "c.yaml", content: n % 2 === 0 ? "debug: true" : "debug: false" }, "saved")) },
  { name: "edits that change nothing about the failures", events: times(6, (n) => [edit("p.py", `v${String(n)}`, `v${String(n + 1)}`), bash("pytest -q", "FAILED tests/test_a.py::test_x\n1 failed, 8 passed", failed)]) },
  { name: "the same failing count after every edit", events: times(7, (n) => [edit("p.py", `v${String(n)}`, `v${String(n + 1)}`), bash("cargo test", "7 failed, 0 passed")]) },
  { name: "reading again after green tests", events: [edit("a.py", "1", "2"), bash("pytest", "4 passed"), ...times(12, (n) => read(`m${String(n)}.py`))] },
  { name: "only looking after the first edit", events: [edit("a.py", "1", "2"), ...times(18, (n) => read(`m${String(n)}.py`))] },
  { name: "parts of a file read again", events: [[1, 300], [20, 60], [100, 150], [200, 280], [40, 90]].map((view_range) => call("view", { path: "big.ts", view_range }, `lines ${String(view_range[0])}`)) },
  { name: "paging without end", events: times(60, (n) => call("read_file", { path: "huge.log", offset: n * 20, limit: 20 }, `rows ${String(n)}`)) },
  { name: "answers that change for ever", events: times(24, (n) => call("ask_oracle", { q: "next" }, "z".repeat(n))) },
  { name: "one sentence over and over", events: times(4, () => text("I have completed the task as requested.")) },
  { name: "one sentence in nearly the same words", events: ["The build is now complete and all files were updated.", "All files were updated and the build is complete now.", "The build is complete now; all of the files were updated.", "Now the build is complete, and all the files were updated."].map(text) },
  { name: "the same question in other words", events: [text("Which database should I use for the orders?"), user("Postgres"), text("What database do you want for orders?"), user("Postgres!"), text("Should the orders go to a database, and which one?"), user("I said Postgres")] },
  { name: "the same question through a tool", events: times(3, (n) => [call("ask_user", { question: ["Which port should the server use?", "What port do you want the server on?", "On which port shall the server listen?"][n] ?? "" }, "8080"), user("8080")]) },
  { name: "a chant inside one message", events: [text("I will now check the configuration file again. ".repeat(30))] },
  { name: "a token without end", events: [text(`The answer is ${"HALLO".repeat(80)}`)] },
  { name: "three sentences as a refrain", events: [text("First I read the file. Then I see it is empty. So I read it again. ".repeat(20))] },
  { name: "a plan rewritten, its steps where they were", events: times(9, (n) => call("update_plan", { plan: [{ step: `Look at it, wording ${String(n)}`, status: "in_progress" }, { step: "Then fix it", status: "pending" }] }, "ok")) },
  { name: "a refresh that does nothing", events: times(5, () => call("refresh", {}, "ok")) },
];

describe("loops of our own writing", () => {
  it.each(loops)("$name", ({ events }) => {
    expect(firstAlert(events)).toBeDefined();
  });
});
