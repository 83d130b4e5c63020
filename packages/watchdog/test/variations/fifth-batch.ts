import { bash, call, edit, read, text, times, turn, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;
const red = { ok: false, exit_code: 1 } as const;

/** A fifth round, after the fourth was right. */
export const fifthBatch: readonly Kind[] = [
  fires(
    "the same call, fifth batch",
    times(5, () => call("get_cart", { user: "u1" }, { items: [], total: 0 })),
    times(4, () => call("Glob", { pattern: "src/**/*.vue" }, "No files found")),
    times(5, (n) => call("trello_get_card", { card: "c9" }, { name: "Fix", dateLastActivity: `2026-08-0${String(n + 1)}T10:00:00Z` })),
    times(5, () => call("whoami", {}, "agent-7")),
    times(6, (n) => [text(`Checking ${wordOf(n)}...`), call("read_register", { address: "0x10" }, "0x00")]),
    times(5, () => bash("cat /proc/loadavg | cut -d' ' -f9", "")),
  ),
  fires(
    "the same failure, fifth batch",
    times(4, () => bash("mvn -q package", "[ERROR] Failed to execute goal: Could not resolve dependencies for acme:shop", red)),
    times(5, (n) => call("calendar.events.insert", { summary: wordOf(n) }, "Request had insufficient authentication scopes.", failed)),
    times(5, () => call("connect_wifi", { ssid: "home" }, "authentication failed", failed)),
    times(6, (n) => call("query_metrics", { expr: `rate(${wordOf(n)}[5m])` }, "parse error: unexpected character", failed)),
    times(5, () => call("spawn_process", { command: "server" }, { exitCode: 1, stderr: "address already in use" })),
  ),
  fires(
    "circles, fifth batch",
    times(4, () => [call("get_inventory", {}, "lamp"), call("look_around", {}, "a dark room"), call("use", { item: "lamp" }, "Nothing happens.")]),
    times(5, () => [call("read_mail", { id: 1 }, "Please fill in form B."), call("open_form", { name: "B" }, "See mail 1.")]),
    times(4, () => [bash("npm run build", "Cannot find module './x'", red), bash("ls src", "y.ts"), bash("cat src/y.ts", "import './x'")]),
    times(5, (n) => [call("think", { thought: `maybe ${wordOf(n)}` }, ""), call("read_spec", {}, "v1"), call("read_code", {}, "v1")]),
  ),
  fires(
    "dead ends, fifth batch",
    times(13, (n) => call("find_flight", { from: "BER", to: wordOf(n).toUpperCase(), date: "2026-09-01" }, "No flights found.")),
    times(8, (n) => call("press", { key: wordOf(n) }, "Login\n[ user ] [ password ]\nSession expired, sign in again")),
    times(7, (n) => call("knowledge_base", { question: `What about ${wordOf(n)}?` }, "I could not find an answer in the knowledge base.")),
    times(8, (n) => bash(`grep -rn ${wordOf(n)} src | wc -l`, "0\n")),
    times(13, (n) => call("resolve_name", { name: wordOf(n) }, { status: "NXDOMAIN", error: "no such host" })),
  ),
  fires(
    "no headway, fifth batch",
    times(5, (n) => [edit("k.ts", wordOf(n), wordOf(n + 1)), bash("npx vitest run k", " FAIL  k.test.ts > rounds half up\nAssertionError: expected 2 to be 3\n Tests  1 failed | 4 passed (5)", red)]),
    times(5, () => [edit("z.ts", "let", "const"), edit("z.ts", "const", "let")]),
    times(10, () => call("job_state", { id: 4 }, "PENDING")),
    [edit("a.ts", "x", "y"), bash("npm test", "Tests: 4 passed, 4 total"), ...times(11, (n) => read(`docs/${wordOf(n)}.md`))],
    times(8, (n) => call("update_todo_list", { todos: [{ text: `look at ${wordOf(n)}`, status: "pending" }] }, "updated")),
  ),
  fires(
    "words, fifth batch",
    times(3, () => text("I need access to the production database to go on.")),
    times(4, (n) => [turn, text(`I'll now check ${wordOf(n)} and report back.`)]),
    [text("We need to be careful here. We need to be careful here because the lock is shared. ".repeat(12))],
    times(3, (n) => [call("ask_user", { question: ["Which database should I use?", "What database do you want me to use?", "Should I use a certain database, and which?"][n] ?? "" }, "postgres"), user("postgres")]),
    [text("0x00 0x00 0x00 0x00 ".repeat(60))],
  ),
  staysSilent(
    "items, fifth batch",
    times(12, (n) => call("get_role", { user: wordOf(n) }, "member")),
    times(10, (n) => call("is_prime", { n: 100 + n * 2 }, false)),
    times(12, (n) => call("classify", { text: wordOf(n) }, "neutral")),
    times(9, (n) => call("lookup_timezone", { city: wordOf(n) }, n % 2 === 0 ? "Europe/Berlin" : "Europe/Paris")),
    times(14, (n) => call("audit_account", { id: n }, "nothing suspicious")),
    times(10, (n) => call("approve", { request: 80 + n }, "approved")),
    times(10, (n) => call("get_stock", { sku: wordOf(n) }, { available: true })),
    times(12, (n) => call("Bash", { command: `curl -s -o /dev/null -w '%{http_code}' https://x.test/${wordOf(n)}` }, "200")),
    times(8, (n) => call("read_file", { path: `pkg/${wordOf(n)}/LICENSE` }, "MIT License\nCopyright (c) 2026 Acme\nPermission is hereby granted")),
    times(9, (n) => call("publish_post", { title: wordOf(n) }, { url: `https://b.test/${wordOf(n)}`, status: "live" })),
  ),
  staysSilent(
    "moving, fifth batch",
    times(9, (n) => call("poll_events", { since: n * 10 }, [{ event: wordOf(n) }])),
    times(8, (n) => call("get_cart", { user: "u1" }, { items: Array.from({ length: n + 1 }, (_, k) => wordOf(k)) })),
    times(10, (n) => call("continue", {}, `Breakpoint ${String(n % 3)}, ${wordOf(n)} () at main.c:${String(40 + n)}`)),
    times(7, (n) => bash("du -sh out", `${String(n * 120 + 80)}M out`)),
    times(6, (n) => [bash("sleep 20"), bash("tail -n1 nohup.out", `[${clockOf(n)}] chunk ${String(n)} written`)]),
  ),
  staysSilent(
    "work, fifth batch",
    times(6, (n) => [call("create_component", { name: wordOf(n) }, "created"), bash("npm run build", "built in 2.1s")]),
    times(6, (n) => [edit(`w${String(n)}.py`, "a", "b"), bash("ruff check .", "All checks passed!")]),
    times(5, (n) => [call("cart_add", { sku: wordOf(n) }, "ok"), call("get_shipping_methods", {}, "DHL, UPS")]),
    times(7, (n) => [call("draw_rect", { x: n * 10, y: 5 }, "ok"), call("draw_text", { x: n * 10, text: wordOf(n) }, "ok")]),
    times(5, (n) => [edit("r.ts", wordOf(n), wordOf(n + 1)), bash("npm test", `${String(5 - n)} failing\n${String(n + 7)} passing`, red)]),
    times(6, (n) => [bash(`git checkout -b fix-${wordOf(n)}`, ""), edit(`f/${wordOf(n)}.ts`, "1", "2"), bash("git commit -qam fix", ""), bash("git checkout main", "")]),
  ),
  staysSilent(
    "tries, fifth batch",
    [call("dial", { n: 1 }, "busy", failed), call("wait", { seconds: 30 }, "ok"), call("dial", { n: 1 }, "busy", failed), call("wait", { seconds: 60 }, "ok"), call("dial", { n: 1 }, "connected")],
    [bash("psql -c 'select 1'", "connection refused", red), bash("docker start db", "db"), bash("psql -c 'select 1'", "connection refused", red), bash("sleep 3"), bash("psql -c 'select 1'", "1")],
    [call("find_flight", { to: "ROM" }, "No flights found."), call("find_flight", { to: "FCO" }, "No flights found."), call("find_flight", { to: "CIA" }, "AZ 420"), call("book_flight", { no: "AZ 420" }, "booked")],
    [read("a.ts"), edit("a.ts", "x", "y"), bash("npm test", "fails", red), edit("a.ts", "y", "x"), read("b.ts"), edit("b.ts", "x", "y"), bash("npm test", "ok")],
    [call("solve", { seed: 1 }, "infeasible"), call("solve", { seed: 2 }, "infeasible"), call("relax", { constraint: "c1" }, "ok"), call("solve", { seed: 1 }, "feasible: 42")],
  ),
  staysSilent(
    "texts, fifth batch",
    [text(Array.from({ length: 18 }, (_, n) => `Q${String(n)}: What is ${wordOf(n)}?\nA${String(n)}: It is a kind of ${wordOf(n + 7)}.\n`).join(""))],
    [text(Array.from({ length: 30 }, (_, n) => `import { ${wordOf(n)} } from "@acme/components/${wordOf(n)}";`).join("\n"))],
    [user("count to ten"), text("One, two, three, four, five, six, seven, eight, nine, ten."), user("again"), text("One, two, three, four, five, six, seven, eight, nine, ten.")],
    [turn, text("The plan is ready: first the schema, then the API."), call("write_plan", { text: idOf(2) }, "ok"), turn, text("The schema is done."), call("edit", { path: "s.sql", old: "a", new: "b" }, "ok"), turn, text("The API is done.")],
    times(5, (n) => [user(`next word: ${wordOf(n)}`), text("Noted.")]),
  ),
];
