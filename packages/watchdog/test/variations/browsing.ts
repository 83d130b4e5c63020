import { call, text, times } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;
const page = (title: string, body: string): string => `Page URL: https://shop.test/${title}\nPage Title: ${title}\n- main:\n  - heading "${title}"\n  - text: ${body}`;

/** Browsers, phones and desktops: what is looked at changes, or does not. */
export const browsing: readonly Kind[] = [
  fires(
    "a page that does not answer to anything",
    times(8, (n) => call("browser_click", { element: wordOf(n), ref: `e${String(n)}` }, page("login", "wrong password"))),
    times(8, (n) => call("mcp__playwright__browser_press_key", { key: ["Enter", "Tab", "Escape", "Space", "ArrowDown", "End", "Home", "F5"][n] ?? "" }, page("cart", "your cart is empty"))),
    times(7, (n) => call("tap", { x: 100 + n * 11, y: 220 }, "Screen: Settings > Network. Wi-Fi off.")),
    times(8, (n) => call("computer", { action: "left_click", coordinate: [200 + n, 310] }, "screenshot: dialog 'Save changes?' is open")),
    times(7, (n) => [call("type_text", { field: "email", text: `${wordOf(n)}@x.test` }, "typed"), call("submit", {}, page("signup", "please fill in the captcha"))]),
  ),
  fires(
    "scrolling where nothing is left",
    times(8, () => call("browser_scroll", { direction: "down", amount: 3 }, page("list", "end of results"))),
    times(9, () => call("scroll_down", {}, "You are at the bottom of the page.")),
    times(8, (n) => call("swipe", { from: [200, 900 - n], to: [200, 200] }, "No more items")),
    times(7, () => [call("scroll", { dy: 600 }, "ok"), call("screenshot", {}, "footer: imprint, contact, terms")]),
  ),
  fires(
    "a page that is opened again",
    times(5, () => call("browser_navigate", { url: "https://news.test/" }, page("front", "today: rain"))),
    times(5, (n) => call("goto", { url: `https://app.test/?_=${String(1_700_000 + n * 91)}` }, page("app", "503 Service Unavailable"))),
    times(6, () => [call("browser_navigate", { url: "https://a.test/x" }, page("x", "not found")), call("browser_navigate_back", {}, page("a", "welcome"))]),
    times(6, (n) => [call("web_search", { query: "acme opening hours" }, "1. acme.test/hours 2. maps.test/acme"), call("web_fetch", { url: "https://acme.test/hours", prompt: `hours ${wordOf(n)}?` }, "The page could not be loaded.")]),
  ),
  fires(
    "an element that is not there",
    times(6, (n) => call("browser_click", { selector: `#buy-${wordOf(n)}` }, "Timeout 30000ms exceeded: waiting for locator", failed)),
    times(5, () => call("click_element", { index: 14 }, "Element with index 14 does not exist", failed)),
    times(6, (n) => call("find_element", { xpath: `//button[${String(n + 1)}]` }, "NoSuchElementException: no such element", failed)),
    times(5, (n) => [call("browser_snapshot", {}, page("form", "loading")), call("browser_type", { ref: `s${String(n)}e4`, text: "x" }, "Error: ref not found in the current page snapshot", failed)]),
  ),
  fires(
    "the same words searched in another order",
    ["cheap flights berlin rome", "flights berlin rome cheap", "berlin rome cheap flights", "rome berlin flights cheap", "cheap berlin rome flights", "flights rome berlin cheap", "rome cheap flights berlin"].map((query) => call("web_search", { query }, "No results found.")),
    ["vite config alias", "alias vite config", "config alias vite", "vite alias config", "config vite alias", "alias config vite"].map((q) => call("brave_web_search", { q, count: 5 }, "1. Vite docs: resolve.alias")),
    ["Open source CRM list", "list of open source CRM", "open-source CRM list", "CRM open source, list", "the list of open source CRM", "Open Source CRM: list", "crm list open source"].map((search_term) => call("search", { search_term }, [])),
    times(8, (n) => call("google_search", { query: `acme invoice template${" ".repeat(n % 3)}${n % 2 === 0 ? "" : "?"}` }, "About 3 results: a.test, b.test, c.test")),
  ),
  staysSilent(
    "a form filled field by field",
    times(12, (n) => call("browser_type", { ref: `e${String(n)}`, text: wordOf(n) }, "ok")),
    times(10, (n) => call("fill", { selector: `#field-${wordOf(n)}`, value: wordOf(n + 2) }, { success: true })),
    times(8, (n) => call("browser_select_option", { ref: `e${String(20 + n)}`, values: [wordOf(n)] }, "Selected")),
    times(9, (n) => [call("input_text", { index: n, text: wordOf(n) }, "Input entered"), call("send_keys", { keys: "Tab" }, "Sent keys: Tab")]),
  ),
  staysSilent(
    "a long page scrolled to its end",
    times(12, (n) => call("browser_scroll", { direction: "down" }, page("list", `item ${wordOf(n)}, item ${wordOf(n + 20)}`))),
    times(8, (n) => [call("scroll", { dy: 800 }, "ok"), call("screenshot", {}, `rows ${String(n * 20)} to ${String(n * 20 + 19)}`)]),
    times(10, (n) => call("swipe", { direction: "up" }, `Feed: ${wordOf(n)} posted a photo; ${wordOf(n + 5)} liked it`)),
    times(9, (n) => call("computer", { action: "key", text: "Page_Down" }, `screenshot: page ${String(n + 2)} of 40`)),
  ),
  staysSilent(
    "going through a list of pages",
    times(12, (n) => [call("browser_click", { ref: `row-${wordOf(n)}` }, page(wordOf(n), `price ${String(n * 3 + 5)}`)), call("browser_navigate_back", {}, page("list", "20 results"))]),
    times(14, (n) => call("browser_navigate", { url: `https://shop.test/p/${wordOf(n)}` }, page(wordOf(n), `in stock: ${String(n)}`))),
    times(10, (n) => call("web_fetch", { url: `https://docs.test/${wordOf(n)}` }, `# ${wordOf(n)}\nabout ${wordOf(n + 4)}`)),
    times(8, (n) => [call("goto", { url: `https://x.test?page=${String(n + 1)}` }, "ok"), call("extract_table", {}, `${wordOf(n)},${wordOf(n + 1)}`)]),
  ),
  staysSilent(
    "a game, a wizard, an editor driven by keys",
    times(15, (n) => call("press_key", { key: "ArrowRight" }, `position ${String(n + 1)}, score ${String(n * 10)}`)),
    times(8, (n) => call("browser_click", { ref: "next-button" }, page("wizard", `step ${String(n + 1)} of 8: ${wordOf(n)}`))),
    times(10, (n) => call("make_move", { direction: ["north", "east", "north", "west", "north"][n % 5] ?? "" }, `You see a ${wordOf(n)} and a ${wordOf(n + 8)}.`)),
    times(7, (n) => [call("computer", { action: "left_click", coordinate: [10 * n, 40] }, "clicked"), call("computer", { action: "screenshot" }, `menu ${wordOf(n)} is open`)]),
  ),
  staysSilent(
    "waiting for a page that comes",
    [...times(4, () => call("browser_wait_for", { time: 5 }, page("report", "loading"))), call("browser_wait_for", { time: 5 }, page("report", "ready: 41 rows"))],
    [call("browser_navigate", { url: "https://slow.test" }, "timeout", failed), call("browser_navigate", { url: "https://slow.test" }, "timeout", failed), call("browser_navigate", { url: "https://slow.test" }, page("slow", "hello")), call("browser_click", { ref: "e1" }, "ok")],
    [...times(3, (n) => call("wait", { seconds: 2 ** n }, "waited")), call("browser_snapshot", {}, page("a", "done"))],
    times(4, (n) => [call("wait", { seconds: 3 }, "Waited for 3 seconds"), call("screenshot", {}, `upload at ${String(20 * (n + 1))} %`)]),
  ),
  staysSilent(
    "research over different sources",
    times(9, (n) => [call("web_search", { query: `${wordOf(n)} market size ${wordOf(n + 4)}` }, `1. ${wordOf(n)}.test 2. ${wordOf(n + 2)}.test`), call("web_fetch", { url: `https://${wordOf(n)}.test` }, `It is ${String(n * 41)} million.`)]),
    [text("I compare three laptops."), ...times(6, (n) => call("fetch_page", { url: `https://r.test/${wordOf(n)}` }, `Review of ${wordOf(n)}: ${wordOf(n + 3)}`)), text("The second one is the best.")],
    times(5, (n) => call("search_papers", { query: wordOf(n) }, n === 2 ? [] : [{ title: `${wordOf(n)} in practice`, id: idOf(n) }])),
    times(8, (n) => call("youtube_transcript", { video: idOf(n) }, `${clockOf(n)} so today we talk about ${wordOf(n)}`)),
  ),
];
