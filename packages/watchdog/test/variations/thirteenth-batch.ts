import { bash, call, edit, read, text, times, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const red = { ok: false } as const;

/** A last round over everything, written before it was tried. */
export const thirteenthBatch: readonly Kind[] = [
  fires(
    "loops of all kinds, thirteenth batch",
    times(4, () => call("lookup_symbol", { name: "parseDate" }, "src/date.ts:14")),
    times(3, (n) => call("mcp__jira__transition_issue", { key: "AB-1", to: "Done" }, `{"errorMessages":["Transition is not valid"],"ok":false,"trace":"${idOf(n)}"}`)),
    times(5, (n) => [call("hue_set", { lamp: 3, on: true }, "ok"), call("hue_get", { lamp: 3 }, `{"on":false,"reachable":false,"lastSeen":"${clockOf(n)}"}`)]),
    times(7, (n) => call("search_tickets", { text: `printer ${["jam", "stuck", "paper jam", "jammed", "blocked", "paper stuck", "jam tray"][n] ?? ""}` }, { tickets: [], total: 0 })),
    times(6, () => [bash("gh pr checks 12", "build  pending  0  https://ci.test/1")]),
    times(4, () => [read("a.md", "one"), read("b.md", "two"), read("c.md", "three")]),
    times(4, (n) => [call("write_file", { path: "style.css", content: n % 2 === 0 ? "a{}" : "b{}" }, "written"), call("screenshot", {}, `looks ${n % 2 === 0 ? "red" : "blue"}`)]),
    times(6, (n) => [edit("src/auth.go", `x${String(n)}`, `x${String(n + 1)}`), bash("go test ./auth", "--- FAIL: TestLogin (0.00s)\nFAIL\tapp/auth", { ok: false, exit_code: 1 })]),
    times(8, (n) => call("transfer_call", { to: `agent-${String(n)}` }, "Line busy. The caller is back in the queue.")),
    times(5, () => text("I will now draft the summary of the meeting.")).flatMap((event) => [event, { type: "turn" as const }]),
    times(4, () => bash("ls -la /mnt/share", "ls: cannot access '/mnt/share': Stale file handle", { ok: false, exit_code: 2 })),
    times(5, () => [call("get_page", { n: 3 }, "page 3: chapter two"), call("get_page", { n: 4 }, "page 4: chapter two, continued")]),
  ),
  staysSilent(
    "healthy runs of all kinds, thirteenth batch",
    times(9, (n) => call("lookup_symbol", { name: wordOf(n) }, "not a symbol of this project")),
    times(8, (n) => [call("hue_set", { lamp: n, on: true }, "ok"), call("hue_get", { lamp: n }, '{"on":true}')]),
    [call("search_tickets", { text: "printer" }, { tickets: [4, 9], total: 2 }), call("get_ticket", { id: 4 }, "paper jam"), call("get_ticket", { id: 9 }, "toner"), call("reply_ticket", { id: 4, text: "Open tray 2." }, "sent")],
    times(4, () => bash("gh pr checks 12", "build  pending  0  https://ci.test/1")),
    times(6, (n) => bash(`go test ./${wordOf(n)}`, `ok  \tapp/${wordOf(n)}\t0.01s`)),
    times(6, (n) => [edit("src/auth.go", `y${String(n)}`, `y${String(n + 1)}`), bash("go test ./auth", `--- FAIL: Test${wordOf(n)} (0.00s)\nFAIL\tapp/auth`, { ok: false, exit_code: 1 })]),
    times(12, (n) => call("label_image", { file: `${wordOf(n)}.jpg` }, { label: "cat", confidence: 0.97 })),
    times(14, (n) => call("check_link", { url: `https://docs.test/${wordOf(n)}` }, "200 OK")),
    times(7, (n) => [call("transfer_call", { to: `agent-${String(n)}` }, "connected"), call("end_call", {}, "call ended")]),
    times(10, (n) => call("mcp__jira__get_issue", { key: `AB-${String(n)}` }, `{"key":"AB-${String(n)}","status":"Done","assignee":null}`)),
    times(9, (n) => call("mcp__jira__transition_issue", { key: `AB-${String(n)}`, to: "Done" }, "")),
    times(8, (n) => call("unsubscribe", { list: wordOf(n) }, "You have been unsubscribed.")),
    times(5, (n) => [bash("cargo check", `warning: unused variable: \`${wordOf(n)}\`\n    Finished dev`), edit("src/lib.rs", wordOf(n), `_${wordOf(n)}`)]),
    times(6, (n) => [bash("python manage.py makemigrations", `Migrations for 'shop': 000${String(n)}_${wordOf(n)}.py`), bash("python manage.py migrate", "OK")]),
    [bash("ssh-keygen -t ed25519 -f k", "generated"), bash("ssh -i k host true", "Permission denied (publickey).", { ok: false, exit_code: 255 }), bash("ssh-copy-id -i k host", "1 key added"), bash("ssh -i k host true", "")],
    times(3, (n) => [user(`try again (${String(n)})`), bash("curl -s https://api.test", "503 Service Unavailable")]),
    times(8, (n) => call("compare_prices", { item: wordOf(n) }, { cheapest: "shop A", saved: "0 %" })),
    times(9, (n) => call("is_available", { name: `${wordOf(n)}-app` }, "false")),
    times(7, (n) => call("measure_distance", { from: "depot", to: wordOf(n) }, `${String(n * 3 + 2)} km`)),
    times(6, (n) => [call("pause_music", {}, "paused"), call("say", { text: `Next stop: ${wordOf(n)}` }, "spoken"), call("resume_music", {}, "resumed")]),
    times(11, (n) => call("spell_check", { file: `${wordOf(n)}.md` }, "No mistakes found")),
    times(4, (n) => [call("get_page", { n }, `page ${String(n)}: ${wordOf(n)}`), call("highlight", { page: n, text: wordOf(n) }, "highlighted")]),
    times(6, (n) => [text(`Now part ${String(n + 1)} of 6: ${wordOf(n)} and ${wordOf(n + 6)}.`), call("render_part", { part: n + 1 }, `part-${String(n + 1)}.wav`)]),
    [text("Good news: the tests pass now. I'll write the changelog."), edit("CHANGELOG.md", "## Next", "## 1.4"), text("I'll tag the release."), bash("git tag v1.4", "")],
    times(5, (n) => [call("unit_convert", { value: n, from: "mi", to: "km" }, String(n * 1.609)), call("unit_convert", { value: n, from: "lb", to: "kg" }, String(n * 0.4536))]),
    [...times(3, (n) => call("fetch_feed", { url: `https://f${String(n)}.test` }, "fetch failed: ECONNRESET", red)).flatMap((bad, n) => [bad, call("fetch_feed", { url: `https://f${String(n)}.test` }, `feed ${String(n)}`)])],
    times(10, (n) => bash(`convert ${wordOf(n)}.png -resize 50% small/${wordOf(n)}.png`, "")),
    times(6, (n) => [call("git_stash", {}, "Saved working directory"), bash(`git checkout ${wordOf(n)}`, `Switched to branch '${wordOf(n)}'`), bash("make bench", `${String(100 + n)} ops/s`), call("git_stash_pop", {}, "Dropped refs/stash@{0}")]),
  ),
];
