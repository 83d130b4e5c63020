import { bash, call, times } from "../case-builders.ts";
import { clockOf, fires, type Kind, staysSilent, wordOf } from "./kind.ts";

// Tables read best with the parts of a poll in a row.
// eslint-disable-next-line max-params -- a table row
const poll = (count: number, tool: string, answer: (n: number) => unknown, args: object = {}) => times(count, (n) => call(tool, args, answer(n)));
const code = "import os\nimport sys\n\ndef main():\n    return os.getcwd()\n";
const reads = (...commands: readonly string[]) => commands.map((command) => bash(command, code));
const views = (tool: string, ...args: readonly object[]) => args.map((given) => call(tool, given, code));

/** Polls that get somewhere, and the same lines of a file read in ever other ways. */
export const movingPolls: readonly Kind[] = [
  staysSilent(
    "a poll whose answer moves, more of them",
    poll(12, "get_deployment", (n) => ({ replicas: 12, ready: n })),
    poll(14, "queue_length", (n) => `${String(140 - n * 10)} messages left`),
    poll(10, "download_status", (n) => `${(n * 9.5).toFixed(1)} % (${String(n * 40)} MB of 400 MB)`),
    poll(12, "tail_log", (n) => `[${clockOf(n)}] compiled module ${wordOf(n)}`),
    poll(12, "Bash", (n) => `Compiling ${wordOf(n)} v0.${String(n)}.1`, { command: "tail -n 1 build.log" }),
    poll(11, "BashOutput", (n) => ({ status: "running", stdout: `test ${wordOf(n)} ... ok` }), { bash_id: "b1" }),
    poll(13, "check_training", (n) => `step ${String(n * 500)}: loss ${(3 / (n + 1)).toFixed(4)}`),
    poll(10, "pending_reviews", (n) => Array.from({ length: 10 - n }, (_, index) => wordOf(index))),
    poll(12, "next_page", (n) => `results ${String(n * 20 + 1)} to ${String(n * 20 + 20)}: ${wordOf(n)}`),
    poll(10, "dequeue", (n) => ({ job: `job-${wordOf(n)}`, payload: { n } })),
    poll(12, "next_task", (n) => `Translate the chapter about ${wordOf(n)}`),
    poll(10, "read_inbox", (n) => `From: ${wordOf(n)}@x.test\nSubject: about ${wordOf(n + 3)}`),
    poll(12, "game_state", (n) => ({ turn: n, board: `${wordOf(n)}|${wordOf(n + 2)}`, score: n * 5 })),
    times(8, (n) => [call("wait_for_output", { seconds: 10 }, `stage ${wordOf(n)} finished`), call("think", { thought: `so ${wordOf(n)} is done` }, "")]),
    times(9, (n) => [bash("sleep 30", ""), bash("squeue -j 44", `44 ${["PENDING", "PENDING", "CONFIGURING", "RUNNING", "RUNNING", "RUNNING", "RUNNING", "COMPLETING", "DONE"][n] ?? ""} 0:${String(n * 30 + 10)}`)]),
    poll(12, "terraform_apply_status", (n) => `aws_subnet.${wordOf(n)}: Creation complete`),
    poll(10, "rollout_status", (n) => `Waiting for rollout: ${String(n)} out of 10 new replicas have been updated`),
    poll(12, "scan_progress", (n) => ({ scanned: n * 1000, found: Math.floor(n / 3), remaining: 12_000 - n * 1000 })),
    poll(12, "battery", (n) => `${String(40 + n * 5)} % charging`),
    poll(10, "vote_count", (n) => `yes ${String(n * 11)}, no ${String(n * 4)}`),
    poll(12, "restore_status", (n) => `restoring table ${wordOf(n)} (${String(n + 1)}/12)`),
    poll(10, "Bash", (n) => String(900 - n * 90), { command: "grep -c TODO -r src" }),
    poll(10, "Bash", (n) => `Found ${String(50 - n * 5)} errors in ${String(10 - n)} files.`, { command: "npx tsc --noEmit | tail -1" }),
    poll(12, "agent_status", (n) => ({ agent: "researcher", said: `read ${wordOf(n)}, next ${wordOf(n + 1)}` })),
    poll(10, "get_cursor", (n) => ({ items: [wordOf(n), wordOf(n + 1)], cursor: `c${wordOf(n)}` })),
    poll(12, "sensor", (n) => `${(20 + n * 0.7).toFixed(1)} °C`),
    poll(10, "import_status", (n) => `imported ${String(n * 312)} of 3120 rows, 0 rejected`),
    poll(12, "screenshot", (n) => `slide ${String(n + 1)}: ${wordOf(n)}`),
    times(10, (n) => [call("press_key", { key: "PageDown" }, "ok"), call("read_screen", {}, `paragraph about ${wordOf(n)}`)]),
    poll(12, "roll_dice", (n) => ({ value: (n * 5) % 6 + 1, throw: n })),
  ),
  fires(
    "the same lines read again in other ways, more of them",
    reads("cat a.py", "sed -n '1,5p' a.py", "head -n 5 a.py", "cat a.py | head -5", "head -5 a.py", "sed -n 1,5p a.py", "awk 'NR<=5' a.py", "cat ./a.py"),
    reads("head -20 src/b.py", "head -30 src/b.py", "head -40 src/b.py", "head -50 src/b.py", "head -60 src/b.py", "head -70 src/b.py", "head -80 src/b.py"),
    reads("cat x/c.py", "cat x/c.py", "less x/c.py", "more x/c.py", "cat x/c.py", "bat x/c.py", "cat x/c.py"),
    reads("nl d.py", "cat -n d.py", "nl -ba d.py", "cat -n d.py | head -50", "cat d.py", "nl d.py", "cat -n d.py"),
    views("str_replace_editor", ...Array.from({ length: 8 }, (_, n) => ({ command: "view", path: "/r/e.py", view_range: [1, 5 + n] }))),
    views("Read", ...Array.from({ length: 8 }, (_, n) => ({ file_path: "/r/f.py", offset: 0, limit: 40 + n * 10 }))),
    views("view_file", ...Array.from({ length: 8 }, (_, n) => ({ AbsolutePath: "/r/g.py", StartLine: 1, EndLine: 30 + n }))),
    views("read_file", ...Array.from({ length: 8 }, (_, n) => ({ path: "h.py", start_line: 1 + (n % 2), end_line: 60 }))),
    views("open_file", ...Array.from({ length: 8 }, (_, n) => ({ file: "i.py", line_start: 1, line_end: 20 + (n % 3) * 20 }))),
    views("get_file_contents", ...Array.from({ length: 8 }, (_, n) => ({ repo: "o/r", path: "j.py", ref: n % 2 === 0 ? "main" : "HEAD" }))),
    views("ReadFile", ...Array.from({ length: 7 }, () => ({ absolute_path: "/r/k.py" }))),
    views("fs_read", ...Array.from({ length: 8 }, (_, n) => ({ operations: [{ mode: "Line", path: "l.py", start_line: 1, end_line: 10 + n }] }))),
    views("view", ...Array.from({ length: 8 }, (_, n) => ({ path: "m.py", offset: n % 2, limit: 100 }))),
    reads("sed -n '10,50p' n.py", "sed -n '12,48p' n.py", "sed -n '11,49p' n.py", "sed -n '10,45p' n.py", "sed -n '13,50p' n.py", "sed -n '10,50p' n.py", "sed -n '14,50p' n.py", "sed -n '10,49p' n.py"),
    reads("type o.py", "type o.py", "Get-Content o.py", "gc o.py", "type o.py", "Get-Content .\\o.py", "Get-Content o.py -Raw", "type o.py"),
    reads("tail -n 20 p.py", "tail -20 p.py", "tail -n 25 p.py", "tail -30 p.py", "tail -n 22 p.py", "tail -n 40 p.py", "tail -21 p.py"),
    reads("cd /r && cat q.py", "cat /r/q.py", "cd /r; cat q.py", "cat /r/q.py | head -100", "cd /r && head -100 q.py", "cat /r/q.py", "cd /r && cat q.py"),
    reads("git show HEAD:s.py", "git show HEAD:s.py | head", "cat s.py", "git show HEAD:s.py", "cat s.py", "git show HEAD:./s.py", "cat s.py", "git show HEAD:s.py"),
    views("cat_file", ...Array.from({ length: 8 }, (_, n) => ({ filename: "t.py", show_line_numbers: n % 2 === 0 }))),
    views("read_lines", ...Array.from({ length: 8 }, (_, n) => ({ file_path: "u.py", from: 1, to: 50 + n * 5 }))),
    views("mcp__filesystem__read_text_file", ...Array.from({ length: 8 }, (_, n) => ({ path: "v.py", head: 40 + n * 10 }))),
    views("mcp__filesystem__read_file", ...Array.from({ length: 7 }, (_, n) => ({ path: n % 2 === 0 ? "w.py" : "./w.py" }))),
    views("view_code_item", ...Array.from({ length: 7 }, () => ({ File: "x.py", NodePath: "main" }))),
    views("open", ...Array.from({ length: 8 }, (_, n) => ({ path: "y.py", line_number: 1 + (n % 3) }))),
    views("Read", ...Array.from({ length: 7 }, (_, n) => (n % 2 === 0 ? { file_path: "z.py" } : { file_path: "z.py", offset: 1, limit: 2000 }))),
    reads("python -c \"print(open('a1.py').read())\"", "cat a1.py", "python3 -c 'print(open(\"a1.py\").read())'", "cat a1.py", "cat < a1.py", "cat a1.py", "cat 'a1.py'", "cat a1.py"),
    reads("docker exec app cat /b1.py", "docker exec app head -50 /b1.py", "docker exec -it app cat /b1.py", "docker exec app cat /b1.py", "docker exec app sed -n 1,50p /b1.py", "docker exec app cat /b1.py"),
    reads("grep -n '' c1.py", "cat c1.py", "grep -n '' c1.py", "cat c1.py", "grep '' c1.py", "cat c1.py", "grep -n '' c1.py", "cat c1.py"),
    reads("cat d1.py && echo", "cat d1.py; echo done", "cat d1.py", "cat d1.py || true", "cat d1.py 2>/dev/null", "cat d1.py", "cat d1.py 2>&1"),
    times(8, (n) => [call("Read", { file_path: "e1.py" }, code), ...(n % 3 === 0 ? [call("Grep", { pattern: "main", path: "e1.py" }, "4:def main():")] : [])]),
  ),
];
