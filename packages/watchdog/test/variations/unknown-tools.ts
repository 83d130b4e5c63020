import { call, text, times } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;

/** Tools whose names say nothing, or say it in another language. */
export const unknownTools: readonly Kind[] = [
  fires(
    "an unknown tool with one answer",
    times(5, () => call("frobulate", { x: 1 }, "blarg")),
    times(5, () => call("datei_lesen", { pfad: "bericht.txt" }, "Inhalt des Berichts")),
    times(5, () => call("ツール_検索", { 語: "天気" }, "結果なし")),
    times(6, (n) => call("t17", { a: "q", nonce: idOf(n) }, { r: [1, 2, 3] })),
    times(5, () => call("obtener_saldo", { cuenta: "ES-1" }, { saldo: "12,50 EUR" })),
  ),
  fires(
    "an unknown tool that fails",
    times(5, () => call("zxcv", { n: 1 }, "fehlgeschlagen: Zugriff verweigert", failed)),
    times(6, (n) => call("enviar_correo", { a: `${wordOf(n)}@x.test` }, "Error: sesión caducada", failed)),
    times(6, (n) => call("svc.invoke", { op: wordOf(n) }, { code: "PERMISSION_DENIED", message: "caller lacks role" }, failed)),
    times(6, (n) => call("do_thing", { input: `try ${wordOf(n)}` }, `request ${idOf(n)} rejected: schema mismatch at $.input`, failed)),
  ),
  fires(
    "two or three unknown tools in a circle",
    times(5, () => [call("alpha", { k: 1 }, "a"), call("beta", { k: 2 }, "b")]),
    times(4, () => [call("prüfen", { id: 4 }, "offen"), call("warten", {}, "gewartet"), call("melden", { id: 4 }, "gemeldet")]),
    times(4, (n) => [call("n1", {}, { at: clockOf(n), v: "x" }), call("n2", { v: "x" }, { at: clockOf(n), w: "y" }), call("n3", { w: "y" }, "no change")]),
    times(5, (n) => [call("agent_call", { to: "planner", msg: "what next?" }, "Ask the coder."), call("agent_call", { to: "coder", msg: "what next?" }, `Ask the planner. (${idOf(n)})`)]),
  ),
  fires(
    "a longer circle with some noise in it",
    times(5, (n) => [call("lookup", { q: "a" }, "one"), call("lookup", { q: "b" }, "two"), ...(n % 2 === 0 ? [call("note", { n }, "noted")] : []), call("lookup", { q: "c" }, "three")]),
    times(6, (n) => [call("fetch_doc", { id: "spec" }, "the spec"), call("summarize", { text: `the spec (${wordOf(n)})` }, "a summary"), call("fetch_doc", { id: "faq" }, "the faq")]),
    times(5, (n) => [text(`Round ${wordOf(n)}.`), call("step_a", {}, "A"), call("step_b", {}, "B"), call("step_c", {}, "C"), call("step_d", {}, "D")]),
    times(4, () => [call("p1", {}, "1"), call("p2", {}, "2"), call("p3", {}, "3"), call("p4", {}, "4"), call("p5", {}, "5")]),
  ),
  fires(
    "sub-agents that answer the same",
    times(5, () => call("Task", { description: "find the bug", prompt: "Find the bug in parser.ts", subagent_type: "general" }, "I could not find a bug in parser.ts.")),
    times(6, (n) => call("delegate", { agent: "researcher", task: `Find the revenue of Acme (${wordOf(n)})` }, "No data available.")),
    times(5, (n) => call("spawn_agent", { message: "run the tests" }, { agent_id: idOf(n), status: "failed", reason: "sandbox unavailable" })),
    times(4, () => [call("handoff_to_reviewer", { summary: "done" }, "Reviewer: please add tests."), call("handoff_to_coder", { summary: "add tests" }, "Coder: tests are there.")]),
  ),
  staysSilent(
    "unknown tools over many things",
    times(15, (n) => call("frobulate", { item: wordOf(n) }, "ok")),
    times(12, (n) => call("datei_schreiben", { pfad: `${wordOf(n)}.txt`, inhalt: "x" }, "gespeichert")),
    times(14, (n) => call("svc.process", { record: { id: n, kind: "invoice" } }, { status: "processed" })),
    times(10, (n) => call("t17", { a: wordOf(n) }, { r: wordOf(n + 4) })),
    times(16, (n) => call("marcar_leido", { mensaje: 400 + n }, "hecho")),
    times(13, (n) => call("label", { image: `img_${String(n)}.png`, value: "cat" }, "labelled")),
  ),
  staysSilent(
    "unknown tools whose answer moves",
    times(12, (n) => call("advance", {}, `at ${wordOf(n)}`)),
    times(10, (n) => call("tick", { dt: 1 }, { t: n + 1, energy: 100 - n * 3 })),
    times(9, (n) => call("weiter", {}, `Seite ${String(n + 1)} von 30`)),
    times(8, (n) => call("draw_card", { deck: "d1" }, ["ace", "two", "king", "five", "ten", "six", "queen", "nine"][n] ?? "")),
    times(11, (n) => call("roll_forward", { days: 1 }, `balance ${String(1000 + n * 17)}`)),
  ),
  staysSilent(
    "sub-agents with different work",
    times(8, (n) => call("Task", { description: `review ${wordOf(n)}`, prompt: `Review ${wordOf(n)}.ts` }, `${wordOf(n)}.ts: ${String(n)} remarks`)),
    times(6, (n) => call("delegate", { agent: wordOf(n), task: "give your estimate" }, `${String(n + 3)} days`)),
    times(5, (n) => [call("spawn_agent", { message: `part ${wordOf(n)}` }, { agent_id: idOf(n) }), call("wait_agent", { id: idOf(n) }, `done with ${wordOf(n)}`)]),
    times(6, (n) => call("dispatch", { worker: n, chunk: wordOf(n) }, "accepted")),
  ),
  staysSilent(
    "building something up",
    times(10, (n) => call("add_slide", { title: wordOf(n) }, { ok: true })),
    times(12, (n) => call("place_block", { x: n, y: 0, kind: "stone" }, "placed")),
    times(9, (n) => [call("canvas_draw", { shape: wordOf(n) }, "drawn"), call("canvas_export", {}, `png ${String(n * 4000 + 90)} bytes`)]),
    times(8, (n) => call("memory_store", { key: wordOf(n), value: wordOf(n + 2) }, "stored")),
    times(8, (n) => call("cart_add", { sku: wordOf(n) }, { items: n + 1 })),
  ),
];
