/** A scripted chat model: it explores for long, edits after a nudge, and says "done" without a test. */
export interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

export interface Answer {
  readonly text?: string;
  readonly call?: { readonly tool: string; readonly input: Readonly<Record<string, string>> };
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

const FILES = ["README.md", "src/sum.js", "test/sum.test.js"];
const LONGEST_LOOK = 9;

export function createScriptedModel(): (messages: readonly Message[]) => Answer {
  let reads = 0;
  let step: "look" | "jump" | "edit" | "claim" | "test" | "end" = "look";

  return (messages): Answer => {
    const usage = {
      inputTokens: messages.reduce((sum, { text }) => sum + Math.ceil(text.length / 4), 0),
      outputTokens: 20,
    };
    const latest = messages.at(-1)?.text ?? "";
    if (step === "look" && (latest.includes("Change the code") || reads >= LONGEST_LOOK)) step = "jump";
    if (step === "claim" && latest.includes("Run the tests")) step = "test";
    switch (step) {
      case "look":
        return { call: { tool: "read_file", input: { path: FILES[reads++ % FILES.length] ?? "" } }, usage };
      case "jump":
        step = "edit";
        return { call: { tool: "set_phase", input: { to: "verifying" } }, usage };
      case "edit":
        step = "claim";
        return { call: { tool: "edit_file", input: { path: "src/sum.js", content: "return a + b;" } }, usage };
      case "test":
        step = "end";
        return { call: { tool: "run_tests", input: {} }, usage };
      case "claim":
      case "end":
        return { text: "Done: sum adds now.", usage };
    }
  };
}
