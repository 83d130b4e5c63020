import type { Usage } from "@phasekit/core";
import { defined, knownUsage } from "@phasekit/core/adapter";
import { timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import type { RunOpener } from "../../write/run-opener.ts";

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

function translate(options: TranslationContext): Translator {
  return new AiderTranslator(options);
}

class AiderTranslator implements Translator {
  readonly #runs: RunOpener;
  readonly #skip: (kind: string) => void;
  #run: RunWriter | undefined;
  #at: number | undefined;
  #answers = 0;
  #user: string[] = [];
  #answer: string[] = [];
  #length = 0;
  #said = "";
  #edited = false;
  /** Older versions print the cost above the answer, later ones below. */
  #cost: Usage | undefined;

  constructor({ runs, skip }: TranslationContext) {
    this.#runs = runs;
    this.#skip = skip;
  }

  readonly take: Translator["take"] = ({ value }) => {
    const line = String(value).trimEnd();
    const start = START.exec(line)?.[1];
    if (start !== undefined) {
      this.#sayAnswer();
      this.#sayUser();
      this.#close();
      this.#at = timeIn(`${start.replace(" ", "T")}Z`);
      this.#run = this.#runs.open({ agent: "aider", ...defined({ startedAt: this.#at }) });
      this.#cost = undefined;
    } else if (this.#run === undefined) {
      if (line !== "") this.#skip("before the first chat");
    } else if (line.startsWith("#### ") || line === "####") {
      this.#sayAnswer();
      if (this.#user.length < MAX_LINES) this.#user.push(line.slice(5));
    } else if (line.startsWith("> ") || line === ">") this.#note(line.slice(2).trim());
    else {
      if (this.#user.length > 0 && line !== "") this.#sayUser();
      this.#length += line.length + 1;
      if (this.#length <= MAX_TEXT) this.#answer.push(line);
    }
  };

  readonly end: Translator["end"] = () => {
    this.#sayAnswer();
    this.#sayUser();
    this.#close();
  };

  #sayUser(): void {
    if (this.#user.length > 0) this.#run?.user(this.#user.join("\n").trim(), defined({ at: this.#at }));
    this.#user = [];
  }

  #sayAnswer(): void {
    const text = this.#answer.join("\n").trim();
    this.#answer = [];
    this.#length = 0;
    if (text === "") return;
    this.#sayUser();
    this.#answers += 1;
    this.#run?.answer({ id: String(this.#answers), ...defined({ usage: this.#cost }) });
    this.#run?.text(text);
    this.#said = text;
    this.#edited = false;
    this.#cost = undefined;
  }

  #note(line: string): void {
    this.#sayUser();
    const tokens = TOKENS.exec(line);
    if (tokens !== null) return this.#spend(tokens);
    this.#sayAnswer();
    const applied = /^(?:Applied edit to|Wrote) (.+)$/.exec(line)?.[1];
    if (applied !== undefined) return this.#edit(applied, "Applied edit.", "ok");
    const failed =
      /(?:did not conform to the (?:edit )?format|SEARCH\/REPLACE block failed to match|Malformed edit|failed to apply edit)/i.test(
        line,
      );
    if (failed && !this.#edited) return this.#edit("", line, "error");
    const version = /^Aider (v\S+)/.exec(line)?.[1];
    if (version !== undefined) this.#run?.describe({ agent: `aider ${version}` });
    const model = /^(?:Main )?[Mm]odels?: (\S+)/.exec(line)?.[1];
    if (model !== undefined) this.#run?.describe({ model });
    this.#skip(/^(?:Commit |Add |Git repo|Repo-map)/.exec(line)?.[0].trim() ?? "note");
  }

  #spend(tokens: RegExpExecArray): void {
    const isBelow = tokens[0].startsWith("Tokens:");
    this.#sayUser();
    this.#cost = knownUsage({
      inputTokens: amount(tokens[1]),
      outputTokens: amount(tokens[4]),
      cacheWriteTokens: amount(tokens[2]),
      cachedInputTokens: amount(tokens[3]),
      cost: tokens[5] === undefined ? undefined : Number(tokens[5]),
    });
    if (!isBelow) return;
    this.#sayAnswer();
    if (this.#cost !== undefined) this.#run?.amend({ usage: this.#cost });
    this.#cost = undefined;
  }

  #edit(path: string, output: string, outcome: "ok" | "error"): void {
    this.#run?.call({ tool: "edit_file", input: path === "" ? {} : { path } });
    this.#run?.result({ output, outcome });
    this.#edited = true;
  }

  /** Edits are applied after the answer that proposes them: with the last of them the agent has handed back. */
  #close(): void {
    if (this.#edited && this.#said !== "") this.#run?.finish(this.#said);
    this.#run?.end();
    this.#run = undefined;
    this.#edited = false;
    this.#said = "";
  }
}

/** `8.9k` and `33,792` as numbers. */
function amount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replace(/,|k$/g, ""));
  return Number.isNaN(number) ? undefined : Math.round(text.endsWith("k") ? number * 1000 : number);
}
