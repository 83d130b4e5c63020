import { describe, expect, it } from "vitest";
import { bash, call, edit, read, text, times, user } from "./case-builders.ts";
import { type CaseEvent, kindsOf, play, startRun } from "./case-driver.ts";
import { escalation } from "../src/escalation.ts";
import { reminders } from "../src/reminders.ts";
import { watchdog } from "../src/watchdog.ts";

const failed = { ok: false } as const;
const letters = (n: number): string =>
  `${"abcdefghij"[Math.floor(n / 26) % 10] ?? ""}${"klmnopqrstuvwxyzabcdefghij"[n % 26] ?? ""}x`;
const notFound = (line: number): string => `bash: line ${line}: javac: command not found`;

interface Case {
  readonly name: string;
  readonly events: readonly CaseEvent[];
}

const stuck: readonly Case[] = [
  { name: "one call with one answer", events: times(4, () => bash("ls src", "a.ts")) },
  {
    name: "a missing command whose error only moves its line number",
    events: times(6, (i) => bash("javac A.java", notFound(31 + 15 * i), failed)),
  },
  {
    name: "two calls that take turns",
    events: times(4, () => [bash("cat a", "one"), bash("cat b", "two")]),
  },
  {
    name: "the same edit again and again",
    events: times(8, (i) => call("edit", { path: "a.ts", new: "x" }, `edited, now ${"x ".repeat(i + 1)}`)),
  },
  {
    name: "files that were read before",
    events: times(3, () => ["a", "b", "c"].map((f) => read(f, `text of ${f}`))),
  },
  {
    name: "arguments in another order",
    events: times(5, (n) => (n % 2 === 0 ? call("find", { a: 1, b: 2 }, "x") : call("find", { b: 2, a: 1 }, "x"))),
  },
  {
    name: "a shell that reports the exit code as data",
    events: times(4, () => bash("git fetch origin", { stdout: "", stderr: "read-only file system", exit_code: 128 })),
  },
  {
    name: "a shell that reports the exit code as text",
    events: times(4, () => bash("git fetch origin", "fatal: cannot open .git/FETCH_HEAD\nexit code: 128")),
  },
  {
    name: "errors that differ in line numbers only",
    events: times(4, (n) => call("run_code", { code: "go()" }, `Traceback, line ${String(n * 7)}: NameError`, failed)),
  },
  {
    name: "five red test runs without an edit",
    events: times(5, () => bash("npm test", "3 failed, 4 passed", failed)),
  },
  {
    name: "red tests that stay as they are for twelve edits",
    events: times(12, (n) => [
      bash("make test", "tests are red", failed),
      edit("a.c", `s${String(n)}`, `s${String(n + 1)}`),
    ]),
  },
  {
    name: "a page whose date and request id are all that changes",
    events: times(6, (n) =>
      call(
        "http_get",
        { url: "https://example.com" },
        `HTTP/1.1 200 OK\nDate: Tue, 12 May 2026 09:1${n}:38 GMT\nX-Id: 3dd1323${n}-04${n}0-b2a${n}\n<h1>Plans</h1>`,
      ),
    ),
  },
  {
    name: "a query whose duration is all that changes",
    events: times(6, (n) => call("run_sql", { sql: "select count(*)" }, `count\n0\n1 row in 0.${n}28 s`)),
  },
  {
    name: "a pod whose age is all that changes",
    events: times(14, (n) => bash("kubectl get pods", `NAME READY STATUS AGE\nweb 0/1 ImagePullBackOff ${n + 3}m0s`)),
  },
  {
    name: "the clock asked again and again",
    events: times(12, (n) => bash("date", `Mon Nov 16 02:0${String(n % 10)}:22 UTC 2026`)),
  },
  {
    name: "three calls in a circle",
    events: times(4, () => [call("t1", {}, "x"), call("t2", {}, "y"), call("t3", {}, "z")]),
  },
  {
    name: "read and rejected edit",
    events: times(4, () => [
      read("a.rs", "struct A;"),
      call("edit_file", { path: "a.rs", old: "x", new: "y" }, "text not found", failed),
    ]),
  },
  { name: "one call between others", events: times(6, (n) => [bash("make check", "red"), read(`f${String(n)}.c`)]) },
  {
    name: "an empty search behind ever new words",
    events: times(7, (n) =>
      call("web_search", { query: `thing number ${String(n)}` }, { results: [], note: "nothing found" }),
    ),
  },
  {
    name: "a line flipped back and forth",
    events: times(4, (n) =>
      n % 2 === 0
        ? [edit("a.py", "1", "2"), bash("pytest", "boom a", failed)]
        : [edit("a.py", "2", "1"), bash("pytest", "boom b", failed)],
    ),
  },
  {
    name: "only looking after the first edit",
    events: [edit("a.py", "1", "2"), ...times(18, (n) => read(`m${String(n)}.py`, "# empty"))],
  },
  { name: "one sentence over and over", events: times(4, () => text("I have completed the task as requested.")) },
  { name: "a chant inside one message", events: [text("I will now check the configuration file again. ".repeat(30))] },
  { name: "a token without end", events: [text(`The answer is ${"HALLO".repeat(80)}`)] },
  {
    name: "three sentences as a refrain",
    events: [text("First I read the file. Then I see it is empty. So I read it again. ".repeat(20))],
  },
  { name: "a refresh that does nothing", events: times(5, () => call("refresh", {}, "ok")) },
  {
    name: "announcements without a call",
    events: times(8, (n) => text(`Next I will write part ${letters(n)} of it.`)),
  },
  {
    name: "a mailbox that does not exist, another text each time",
    events: times(9, (n) =>
      call("send_mail", { body: `${letters(n)} dear team, our offer `.repeat(6) }, "User unknown", failed),
    ),
  },
  {
    name: "one failing command in a task for every class",
    events: [user("Add a column to every class."), ...times(5, () => bash("docker ps", "Cannot connect", failed))],
  },
];

