import { bash, call, edit, read, text, times, user } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const red = { ok: false } as const;
const people = ["Anna", "Bela", "Carla", "Dario", "Edda", "Fritz", "Gerda", "Hugo", "Ines", "Jakob", "Klara", "Leo"];
const personOf = (n: number): string => people[n % people.length] ?? "";

/** Offices, laboratories, notebooks, robots; written before they were tried, after the eleventh was mended. */
export const twelfthBatch: readonly Kind[] = [
  fires(
    "loops in offices, laboratories and notebooks, twelfth batch",
    times(4, () => call("notebook_run", { cell: 4 }, "KeyError: 'price'", red)),
    times(5, (n) => call("notebook_run", { cell: 4, code: `df['${["price", "Price", "PRICE", "price ", "unit_price"][n] ?? ""}'].mean()` }, `KeyError: '${["price", "Price", "PRICE", "price ", "unit_price"][n] ?? ""}'`, red)),
    times(6, () => call("calendar_free_busy", { who: "Anna", day: "Monday" }, { busy: [["09:00", "17:00"]] })),
    times(4, () => [call("propose_slot", { day: "Monday", at: "10:00" }, "Declined by Anna: busy"), call("calendar_free_busy", { who: "Anna" }, { busy: "all day" })]),
    times(6, (n) => call("robot_grip", { force: 10 + n }, "Gripper fault E12: no object detected")),
    times(7, (n) => call("chess_move", { move: ["e2e5", "e2e6", "d2d5", "g1h5", "a1a5", "b1b5", "c1h5"][n] ?? "" }, "Illegal move.")),
    times(4, () => call("generate_image", { prompt: "a red barn", seed: 7 }, { url: "https://img.test/7.png" })),
    times(5, (n) => call("generate_invoice", { customer: 12, month: "2026-04" }, { invoice: `INV-${String(1000 + n)}`, pdf: `${idOf(n)}.pdf` })),
    times(6, (n) => [call("git_cherry_pick", { commit: "ab12cd3" }, "CONFLICT (content): Merge conflict in app.ts", red), call("git_cherry_pick_abort", {}, `aborted (${clockOf(n)})`)]),
    times(9, () => call("approval_state", { request: 5 }, "waiting for Gerda")),
    times(4, () => text("Before I continue, I want to make sure I understand the requirements correctly.")),
    times(3, () => [text("Shall I overwrite the old spreadsheet?"), user("Yes, overwrite it."), text("To be sure: may the old spreadsheet be overwritten?"), user("Yes!")]),
    times(8, (n) => call("ocr_page", { file: "scan.tif", dpi: 150 + n * 50 }, "No text recognised on this page.")),
    times(10, (n) => bash(["npm ci", "yarn install", "pnpm i"][n % 3] ?? "", "ENOSPC: no space left on device, write", { ok: false, exit_code: 228 })),
    times(5, (n) => [edit("Dockerfile", `RUN a${String(n)}`, `RUN a${String(n + 1)}`), bash("docker build .", "ERROR: failed to solve: python:3.99: not found", { ok: false, exit_code: 1 })]),
  ),
  staysSilent(
    "offices and mail, twelfth batch",
    people.map((who) => call("send_invite", { to: who, event: 7 }, { status: "sent", id: idOf(who.length) })),
    people.map((who) => call("calendar_free_busy", { who, day: "Monday" }, { busy: [] })),
    people.map((who) => call("get_birthday", { name: who }, "not set")).slice(0, 9),
    times(9, (n) => [call("open_mail", { id: n }, `From ${personOf(n)}: ${wordOf(n)}`), call("archive_mail", { id: n }, "archived")]),
    times(5, (n) => [call("propose_slot", { day: "Monday", at: `${String(9 + n)}:00` }, n === 4 ? "Accepted" : `Declined by ${personOf(n)}`)]),
    times(8, (n) => call("list_files", { cursor: n === 0 ? null : `c${String(n)}` }, { files: [wordOf(n), wordOf(n + 8)], next: `c${String(n + 1)}` })),
    times(10, (n) => call("upload_chunk", { upload: "u1", chunk: n }, { received: true })),
    times(6, (n) => [call("translate", { text: wordOf(n), to: "fr" }, `${wordOf(n)}e`), call("review_translation", { text: `${wordOf(n)}e` }, "looks good")]),
    times(6, (n) => [user(`no, ${wordOf(n)} is wrong, make it shorter`), call("update_slide", { slide: 3, text: wordOf(n + 1).slice(0, 5 - (n % 3)) }, "Slide 3 updated")]),
    times(7, (n) => call("add_comment", { file: `src/${wordOf(n)}.ts`, line: n * 3, body: "Please add a test for this." }, `comment ${String(880 + n)} added`)),
    times(11, (n) => call("remember", { fact: `${personOf(n)} likes ${wordOf(n)}` }, "Noted.")),
    times(8, (n) => call("exchange_rate", { from: ["USD", "CHF", "GBP", "SEK", "NOK", "DKK", "PLN", "CZK"][n] ?? "", to: "EUR" }, "rate unavailable on weekends")).slice(0, 5),
  ),
  staysSilent(
    "notebooks, models and data, twelfth batch",
    times(8, (n) => call("notebook_run", { cell: n, code: `df.${wordOf(n)}` }, "")),
    times(7, (n) => call("sql", { query: `SELECT count(*) FROM ${wordOf(n)}` }, " count \n-------\n     0\n(1 row)")).slice(0, 5),
    times(7, (n) => call("sql", { query: `ALTER TABLE ${wordOf(n)} ADD COLUMN note text` }, "ALTER TABLE")),
    times(6, (n) => [call("train", { lr: 0.1 / (n + 1) }, `accuracy 0.${String(71 + n)}`), call("evaluate_model", { split: "test" }, `f1 0.${String(65 + n)}`)]),
    times(5, (n) => call("generate_image", { prompt: "a red barn", seed: n }, { url: `https://img.test/${String(n)}.png` })),
    times(6, (n) => [call("sample_prior", { n: 100 }, `mean ${String(n / 10)}`), call("plot", {}, "figure shown")]),
    times(12, (n) => bash(`gzip -t part-${String(n)}.gz && echo ok`, "ok")),
    times(5, (n) => [bash("dvc repro", `Stage '${wordOf(n)}' ran`), bash("dvc push", "1 file pushed"), bash("git commit -am x", `[main ${idOf(n).slice(0, 7)}] x`)]),
    times(9, (n) => call("describe_column", { column: wordOf(n) }, { type: "float64", nulls: 0 })),
  ),
  staysSilent(
    "machines and services, twelfth batch",
    times(10, (n) => call("robot_move", { x: n * 5, y: 0 }, `at ${String(n * 5)},0`)),
    times(8, (n) => [call("robot_pick", { bin: n }, "picked"), call("robot_place", { slot: n }, "placed"), call("robot_home", {}, "home")]),
    times(6, (n) => [call("chess_move", { move: `m${String(n)}` }, `black answers ${wordOf(n)}`), call("show_board", {}, `board after ${String(n * 2 + 2)} plies: ${wordOf(n + 5)}`)]),
    [bash("npx playwright test", "1 flaky\n31 passed", {}), bash("npx playwright test", "32 passed"), bash("npx playwright test", "32 passed")],
    times(5, (n) => [bash(`git cherry-pick ${idOf(n).slice(0, 7)}`, "CONFLICT (content): Merge conflict in app.ts", { ok: false, exit_code: 1 }), read("app.ts", `<<<<<<< ${wordOf(n)}`), edit("app.ts", `<<<<<<< ${wordOf(n)}`, wordOf(n)), bash("git cherry-pick --continue", `[main ${idOf(n + 3).slice(0, 7)}] picked`)]),
    times(6, (n) => [edit("Dockerfile", `RUN b${String(n)}`, `RUN b${String(n + 1)}`), bash("docker build .", `ERROR: step ${String(n + 3)} failed: ${wordOf(n)} missing`, { ok: false, exit_code: 1 })]),
    times(6, (n) => [call("scale_deployment", { replicas: n + 1 }, "deployment.apps/web scaled"), call("load_test", { rps: 100 * (n + 1) }, `p99 ${String(80 - n)} ms`)]),
    times(4, () => call("approval_state", { request: 5 }, "waiting for Gerda")),
    [...times(3, (n) => bash("ssh host1 uptime", `${clockOf(n)} up ${String(n + 3)} min, load 0.${String(n)}1`)), bash("ssh host1 reboot", ""), bash("sleep 60"), bash("ssh host1 uptime", "up 0 min")],
    times(10, (n) => bash(`ping -c1 10.0.0.${String(n + 1)}`, "1 packets transmitted, 0 received, 100% packet loss", { ok: false, exit_code: 1 })).slice(0, 2),
    times(8, (n) => call("zone_temperature", { zone: n }, "21.5 °C")),
    times(7, (n) => [call("press_button", { name: "next" }, `slide ${String(n + 2)} of 9`)]),
    [text("I'll check the logs first."), bash("journalctl -u app -n 20", "started"), text("Nothing there. I'll check the database next."), bash("psql -c 'select 1'", "1"), text("I'll look at the proxy then."), bash("nginx -t", "syntax is ok")],
  ),
];
