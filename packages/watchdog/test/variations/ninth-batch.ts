import { bash, call, read, text, times, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent } from "./kind.ts";

const names = ["Aster", "Birke", "Clematis", "Dahlie", "Efeu", "Farn", "Ginster", "Hasel", "Iris", "Jasmin", "Klee", "Lavendel", "Mohn", "Nelke", "Orchidee"];
const nameOf = (n: number): string => names[n % names.length] ?? "";
const page = (title: string, body: string): string => `URL: https://portal.test/${title}\nTitle: ${title}\n[1] heading "${title}"\n[2] ${body}\n[3] button "Continue"\n[4] link "Help"`;

/** Forty more of the kinds the eighth batch showed to be weak, written before they were tried. */
export const ninthBatch: readonly Kind[] = [
  fires(
    "failures that only the body tells and empty looks between others, ninth batch",
    times(4, (n) => call("crm.update_contact", { id: n, phone: `+43 ${String(n)}` }, '{"status":"error","message":"Field phone is read-only for integrations"}')),
    times(6, (n) => call("maps_route", { from: nameOf(n), to: nameOf(n + 3) }, { error: { code: "PERMISSION_DENIED", message: "The key is restricted to other services" } })),
    times(6, (n) => call("figma.get_node", { node: `1:${String(n)}` }, '{"type":"error","error":{"message":"Invalid token"}}')),
    times(5, (n) => call("run_query", { sql: `select * from ${nameOf(n)}` }, '{"rows":null,"error":"relation pool is exhausted"}')),
    times(5, (n) => [call("tickets_list", { status: "open", tag: "vip" }, { tickets: [], requestId: idOf(n) }), call("agents_search", { name: nameOf(n) }, { agents: [] })]),
    times(5, (n) => [call("inbox_fetch", { folder: "INBOX" }, `{"messages":[],"historyId":"${idOf(n).slice(0, 8)}"}`), call("drafts_find", { subject: nameOf(n) }, '{"drafts":[]}'), call("labels_list", { page: n }, '{"labels":[]}')]),
    times(6, (n) => [call("find_rooms", { floor: 3 }, '{"rooms":[]}'), call("bookings_query", { room: nameOf(n) }, '{"bookings":[]}')]),
  ),
  fires(
    "a page that stays and ages that are all that moves, ninth batch",
    times(9, (n) => bash("sleep 30 && kubectl get job import", `NAME     COMPLETIONS   DURATION   AGE\nimport   0/1           ${String(n + 2)}m${String(n * 5)}s   ${String(n + 2)}m${String(n * 5 + 1)}s`)),
    times(8, (n) => bash("docker ps --filter name=db", `CONTAINER ID   IMAGE      STATUS\n9f2c1a77be01   postgres   Restarting (1) ${String(n * 7 + 3)} seconds ago`)),
    times(7, (n) => call("vm_status", { vm: "build-2" }, `state=booting uptime=0h${String(n)}m${String(n * 8 + 1)}.4s`)),
    [["press_key", { key: "Enter" }], ["click", { target: "Continue" }], ["scroll", { dy: 400 }], ["click", { target: "Help" }], ["press_key", { key: "Escape" }], ["hover", { target: "Continue" }], ["press_key", { key: "Space" }], ["double_click", { target: "Continue" }]].map(([tool, input]) =>
      call(tool as string, input as object, page("consent", 'text "Please accept the terms to go on"')),
    ),
    times(8, (n) => call(n % 2 === 0 ? "android_tap" : "android_swipe", { x: n * 10, y: 400 }, 'Activity: com.bank.app/.Login\n- EditText "PIN"\n- TextView "Device is offline"\n- Button "Retry"')),
    times(9, (n) => call(["tui_send", "tui_key", "tui_paste"][n % 3] ?? "", { value: nameOf(n) }, "+----------------------------+\n|  Session locked             |\n|  Press the unlock key       |\n+----------------------------+")),
  ),
  fires(
    "one promise, punctuated anew, and work that is under way for ever, ninth batch",
    ["I'll get the invoice for you, just a second.", "I'll get the invoice for you - just a second!", "I'll get the invoice for you; just a second.", "I'll get the invoice for you… just a second."].map((words) => text(words)),
    [text("One moment, checking the stock."), text("One moment. Checking the stock."), text("One moment: checking the stock!"), text("one moment, checking the stock")],
    times(7, () => call("get_transcript", { recording: "rec-7" }, '{"state":"processing"}')),
    times(8, (n) => call("fetch_report", { id: 91 }, `Report is being generated. Not ready. (${clockOf(n)})`)),
    times(6, () => call("read_sensor", { id: "s4" }, "initializing")),
  ),
  staysSilent(
    "lists gone through and errors that are none, ninth batch",
    times(8, (n) => call("lookup_vat", { number: `ATU1234${String(n)}` }, n % 3 === 0 ? '{"valid":true}' : '{"error":"VAT number not found"}')),
    times(6, (n) => call("parse_log", { file: `${nameOf(n)}.log` }, { error: n, warning: 2 * n, lines: 1000 + n })),
    times(6, (n) => call("http_get", { url: `https://x.test/${nameOf(n)}` }, `{"error":"none","title":"${nameOf(n)}"}`)),
    [bash("cat unused.txt", names.join("\n")), ...names.map((name) => bash(`grep -rn "${name}" app/`, ""))],
    [call("list_suppliers", {}, names.join(", ")), ...names.map((name) => call("search_mail", { query: name }, "No messages found."))],
    [read("i18n/keys.txt", names.map((name) => `key.${name}`).join("\n")), ...names.slice(0, 10).map((name) => call("Grep", { pattern: `t\\("key.${name}"\\)`, path: "src" }, name === "Mohn" ? "src/a.ts:1" : "No matches found"))],
    [call("get_price", { isbn: "111" }, "12.90"), ...names.map((name) => call("get_price", { isbn: name }, "not available"))],
    [...times(3, (n) => call("dns_txt", { host: `${nameOf(n)}.test` }, n === 1 ? "v=spf1 -all" : "no TXT record")), ...times(14, (n) => call("dns_txt", { host: `${nameOf(n)}.example` }, "no TXT record"))],
  ),
  staysSilent(
    "what grows or gets ready while it is looked at, ninth batch",
    times(9, (n) => bash("stat -c %s backup.img", String(1_610_000_000 + n * 31_000_000))),
    times(9, (n) => bash("du -b video.mkv", `${String(1_650_123_000 + n * 22_345_678)}\tvideo.mkv`)),
    times(8, (n) => bash("wc -c < dump.sql", `${String(1_700_000_123 + n * 9_000_111)}\n`)),
    [...times(4, () => call("get_invoice_pdf", { id: 4 }, '{"status":"pending"}')), call("get_invoice_pdf", { id: 4 }, '{"status":"done","url":"https://x.test/4.pdf"}')],
    [...times(3, () => call("download_export", { export: "e1" }, "Export is still running, not ready")), call("download_export", { export: "e1" }, "312 rows")],
    [...times(4, () => call("fetch_scan", { id: 3 }, "queued")), call("fetch_scan", { id: 3 }, "clean")],
  ),
  staysSilent(
    "kind closings, and one after the other, ninth batch",
    times(5, (n) => [user(`What does ${nameOf(n)} cost?`), call("price_of", { plant: nameOf(n) }, `${String(n + 3)} EUR`), text(`${nameOf(n)} costs ${String(n + 3)} EUR. Is there anything else I can do for you?`)]),
    times(4, (n) => [user(`And in ${nameOf(n)}?`), call("weather_in", { place: nameOf(n) }, `${String(n)} degrees`), text(`It has ${String(n)} degrees there. Do you have any other questions?`)]),
    times(8, (n) => [call("bisect_step", { verdict: n % 2 === 0 ? "good" : "bad" }, `now at ${idOf(n).slice(0, 8)}`), bash("make check", n % 2 === 0 ? "ok" : "1 failed", { ok: n % 2 === 0 })]),
    times(7, (n) => [call("open_tab", { url: `https://news.test/${nameOf(n)}` }, `Tab opened: ${nameOf(n)}`), call("close_tab", {}, "Tab closed")]),
    times(8, (n) => [call("next_card", {}, `card ${idOf(n).slice(0, 8)}`), call("grade_card", { ease: 3 }, "graded")]),
    times(9, (n) => call("queue_pop", { queue: "jobs" }, { job: idOf(n) })),
    times(6, (n) => [call("open_document", { name: nameOf(n) }, `opened ${nameOf(n)}`), call("count_pages", {}, `${String(n + 4)} pages`), call("close_document", {}, "closed")]),
  ),
];