const healthy: readonly Case[] = [
  {
    name: "different files",
    events: times(30, (i) => read(`src/f${i}.ts`, `export const name${i} = "value ${i * 7}";`)),
  },
  {
    name: "edits with tests in between",
    events: times(12, (i) => [edit(`src/f${i}.ts`, "a", `b${i}`), bash("npm test", `${i} passed, ${12 - i} failed`)]),
  },
  { name: "a poll with progress", events: times(20, (i) => bash("gh run view", `step ${i} of 40`)) },
  {
    name: "a suite that stays green after each small action",
    events: times(10, (i) => [
      call("rename_symbol", { from: `a${i}` }, "renamed"),
      call("run_tests", {}, "142 passed"),
    ]),
  },
  {
    name: "orders looked up one by one, each delivered",
    events: times(12, (i) =>
      call("get_order", { id: `W${letters(i)}` }, `{"id":"W${letters(i)}","status":"delivered"}`),
    ),
  },
  { name: "a table in many pieces", events: times(10, (i) => text(`| region ${letters(i)} | running |`)) },
  { name: "actions that answer with a word", events: times(20, (i) => call("move", { to: i }, "ok")) },
  {
    name: "the same question after each message of the user",
    events: times(10, (i) => [user(`next ${i}`), bash("git status", "clean")]),
  },
  {
    name: "polling a build that moves",
    events: times(18, (n) => bash("tail -n1 build.log", `compiled unit ${String(n)}`)),
  },
  {
    name: "polling a build by percentage for long",
    events: times(60, (n) => call("build_status", { id: 1 }, `${String(n)}% done`)),
  },
  {
    name: "polling with sleeps between",
    events: times(10, (n) => [bash("sleep 5"), call("task_output", { id: "t" }, `line ${String(n)}`)]),
  },
  {
    name: "four unchanged polls, then done",
    events: [
      ...times(4, () => call("task_output", { id: "t" }, "running")),
      call("task_output", { id: "t" }, "finished"),
    ],
  },
  {
    name: "two flaky test runs",
    events: [bash("npm test", "1 failed, 9 passed", failed), bash("npm test", "10 passed")],
  },
  {
    name: "paging a log by offset",
    events: times(30, (n) => call("read_file", { path: "app.log", offset: n * 200, limit: 200 }, `rows ${String(n)}`)),
  },
  {
    name: "paging output with the same arguments",
    events: times(15, (n) => call("read_output", { session: "s" }, `chunk ${letters(n)}`)),
  },
  {
    name: "lines of a file in order",
    events: times(12, (n) =>
      bash(`sed -n '${String(n * 50 + 1)},${String(n * 50 + 50)}p' src/big.c`, `block ${letters(n)}`),
    ),
  },
  { name: "a batch of edits over 50 files", events: times(50, (n) => edit(`src/f${String(n)}.ts`, "foo", "bar")) },
  {
    name: "the same header written to 50 files",
    events: times(50, (n) => call("write_file", { path: `src/f${String(n)}.ts`, content: "// licence" }, "saved")),
  },
  {
    name: "search, move, fix, name by name",
    events: times(12, (n) => [
      call("grep", { pattern: `use_${letters(n)}` }, `${String(n + 1)} places`),
      bash(`git mv a/${letters(n)}.ts b/${letters(n)}.ts`),
      edit(`b/${letters(n)}.ts`, "x", "y"),
    ]),
  },
  {
    name: "sending different messages",
    events: times(15, (n) =>
      call("send_message", { to: "team", text: `item ${String(n)}` }, { ok: true, id: `m${String(n)}` }),
    ),
  },
  {
    name: "one undo",
    events: [
      edit("a.py", "1", "2"),
      bash("pytest", "2 failed, 1 passed", failed),
      edit("a.py", "2", "1"),
      bash("pytest", "3 passed"),
      edit("a.py", "1", "3"),
    ],
  },
  {
    name: "stepping through a debugger",
    events: times(25, (n) => call("debugger", { command: "next" }, `at line ${String(n + 10)}: x = ${String(n * 3)}`)),
  },
  {
    name: "bisecting",
    events: times(9, (n) => [
      bash(`git checkout ${"abcdef123"[n] ?? "a"}1b2c3d`, `HEAD is now at ${String(n)}`),
      bash("make test", n % 2 === 0 ? "good" : "bad", { ok: n % 2 === 0 }),
      bash(n % 2 === 0 ? "git bisect good" : "git bisect bad", `${String(64 >> n)} revisions left`),
    ]),
  },
  {
    name: "a long test–edit cycle that improves",
    events: times(12, (n) => [
      edit("p.py", `v${String(n)}`, `v${String(n + 1)}`),
      bash("pytest -q", `${String(12 - n)} failed, ${String(n)} passed`, { ok: n === 12 }),
    ]),
  },
  {
    name: "red tests that stay as they are for five edits",
    events: times(5, (n) => [
      bash("make test", "tests are red", failed),
      edit("a.c", `s${String(n)}`, `s${String(n + 1)}`),
    ]),
  },
  {
    name: "red tests that fail in another way after each edit",
    events: times(12, (n) => [
      bash("make test", `${letters(n)} is not a function`, failed),
      edit("a.c", `s${String(n)}`, `s${String(n + 1)}`),
    ]),
  },
  {
    name: "mails that are queued one after the other",
    events: times(15, (n) =>
      call("send_mail", { to: `${letters(n)}@example.com` }, `{"status":"queued","error":null}`),
    ),
  },
  {
    name: "a server that is probed until it is up",
    events: times(5, () => bash("sleep 5; curl -s localhost:8080/health", "curl: (7) Failed to connect", failed)),
  },
  {
    name: "a rollout that fails to finish in time and moves",
    events: times(8, (n) => bash("rollout status", `Waiting: ${n} of 8 replicas\nerror: timed out`, failed)),
  },
  {
    name: "files that hold words of failure",
    events: times(12, (n) => read(`${letters(n)}.go`, `package ${letters(n)}\nfunc ${letters(n + 40)}() error`)),
  },
  {
    name: "a rejected edit, read, edited again",
    events: [
      call("edit", { path: "a.ts", old: "x", new: "y" }, "text not found", failed),
      read("a.ts"),
      edit("a.ts", "z", "y"),
      bash("npm test", "5 passed"),
    ],
  },
  {
    name: "looking for files that are not there",
    events: [
      ...times(4, (n) => call("read_file", { path: `conf/${letters(n)}.yml` }, `ENOENT ${letters(n)}`, failed)),
      bash("find . -name '*.yml'", "deploy/x.yml"),
      read("deploy/x.yml"),
    ],
  },
  {
    name: "grep without a match, then with one",
    events: [
      bash("grep -rn foo src", "", { exit_code: 1 }),
      bash("grep -rn Foo src", "", { exit_code: 1 }),
      bash("grep -rni foo src", "src/a.ts:1: Foo"),
      read("src/a.ts"),
    ],
  },
  {
    name: "reading a file again after editing it",
    events: times(6, (n) => [read("a.ts", `version ${String(n)}`), edit("a.ts", `l${String(n)}`, `l${String(n + 1)}`)]),
  },
  {
    name: "git status after every commit",
    events: times(8, (n) => [
      edit(`f${String(n)}.ts`, "a", "b"),
      bash("git status --short", `M f${String(n)}.ts`),
      bash(`git commit -am "step ${String(n)}"`, `[main ${letters(n)}] step`),
    ]),
  },
  {
    name: "the same tests on ten shards",
    events: times(10, (n) => bash(`npm test -- --shard=${String(n)}/10`, `shard ${String(n)} ok`)),
  },
  {
    name: "filling in a form",
    events: times(12, (n) => call("type_text", { field: n, value: `v${String(n)}` }, { ok: true })),
  },
  {
    name: "scrolling down a page",
    events: times(15, (n) => call("scroll", { down: true }, `rows ${String(n * 10)} to ${String(n * 10 + 10)}`)),
  },
  {
    name: "querying a database table by table",
    events: times(14, (n) =>
      call("sql_db_query", { query: `select count(*) from t_${letters(n)}` }, `[(${String(n * 7)},)]`),
    ),
  },
  {
    name: "a conversation of short answers",
    events: times(8, (n) => [user(`question ${letters(n)}`), text(`Answer about ${letters(n)}.`)]),
  },
  { name: "the user asks for the same again", events: times(4, () => [user("again please"), bash("ls", "a.txt")]) },
  {
    name: "streaming a long table",
    events: [
      text(
        `| name | value | remark |\n${Array.from({ length: 60 }, (_, n) => `| row | ${String(n)} | the value is as expected and needs no further attention |`).join("\n")}`,
      ),
    ],
  },
  {
    name: "streaming code with equal lines",
    events: [
      text(
        `Here it is:\n\`\`\`ts\n${"expect(result.status).toBe(200); expect(result.body).toEqual(expected);\n".repeat(30)}\`\`\`\nThat is all.`,
      ),
    ],
  },
  {
    name: "prose with a refrain far apart",
    events: [
      text(
        Array.from(
          { length: 12 },
          (_, n) =>
            `And so the river went on its way to the sea, as it always had. ${Array.from({ length: 40 }, (_unused, k) => letters(n * 41 + k)).join(" ")}`,
        ).join(" "),
      ),
    ],
  },
];

describe("watchdog with reading", () => {
  it.each(stuck)("raises an alert for $name", ({ events }) => {
    expect(kindsOf(events).filter((kind) => kind !== "repeat")).not.toEqual([]);
  });

  it.each(healthy)("is silent in mode gate for $name", ({ events }) => {
    expect(kindsOf(events).filter((kind) => kind !== "repeat")).toEqual([]);
    const { run, log } = startRun({ mode: "gate", policies: [watchdog(), escalation(), reminders()] });
    for (const event of events) play(run, event);
    run.beforeTurn();
    const consequences = ["nudge.sent", "tool.refused", "review.requested", "stop.requested", "policy.failed"];
    expect(log.filter(({ type }) => consequences.includes(type))).toEqual([]);
  });
});
