import { bash, call, edit, read, text, times, turn, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;
const red = { ok: false, exit_code: 1 } as const;

/** A sixth round, after the fifth was right. */
export const sixthBatch: readonly Kind[] = [
  fires(
    "loops of calls, sixth batch",
    times(5, () => call("get_playlist", { id: 3 }, { name: "Mix", tracks: ["a", "b"] })),
    times(4, () => call("mcp__jira__getIssue", { key: "WEB-9" }, [{ type: "text", text: "WEB-9 Open" }])),
    times(6, (n) => call("camera_snapshot", {}, { objects: ["door"], taken_at: `2026-10-01T${clockOf(n)}Z` })),
    times(4, () => [call("get_slot", { day: 1 }, "10:00"), call("reserve_slot", { day: 1, at: "10:00" }, "slot no longer available", failed)]),
    times(5, (n) => [read("schema.prisma"), call("search_docs", { query: `prisma ${wordOf(n)}` }, `about ${wordOf(n)}`)]),
    times(4, () => [bash("helm status web", "STATUS: pending-upgrade"), bash("helm rollback web", "Error: another operation is in progress", red), bash("helm history web", "3 pending-upgrade")]),
  ),
  fires(
    "loops of failures, sixth batch",
    times(4, () => call("checkout", { cart: 1 }, { error: "card_declined" }, failed)),
    times(6, (n) => call("translate_text", { text: wordOf(n), to: "fr" }, "429: quota exceeded for quota metric", failed)),
    times(5, () => bash("cmake --build build", "ninja: error: loading 'build.ninja': No such file or directory", red)),
    times(7, (n) => call(["drive_list", "drive_get", "drive_copy"][n % 3] ?? "", { file: wordOf(n) }, "The caller does not have permission", failed)),
    times(6, (n) => call("apply_patch", { patch: `@@ ${wordOf(n)}` }, "patch does not apply", failed)),
  ),
  fires(
    "loops without headway, sixth batch",
    times(7, (n) => call("search_products", { q: `red ${wordOf(n)} shoes` }, { results: [] })),
    times(9, () => call("get_export", { id: "x" }, { state: "IN_QUEUE", position: 4 })),
    times(5, (n) => [edit("t.ts", wordOf(n), wordOf(n + 1)), bash("npx jest", "  ● cart › adds tax\n\nTests:       1 failed, 8 passed, 9 total", red)]),
    times(6, (n) => call("edit_file", { path: "v.ts", old_string: n % 2 === 0 ? "GET" : "POST", new_string: n % 2 === 0 ? "POST" : "GET" }, "ok")),
    times(8, (n) => call("click_at", { x: 10 * n, y: 40 }, "window 'Update available' covers the screen; nothing else reacts")),
    times(7, (n) => call("turn_key", { position: n }, "The door does not open.")),
  ),
  fires(
    "loops of words, sixth batch",
    times(3, () => text("Done! Let me know what you think.")),
    [text("I will retry the request with a longer timeout and see whether the server answers. ".repeat(11))],
    times(4, (n) => [turn, text(`Let me analyse the ${wordOf(n)} part in detail.`)]),
    ["Which city are you in?", "What city do you live in?", "Please tell me your city?"].flatMap((question) => [text(question), user("Porto")]),
  ),
  staysSilent(
    "items, sixth batch",
    times(12, (n) => call("get_attendance", { student: wordOf(n) }, "present")),
    times(10, (n) => call("detect_language", { text: wordOf(n) }, { language: "en", confidence: 0.9 })),
    times(11, (n) => call("ping_host", { host: wordOf(n) }, "0% packet loss")),
    times(10, (n) => call("move_file", { from: `a/${wordOf(n)}`, to: `b/${wordOf(n)}` }, { moved: true })),
    times(9, (n) => call("verify_email", { address: `${wordOf(n)}@x.test` }, { valid: true, disposable: false })),
    times(12, (n) => call("throttle_key", { key: wordOf(n) }, "ok")),
    times(10, (n) => call("run_query", { sql: `INSERT INTO t VALUES (${String(n)})` }, "Query OK, 1 row affected")),
    times(9, (n) => call("get_salary_band", { employee: n }, "B2")),
    times(10, (n) => call("render_page", { page: n }, `rendered page ${String(n)}`)),
    times(8, (n) => call("git_blame", { file: "a.c", line: n * 10 }, `${idOf(n).slice(0, 8)} (Kim 2026-01-0${String((n % 9) + 1)})`)),
  ),
  staysSilent(
    "progress, sixth batch",
    times(9, (n) => call("get_export", { id: "x" }, { state: "RUNNING", rows: n * 500 })),
    times(8, (n) => call("list_participants", { meeting: 1 }, Array.from({ length: n + 1 }, (_, k) => ({ name: wordOf(k) })))),
    times(7, (n) => call("get_params", { step: 1 }, { params: { w: n * 2 }, format: wordOf(n) })),
    times(6, (n) => [call("fill_field", { name: wordOf(n), value: "x" }, "filled"), call("get_form_errors", {}, Array.from({ length: 6 - n }, (_, k) => `missing ${wordOf(k + n + 1)}`))]),
    times(6, (n) => [edit("u.py", wordOf(n), wordOf(n + 1)), bash("python -m pytest -q", `FAILED tests/test_u.py::test_${wordOf(n)}\n1 failed, ${String(n + 4)} passed`, red)]),
    times(10, (n) => call("fast_forward", { seconds: 60 }, `scene ${wordOf(n)}`)),
  ),
  staysSilent(
    "ordinary, sixth batch",
    [bash("git fetch", "fatal: unable to access", red), bash("git fetch", "fatal: unable to access", red), bash("git remote -v", "origin git@x"), bash("git fetch", "")],
    times(6, (n) => [call("Write", { file_path: `/m/${wordOf(n)}.sql`, content: wordOf(n) }, "ok"), call("Bash", { command: "npx prisma validate" }, "The schema is valid")]),
    [user("book a table"), text("For how many?"), user("four"), text("At what time?"), user("8"), call("book_table", { people: 4, at: 8 }, "confirmed"), text("Booked for four at eight.")],
    [text(Array.from({ length: 22 }, (_, n) => `* ${wordOf(n)}: replaced by the new ${wordOf(n + 3)} module in version 4\n`).join(""))],
    times(6, (n) => [call("search_docs", { query: wordOf(n) }, `see ${wordOf(n)}.md`), read(`${wordOf(n)}.md`)]),
    [...times(3, () => call("get_status", { id: 1 }, "warming up")), call("get_status", { id: 1 }, "ready"), call("use", { id: 1 }, "ok")],
    times(5, (n) => [edit("a.ts", `v${String(n)}`, `v${String(n + 1)}`), bash("npm run build", "built"), bash("npm test", "20 passed")]),
  ),
];
