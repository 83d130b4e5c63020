import type { ToolResult } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { classifyAnswer } from "./classify-answer.ts";
import { englishLexicon } from "./lexicon.ts";

interface Given {
  readonly text: string;
  readonly question?: string;
  readonly effect?: "look" | "change" | "check" | "act";
  readonly outcome?: ToolResult["outcome"];
  readonly exitCode?: number;
}

function classify({ text, question = "", effect = "act", outcome = "ok", exitCode }: Given): string {
  const result = { outcome, output: text, ...(exitCode !== undefined && { exitCode }) };
  return classifyAnswer(result, { text, question, effect, lexicon: englishLexicon });
}

describe("classifyAnswer", () => {
  it.each<Given & { readonly is: string }>([
    { text: "anything", outcome: "error", is: "failure" },
    { text: "anything", exitCode: 2, is: "failure" },
    { text: "javac: command not found", is: "failure" },
    { text: "", is: "nothing" },
    { text: "", effect: "look", outcome: "error", exitCode: 1, is: "nothing" },
    { text: "", effect: "act", outcome: "error", exitCode: 1, is: "failure" },
    { text: "No matches found", effect: "look", is: "nothing" },
    { text: '{"status":"in_progress"}', is: "pending" },
    { text: "File created.", effect: "change", is: "done" },
    { text: "10", effect: "look", is: "value" },
    { text: "a\nb", effect: "look", is: "content" },
    { text: "built, 0 errors", is: "done" },
    { text: "built, no errors, failed=0", is: "done" },
    { text: '{"ok":true,"error":null,"failures":[]}', is: "done" },
    { text: "0 warnings, 3 errors", is: "failure" },
    { text: "error 0x80", is: "failure" },
    { text: "package a\nfunc f() error", effect: "look", is: "content" },
    { text: "Error: cannot read\nline 2", effect: "look", is: "failure" },
    { text: "Waiting for 2 of 8 replicas\nerror: timed out", outcome: "error", is: "pending" },
    { text: "error: timed out waiting", outcome: "error", is: "failure" },
    { text: "Still creating... [1m10s elapsed]", is: "pending" },
    { text: "error ".repeat(200), effect: "look", is: "content" },
  ])("reads $text ($effect, $outcome, $exitCode) as $is", ({ is, ...given }) => {
    expect(classify(given)).toBe(is);
  });

  it("reads the exit code that a shell reports as plain data", () => {
    const context = { text: "done", question: "", effect: "act", lexicon: englishLexicon } as const;
    expect(classifyAnswer({ outcome: "ok", output: { stdout: "done", exit_code: 128 } }, context)).toBe("failure");
    expect(classifyAnswer({ outcome: "ok", output: { stdout: "done", exitCode: 0 } }, context)).toBe("done");
  });

  it("takes a word that the question holds for an echo", () => {
    const text = "The file reproduce_error.py has been edited.";
    expect(classify({ text, question: '{"path":"reproduce_error.py"}', effect: "change" })).toBe("done");
    expect(classify({ text, question: "{}", effect: "change" })).toBe("failure");
  });
});
