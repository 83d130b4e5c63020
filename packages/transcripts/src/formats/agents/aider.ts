import { defined } from "@phasekit/core/adapter";
import { timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { usageOf } from "../../write/usage.ts";

const START = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/;

/** Chat histories of aider. An applied edit becomes a call of `edit_file`: the log has no other trace of it. */
export const aider: TranscriptFormat = {
  name: "aider",
  title: "aider",
  detect: ({ layout, text }) =>
    layout === "text" && /^# aider chat started at /m.test(text) ? { certainty: 1 } : undefined,
  translate,
};

const TOKENS = new RegExp(
  String.raw`^(?:Tokens: )?([\d.,]+k?) (?:prompt tokens|sent)` +
    String.raw`(?:, ([\d.,]+k?) cache write)?(?:, ([\d.,]+k?) cache hit)?` +
    String.raw`, ([\d.,]+k?) (?:completion tokens|received)(?:[,.] (?:Cost: )?\$([\d.]+))?`,
);
const MAX_TEXT = 4_000_000;
const MAX_LINES = 10_000;

function translate({ runs, skip }: TranslationContext): Translator {
  let run: RunWriter | undefined;
  let at: number | undefined;
  let answers = 0;
  let user: string[] = [];
  let answer: string[] = [];
  let length = 0;
  let said = "";
  let edited = false;
  /** Older versions print the cost above the answer, later ones below. */
  let cost: ReturnType<typeof usageOf>;

  function sayUser(): void {
    if (user.length > 0) run?.user(user.join("\n").trim(), defined({ at }));
    user = [];
  }

  function sayAnswer(): void {
    const text = answer.join("\n").trim();
    answer = [];
    length = 0;
    if (text === "") return;
    sayUser();
    answers += 1;
    run?.answer({ id: String(answers), ...defined({ usage: cost }) });
    run?.text(text);
    said = text;
    edited = false;
    cost = undefined;
  }

  function note(line: string): void {
    sayUser();
    const tokens = TOKENS.exec(line);
    if (tokens !== null) return spend(tokens);
    sayAnswer();
    const applied = /^(?:Applied edit to|Wrote) (.+)$/.exec(line)?.[1];
    if (applied !== undefined) return edit(applied, "Applied edit.", "ok");
    const failed =
      /(?:did not conform to the (?:edit )?format|SEARCH\/REPLACE block failed to match|Malformed edit|failed to apply edit)/i.test(
        line,
      );
    if (failed && !edited) return edit("", line, "error");
    const version = /^Aider (v\S+)/.exec(line)?.[1];
    if (version !== undefined) run?.describe({ agent: `aider ${version}` });
    const model = /^(?:Main )?[Mm]odels?: (\S+)/.exec(line)?.[1];
    if (model !== undefined) run?.describe({ model });
    skip(/^(?:Commit |Add |Git repo|Repo-map)/.exec(line)?.[0].trim() ?? "note");
  }

  function spend(tokens: RegExpExecArray): void {
    const isBelow = tokens[0].startsWith("Tokens:");
    sayUser();
    cost = usageOf({
      inputTokens: amount(tokens[1]),
      outputTokens: amount(tokens[4]),
      cacheWriteTokens: amount(tokens[2]),
      cachedInputTokens: amount(tokens[3]),
      cost: tokens[5] === undefined ? undefined : Number(tokens[5]),
    });
    if (!isBelow) return;
    sayAnswer();
    if (cost !== undefined) run?.amend({ usage: cost });
    cost = undefined;
  }

  function edit(path: string, output: string, outcome: "ok" | "error"): void {
    run?.call({ tool: "edit_file", input: path === "" ? {} : { path } });
    run?.result({ output, outcome });
    edited = true;
  }

  return {
    take: ({ value }) => {
      const line = String(value).trimEnd();
      const start = START.exec(line)?.[1];
      if (start !== undefined) {
        sayAnswer();
        sayUser();
        close();
        at = timeIn(`${start.replace(" ", "T")}Z`);
        run = runs.open({ agent: "aider", ...defined({ startedAt: at }) });
        cost = undefined;
      } else if (run === undefined) {
        if (line !== "") skip("before the first chat");
      } else if (line.startsWith("#### ") || line === "####") {
        sayAnswer();
        if (user.length < MAX_LINES) user.push(line.slice(5));
      } else if (line.startsWith("> ") || line === ">") note(line.slice(2).trim());
      else {
        if (user.length > 0 && line !== "") sayUser();
        length += line.length + 1;
        if (length <= MAX_TEXT) answer.push(line);
      }
    },
    end: () => {
      sayAnswer();
      sayUser();
      close();
    },
  };

  /** Edits are applied after the answer that proposes them: with the last of them the agent has handed back. */
  function close(): void {
    if (edited && said !== "") run?.finish(said);
    run?.end();
    run = undefined;
    edited = false;
    said = "";
  }
}

/** `8.9k` and `33,792` as numbers. */
function amount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replace(/,|k$/g, ""));
  return Number.isNaN(number) ? undefined : Math.round(text.endsWith("k") ? number * 1000 : number);
}
