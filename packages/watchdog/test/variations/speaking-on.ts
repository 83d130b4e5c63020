import { bash, call, text, times, turn, user } from "../case-builders.ts";
import { fires, type Kind, staysSilent, wordOf } from "./kind.ts";

const prose = (n: number, words: number): string => Array.from({ length: words }, (_, k) => wordOf(n * words + k)).join(" ");

/** More of what agents say: chants of every length and alphabet, and texts that only look like one. */
export const speakingOn: readonly Kind[] = [
  fires(
    "a chant of every length",
    [text("ok ".repeat(300))],
    [text(`I understand the problem now, so the next step is to open the settings file, change the value of the timeout, save it, restart the server and see if it helps. `.repeat(12))],
    times(24, () => text("Hmm, wait. ")),
    times(40, () => text("the ")),
    [text("That is it.\n\nI am done.\n\n".repeat(30))],
    times(12, () => text("Let me verify the implementation once more. Everything looks correct. Actually, let me double check the edge cases. They look correct as well. ")),
  ),
  fires(
    "a chant in other alphabets",
    [text("我需要再检查一次这个文件的内容，然后再修改它。".repeat(25))],
    [text("Ich prüfe das noch einmal, bevor ich weitermache. ".repeat(20))],
    times(18, () => text("もう一度確認します。ファイルを開きます。")),
    [text("нужно проверить файл ещё раз; ".repeat(30))],
    [text("😀👍".repeat(200))],
    [text("يجب أن أتحقق من الملف مرة أخرى. ".repeat(25))],
  ),
  fires(
    "a chant that begins after good text",
    [text(`${prose(1, 200)}. `), text("So the answer is to rebuild the index and try it. ".repeat(20))],
    [text("## Plan\n\n1. Read the file\n2. Fix it\n\n"), ...times(20, () => text("Now I will read the file to see what is in it. "))],
    [text("```ts\nconst x = 1;\n```\n"), text("Let me now write the code. ".repeat(40))],
    [text(prose(3, 60)), ...times(60, () => text("and then ")), text(prose(4, 5))],
  ),
  fires(
    "messages that say one thing, nothing done",
    times(4, () => [turn, text("The implementation is complete and all tests pass.")]),
    times(5, () => [turn, text("I have finished the task. Is there anything else you need?")]),
    times(5, () => [turn, text("Waiting for the build to finish.")]),
    ["I cannot reach the database, so I am blocked.", "I'm blocked because the database cannot be reached.", "The database can't be reached; I am blocked.", "Since I cannot reach the database I am blocked.", "Blocked: the database cannot be reached."].flatMap((words) => [turn, text(words)]),
  ),
  fires(
    "promises without deeds",
    ["I'll start by reading the config.", "Let me read the config file.", "Now I will open the config.", "I am going to read the config now.", "First, I will read the config."].flatMap((words) => [turn, text(words)]),
    times(5, (n) => [turn, text(`Let me fix the ${wordOf(n)} bug now.`)]),
    times(5, (n) => [turn, text(`I will now implement step ${wordOf(n)}.`)]),
    times(5, (n) => [turn, text(`Okay! Running the ${wordOf(n)} checks next.`)]),
  ),
  staysSilent(
    "texts with a shape of their own",
    [text(Array.from({ length: 40 }, (_, n) => `${wordOf(n)},${String(n)},2026-01-01,active,EUR\n`).join(""))],
    [text(`\`\`\`html\n${Array.from({ length: 30 }, (_, n) => `<li class="nav-item"><a class="nav-link" href="#">${wordOf(n)}</a></li>\n`).join("")}\`\`\``)],
    [text(Array.from({ length: 20 }, (_, n) => `**${wordOf(n)}**: The service returns a list of items for the given ${wordOf(n + 3)}.\n\n`).join(""))],
    [text(Array.from({ length: 25 }, (_, n) => `- [x] Update ${wordOf(n)}.ts to use the new logger\n`).join(""))],
    [text(Array.from({ length: 30 }, (_, n) => `    at Object.${wordOf(n)} (/srv/app/node_modules/express/lib/router/index.js:${String(n * 7)}:13)\n`).join(""))],
    [text(`{"items":[${Array.from({ length: 40 }, (_, n) => `{"id":${String(n)},"name":"${wordOf(n)}","active":true,"tags":[]}`).join(",")}]}`)],
  ),
  staysSilent(
    "long prose with its usual turns of phrase",
    [text(Array.from({ length: 30 }, (_, n) => `In the case of ${prose(n, 12)}, we should note that ${prose(n + 40, 8)}. `).join(""))],
    [text(Array.from({ length: 25 }, (_, n) => `"${wordOf(n)}?" she said. "${prose(n, 5)}," he said. `).join(""))],
    times(20, (n) => text(`Step ${String(n + 1)}: ${prose(n, 14)}.\n`)),
    [text(Array.from({ length: 12 }, (_, n) => `The ${wordOf(n)} module was refactored. It now uses ${wordOf(n + 1)} and ${prose(n, 6)}. All tests for it pass.\n\n`).join(""))],
  ),
  staysSilent(
    "songs, polygons, hex dumps and base64 in fences",
    [text(`\`\`\`\n${Array.from({ length: 30 }, (_, n) => `${(n * 16).toString(16).padStart(8, "0")}  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00\n`).join("")}\`\`\``)],
    [text(`<svg><path d="${Array.from({ length: 80 }, (_, n) => `L${String((n * 37) % 101)} ${String((n * 53) % 97)}`).join(" ")}"/></svg>`)],
    [text(`\`\`\`abc\n${"la la la la la la la la\n".repeat(20)}\`\`\``)],
    [text(`    ${"x = x + 1;\n    ".repeat(8)}`)],
  ),
  staysSilent(
    "short remarks between real work",
    times(8, (n) => [text("Now the next file."), call("edit_file", { path: `${wordOf(n)}.ts`, old: "a", new: "b" }, "ok")]),
    times(6, (n) => [text("Let me check."), call("read_file", { path: `${wordOf(n)}.go` }, `package ${wordOf(n)}`)]),
    times(6, (n) => [text("Fixing the next failing test."), call("edit", { path: "x.py", old: wordOf(n), new: wordOf(n + 1) }, "ok"), bash("pytest -q", `${String(6 - n)} failed, ${String(n)} passed`, { ok: false, exit_code: 1 })]),
    times(5, (n) => [text("Good."), call("create_task", { title: wordOf(n) }, { id: n })]),
  ),
  staysSilent(
    "talk with a person",
    [user("hi"), text("Hello!"), user("what can you do?"), text("I can book rooms and answer questions."), user("which rooms?"), text("There are three: Oak, Elm and Ash."), user("Elm then"), text("For which day?"), user("Monday"), text("Elm is booked for Monday.")],
    times(6, (n) => [user(`translate ${wordOf(n)}`), text(`${wordOf(n + 9)}.`)]),
    ["How many people?", "What is the budget?", "Indoors or outdoors?", "Any allergies?", "Should there be music?", "When shall it end?"].flatMap((question, n) => [text(question), user(wordOf(n))]),
    [user("are you sure?"), text("Yes, the total is 42."), user("really?"), text("Yes: 40 plus 2 is 42."), user("thanks"), text("You are welcome.")],
    times(4, (n) => [text(`Here is draft ${wordOf(n)}: ${prose(n, 20)}. Do you like it?`), user(`no, more ${wordOf(n)}`)]),
  ),
];
