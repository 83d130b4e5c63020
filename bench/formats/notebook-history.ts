import { type LooseObject, textIn, toObject } from "@phasekit/core/adapter";
import type { TranscriptFormat, TranslationContext, Translator } from "@phasekit/transcripts";
import { contentText, objectsIn } from "../../packages/transcripts/src/parse/loose-json.ts";

/** Histories of agents as notebooks, as SUPER writes them: a heading per step, the thought, the action as a cell. */
export const notebookHistory: TranscriptFormat = {
  name: "notebook-history",
  title: "Agent history notebook",
  detect: ({ values: [first] }) => {
    const { cells } = toObject(first);
    return objectsIn(cells).some((cell) => /^### Step \d+/.test(sourceOf(cell))) &&
      objectsIn(cells).some((cell) => /^\*\*(?:Thought|Action)/.test(sourceOf(cell)))
      ? { certainty: 1, split: ["cells.*"] }
      : undefined;
  },
  translate,
};

const DONE = /^(?:submit\b|finish\b)/;

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open();
  let steps = 0;
  let thought = "";
  let tool = "execute";

  function markdown(text: string): void {
    const action = /^\*\*Action(?: \((\w+)\))?\*\*:?/.exec(text);
    if (text.startsWith("### Query")) run.user(text.replace(/^### Query\s*/, ""));
    else if (text.startsWith("### Step")) {
      steps += 1;
      thought = "";
      tool = "execute";
    } else if (text.startsWith("**Thought**")) thought = text.replace(/^\*\*Thought\*\*:\s*/, "");
    else if (action !== null) tool = action[1] === undefined || action[1] === "None" ? "execute" : action[1];
    else skip(/^(?:###? [\w ]+|Execution Start time|<details>|\*\*[\w ]+\*\*)/.exec(text)?.[0] ?? "note");
  }

  function code(cell: LooseObject): void {
    const source = sourceOf(cell).trim();
    if (thought === "[pre-executed by user]") return skip("step of the user");
    run.answer({ id: String(steps) });
    run.text(thought);
    thought = "";
    if (tool === "submit" || DONE.test(source)) return run.finish(source);
    run.call({ tool, input: { code: source } });
    const outputs = objectsIn(cell["outputs"]).map((output) =>
      contentText(joined(output["text"] ?? toObject(output["data"])["text/plain"])),
    );
    const failed = objectsIn(cell["outputs"]).some((output) => output["output_type"] === "error");
    run.result({ output: outputs.join(""), outcome: failed ? "error" : "ok" });
  }

  return {
    take: ({ path, value }) => {
      if (path[0] !== "cells") return skip(String(path[0]));
      const cell = toObject(value);
      if (cell["cell_type"] === "markdown") markdown(sourceOf(cell));
      else if (cell["cell_type"] === "code") code(cell);
      else unknown(`cell ${textIn(cell["cell_type"])}`);
    },
  };
}

function joined(value: unknown): unknown {
  return Array.isArray(value) ? value.map(textIn).join("") : value;
}

function sourceOf(cell: LooseObject): string {
  return textIn(joined(cell["source"]));
}
