import { describe, expect, it } from "vitest";
import { activityLog } from "../src/activity-log.ts";
import { escalation } from "../src/escalation.ts";
import { reminders } from "../src/reminders.ts";
import { watchdog } from "../src/watchdog.ts";
import { bash, call, edit, read, text, times, user } from "./case-builders.ts";
import { type CaseEvent, firstAlert, startRun, tell } from "./case-driver.ts";

const failed = { ok: false } as const;
const letters = (n: number): string => `${"abcdefghij"[Math.floor(n / 26) % 10] ?? ""}${"klmnopqrstuvwxyzabcdefghij"[n % 26] ?? ""}x`;

// Runs that repeat things for good reasons. They must not be refused or stopped, and be told at most one thing.
const healthy: readonly { readonly name: string; readonly events: readonly CaseEvent[] }[] = [
  { name: "polling a build that moves", events: times(18, (n) => bash("tail -n1 build.log", `compiled unit ${String(n)}`)) },
  { name: "polling a build by percentage for long", events: times(60, (n) => call("build_status", { id: 1 }, `${String(n)}% done`)) },
  { name: "polling a job with counts", events: times(40, (n) => call("job_status", { id: 1 }, { state: "running", done: n, total: 40 })) },
  { name: "a queue that moves slowly", events: times(12, (n) => call("queue_position", { ticket: 4 }, `position ${String(12 - Math.floor(n / 2))}`)) },
  { name: "polling with sleeps between", events: times(10, (n) => [bash("sleep 5"), call("task_output", { id: "t" }, `line ${String(n)}`)]) },
  { name: "four unchanged polls, then done", events: [...times(4, () => call("task_output", { id: "t" }, "running")), call("task_output", { id: "t" }, "finished")] },
  { name: "one long unchanged wait", events: [...times(6, () => call("task_output", { id: "t" }, "running")), call("task_output", { id: "t" }, "finished, exit 0"), edit("a.ts", "1", "2")] },
  { name: "waiting for a server", events: [...times(3, () => [bash("curl -s localhost:3000/health", "connection refused", failed), bash("sleep 2")]), bash("curl -s localhost:3000/health", "ok")] },
  { name: "retries with back-off", events: [...times(4, (n) => [call("http_get", { url: "https://x.test" }, "503 Service Unavailable", failed), bash(`sleep ${String(2 ** n)}`)]), call("http_get", { url: "https://x.test" }, "200 OK")] },
  { name: "two flaky test runs", events: [bash("npm test", "1 failed, 9 passed", failed), bash("npm test", "10 passed")] },
  { name: "paging a log by offset", events: times(30, (n) => call("read_file", { path: "app.log", offset: n * 200, limit: 200 }, `rows ${String(n)}`)) },
  { name: "paging output with the same arguments", events: times(15, (n) => call("read_output", { session: "s" }, `chunk ${letters(n)}`)) },
  { name: "paging a result list by cursor", events: times(12, (n) => call("list_orders", { cursor: `c${String(n)}` }, { orders: [{ id: n * 2 }, { id: n * 2 + 1 }], next: `c${String(n + 1)}` })) },
  { name: "pages of ids with the same arguments", events: times(10, (n) => call("next_page", {}, { ids: [n, n + 100] })) },
  { name: "lines of a file in order", events: times(12, (n) => bash(`sed -n '${String(n * 50 + 1)},${String(n * 50 + 50)}p' src/big.c`, `block ${letters(n)}`)) },
  { name: "a batch of edits over 50 files", events: times(50, (n) => edit(`src/f${String(n)}.ts`, "foo", "bar")) },
  { name: "the same header written to 50 files", events: times(50, (n) => call("write_file", { path: `src/f${String(n)}.ts`, content: "// licence" }, "saved")) },
  { name: "read and edit, file by file", events: times(25, (n) => [read(`src/f${String(n)}.ts`), edit(`src/f${String(n)}.ts`, "foo", "bar")]) },
  { name: "search, move, fix, name by name", events: times(12, (n) => [call("grep", { pattern: `use_${letters(n)}` }, `${String(n + 1)} places`), bash(`git mv a/${letters(n)}.ts b/${letters(n)}.ts`), edit(`b/${letters(n)}.ts`, "x", "y")]) },
  { name: "deleting old rows one by one", events: times(20, (n) => call("delete_row", { id: n }, { ok: true })) },
  { name: "sending different messages", events: times(15, (n) => call("send_message", { to: "team", text: `item ${String(n)}` }, { ok: true, id: `m${String(n)}` })) },
  { name: "many small edits of one file", events: times(20, (n) => edit("main.py", `line ${letters(n)}`, `better ${letters(n)}`)) },
  { name: "one undo", events: [edit("a.py", "1", "2"), bash("pytest", "2 failed, 1 passed", failed), edit("a.py", "2", "1"), bash("pytest", "3 passed"), edit("a.py", "1", "3")] },
  { name: "stepping through a debugger", events: times(25, (n) => call("debugger", { command: "next" }, `at line ${String(n + 10)}: x = ${String(n * 3)}`)) },
  { name: "stepping with the same answer now and then", events: times(16, (n) => call("debugger", { command: "step" }, `frame ${letters(Math.floor(n / 2))}`)) },
  { name: "bisecting", events: times(9, (n) => [bash(`git checkout ${"abcdef123"[n] ?? "a"}1b2c3d`, `HEAD is now at ${String(n)}`), bash("make test", n % 2 === 0 ? "good" : "bad", { ok: n % 2 === 0 }), bash(n % 2 === 0 ? "git bisect good" : "git bisect bad", `${String(64 >> n)} revisions left`)]) },
  { name: "a long test–edit cycle that improves", events: times(12, (n) => [edit("p.py", `v${String(n)}`, `v${String(n + 1)}`), bash("pytest -q", `${String(12 - n)} failed, ${String(n)} passed`, { ok: n === 12 })]) },
  { name: "a test–edit cycle with two plateaus", events: times(10, (n) => [edit("p.py", `v${String(n)}`, `v${String(n + 1)}`), bash("pytest -q", `${String(10 - Math.floor(n / 3) * 3)} failed, ${String(Math.floor(n / 3) * 3)} passed`, failed)]) },
  { name: "opaque red tests with an edit before each", events: times(12, (n) => [bash("make test", "tests are red", failed), edit("a.c", `s${String(n)}`, `s${String(n + 1)}`)]) },
  { name: "compile errors worked off", events: times(9, (n) => [bash("tsc", `src/a.ts(${String(n)},1): error in ${letters(n)}`, failed), edit("src/a.ts", letters(n), letters(n + 1))]) },
  { name: "the linter between fixes", events: times(8, (n) => [bash("eslint src", `${String(8 - n)} problems`, failed), edit(`src/${letters(n)}.ts`, "var", "let")]) },
  { name: "single failures followed by other commands", events: times(6, (n) => [bash(`cat ${letters(n)}.md`, "No such file or directory", failed), bash("ls docs", `${letters(n)} guide.md`), read(`docs/${letters(n)}.md`)]) },
  { name: "a wrong path, then the right one", events: [call("read_file", { path: "src/Main.ts" }, "not found", failed), call("list_directory", { path: "src" }, "main.ts"), read("src/main.ts")] },
  { name: "a rejected edit, read, edited again", events: [call("edit", { path: "a.ts", old: "x", new: "y" }, "text not found", failed), read("a.ts"), edit("a.ts", "z", "y"), bash("npm test", "5 passed")] },
  { name: "looking for files that are not there", events: [...times(4, (n) => call("read_file", { path: `conf/${letters(n)}.yml` }, `ENOENT ${letters(n)}`, failed)), bash("find . -name '*.yml'", "deploy/x.yml"), read("deploy/x.yml")] },
  { name: "probing which command exists", events: [bash("python --version", "not found", { exit_code: 127 }), bash("python3 --version", "Python 3.12"), bash("pip --version", "not found", { exit_code: 127 }), bash("pip3 --version", "pip 24")] },
  { name: "grep without a match, then with one", events: [bash("grep -rn foo src", "", { exit_code: 1 }), bash("grep -rn Foo src", "", { exit_code: 1 }), bash("grep -rni foo src", "src/a.ts:1: Foo"), read("src/a.ts")] },
  { name: "reading a big repository", events: times(80, (n) => read(`pkg/${letters(n)}/index.ts`)) },
  { name: "listing and reading, folder by folder", events: times(20, (n) => [call("list_directory", { path: `pkg/${letters(n)}` }, `index.ts ${letters(n)}.ts`), read(`pkg/${letters(n)}/index.ts`)]) },
  { name: "a few searches without hits among others", events: times(12, (n) => call("grep", { pattern: letters(n) }, n % 4 === 3 ? `src/${letters(n)}.ts:4` : "no hits")) },
  { name: "reading a file again after editing it", events: times(6, (n) => [read("a.ts", `version ${String(n)}`), edit("a.ts", `l${String(n)}`, `l${String(n + 1)}`)]) },
  { name: "reading a file again after the context was compacted", events: times(4, () => [read("plan.md", "the plan"), call("compact_context", {}, "history trimmed"), read("todo.md", "the list")]) },
  { name: "git status after every commit", events: times(8, (n) => [edit(`f${String(n)}.ts`, "a", "b"), bash("git status --short", `M f${String(n)}.ts`), bash(`git commit -am "step ${String(n)}"`, `[main ${letters(n)}] step`)]) },
  { name: "git status, equal between commits", events: times(5, (n) => [bash(`git commit --allow-empty -m "step ${String(n)}"`, `[main] step ${letters(n)}`), bash("git status --short", "")]) },
  { name: "verifying after each of many steps", events: times(10, (n) => [edit(`f${String(n)}.ts`, "a", "b"), bash("npm test", "42 passed")]) },
  { name: "the same tests on ten shards", events: times(10, (n) => bash(`npm test -- --shard=${String(n)}/10`, `shard ${String(n)} ok`)) },
  { name: "ten installs", events: times(10, (n) => bash(`pip install pkg-${letters(n)}`, `installed ${letters(n)}`)) },
  { name: "a look at the diff before finishing", events: [edit("a.ts", "1", "2"), bash("npm test", "9 passed"), bash("git diff", "-1 +2"), bash("git status", "M a.ts"), read("a.ts"), read("README.md"), text("Done: changed a.ts, tests pass.")] },
  { name: "browsing a changing page", events: times(14, (n) => call("click", { index: n }, `page ${letters(n)} with ${String(50 + n)} elements`)) },
  { name: "filling in a form", events: times(12, (n) => call("type_text", { field: n, value: `v${String(n)}` }, { ok: true })) },
  { name: "scrolling down a page", events: times(15, (n) => call("scroll", { down: true }, `rows ${String(n * 10)} to ${String(n * 10 + 10)}`)) },
  { name: "a page that times out, with a retry click in between", events: times(6, () => [call("browser_navigate", { url: "https://x.test" }, "timeout", failed), call("browser_click", { selector: "#retry" }, { ok: true })]) },
  { name: "snapshots of a page that moves", events: times(12, (n) => call("browser_snapshot", {}, `state ${letters(n)}`)) },
  { name: "querying a database table by table", events: times(14, (n) => call("sql_db_query", { query: `select count(*) from t_${letters(n)}` }, `[(${String(n * 7)},)]`)) },
  { name: "equal parallel calls in one turn", events: times(6, (n) => read(`x${String(n % 6)}.ts`)) },
  { name: "a plan whose steps move on", events: times(6, (n) => [call("update_plan", { plan: times(6, () => []).concat(Array.from({ length: 6 }, (_, k) => ({ step: `s${String(k)}`, status: k < n ? "done" : "pending" })) as never) }, "ok"), edit(`s${String(n)}.ts`, "a", "b")]) },
  { name: "thinking aloud in varied words", events: [text("Let us look at the layout of the tables."), text("There are three risks in the upgrade."), text("Keys come first, then the indexes."), text("The release can go out in two steps.")] },
  { name: "the same remark with work between", events: times(6, (n) => [text("Next file."), read(`d/${letters(n)}.md`)]) },
  { name: "different questions to the user", events: [text("Which port should the server use?"), user("8080"), text("Shall I add a test for the parser?"), user("yes"), text("Is the licence MIT or Apache?"), user("MIT")] },
  { name: "a conversation of short answers", events: times(8, (n) => [user(`question ${letters(n)}`), text(`Answer about ${letters(n)}.`)]) },
  { name: "the user asks for the same again", events: times(4, () => [user("again please"), bash("ls", "a.txt")]) },
  { name: "streaming a long table", events: [text(`| name | value | remark |\n${Array.from({ length: 60 }, (_, n) => `| row | ${String(n)} | the value is as expected and needs no further attention |`).join("\n")}`)] },
  { name: "streaming a list with a long common prefix", events: [text(Array.from({ length: 40 }, (_, n) => `- services/region-one/cluster-alpha/team-orders/component-${String(n)}`).join("\n"))] },
  { name: "streaming a numbered list", events: [text(Array.from({ length: 30 }, (_, n) => `${String(n + 1)}. Open the settings page and check the value of the option.`).join("\n"))] },
  { name: "streaming code with equal lines", events: [text(`Here it is:\n\`\`\`ts\n${"expect(result.status).toBe(200); expect(result.body).toEqual(expected);\n".repeat(30)}\`\`\`\nThat is all.`)] },
  { name: "streaming rules and boxes", events: [text(`${"━".repeat(200)}\n${"-".repeat(200)}\n${"=".repeat(200)}\n`)] },
  { name: "streaming headings and quotes", events: [text(Array.from({ length: 20 }, (_, n) => `## Section\n> The same quotation stands here in every section of the text.\nText number ${letters(n)} differs ${letters(n * 7)}.`).join("\n"))] },
  { name: "prose with a refrain far apart", events: [text(Array.from({ length: 12 }, (_, n) => `And so the river went on its way to the sea, as it always had. ${Array.from({ length: 40 }, (_unused, k) => letters(n * 41 + k)).join(" ")}`).join(" "))] },
  { name: "prose made from one pattern", events: [text(Array.from({ length: 16 }, (_, n) => `The function ${letters(n).repeat((n % 3) + 1)} takes a path and returns the parsed configuration or an error.`).join(" "))] },
];

