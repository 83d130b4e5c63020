import { call, text, times, turn, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;
const parts = (words: string): unknown => [{ type: "text", text: words }];
const content = (words: string): unknown => ({ content: [{ type: "text", text: words }] });
const ps = (command: string, output: unknown = "", ok = true) => call("powershell", { command }, output, { ok });

/** Other shapes of calls and answers: parts of messages, arguments as text, PowerShell, homes, games, money. */
export const thirdBatch: readonly Kind[] = [
  fires(
    "answers in parts that stay the same",
    times(4, () => call("mcp__filesystem__list_directory", { path: "/data" }, parts("[FILE] a.csv\n[FILE] b.csv"))),
    times(5, () => call("mcp__linear__get_issue", { id: "ENG-14" }, content('{"id":"ENG-14","title":"Crash"}'))),
    times(5, (n) => call("fetch__fetch", { url: "https://x.test/", max_length: 5000 }, parts(`Contents of https://x.test/:\nnot yet published\n\nFetched ${clockOf(n)}`))),
    times(4, () => call("functions.get_file", '{"path":"a.md"}' as unknown as object, "# a")),
    times(5, (n) => call("notes.read", (n % 2 === 0 ? '{"id":1,"full":true}' : '{"full":true,"id":1}') as unknown as object, { text: "buy milk" })),
  ),
  fires(
    "answers in parts that fail",
    times(5, () => call("mcp__github__create_issue", { title: "x" }, { isError: true, content: [{ type: "text", text: "Bad credentials" }] })),
    times(6, (n) => call("mcp__notion__search", { query: wordOf(n) }, { isError: true, content: [{ type: "text", text: "API token is invalid." }] })),
    times(5, () => call("tool_call", { name: "deploy" }, { success: false, error: "environment is locked" })),
    times(6, (n) => call("rpc", { method: "eth_call", params: [n] }, { jsonrpc: "2.0", id: n, error: { code: -32_000, message: "execution reverted" } }, failed)),
    times(5, () => call("invoke", { fn: "etl" }, { statusCode: 500, body: "Internal Server Error" }, failed)),
  ),
  fires(
    "on Windows",
    times(4, () => ps("Get-ChildItem", "a.txt  b.txt")),
    times(5, () => ps("Restart-Service Spooler", "Restart-Service : Service 'Print Spooler' cannot be stopped", false)),
    times(4, () => [ps("Get-Content a.log", "fatal: x"), ps("Select-String fatal a.log", "a.log:1:fatal: x")]),
    times(5, (n) => ps("dotnet build", `  shop -> failed\nerror CS0103: The name 'x' does not exist\nTime Elapsed 00:00:0${String(n)}.12`, false)),
  ),
  fires(
    "a house that does not obey",
    times(6, () => call("set_light", { room: "kitchen", on: true }, { room: "kitchen", on: false })),
    times(6, () => [call("set_thermostat", { target: 21 }, "ok"), call("read_thermostat", {}, "target 18")]),
    times(7, (n) => call("open_blinds", { percent: 10 + n * 5 }, "blinds: 0 % (motor blocked)")),
    times(5, () => [call("lock_door", { door: "front" }, "command sent"), call("door_state", { door: "front" }, "unlocked")]),
  ),
  fires(
    "a game that is stuck",
    times(14, (n) => call("move", { dir: ["n", "e", "s", "w"][n % 4] ?? "" }, "There is a wall.")),
    times(6, () => [call("move", { dir: "east" }, "Hall"), call("move", { dir: "west" }, "Kitchen")]),
    times(6, () => call("take", { item: "lamp" }, "You already have the lamp.")),
    times(8, (n) => call("guess", { word: wordOf(n) }, "Not in word list")),
  ),
  fires(
    "money that does not move",
    times(5, () => call("transfer_funds", { from: "A", to: "B", amount: 10 }, "insufficient funds", failed)),
    times(6, (n) => call("place_order", { symbol: "ACME", qty: 10 - n }, "market is closed", failed)),
    times(6, (n) => call("create_invoice", { customer: "c1", amount: 100 }, { id: `in_${idOf(n).replaceAll("-", "").slice(0, 14)}`, status: "draft" })),
    times(5, () => [call("get_quote", { pair: "EURUSD" }, "1.08"), call("submit_trade", { pair: "EURUSD", price: 1.07 }, "rejected: price off market")]),
  ),
  fires(
    "research that goes nowhere",
    times(7, (n) => call("arxiv_search", { query: `${wordOf(n)} transformers ${wordOf(n + 2)}`, max_results: 5 }, { total: 0, papers: [] })),
    times(5, () => [call("wikipedia", { title: "Berlin" }, "Berlin is the capital of Germany."), call("summarize_text", { text: "Berlin is the capital of Germany." }, "Berlin: capital.")]),
    times(6, (n) => call("case_law_search", { terms: ["liability", "roof", wordOf(n)] }, "Your search returned 0 results.")),
    times(5, (n) => [text(`Let me double-check source ${wordOf(n)}.`), call("open_url", { url: "https://gov.test/report" }, "403 Forbidden")]),
  ),
  fires(
    "coding in other tongues",
    times(5, (n) => [call("edit_file", { path: "App.php", old: wordOf(n), new: wordOf(n + 1) }, "ok"), call("exec", { command: "vendor/bin/phpunit" }, "There was 1 failure:\n\n1) CartTest::testTotal\nFailed asserting that 3 matches expected 4.\n\nTests: 8, Assertions: 12, Failures: 1.", { ok: false, exit_code: 1 })]),
    times(5, (n) => [call("edit_file", { path: "a.ex", old: wordOf(n), new: wordOf(n + 1) }, "ok"), call("exec", { command: "mix test" }, "  1) test adds (CalcTest)\n     test/calc_test.exs:5\n\n3 tests, 1 failure", { ok: false, exit_code: 2 })]),
    times(5, (n) => [call("edit_file", { path: "A.java", old: wordOf(n), new: wordOf(n + 1) }, "ok"), call("exec", { command: "./gradlew test" }, "CalcTest > adds() FAILED\n\n4 tests completed, 1 failed", { ok: false, exit_code: 1 })]),
    times(5, () => call("exec_command", { cmd: "terraform apply -auto-approve" }, "Error: creating S3 Bucket: BucketAlreadyExists", { ok: false, exit_code: 1 })),
    times(4, () => [call("read", { filePath: "main.tf" }, "resource x"), call("edit", { filePath: "main.tf", oldString: "foo", newString: "bar" }, "oldString not found in content", failed)]),
  ),
  fires(
    "talk that goes round",
    ["I think we should refactor the parser first.", "On reflection, the lexer should be refactored first.", "Actually, refactoring the parser first is better.", "Hmm, no: the lexer must be refactored first.", "Then again, the parser should be refactored first."].flatMap((words) => [turn, text(words)]),
    times(4, () => [turn, text("Please provide the file so that I can continue.")]),
    [text("So the answer would be 42, but wait, let me recompute. 6 times 7 is 42. ".repeat(14))],
    times(4, () => [text("Shall I go on with the deployment?"), user("Yes, go on.")]),
    [text("<tool_call>{}</tool_call>".repeat(40))],
  ),
  fires(
    "agents that hand one task to each other",
    times(5, () => [call("transfer_to_sales", {}, "Transferred to sales."), call("transfer_to_support", {}, "Transferred to support.")]),
    times(4, () => [call("ask_agent", { name: "critic", message: "review" }, "Needs more detail."), call("ask_agent", { name: "writer", message: "add detail" }, "Here is the text again.")]),
    times(5, (n) => call("delegate_task", { to: "worker", task: "parse the invoice" }, { task_id: idOf(n), result: "could not parse" })),
    times(6, () => call("get_subagent_result", { id: "s1" }, "still working")),
  ),
  staysSilent(
    "answers in parts that differ",
    times(10, (n) => call("mcp__filesystem__read_file", { path: `/d/${wordOf(n)}.csv` }, parts(`${wordOf(n)},1`))),
    times(9, (n) => call("mcp__browser__snapshot", {}, content(`step ${String(n)}: ${wordOf(n)}`))),
    times(12, (n) => call("mcp__memory__create_entities", { entities: [{ name: wordOf(n) }] }, parts("ok"))),
    times(8, (n) => call("functions.write", `{"path":"${wordOf(n)}.md","text":"x"}` as unknown as object, parts("File written"))),
    times(9, (n) => call("mcp__slack__post_message", { channel: wordOf(n), text: "Release is out" }, { ok: true, ts: `17${String(n)}0000000.1` })),
  ),
  staysSilent(
    "on Windows, healthy",
    times(10, (n) => ps(`Copy-Item src\\${wordOf(n)}.cs dst\\`, "")),
    times(8, (n) => ps(`Get-Content ${wordOf(n)}.config`, `<add key="${wordOf(n)}"/>`)),
    [ps("dotnet test", "Failed: 1, Passed: 8", false), call("edit", { path: "a.cs", old: "1", new: "2" }, "ok"), ps("dotnet test", "Failed: 0, Passed: 9")],
    times(6, (n) => ps("Get-Process app | Select CPU", String(10 + n * 3))),
  ),
  staysSilent(
    "a house that obeys",
    times(9, (n) => call("set_light", { room: wordOf(n), on: false }, { ok: true })),
    times(6, (n) => [call("set_thermostat", { target: 18 + n }, "ok"), call("read_thermostat", {}, `target ${String(18 + n)}`)]),
    times(8, (n) => call("read_meter", {}, { kwh: 100 + n * 2 })),
    times(5, (n) => [call("play_song", { title: wordOf(n) }, "playing"), call("set_volume", { level: 20 + n }, "ok")]),
    times(7, (n) => call("water_plant", { plant: wordOf(n), ml: 200 }, "watered")),
  ),
  staysSilent(
    "a game that goes on",
    times(14, (n) => call("move", { dir: ["n", "e", "n", "e"][n % 4] ?? "" }, `You are in the ${wordOf(n)} room. Exits: ${wordOf(n + 1)}.`)),
    times(10, (n) => call("play_card", { card: wordOf(n) }, `score ${String(n * 3)} : ${String(n * 2)}`)),
    times(9, (n) => call("attack", {}, `You hit the troll. Troll: ${String(90 - n * 10)} hp.`)),
    times(6, (n) => call("guess", { word: wordOf(n) }, `${["_", "a", "_", "b", "c", "d"][n] ?? ""}${"_".repeat(n)}`)),
    times(12, (n) => call("step", { action: n % 3 }, { obs: [n, n * 2], reward: 0, done: false })),
  ),
  staysSilent(
    "money that moves",
    times(10, (n) => call("pay_invoice", { id: `inv_${String(n)}` }, { status: "paid" })),
    times(8, (n) => call("get_quote", { symbol: wordOf(n) }, `${String(10 + n)}.${String(n)}0`)),
    times(9, (n) => call("get_price", { symbol: "ACME" }, String(100 + ((n * 37) % 11)))),
    times(6, (n) => [call("categorize", { tx: n, category: "food" }, "saved"), call("remaining", {}, `${String(30 - n)} uncategorised`)]),
  ),
  staysSilent(
    "research that gets somewhere",
    times(8, (n) => [call("arxiv_search", { query: wordOf(n) }, { total: n + 1, papers: [wordOf(n)] }), call("arxiv_read", { id: wordOf(n) }, `We study ${wordOf(n)}.`)]),
    [call("case_law_search", { terms: ["a"] }, "0 results"), call("case_law_search", { terms: ["b"] }, "0 results"), call("case_law_search", { terms: ["c"] }, "3 results"), call("read_case", { id: 1 }, "Held."), call("read_case", { id: 2 }, "Reversed.")],
    times(10, (n) => call("cite", { key: wordOf(n) }, `[${String(n + 1)}]`)),
    times(6, (n) => [text(`Section ${wordOf(n)}.`), call("append_section", { title: wordOf(n), body: wordOf(n * 3) }, { words: 200 * (n + 1) })]),
  ),
  staysSilent(
    "coding in other tongues, healthy",
    times(5, (n) => [call("edit_file", { path: "App.php", old: wordOf(n), new: wordOf(n + 1) }, "ok"), call("exec", { command: "vendor/bin/phpunit" }, `Tests: 8, Assertions: 12, Failures: ${String(5 - n)}.`, { ok: false, exit_code: 1 })]),
    times(6, (n) => [call("edit_file", { path: `lib/${wordOf(n)}.ex`, old: "a", new: "b" }, "ok"), call("exec", { command: "mix format --check-formatted" }, "")]),
    times(6, (n) => [call("write", { filePath: `Test${wordOf(n)}.java`, content: wordOf(n) }, "ok"), call("exec", { command: "./gradlew test" }, "BUILD SUCCESSFUL in 3s")]),
    times(8, (n) => call("exec_command", { cmd: `helm upgrade ${wordOf(n)} ./chart` }, `Release "${wordOf(n)}" has been upgraded. Happy Helming!`)),
    times(5, (n) => [call("exec_command", { cmd: "terraform plan" }, `Plan: ${String(5 - n)} to add, 0 to change, 0 to destroy.`), call("exec_command", { cmd: `terraform apply -target=${wordOf(n)}` }, "Apply complete!")]),
  ),
  staysSilent(
    "talk that gets somewhere",
    [turn, text("I will fix the parser."), call("edit", { path: "p.ts", old: "a", new: "b" }, "ok"), turn, text("I will run the tests."), call("bash", { command: "npm test" }, "3 passed"), turn, text("All done: the parser handles comments now.")],
    [user("brainstorm names"), text("Atlas, Beacon, Comet."), user("more"), text("Delta, Ember, Flint."), user("more"), text("Grove, Haven, Iris."), user("more"), text("Jade, Kite, Lark.")],
    [text("Which colour?"), user("red"), call("set_color", { value: "red" }, "ok"), text("Which font?"), user("serif"), call("set_font", { value: "serif" }, "ok"), text("Which size?"), user("12"), call("set_size", { value: 12 }, "ok")],
    [user("tell me a joke"), text("Why did the chicken cross the road?"), user("why?"), text("To get to the other side."), user("another"), text("Knock, knock."), user("who is there?"), text("Boo."), user("boo who?"), text("Don't cry.")],
  ),
  staysSilent(
    "agents that share work",
    times(6, (n) => [call("transfer_to_specialist", { topic: wordOf(n) }, `Transferred to ${wordOf(n)}.`), call("answer", { text: wordOf(n + 3) }, "sent")]),
    times(8, (n) => call("delegate_task", { to: `worker-${String(n)}`, task: wordOf(n) }, "accepted")),
    times(5, (n) => call("get_subagent_result", { id: `s${String(n)}` }, `result ${wordOf(n)}`)),
    times(4, (n) => [call("write_draft", { version: n }, `draft ${wordOf(n)}`), call("ask_agent", { name: "critic", message: `review version ${String(n)}` }, `Fix the ${wordOf(n + 2)} part.`)]),
  ),
];
