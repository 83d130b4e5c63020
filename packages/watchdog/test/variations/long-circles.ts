import { call, text, times } from "../case-builders.ts";
import type { CaseEvent } from "../case-driver.ts";
import { clockOf, fires, idOf, type Kind, wordOf } from "./kind.ts";

const failed = { ok: false } as const;

/** The same steps over and over: `length` of them, each made from its place in the circle and from its number in all. */
function circle(length: number, rounds: number, make: (place: number, all: number) => CaseEvent): readonly CaseEvent[] {
  return times(length * rounds, (all) => make(all % length, all));
}

const look = ["ls", "git status", "cat README", "git diff", "ls src", "cat src/main.c", "git log -3", "cat Makefile", "ls test"] as const;

/** Circles of six to twelve calls, in other tools, arguments and answers. */
export const longCircles: readonly Kind[] = [
  fires(
    "a circle of six to twelve calls, more of them",
    circle(7, 4, (n) => call("open_document", { document_id: `doc-${wordOf(n)}` }, `Title ${wordOf(n)}\nBody of it`)),
    circle(9, 4, (n) => call("shell", { cmd: ["bash", "-lc", look[n] ?? ""] }, `out ${wordOf(n)}`)),
    circle(6, 5, (n) => call("browser_navigate", { url: `http://shop.test/${wordOf(n)}` }, { title: wordOf(n), text: `aisle ${wordOf(n)}` })),
    circle(8, 4, (n) => call("kubectl", { args: ["describe", "pod", wordOf(n)] }, `Name: ${wordOf(n)}\nStatus: CrashLoopBackOff`)),
    circle(6, 5, (n) => call(["list_dir", "grep_search", "read_file", "view_outline", "find_symbol", "git_blame"][n] ?? "", { q: wordOf(n) }, `found ${wordOf(n)}`)),
    circle(10, 4, (n) => call("run_sql", { statement: `select count(*) from ${wordOf(n)}` }, [{ count: n * 13 + 4 }])),
    circle(6, 4, (n) => call("mcp__tracker__get_issue", { key: `OPS-${String(n + 1)}` }, { key: `OPS-${String(n + 1)}`, state: "open", body: wordOf(n) })),
    circle(7, 4, (n) => call("lsp_hover", { file: `src/${wordOf(n)}.rs`, line: n * 4, column: 2 }, `fn ${wordOf(n)}() -> u32`)),
    circle(6, 5, (n) => call("transfer_to_agent", { agent_name: ["planner", "writer", "editor", "critic", "fact_checker", "publisher"][n] }, `I pass it on to the one after ${wordOf(n)}`)),
    circle(11, 4, (n) => call("sheet_get_range", { sheet: "Q3", range: `A${String(n)}:F${String(n)}` }, [[wordOf(n), n, n * 2]])),
    circle(6, 5, (n, all) => call("fetch_feed", { name: wordOf(n) }, `Entries of ${wordOf(n)}: 3\nfetched ${clockOf(all)}`)),
    circle(8, 4, (n, all) => call("http_get", { path: `/v1/${wordOf(n)}` }, { body: { name: wordOf(n) }, headers: { "x-request-id": idOf(all) } })),
    times(4, () => [text("Let me see how it all hangs together."), ...times(7, (n) => call("ReadFile", { absolute_path: `/app/${wordOf(n)}.py` }, `class ${wordOf(n)}: pass`))]),
    circle(6, 5, (n) => call("slack_history", { channel: `#${wordOf(n)}`, limit: 5 }, `ann: ${wordOf(n)}\nbob: yes`)),
    circle(9, 4, (n) => call("Bash", { command: `aws s3 ls s3://bucket-${wordOf(n)}/` }, `2026-01-04 10:00:00  120 ${wordOf(n)}.parquet`)),
    circle(7, 4, (n) => call("run_terminal_cmd", { command: `docker logs ${wordOf(n)} --tail 5`, is_background: false }, `ready: ${wordOf(n)}`)),
    circle(6, 4, (n) => call("terraform_show", { resource: `aws_instance.${wordOf(n)}` }, `id = i-${wordOf(n)}\nstate = running`)),
    circle(8, 4, (n) => call("psql", { query: `\\d ${wordOf(n)}` }, `Table "public.${wordOf(n)}"\n id | integer`)),
    circle(7, 5, (n) => call("bash", { command: `curl -s localhost:8080/${wordOf(n)}` }, `{"error":"not found","path":"${wordOf(n)}"}`)),
    circle(6, 4, (n) => call("gh_api", { endpoint: `repos/o/${wordOf(n)}/releases` }, [])),
    circle(12, 3, (n) => call("list_directory", { path: `/srv/${wordOf(n)}` }, [`${wordOf(n)}.txt`, "index.html"])),
    circle(8, 4, (n) => call("Glob", { pattern: `**/${wordOf(n)}*.kt` }, `app/${wordOf(n)}Screen.kt`)),
    circle(6, 4, (n) => call("notion_get_page", { page: idOf(n) }, `# ${wordOf(n)}\nA page about ${wordOf(n)}`)),
    circle(9, 4, (n) => call("figma_get_node", { file: "F1", node: `${String(n)}:${String(n * 2)}` }, { name: wordOf(n), width: 20 + n })),
    circle(6, 5, (n) => call("jira_search", { jql: `component = ${wordOf(n)}` }, `1 issue: ${wordOf(n)} is slow`)),
    circle(7, 4, (n) => call("powershell", { script: `Get-Content C:\\logs\\${wordOf(n)}.log -Tail 3` }, `INFO ${wordOf(n)} started`)),
    circle(6, 4, (n) => call("call_service", { name: wordOf(n), method: "ping" }, `service ${wordOf(n)} refused the connection`, failed)),
    circle(7, 4, (n) => call(n % 2 === 0 ? "Grep" : "Read", n % 2 === 0 ? { pattern: wordOf(n), path: "lib" } : { file_path: `lib/${wordOf(n)}.ex`, limit: 40 }, `def ${wordOf(n)}`)),
    circle(10, 4, (n) => call("memory_recall", { topic: wordOf(n) }, [{ type: "text", text: `You noted: ${wordOf(n)} matters` }])),
    circle(8, 4, (n) => call("desktop_screenshot", { window: wordOf(n) }, `window ${wordOf(n)}: a dialog asks for a password`)),
  ),
];