function observe(events: readonly CaseEvent[]): { readonly refusals: number; readonly stops: number; readonly nudges: readonly string[]; readonly failures: readonly string[] } {
  const { run, log } = startRun({ mode: "gate", policies: [watchdog(), activityLog(), escalation(), reminders()] });
  for (const event of events) tell(run, event);
  run.beforeTurn();
  return {
    refusals: log.filter(({ type }) => type === "tool.refused").length,
    stops: log.filter(({ type }) => type === "stop.requested" || type === "review.requested").length,
    nudges: log.flatMap((event) => (event.type === "nudge.sent" ? [event.text] : [])),
    failures: log.flatMap((event) => (event.type === "policy.failed" ? [event.message] : [])),
  };
}

describe("healthy runs in mode gate", () => {
  it("are at least sixty", () => {
    expect(healthy.length).toBeGreaterThanOrEqual(60);
  });

  it.each(healthy)("$name", ({ events }) => {
    const { refusals, stops, nudges, failures } = observe(events);
    expect({ refusals, stops, failures }).toEqual({ refusals: 0, stops: 0, failures: [] });
    expect(nudges.length, nudges.join("\n")).toBeLessThanOrEqual(1);
  });

  it("hardly any of them raises an alert", () => {
    const alerts = healthy.flatMap(({ name, events }) => {
      const raised = firstAlert(events);
      return raised === undefined ? [] : [`${name}: ${raised.kind}`];
    });
    expect(alerts).toMatchInlineSnapshot(`
      [
        "one long unchanged wait: unchanged-polling",
        "waiting for a server: repeated-failure",
        "retries with back-off: repeated-failure",
      ]
    `);
  });

  it("most of them are told nothing at all", () => {
    const spoken = healthy.filter(({ events }) => observe(events).nudges.length > 0).map(({ name }) => name);
    expect(spoken).toMatchInlineSnapshot(`
      [
        "one long unchanged wait",
        "waiting for a server",
        "retries with back-off",
      ]
    `);
  });
});
